import Foundation
import QuarryBackend
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A private pgbouncer in transaction mode in front of a server, on a socket in a temporary folder.
public final class PostgreSQLPooler: Sendable {
  private let folder: String
  private let process: Mutex<pid_t?>

  /// Starts a pooler.
  ///
  /// - Parameters:
  ///   - server: The folder of the server's socket.
  ///   - sessions: How many sessions of the server it gives to transactions.
  /// - Throws: `io` where there is no pgbouncer, or it fails.
  public init(to server: String, sessions: Int = 100) throws {
    guard let program = Self.program else {
      throw StorageError(.io, "pgbouncer is not installed: scripts/setup --postgres installs it")
    }
    folder = try PostgreSQLServer.makeFolder()
    let configuration = """
      [databases]
      postgres = host=\(server) user=quarry
      [pgbouncer]
      unix_socket_dir = \(folder)
      listen_port = 5432
      auth_type = any
      pool_mode = transaction
      max_client_conn = 500
      default_pool_size = \(sessions)
      logfile = \(folder)/log
      pidfile = \(folder)/pid
      """
    let file = folder + "/pgbouncer.ini"
    try configuration.write(toFile: file, atomically: false, encoding: .utf8)
    process = Mutex(try PostgreSQLServer.spawn(program, ["-q", file], log: folder + "/out"))
    for _ in 0..<500 {
      if access(folder + "/.s.PGSQL.5432", F_OK) == 0 { return }
      usleep(10_000)
    }
    stop()
    throw StorageError(.io, "pgbouncer did not start")
  }

  /// The connection string of a client.
  public var connection: String { "host=\(folder) user=quarry dbname=postgres" }

  /// Stops the pooler, and removes all that it has.
  public func stop() {
    if let pooler = process.withLock({ $0.take() }) {
      _ = kill(pooler, SIGKILL)
      _ = PostgreSQLServer.wait(for: pooler)
    }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Ends a pooler of a process that was killed, by the number that it has left.
  static func end(leftIn folder: String) {
    guard let text = try? String(contentsOfFile: folder + "/pid", encoding: .utf8),
      let number = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)),
      let name = try? String(contentsOfFile: "/proc/\(number)/cmdline", encoding: .utf8), name.contains(folder)
    else { return }
    _ = kill(number, SIGKILL)
  }

  private static var program: String? {
    ["/usr/sbin", "/opt/homebrew/bin", "/usr/local/bin"].map { $0 + "/pgbouncer" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }
}
