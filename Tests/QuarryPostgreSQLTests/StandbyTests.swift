#if PostgreSQL && canImport(Glibc)
  import Foundation
  import QuarryBackend
  import QuarryCore
  import QuarryPrivateServer
  import QuarryQuery
  import Testing

  @testable import QuarryPostgreSQL

  /// Reads on a server that follows another one, and writes after it has taken the other's place.
  @Suite(.serialized) struct StandbyTests {
    private static let note = ModelSchema(
      name: "Note",
      properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string)], primaryKey: 0
    )

    private static func insert(_ ids: some Sequence<Int>, into store: Store) throws {
      try store.write { tx in
        try tx.records.insert(
          into: "Note", ids.map { Record(["id": .int(Int64($0)), "text": .string("note \($0)")]) })
      }
    }

    /// Waits until a store shows a version.
    private static func wait(for version: CommitVersion, in store: Store) throws {
      for _ in 0..<400 {
        if try store.read({ tx in try tx.version }) >= version { return }
        Thread.sleep(forTimeInterval: 0.05)
      }
      Issue.record("the standby has not caught up")
    }

    private static func count(_ store: Store) throws -> Int {
      try store.read { tx in try tx.records.count(QueryTree(model: "Note")) }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [BackendManifest.Writers.one, .many])
    func aStandbyIsReadAndTakesThePlaceOfTheOther(_ writers: BackendManifest.Writers) throws {
      let primary = try PostgreSQLServer()
      defer { primary.stop() }
      let standby = try primary.standby()
      defer { standby.stop() }
      let both = PostgreSQLConfiguration(primary.connection(or: standby), schema: "notes", writers: writers)
      // The standby comes second and first: the order decides nothing.
      let swapped = PostgreSQLConfiguration(standby.connection(or: primary), schema: "notes", writers: writers)
      let store = try Store(opening: swapped)
      defer { try? store.close() }
      try store.write { tx in try tx.apply(.createModel(Self.note)) }
      for start in stride(from: 0, to: 300, by: 100) { try Self.insert(start..<start + 100, into: store) }
      let version = try store.read { tx in try tx.version }

      var options = OpenOptions()
      options.isReadOnly = true
      // The standby may not have the schema yet.
      let reader = try Self.opened(both, options)
      defer { try? reader.close() }
      let details = try reader.statistics().details
      #expect(details["standby"] == "yes")
      #expect(try store.statistics().details["standby"] == "no")
      try Self.wait(for: version, in: reader)
      #expect(try reader.read { tx in try tx.version } == version)
      #expect(try Self.count(reader) == 300)
      let frozen = try reader.freeze()
      try Self.insert(300..<400, into: store)
      try Self.wait(for: try store.read { tx in try tx.version }, in: reader)
      #expect(try Self.count(reader) == 400)
      #expect(try frozen.read { tx in try tx.records.count(QueryTree(model: "Note")) } == 300)
      #expect(frozen.version == version)
      frozen.close()
      #expect(throws: StorageError.self) { try Self.insert([900], into: reader) }

      primary.crash()
      try standby.promote()
      // The first write finds that its connection is gone, and is run again by the caller.
      var attempts = 0
      while true {
        do {
          try Self.insert([400], into: store)
          break
        } catch let error as StorageError where attempts < 100 {
          #expect([.conflict, .unavailable, .readOnly, .duplicateKey].contains(error.code))
          if error.code == .duplicateKey { break }
          attempts += 1
          Thread.sleep(forTimeInterval: 0.05)
        }
      }
      #expect(try Self.count(store) == 401)
      #expect(try Self.count(reader) == 401)
    }

    private static func opened(_ place: PostgreSQLConfiguration, _ options: OpenOptions) throws -> Store {
      for _ in 0..<200 {
        if let store = try? Store(opening: place, options: options) { return store }
        Thread.sleep(forTimeInterval: 0.05)
      }
      return try Store(opening: place, options: options)
    }

    /// A store that is opened for writing on a standby alone can be read, and says what it cannot do.
    @Test(.timeLimit(.minutes(5))) func writesOnAStandbyAreRefused() throws {
      let primary = try PostgreSQLServer()
      defer { primary.stop() }
      let place = PostgreSQLConfiguration(primary.connection, schema: "notes")
      let store = try Store(opening: place)
      try store.write { tx in try tx.apply(.createModel(Self.note)) }
      try Self.insert(0..<3, into: store)
      try store.close()
      let standby = try primary.standby()
      defer { standby.stop() }
      let other = try Store(opening: PostgreSQLConfiguration(standby.connection, schema: "notes"))
      defer { try? other.close() }
      #expect(try Self.count(other) == 3)
      for _ in 0..<2 {
        #expect { try Self.insert([9], into: other) } throws: { ($0 as? StorageError)?.code == .readOnly }
      }
      #expect(try Self.count(other) == 3)
    }
  }
#endif
