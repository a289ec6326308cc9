import Foundation
import QuarryBackend
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A private server on a socket in a temporary folder, which a test may kill and start again.
public final class PostgreSQLServer: Sendable {
  /// What the server has on the disk, and its socket.
  public let folder: String
  private let bin: String
  /// Settings in place of those that tests have, as `NAME=VALUE`.
  private let settings: [String]
  /// The port on 127.0.0.1; nil for a server that only its socket reaches.
  private let port: UInt16?
  private let process = Mutex<pid_t?>(nil)

  private static let prefix = "qpg-"
  private static let count = Atomic<Int>(0)

  /// Makes a server and starts it.
  ///
  /// - Parameters:
  ///   - settings: Settings in place of those that tests have, as `NAME=VALUE`.
  ///   - hasPort: Whether it also takes connections at a free port of 127.0.0.1.
  /// - Throws: `io` where there are no programs of a server, or they fail.
  public convenience init(settings: [String] = [], hasPort: Bool = false) throws {
    try self.init(settings, port: hasPort ? FreePort.find() : nil) { bin, folder in
      (
        bin + "/initdb",
        ["-D", folder + "/data", "-E", "UTF8", "--locale=C", "-A", "trust", "-U", "quarry", "--no-sync"]
      )
    }
  }

  /// Makes a server that follows this one, and starts it.
  ///
  /// - Throws: `io`.
  public func standby() throws -> PostgreSQLServer {
    let (primary, primaryPort) = (folder, portNumber)
    return try PostgreSQLServer(settings, port: nil) { bin, folder in
      (
        bin + "/pg_basebackup",
        [
          "-D", folder + "/data", "-h", primary, "-p", primaryPort, "-U", "quarry", "-R", "-X", "stream", "-c", "fast",
          "--no-sync",
        ]
      )
    }
  }

  /// - Parameter maker: Returns the program that makes the server's data, and its arguments.
  private init(
    _ settings: [String], port: UInt16?, _ maker: (_ bin: String, _ folder: String) -> (String, [String])
  ) throws {
    self.settings = settings
    self.port = port
    bin = try Self.programs()
    folder = try Self.makeFolder()
    let (program, arguments) = maker(bin, folder)
    let made = try Self.spawn(program, arguments, log: folder + "/init.log")
    guard Self.wait(for: made) == 0 else { throw StorageError(.io, "\(program) failed: see \(folder)/init.log") }
    try start()
  }

  /// Makes a folder for the files of a program, which belongs to its user.
  static func makeFolder() throws -> String {
    let parent = FileManager.default.temporaryDirectory.path
    let number = count.add(1, ordering: .relaxed).oldValue
    if number == 0 { removeLeftovers(in: parent) }
    // The path of a socket has at most 107 bytes.
    let folder = "\(parent)/\(prefix)\(getpid())\(number == 0 ? "" : "-\(number)")"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if getuid() == 0 {
      guard let user = getpwnam("postgres") else { throw StorageError(.io, "there is no user postgres") }
      chown(folder, user.pointee.pw_uid, user.pointee.pw_gid)
    }
    return folder
  }

  /// The connection string.
  public var connection: String { "host=\(folder)\(portOption) user=quarry dbname=postgres" }

  /// The connection string over TCP, without a host's name and without `sslmode`; nil for a server without a port.
  public var networkConnection: String? {
    port == nil ? nil : "hostaddr=127.0.0.1\(portOption) user=quarry dbname=postgres"
  }

  private var portOption: String { port.map { " port=\($0)" } ?? "" }

  /// The connection string for this server and another one, of which libpq chooses one.
  public func connection(or other: PostgreSQLServer) -> String {
    "host=\(folder),\(other.folder) user=quarry dbname=postgres"
  }

  /// Makes a standby take writes, and waits until it does.
  ///
  /// - Throws: `io`.
  public func promote() throws {
    let promoted = try Self.spawn(bin + "/pg_ctl", ["promote", "-w", "-D", folder + "/data"], log: folder + "/log")
    guard Self.wait(for: promoted) == 0 else { throw StorageError(.io, "pg_ctl failed: see \(folder)/log") }
  }

  /// The path of the server's socket.
  public var socket: String { "\(folder)/.s.PGSQL.\(portNumber)" }

  private var portNumber: String { port.map(String.init) ?? "5432" }

  /// Starts the server, and waits until it takes connections.
  ///
  /// - Throws: `io`.
  public func start() throws {
    let server = try Self.spawn(
      bin + "/postgres",
      [
        "-D", folder + "/data", "-k", folder, "-c", "listen_addresses=\(port == nil ? "" : "127.0.0.1")", "-p",
        portNumber,
        "-c", "fsync=on",
        "-c", "full_page_writes=off", "-c", "shared_buffers=64MB", "-c", "max_connections=600",
        "-c", "max_locks_per_transaction=256",
        // A run of the kit makes and drops tens of thousands of schemas: without it, the server's own tables grow to gigabytes.
        "-c", "autovacuum=on", "-c", "autovacuum_naptime=10s",
      ] + settings.flatMap { ["-c", $0] }, log: folder + "/log")
    for _ in 0..<500 {
      let ready = try Self.spawn(
        bin + "/pg_isready", ["-q", "-h", folder, "-p", portNumber], log: folder + "/ready.log")
      if Self.wait(for: ready) == 0 {
        process.withLock { $0 = server }
        return
      }
      usleep(20_000)
    }
    _ = kill(server, SIGQUIT)
    throw StorageError(.io, "the server did not start: see \(folder)/log")
  }

  /// Kills all processes of the server at once, as a crash of the machine does. What the system had for the disk is kept.
  public func crash() {
    guard let server = process.withLock({ $0.take() }) else { return }
    let children = Self.children(of: server)
    for process in [server] + children { _ = kill(process, SIGKILL) }
    _ = Self.wait(for: server)
    // A server does not start next to a process of the one before.
    while children.contains(where: { kill($0, 0) == 0 }) { usleep(5_000) }
  }

  /// Stops the server, and removes all that it has.
  public func stop() {
    if let server = process.withLock({ $0.take() }) {
      _ = kill(server, SIGQUIT)
      _ = Self.wait(for: server)
    }
    try? FileManager.default.removeItem(atPath: folder)
  }

  // MARK: Processes

  static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    waitpid(process, &status, 0)
    return status
  }

  private static func children(of parent: pid_t) -> [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { process in
      // Behind the name in parentheses: the state, then the parent.
      guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
        let end = text.lastIndex(of: ")")
      else { return false }
      let fields = text[end...].split(separator: " ")
      return fields.count > 2 && pid_t(fields[2]) == parent
    }
  }

  /// Removes the folders of processes that were killed. A server whose folder is gone ends itself within a minute; a pooler is ended.
  private static func removeLeftovers(in parent: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
      guard let number = name.dropFirst(prefix.count).split(separator: "-").first, let process = pid_t(number) else {
        continue
      }
      // This process has made none yet: one with its number is of an earlier process.
      let isGone = process == getpid() || kill(process, 0) != 0 && errno == ESRCH
      guard isGone else { continue }
      PostgreSQLPooler.end(leftIn: "\(parent)/\(name)")
      try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
    }
  }

  /// The folder with the programs of the newest server.
  private static func programs() throws -> String {
    let roots = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"]
    for root in roots {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
      let folders = names.filter { root.hasPrefix("/usr/lib") || $0.hasPrefix("postgresql") }
        .sorted { $0.compare($1, options: .numeric) == .orderedDescending }.map { "\(root)/\($0)/bin" }
      for folder in folders where FileManager.default.isExecutableFile(atPath: folder + "/initdb") { return folder }
    }
    throw StorageError(.io, "no server of PostgreSQL is installed: scripts/setup --postgres installs it")
  }

  /// Starts a program; as the user postgres where this one is root, who may not run a server.
  static func spawn(_ program: String, _ arguments: [String], log: String) throws -> pid_t {
    var words = [program] + arguments
    if getuid() == 0 {
      words = ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] + words
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A group of its own: what interrupts the tests is not the server's.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    let pointers = words.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var pid: pid_t = 0
    let result = posix_spawn(&pid, words[0], &actions, &attributes, pointers, environ)
    guard result == 0 else { throw StorageError(.io, "\(program) cannot be started: errno \(result)") }
    return pid
  }
}
