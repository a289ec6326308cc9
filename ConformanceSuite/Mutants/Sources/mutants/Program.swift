import Foundation

/// Runs a program to its end, or to a limit of time, with all that it starts.
struct Program {
  enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
    case overdue
  }

  let command: [String]
  var environment: [String: String] = [:]

  /// Blocks the thread. What the program writes goes to the file.
  ///
  /// A group of its own is made for the program, and when it ends all that is left of the group is ended.
  func run(output: String, within limit: Double) throws -> End {
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    let all = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    var settings: [UnsafeMutablePointer<CChar>?] = all.map { strdup("\($0)=\($1)") } + [nil]
    defer { for word in words + settings { free(word) } }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    var id = pid_t()
    let result = posix_spawnp(&id, command[0], &actions, &attributes, &words, &settings)
    guard result == 0 else {
      throw Problem("\(command[0]) could not be started: \(String(cString: strerror(result)))")
    }
    Self.started(id)
    defer { Self.ended(id) }
    let deadline = Date().addingTimeInterval(limit)
    var status: Int32 = 0
    var isOverdue = false
    while true {
      let ended = waitpid(id, &status, WNOHANG)
      if ended == id || (ended < 0 && errno != EINTR) { break }
      if Date() > deadline, !isOverdue {
        isOverdue = true
        _ = kill(-id, SIGKILL)
      }
      usleep(10_000)
    }
    _ = kill(-id, SIGKILL)
    if isOverdue { return .overdue }
    return status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
  }

  // MARK: - An interrupted run leaves nothing running

  private static func started(_ id: pid_t) { RunningPrograms.shared.insert(id) }
  private static func ended(_ id: pid_t) { RunningPrograms.shared.remove(id) }
}
