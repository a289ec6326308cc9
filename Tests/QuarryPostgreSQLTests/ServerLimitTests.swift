#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import Synchronization
  import Testing

  @testable import QuarryPostgreSQL

  /// What the server's settings refuse.
  @Suite struct ServerLimitTests {
    private static let note = ModelSchema(
      name: "Note", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)

    /// A store whose connections have the server's timeout for statements.
    private static func backend(_ place: TestPlace, timeout: Int) throws -> PostgreSQLBackend {
      var limited = place.place
      limited.connection += " options='-c statement_timeout=\(timeout)'"
      return try PostgreSQLBackend(limited, OpenOptions())
    }

    @Test func aWaitThatTheServerEndsIsBusy() throws {
      let place = try TestPlace()
      let backend = try place.place.open(OpenOptions())
      defer { try? backend.close() }
      let limited = try Self.backend(place, timeout: 200)
      defer { try? limited.close() }
      let writer = try backend.beginWrite(WriteOptions())
      #expect(code { _ = try limited.beginWrite(WriteOptions(timeout: 20)) } == .busy)
      writer.rollback()
      try limited.beginWrite(WriteOptions(timeout: 20)).rollback()
    }

    @Test(arguments: [BackendManifest.Writers.one, .many]) func aStatementThatTakesTooLongIsBusy(
      _ writers: BackendManifest.Writers
    ) throws {
      let place = try TestPlace(writers)
      let backend = try Self.backend(place, timeout: 200)
      defer { try? backend.close() }
      let reader = try #require(try backend.beginRead() as? PostgreSQLReadTransaction)
      #expect(code { _ = try reader.query(.command("SELECT pg_sleep(20)")) } == .busy)
      // The server has ended the transaction.
      #expect(code { _ = try reader.version() } == .busy)
      reader.end()
      let tx = try #require(try backend.beginWrite(WriteOptions()) as? PostgreSQLWriteTransaction)
      try tx.apply(.createModel(Self.note))
      #expect(code { _ = try tx.protected([.command("SELECT pg_sleep(20)")]) } == .busy)
      // What was done before the statement stays.
      _ = try tx.commit()
      let other = try backend.beginRead()
      defer { other.end() }
      #expect(other.schema.models.map(\.name) == ["Note"])
    }

    /// A role that may have three connections.
    private static func limited(_ place: TestPlace) throws -> (PostgreSQLConfiguration, remove: () -> Void) {
      let role = place.place.schema + "_role"
      try place.server("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 3; GRANT CREATE ON DATABASE postgres TO \(role)")
      var limited = place.place
      limited.connection += " user=\(role)"
      return (limited, { _ = try? place.server("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)") })
    }

    @Test func aLimitOfConnectionsIsBusyAfterTheWait() throws {
      let place = try TestPlace()
      let (limited, remove) = try Self.limited(place)
      defer { remove() }
      var options = OpenOptions()
      options.busyTimeout = 0.5
      let backend = try PostgreSQLBackend(limited, options)
      defer { try? backend.close() }
      let readers = try (0..<3).map { _ in try backend.beginRead() }
      let start = ContinuousClock.now
      #expect(code { _ = try backend.beginRead() } == .busy)
      #expect(ContinuousClock.now - start > .milliseconds(400))
      #expect(code { _ = try PostgreSQLBackend(limited, options) } == .busy)
      for reader in readers { reader.end() }
      try backend.beginRead().end()
    }

    @Test func aConnectionIsWaitedForUntilAnotherIsFree() throws {
      let place = try TestPlace()
      let (limited, remove) = try Self.limited(place)
      defer { remove() }
      let backend = try PostgreSQLBackend(limited, OpenOptions())
      defer { try? backend.close() }
      let readers = try (0..<3).map { _ in try backend.beginRead() }
      let ended = DispatchSemaphore(value: 0)
      let failure = Mutex<StorageError.Code?>(nil)
      Thread.detachNewThread {
        let found = code { try backend.beginRead().end() }
        failure.withLock { $0 = found }
        ended.signal()
      }
      Thread.sleep(forTimeInterval: 0.3)
      readers[0].end()
      ended.wait()
      #expect(failure.withLock { $0 } == nil)
      for reader in readers { reader.end() }
    }
  }
#endif
