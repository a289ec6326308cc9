#if PostgreSQL
  import Foundation
  import QuarryCore
  import Testing

  @testable import QuarryBackend
  @testable import QuarryPostgreSQL
  @testable import QuarryTestSupport

  @Suite struct TransactionTests {
    private static let note = ModelSchema(
      name: "Note",
      properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string)], primaryKey: 0
    )

    private static func record(_ id: Int, _ text: String = "a") -> Record {
      Record(["id": .int(Int64(id)), "text": .string(text)])
    }

    private static func store(_ place: TestPlace, _ options: OpenOptions = OpenOptions()) throws -> Store {
      let store = try place.open(options)
      try store.write { try $0.apply(.createModel(note)) }
      return store
    }

    /// The server ends an idle connection, as a restart or a proxy does.
    @Test func anIdleConnectionThatEndedIsReplaced() throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      try store.write { try $0.records.insert(into: "Note", [Self.record(1)]) }
      try place.server(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
          + "AND query LIKE '%\(place.place.schema)%'")
      Thread.sleep(forTimeInterval: 0.1)
      #expect(try store.read { try $0.records.fetch(in: "Note").count } == 1)
      try store.write { try $0.records.insert(into: "Note", [Self.record(2)]) }
      #expect(try store.read { try $0.records.fetch(in: "Note").count } == 2)
    }

    /// More of them than a call would have to try, as after a restart.
    @Test func manyIdleConnectionsThatEndedAreReplaced() throws {
      let place = try TestPlace()
      let backend = try PostgreSQLBackend(place.place, OpenOptions())
      defer { try? backend.close() }
      let readers = try (0..<8).map { _ in try backend.beginRead() }
      let processes = readers.compactMap { ($0 as? PostgreSQLReadTransaction)?.connection.process }
      #expect(processes.count == readers.count)
      for reader in readers { reader.end() }
      let list = processes.map { String($0) }.joined(separator: ", ")
      try place.server("SELECT count(pg_terminate_backend(pid)) FROM unnest(ARRAY[\(list)]) pid")
      Thread.sleep(forTimeInterval: 0.1)
      try backend.beginRead().end()
    }

    @Test func theServerKnowsWhatBecameOfATransaction() throws {
      let place = try TestPlace()
      let backend = try PostgreSQLBackend(place.place, OpenOptions())
      defer { try? backend.close() }
      let number = try #require(try place.server("SELECT pg_current_xact_id()").flatMap { UInt64($0) })
      let connection = try backend.pool.take(.never)
      let run = try #require(connection.serverRun)
      backend.pool.give(connection)
      #expect(backend.outcome(of: number, process: 0, in: run) == .committed)
      // After a crash, another transaction may have got the number.
      #expect(backend.outcome(of: number, process: 0, in: "another") == .unknown)
      #expect(backend.outcome(of: number, process: 0, in: nil) == .unknown)
      // No transaction has had it yet.
      #expect(backend.outcome(of: number + 1_000_000_000, process: 0, in: run) == .undone)
      #expect(backend.outcome(of: nil, process: 0, in: run) == .unknown)
    }

    @Test func aStoreInThePlaceOfAnotherIsNotTakenForIt() throws {
      let place = try TestPlace()
      let backend = try PostgreSQLBackend(place.place, OpenOptions())
      defer { try? backend.close() }
      try place.server("DROP SCHEMA \(place.schema) CASCADE")
      try PostgreSQLBackend(place.place, OpenOptions()).close()
      #expect(code { _ = try backend.beginRead() } == .io)
      #expect(code { _ = try backend.beginWrite(WriteOptions()) } == .io)
    }

    @Test func closingEndsTheWaitForTheLine() async throws {
      let place = try TestPlace()
      let backend = try PostgreSQLBackend(place.place, OpenOptions())
      defer { try? backend.close() }
      let other = try PostgreSQLBackend(place.place, OpenOptions())
      let writer = try backend.beginWrite(WriteOptions())
      defer { writer.rollback() }
      let waiting = onThread { code { _ = try other.beginWrite(WriteOptions(timeout: 30)) } }
      try await Task.sleep(for: .milliseconds(500))
      let start = ContinuousClock.now
      try other.close()
      let found = await waiting.value
      #expect(found == .closed)
      #expect(ContinuousClock.now - start < .seconds(10))
    }

    /// All its rows came at once, so that the server has no cursor that could end.
    @Test func aSmallCursorEndsWithItsSavepoint() throws {
      let place = try TestPlace()
      let backend = try PostgreSQLBackend(place.place, OpenOptions())
      defer { try? backend.close() }
      let tx = try backend.beginWrite(WriteOptions())
      defer { tx.rollback() }
      try tx.apply(.createModel(Self.note))
      let model = try #require(tx.schema.models.first)
      try tx.savepoint()
      var query = BoundQuery(everyRowOf: model)
      query.limit = 1
      let cursor = try tx.cursor(query)
      try tx.rollbackSavepoint()
      let rows = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 1)
      rows.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
      defer { rows.deallocate() }
      #expect(code { _ = try cursor.fill(rows) } == .transactionEnded)
    }

    @Test func aConnectionThatEndsInATransactionIsAConflict() throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      let failure = code {
        try store.write { tx in
          try tx.records.insert(into: "Note", [Self.record(1)])
          try place.server(
            "SELECT count(pg_terminate_backend(l.pid)) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation "
              + "JOIN pg_namespace n ON n.oid = c.relnamespace "
              + "WHERE n.nspname = '\(place.place.schema)' AND l.pid <> pg_backend_pid()")
          Thread.sleep(forTimeInterval: 0.1)
          try tx.records.insert(into: "Note", [Self.record(2)])
        }
      }
      #expect(failure == .conflict)
      #expect(try store.read { try $0.records.fetch(in: "Note").count } == 0)
    }

    @Test func aServerThatIsGoneIsUnavailable() throws {
      let pool = PostgreSQLPool(try PostgreSQLSettings("host=/nowhere/at/all"), limit: 1, greeting: "SELECT 1")
      #expect(pool.loss(.connectionLost()).code == .unavailable)
      #expect(pool.loss(.connectionLost("57P01")).code == .unavailable)
      // The server has ended it on purpose.
      #expect(pool.loss(StorageError(sqlState: "25P03")).code == .io)
      #expect(code { _ = try pool.take(Deadline(after: 1)) } == .unavailable)
    }

    @Test func anotherStoreWaitsForTheLine() throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      let other = try place.place.open(OpenOptions())
      defer { try? other.close() }
      try store.write { _ in
        for timeout in [0, -1, .nan, 0.05] {
          #expect(code { _ = try other.beginWrite(WriteOptions(timeout: timeout)) } == .busy)
        }
      }
      try other.beginWrite(WriteOptions(timeout: 0)).rollback()
    }

    @Test func versionsRiseWithCommits() throws {
      let place = try TestPlace()
      let backend = try place.place.open(OpenOptions())
      defer { try? backend.close() }
      var last = CommitVersion(0)
      for round in 0..<10 {
        let tx = try backend.beginWrite(WriteOptions())
        #expect(try tx.version() >= last)
        var model = Self.note
        model.name = "Note\(round)"
        try tx.apply(.createModel(model))
        let version = try tx.commit().version
        #expect(version > last)
        last = version
      }
    }

    /// A frozen store is read by threads at once, and sees nothing that came later.
    @Test func aSnapshotIsReadByManyThreads() throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      try store.write { try $0.records.insert(into: "Note", (0..<100).map { Self.record($0) }) }
      let frozen = try store.freeze()
      defer { frozen.close() }
      try store.write { _ = try $0.records.delete(in: "Note", keys: (0..<50).map { .int($0) }) }
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        for _ in 0..<5 { #expect((try? frozen.records.fetch(in: "Note").count) == 100) }
      }
      #expect(try store.read { try $0.records.fetch(in: "Note").count } == 50)
    }
  }
#endif
