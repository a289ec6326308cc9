import Foundation

/// Runs a program to its end, or to a limit of time, with all that it starts.
struct Program {
  enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
    case overdue
  }

  /// When a program is held to be hung, in seconds.
  ///
  /// The machine may have other work, so that time on the clock says little: what spins uses up its processor time, what
  /// waits for ever uses none, and the limit on the clock is only for what does neither.
  struct Limits {
    var clock: Double
    var processor = Double.infinity
    /// On the clock, without a fiftieth of it in processor time.
    var idle = Double.infinity
  }

  let command: [String]
  var environment: [String: String] = [:]

  /// Blocks the thread. What the program writes goes to the file.
  ///
  /// A group of its own is made for the program, and when it ends all that is left of the group is ended.
  func run(output: String, within limits: Limits) throws -> End {
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
    var watch = Watch(group: id, limits: limits)
    var status: Int32 = 0
    var isOverdue = false
    while true {
      let ended = waitpid(id, &status, WNOHANG)
      if ended == id || (ended < 0 && errno != EINTR) { break }
      if !isOverdue, watch.isOverdue() {
        isOverdue = true
        _ = kill(-id, SIGKILL)
      }
      usleep(10_000)
    }
    _ = kill(-id, SIGKILL)
    if isOverdue { return .overdue }
    return status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
  }

  /// Looks at a program's time once a second.
  private struct Watch {
    let group: pid_t
    let limits: Limits
    private let start = ContinuousClock.now
    private var looked: Double = 0
    /// Seconds that do not count.
    private var lost: Double = 0
    /// When the program was last seen to work, and its processor time then.
    private var busy = (clock: 0.0, processor: 0.0)

    init(group: pid_t, limits: Limits) {
      self.group = group
      self.limits = limits
    }

    mutating func isOverdue() -> Bool {
      let clock = (ContinuousClock.now - start) / .seconds(1) - lost
      guard clock - looked >= 1 else { return false }
      guard clock - looked < 5 else {
        // This process did not run itself: it was stopped, or the machine was.
        lost += clock - looked
        return false
      }
      looked = clock
      if clock > limits.clock { return true }
      guard limits.processor.isFinite || limits.idle.isFinite, let used = ProcessorTime.used(byGroup: group) else {
        return false
      }
      // A child that was killed and not waited for takes its time with it: less than before is work, too. Who is stopped is
      // not idle.
      if used.seconds < busy.processor || used.isStopped || used.seconds - busy.processor > (clock - busy.clock) / 50 {
        busy = (clock, used.seconds)
      }
      return used.seconds > limits.processor || clock - busy.clock > limits.idle
    }
  }

  // MARK: - An interrupted run leaves nothing running

  private static func started(_ id: pid_t) { RunningPrograms.shared.insert(id) }
  private static func ended(_ id: pid_t) { RunningPrograms.shared.remove(id) }
}
