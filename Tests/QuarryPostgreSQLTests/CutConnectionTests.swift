#if PostgreSQL && canImport(Glibc)
  import Foundation
  import QuarryBackend
  import QuarryCore
  import QuarryPrivateServer
  import Testing

  @testable import QuarryPostgreSQL

  /// Connections that end at each message of the protocol.
  @Suite(.serialized) struct CutConnectionTests {
    private static let note = ModelSchema(
      name: "Note",
      properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string)], primaryKey: 0
    )

    private static func records(_ ids: ClosedRange<Int>) -> [Record] {
      ids.map { Record(["id": .int(Int64($0)), "text": .string("a")]) }
    }

    /// A store behind a proxy, and a look at it without one.
    private struct Scene {
      let server: PostgreSQLServer
      let proxy: CuttingProxy
      let place: PostgreSQLConfiguration
      let direct: Store

      init(_ writers: BackendManifest.Writers) throws {
        server = try PostgreSQLServer()
        proxy = try CuttingProxy(to: server.socket)
        place = PostgreSQLConfiguration(proxy.connection, writers: writers)
        direct = try Store(opening: PostgreSQLConfiguration(server.connection, writers: writers))
        try direct.write { try $0.apply(.createModel(note)) }
      }

      func end() {
        try? direct.close()
        server.stop()
      }

      func count() throws -> Int { try direct.read { try $0.records.fetch(in: "Note").count } }
    }

    /// A message is the last one for a connection, whichever it is: the write is stored whole or not at all, and the call knows which.
    @Test(arguments: [BackendManifest.Writers.one, .many]) func aWriteIsStoredWholeOrNotAtAll(
      _ writers: BackendManifest.Writers
    ) async throws {
      try await aside { try Self.aWriteIsStoredWholeOrNotAtAll(writers) }
    }

    private static func aWriteIsStoredWholeOrNotAtAll(_ writers: BackendManifest.Writers) throws {
      let scene = try Scene(writers)
      defer { scene.end() }
      let store = try Store(opening: scene.place)
      defer { try? store.close() }
      var (stored, cuts, isCut) = (0, 0, true)
      var codes: Set<StorageError.Code> = []
      while isCut {
        scene.proxy.cut(after: cuts)
        let first = cuts * 200 + 1
        let failure = code {
          try store.write { tx in
            try tx.records.insert(into: "Note", Self.records(first...first))
            // So many are copied.
            try tx.records.insert(into: "Note", Self.records(first + 1...first + 149))
            _ = try tx.records.delete(in: "Note", keys: [.int(Int64(first + 7))])
          }
        }
        isCut = scene.proxy.pass()
        if let failure { codes.insert(failure) } else { stored += 149 }
        #expect(try scene.count() == stored, "cut before message \(cuts): \(String(describing: failure))")
        cuts += 1
        try #require(cuts < 2_000)
      }
      // Of many writers, a body runs again, and one that has been committed does not.
      #expect(codes == (writers == .one ? [.conflict] : []))
      #expect(cuts > 30)
      #expect(try scene.direct.check() == [])
    }

    @Test(arguments: [BackendManifest.Writers.one, .many]) func aReadSeesAllOrFails(
      _ writers: BackendManifest.Writers
    ) async throws {
      try await aside { try Self.aReadSeesAllOrFails(writers) }
    }

    private static func aReadSeesAllOrFails(_ writers: BackendManifest.Writers) throws {
      let scene = try Scene(writers)
      defer { scene.end() }
      try scene.direct.write { try $0.records.insert(into: "Note", Self.records(1...2_000)) }
      let store = try Store(opening: scene.place)
      defer { try? store.close() }
      var (cuts, isCut) = (0, true)
      while isCut {
        scene.proxy.cut(after: cuts)
        var count: Int?
        let failure = code { count = try store.read { try $0.records.fetch(in: "Note").count } }
        isCut = scene.proxy.pass()
        // With many writers a read begins again.
        if failure != nil { #expect(failure == .conflict && writers == .one) } else { #expect(count == 2_000) }
        // The rows of a batch come one by one.
        cuts += cuts > 40 ? 97 : 1
        try #require(cuts < 20_000)
      }
      #expect(cuts > 30)
    }

    /// The server commits or does not, and cannot be asked.
    @Test(arguments: [BackendManifest.Writers.one, .many]) func aCommitMayBeUnknownIfTheServerStaysAway(
      _ writers: BackendManifest.Writers
    ) async throws {
      try await aside { try Self.aCommitMayBeUnknownIfTheServerStaysAway(writers) }
    }

    private static func aCommitMayBeUnknownIfTheServerStaysAway(_ writers: BackendManifest.Writers) throws {
      let scene = try Scene(writers)
      defer { scene.end() }
      let backend = try PostgreSQLBackend(scene.place, OpenOptions())
      defer { try? backend.close() }
      backend.outcomeTimeout.store(100, ordering: .relaxed)
      var (cuts, isCut) = (0, true)
      var codes: Set<StorageError.Code> = []
      while isCut {
        let tx = try backend.beginWrite(WriteOptions())
        var model = Self.note
        model.name = "Model\(cuts)"
        try tx.apply(.createModel(model))
        scene.proxy.cut(after: cuts, thenRefuse: true)
        let failure = code { _ = try tx.commit() }
        isCut = scene.proxy.pass()
        if let failure { codes.insert(failure) }
        // What the server has begun it ends.
        let isStored = try Self.waitForEnd(scene) { try scene.direct.models().contains { $0.name == model.name } }
        switch failure {
        case nil: #expect(isStored)
        case .commitUnknown: break
        default: #expect(!isStored, "cut before message \(cuts)")
        }
        cuts += 1
        try #require(cuts < 100)
      }
      #expect(codes.isSubset(of: [.commitUnknown, .unavailable]))
      #expect(codes.contains(.commitUnknown))
    }

    /// Waits until the server has no transaction of another connection.
    private static func waitForEnd<R>(_ scene: Scene, _ body: () throws -> R) throws -> R {
      let connection = try PostgreSQLConnection(try PostgreSQLSettings(scene.server.connection))
      defer { connection.close() }
      let sql =
        "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL AND backend_xid IS NOT NULL"
      while try connection.run(sql).text(0, 0) != "0" { Thread.sleep(forTimeInterval: 0.002) }
      return try body()
    }
  }
#endif
