#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import QuarryPrivateServer

  @testable import QuarryPostgreSQL

  /// A schema of its own for a test, removed at the end with all that is in it.
  final class TestPlace {
    let place: PostgreSQLConfiguration

    /// - Parameters:
    ///   - writers: How many transactions write at once.
    ///   - connection: The server; nil for that of all tests.
    init(_ writers: BackendManifest.Writers = .one, on connection: String? = nil) throws {
      let name = UUID().uuidString.lowercased().replacing("-", with: "")
      place = PostgreSQLConfiguration(
        try connection ?? PostgreSQLCluster.connection(), schema: "t_\(name)", writers: writers)
    }

    deinit {
      _ = try? server("DROP SCHEMA IF EXISTS \(schema) CASCADE")
    }

    var schema: String { PostgreSQLName.quoted(place.schema) }

    func open(_ options: OpenOptions = OpenOptions()) throws -> Store { try Store(opening: place, options: options) }

    /// The first field of a statement that another program sends.
    @discardableResult
    func server(_ sql: String) throws -> String? {
      let connection = try PostgreSQLConnection(try PostgreSQLSettings(place.connection))
      defer { connection.close() }
      return try connection.run(sql).text(0, 0)
    }
  }

  /// Runs the body on a thread of its own, because it waits for a lock: the threads of tasks are few.
  func onThread<R: Sendable>(_ body: @escaping @Sendable () -> R) -> Task<R, Never> {
    Task.detached {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
      }
    }
  }

  /// Runs a long body on a thread of its own: other tests wait for the few threads of tasks.
  func aside(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await onThread { Result { try body() } }.value.get()
  }

  /// The code of the error that the body throws; nil where it throws none.
  func code(_ body: () throws -> Void) -> StorageError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StorageError)?.code
    }
  }
#endif
