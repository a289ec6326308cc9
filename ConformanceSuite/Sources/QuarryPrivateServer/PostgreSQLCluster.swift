import Foundation
import QuarryBackend
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A private server for the tests of a process, on a socket in a temporary folder. It is stopped when the process ends.
public enum PostgreSQLCluster {
  private struct State {
    var running: PostgreSQLServer?
    var pooler: PostgreSQLPooler?
    var failure: StorageError?
  }

  private static let state = Mutex(State())

  /// The connection string of the server that tests use, which is started with the first call.
  ///
  /// - Throws: `io` where there are no programs of a server, or they fail.
  public static func connection() throws -> String {
    if let named = ProcessInfo.processInfo.environment["QUARRY_TEST_POSTGRES"], !named.isEmpty { return named }
    return try server().connection
  }

  /// The connection string of a pooler in front of that server, which is started with the first call.
  ///
  /// - Throws: `io` where there is no pooler, or it fails; where the environment names the server.
  public static func pooledConnection() throws -> String {
    if let named = ProcessInfo.processInfo.environment["QUARRY_TEST_POSTGRES"], !named.isEmpty {
      throw StorageError(.io, "a pooler is only started in front of a private server")
    }
    let server = try server()
    return try state.withLock { state in
      let pooler = try state.pooler ?? PostgreSQLPooler(to: server.folder)
      state.pooler = pooler
      return pooler.connection
    }
  }

  private static func server() throws -> PostgreSQLServer {
    try state.withLock { state in
      if let running = state.running { return running }
      if let failure = state.failure { throw failure }
      do {
        let running = try PostgreSQLServer()
        state.running = running
        atexit { PostgreSQLCluster.stop() }
        return running
      } catch {
        let failure = (error as? StorageError) ?? StorageError(.io, "no server was started: \(error)")
        state.failure = failure
        throw failure
      }
    }
  }

  private static func stop() {
    let (running, pooler) = state.withLock { state in
      defer { state = State() }
      return (state.running, state.pooler)
    }
    pooler?.stop()
    running?.stop()
  }
}
