#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import Testing

  @testable import QuarryPostgreSQL

  /// Stores with many writers at once.
  @Suite struct ManyWriterTests {
    private static let note = ModelSchema(
      name: "Note",
      properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string)], primaryKey: 0
    )

    private static func record(_ id: Int, _ text: String) -> Record {
      Record(["id": .int(Int64(id)), "text": .string(text)])
    }

    private static func texts(_ scope: some ReadScope) throws -> [String?] {
      try scope.records.fetch(in: "Note").map { record in
        if case .string(let text)? = record["text"] { return text }
        return nil
      }
    }

    /// Only by what the frozen store sees the two writes cannot have had an order.
    @Test(arguments: [true, false]) func aFrozenStoreHasAPlaceInTheOrder(_ isWrittenBefore: Bool) throws {
      let place = try TestPlace(.many)
      let store = try place.open()
      defer { try? store.close() }
      try store.write { tx in
        try tx.apply(.createModel(Self.note))
        try tx.records.insert(into: "Note", (1...2).map { Self.record($0, "old") })
      }
      let other = try place.open()
      defer { try? other.close() }
      var runs = 0
      try store.write { tx in
        runs += 1
        let isSeen = try Self.texts(tx)[1] == "new"
        #expect(isSeen == (runs > 1))
        if isWrittenBefore { try tx.records.upsert(into: "Note", [Self.record(1, "first")]) }
        if !isSeen {
          try other.write { try $0.records.upsert(into: "Note", [Self.record(2, "new")]) }
          let frozen = try other.freeze()
          defer { frozen.close() }
          #expect(try Self.texts(frozen) == ["old", "new"])
        }
        if !isWrittenBefore { try tx.records.upsert(into: "Note", [Self.record(1, "first")]) }
      }
      #expect(runs == 2)
    }

    // MARK: Versions

    private static func makeNotes(_ store: Store) throws { try store.write { try $0.apply(.createModel(note)) } }

    private static func insert(_ store: Store, _ id: Int) throws {
      try store.write { try $0.records.insert(into: "Note", [record(id, "a")]) }
    }

    /// A hundred commits are counted together, and the numbers go on.
    @Test func versionsCountTheCommitsOfTheStore() throws {
      let (place, other) = (try TestPlace(.many), try TestPlace(.many))
      let (store, neighbour) = (try place.open(), try other.open())
      defer {
        try? store.close()
        try? neighbour.close()
      }
      try Self.makeNotes(store)
      try Self.makeNotes(neighbour)
      var last = try store.read { try $0.version }
      for id in 0..<250 {
        if id % 10 == 0 { try Self.insert(neighbour, id) }
        try Self.insert(store, id)
        let version = try store.read { try $0.version }
        #expect(version.rawValue == last.rawValue + 1)
        last = version
      }
      try store.write { _ in }
      #expect(throws: CancellationError.self) {
        try store.write { tx in
          try tx.records.insert(into: "Note", [Self.record(1_000, "a")])
          throw CancellationError()
        }
      }
      let frozen = try store.freeze()
      defer { frozen.close() }
      #expect(frozen.version == last)
      let counts = try #require(try place.server("SELECT count(*) FROM \(place.schema).\"_quarry_count\""))
      #expect((2...4).contains(Int(counts) ?? 0))
    }

    /// A store takes numbers of a sequence in a transaction of its own, which makes no version.
    @Test func aCommitWithGeneratedKeysIsKnown() async throws {
      let place = try TestPlace(.many)
      let store = try place.open()
      defer { try? store.close() }
      var model = Self.note
      model.keyGeneration = .sequence
      let sequence = model
      try await store.write { try $0.apply(.createModel(sequence)) }
      var version = try await store.read { try $0.version }
      var commits = store.commits().makeAsyncIterator()
      // Three blocks of 64 numbers.
      for key in 1...130 {
        try await store.write { try $0.records.insert(into: "Note", [Record(["text": "a"])]) }
        let change = try #require(try await commits.next())
        #expect(!change.isUnknown && change["Note"]?.inserted == [.int(Int64(key))])
        #expect(change.version.rawValue == version.rawValue + 1)
        version = change.version
      }
    }

    /// What a commit follows is known, whatever other stores do.
    @Test func aCommitNamesTheStateBefore() throws {
      let (place, other) = (try TestPlace(.many), try TestPlace(.many))
      let (backend, store, neighbour) = (
        try PostgreSQLBackend(place.place, OpenOptions()), try place.open(), try other.open()
      )
      defer {
        try? backend.close()
        try? store.close()
        try? neighbour.close()
      }
      try Self.makeNotes(store)
      try Self.makeNotes(neighbour)
      func commit(_ id: Int64, between body: () throws -> Void = {}) throws -> (CommitVersion, CommitResult) {
        let tx = try #require(try backend.beginWrite(WriteOptions()) as? PostgreSQLWriteTransaction)
        let base = try tx.version()
        let model = try tx.model(tx.schema.models[0].id)
        try tx.connection.run("INSERT INTO \(model.table.name) VALUES (\(id), 'a')")
        tx.hasChanged = true
        try body()
        return (base, try tx.commit())
      }
      let (base, first) = try commit(1) { try Self.insert(neighbour, 1) }
      #expect(first.previous == base)
      #expect(first.version.rawValue == base.rawValue + 1)
      let (next, second) = try commit(2)
      #expect(next == first.version)
      #expect(second.previous == next)
      // Another commit of the store came between.
      let (_, third) = try commit(3) { try Self.insert(store, 4) }
      #expect(third.previous == nil)
      #expect(third.version.rawValue == second.version.rawValue + 2)
    }

    /// There is none left to ask for the version.
    @Test func aSnapshotMayHaveTheOtherConnection() throws {
      let place = try TestPlace(.many)
      var narrow = place.place
      narrow.connections = 2
      let store = try Store(opening: narrow)
      defer { try? store.close() }
      try Self.makeNotes(store)
      let frozen = try store.freeze()
      defer { frozen.close() }
      let first = try store.read { try $0.version }
      try store.write { tx in
        #expect(try tx.version == first)
        try tx.records.insert(into: "Note", [Self.record(1, "a")])
      }
      #expect(try store.read { try $0.version }.rawValue == first.rawValue + 1)
      for few in [1, 0, -1, Int.min] {
        narrow.connections = few
        #expect(code { _ = try Store(opening: narrow) } == .invalidValue)
      }
    }

    // MARK: Openings

    /// Each connection of an open store holds a lock, by which the server knows whether the store is open.
    @Test(arguments: [BackendManifest.Writers.one, .many]) func aStoreThatIsOpenElsewhereIsInUse(
      _ writers: BackendManifest.Writers
    ) throws {
      let place = try TestPlace(writers)
      let store = try place.open()
      let other = try place.open()
      #expect(code { try store.destroy() } == .inUse)
      #expect(try other.models().isEmpty)
      try other.close()
      let backend = try PostgreSQLBackend(place.place, OpenOptions())
      try store.close()
      let name = try backend.quarantine()
      defer { _ = try? place.server("DROP SCHEMA \(PostgreSQLName.quoted(name)) CASCADE") }
      #expect(name.hasPrefix(place.place.schema + ".quarantine-"))
      var options = OpenOptions()
      options.createsIfMissing = false
      #expect(code { _ = try place.open(options) } == .notFound)
      var aside = place.place
      aside.schema = name
      try aside.open(options).close()
    }
  }
#endif
