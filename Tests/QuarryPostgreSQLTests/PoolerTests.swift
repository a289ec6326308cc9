#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import QuarryPrivateServer
  import Synchronization
  import Testing

  @testable import QuarryPostgreSQL

  /// Stores behind a pooler, which gives each transaction another session of the server.
  @Suite struct PoolerTests {
    private static let note = ModelSchema(
      name: "Note",
      properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string)], primaryKey: 0
    )

    private static func record(_ id: Int, _ text: String = "a") -> Record {
      Record(["id": .int(Int64(id)), "text": .string(text)])
    }

    /// A pooler of its own.
    private final class Pooled {
      let direct: TestPlace
      let pooler: PostgreSQLPooler
      private let server: PostgreSQLServer?

      /// - Parameter ownServer: Whether the server is of this pooler alone too, so that its sessions can be counted.
      init(_ writers: BackendManifest.Writers = .one, sessions: Int, ownServer: Bool = false) throws {
        let server = ownServer ? try PostgreSQLServer() : nil
        let connection = try server?.connection ?? PostgreSQLCluster.connection()
        let host = try #require(try PostgreSQLSettings.options(of: connection)["host"])
        self.server = server
        pooler = try PostgreSQLPooler(to: host, sessions: sessions)
        direct = try TestPlace(writers, on: connection)
      }

      deinit {
        pooler.stop()
        server?.stop()
      }

      var place: PostgreSQLConfiguration {
        var place = direct.place
        place.connection = pooler.connection
        place.pooled = true
        return place
      }

      func backend(waiting seconds: Double = 5) throws -> PostgreSQLBackend {
        var options = OpenOptions()
        options.busyTimeout = seconds
        return try PostgreSQLBackend(place, options)
      }
    }

    @Test(arguments: [BackendManifest.Writers.one, .many]) func nothingIsLeftInASession(
      _ writers: BackendManifest.Writers
    ) throws {
      let pooled = try Pooled(writers, sessions: 3, ownServer: true)
      let store = try Store(opening: pooled.place)
      try store.write { try $0.apply(.createModel(Self.note)) }
      for round in 0..<20 {
        try store.write { try $0.records.insert(into: "Note", [Self.record(round)]) }
        #expect(try store.records.fetch(in: "Note", where: "id >= 0").count == round + 1)
      }
      let frozen = try store.freeze()
      try store.write { try $0.records.upsert(into: "Note", [Self.record(1, "b")]) }
      #expect(try frozen.records.fetch(in: "Note", where: "text = 'b'").isEmpty)
      frozen.close()
      #expect(try store.check() == [])
      let sessions = try (0..<3).map { _ in
        let session = try PostgreSQLConnection(try PostgreSQLSettings(pooled.pooler.connection))
        // The transaction keeps the session.
        try session.run("BEGIN")
        return session
      }
      defer { for session in sessions { session.close() } }
      for session in sessions {
        #expect(try session.run("SELECT count(*) FROM pg_prepared_statements").text(0, 0) == "0")
        #expect(try session.run("SHOW lock_timeout").text(0, 0) == "0")
        let settings = "SELECT count(*) FROM pg_settings WHERE source = 'session' AND name <> 'application_name' "
        let names =
          "AND name NOT IN ('client_encoding', 'transaction_isolation', 'transaction_read_only', 'transaction_deferrable')"
        #expect(try session.run(settings + names).text(0, 0) == "0")
      }
      #expect(try pooled.direct.server("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == "0")
      #expect(try pooled.direct.server("SELECT count(*) FROM pg_listening_channels()") == "0")
      try store.close()
    }

    /// The pooler keeps what is sent until it has a session, and says nothing meanwhile.
    @Test func aPoolerWithoutASessionIsBusy() throws {
      let pooled = try Pooled(sessions: 1, ownServer: true)
      let backend = try pooled.backend(waiting: 0.3)
      let reader = try backend.beginRead()
      let start = ContinuousClock.now
      #expect(code { _ = try backend.beginRead() } == .busy)
      #expect(ContinuousClock.now - start < .seconds(10))
      _ = try reader.version()
      reader.end()
      try backend.beginRead().end()
      try backend.close()
    }

    @Test func closingEndsTheWaitForASession() async throws {
      try await aside {
        let pooled = try Pooled(sessions: 1, ownServer: true)
        let backend = try pooled.backend(waiting: 60)
        let reader = try backend.beginRead()
        let found = Mutex<StorageError.Code?>(nil)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          let failure = code { _ = try backend.beginRead() }
          found.withLock { $0 = failure }
          ended.signal()
        }
        Thread.sleep(forTimeInterval: 0.3)
        let start = ContinuousClock.now
        try backend.close()
        ended.wait()
        #expect(found.withLock { $0 } == .closed)
        #expect(ContinuousClock.now - start < .seconds(10))
        reader.end()
      }
    }

    @Test func manyThreadsShareFewSessions() async throws {
      try await aside {
        let pooled = try Pooled(.many, sessions: 2, ownServer: true)
        let store = try Store(opening: pooled.place)
        try store.write { try $0.apply(.createModel(Self.note)) }
        let failures = FailureList()
        DispatchQueue.concurrentPerform(iterations: 6) { thread in
          for round in 0..<10 {
            failures.run {
              try store.write(timeout: 60) { try $0.records.insert(into: "Note", [Self.record(thread * 100 + round)]) }
            }
          }
        }
        try failures.rethrow()
        #expect(try store.records.fetch(in: "Note").count == 60)
        try store.close()
      }
    }

    @Test func whatNeedsASessionIsRefused() throws {
      let pooled = try Pooled(sessions: 4)
      let store = try Store(opening: pooled.place)
      #expect(store.manifest.capabilities[.destroy]?.isSupported == false)
      #expect(code { try store.destroy() } == .unsupported)
      let backend = try pooled.backend()
      #expect(code { _ = try backend.quarantine() } == .unsupported)
      try backend.close()
      #expect(code { try pooled.place.withScratch { _ in } } == .unsupported)
      try store.close()
      // Without the pooler it is a store like any other.
      let direct = try pooled.direct.open()
      try direct.destroy()
    }

    @Test func sessionsOfAnotherIsolationAreRefused() throws {
      let pooled = try Pooled(sessions: 4, ownServer: true)
      try pooled.direct.server("ALTER ROLE quarry SET default_transaction_isolation = 'serializable'")
      #expect(code { _ = try pooled.backend() } == .unsupported)
    }

    @Test func aPoolerThatIsGoneIsUnavailable() throws {
      let pooled = try Pooled(sessions: 4)
      let backend = try pooled.backend(waiting: 0.3)
      pooled.pooler.stop()
      #expect([.unavailable, .io].contains(code { _ = try backend.beginRead() }))
      try backend.close()
    }

    @Test func aURLNamesThePooler() throws {
      let description = EngineDescription.postgreSQL
      #expect(description.variants.contains(.postgreSQLPooled))
    }
  }

  /// The first failure of several threads.
  private final class FailureList: @unchecked Sendable {
    private let lock = NSLock()
    private var first: (any Error)?

    func run(_ body: () throws -> Void) {
      do { try body() } catch { lock.withLock { if first == nil { first = error } } }
    }

    func rethrow() throws { if let first = lock.withLock({ first }) { throw first } }
  }
#endif
