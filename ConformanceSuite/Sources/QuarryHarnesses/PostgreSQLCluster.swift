#if PostgreSQL
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
    private struct Running {
      var folder: String
      var server: pid_t
    }

    private struct State {
      var running: Running?
      var failure: StorageError?
    }

    private static let state = Mutex(State())

    /// The connection string of the server that tests use, which is started with the first call.
    ///
    /// - Throws: `io` where there are no programs of a server, or they fail.
    public static func connection() throws -> String {
      if let named = ProcessInfo.processInfo.environment["QUARRY_TEST_POSTGRES"], !named.isEmpty { return named }
      let folder = try state.withLock { state in
        if let running = state.running { return running.folder }
        if let failure = state.failure { throw failure }
        do {
          let running = try start()
          state.running = running
          atexit { PostgreSQLCluster.stop() }
          return running.folder
        } catch {
          let failure = (error as? StorageError) ?? StorageError(.io, "no server was started: \(error)")
          state.failure = failure
          throw failure
        }
      }
      return "host=\(folder) user=quarry dbname=postgres"
    }

    private static func stop() {
      let running = state.withLock { state in
        defer { state.running = nil }
        return state.running
      }
      guard let running else { return }
      kill(running.server, SIGQUIT)
      var status: Int32 = 0
      waitpid(running.server, &status, 0)
      try? FileManager.default.removeItem(atPath: running.folder)
    }

    // MARK: Starting

    private static func start() throws -> Running {
      let bin = try programs()
      let parent = FileManager.default.temporaryDirectory.path
      removeLeftovers(in: parent)
      // The path of a socket has at most 107 bytes.
      let folder = "\(parent)/\(prefix)\(getpid())"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      if getuid() == 0 {
        guard let user = getpwnam("postgres") else { throw StorageError(.io, "there is no user postgres") }
        chown(folder, user.pointee.pw_uid, user.pointee.pw_gid)
      }
      let made = try spawn(
        bin + "/initdb",
        ["-D", folder + "/data", "-E", "UTF8", "--locale=C", "-A", "trust", "-U", "quarry", "--no-sync"],
        log: folder + "/initdb.log")
      var status: Int32 = 0
      waitpid(made, &status, 0)
      guard status == 0 else { throw StorageError(.io, "initdb failed: see \(folder)/initdb.log") }
      let server = try spawn(
        bin + "/postgres",
        [
          "-D", folder + "/data", "-k", folder, "-c", "listen_addresses=", "-c", "fsync=on",
          "-c", "full_page_writes=off", "-c", "shared_buffers=64MB", "-c", "max_connections=600",
          "-c", "max_locks_per_transaction=256", "-c", "autovacuum=off",
        ], log: folder + "/log")
      for _ in 0..<500 {
        let ready = try spawn(bin + "/pg_isready", ["-q", "-h", folder], log: folder + "/ready.log")
        waitpid(ready, &status, 0)
        if status == 0 { return Running(folder: folder, server: server) }
        usleep(20_000)
      }
      kill(server, SIGQUIT)
      throw StorageError(.io, "the server did not start: see \(folder)/log")
    }

    private static let prefix = "qpg-"

    /// Removes the folders of processes that were killed. A server whose folder is gone ends itself within a minute.
    private static func removeLeftovers(in parent: String) {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
        guard let process = pid_t(name.dropFirst(prefix.count)) else { continue }
        // This process has made none yet: one with its number is of an earlier process.
        let isGone = process == getpid() || kill(process, 0) != 0 && errno == ESRCH
        if isGone { try? FileManager.default.removeItem(atPath: "\(parent)/\(name)") }
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
    private static func spawn(_ program: String, _ arguments: [String], log: String) throws -> pid_t {
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
#endif
