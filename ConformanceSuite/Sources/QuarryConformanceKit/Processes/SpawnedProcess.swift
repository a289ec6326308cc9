import Foundation
import Synchronization

/// A running program with lines to and from it: the system's calls alone, nothing of the kit.
///
/// It is killed when nothing refers to it any more.
final class SpawnedProcess: @unchecked Sendable {
  // Unchecked: one thread talks to the process; the number and the end of it, which others may ask for, are guarded.

  /// The system could not start the program, or it does not do what a program of lines does.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  /// How a process ended.
  enum End: Equatable, CustomStringConvertible {
    case exit(Int32)
    case signal(Int32)

    var description: String {
      switch self {
      case .exit(let code): "ended with exit code \(code)"
      case .signal(let number): "was ended by signal \(number)"
      }
    }
  }

  let id: Int32
  private let output: Int32
  private let errors: Int32
  private let input: Mutex<Int32?>
  private let end = Mutex<End?>(nil)
  private var buffer: [UInt8] = []
  private var errorText: [UInt8] = []
  private var hasErrorsEnded = false
  /// A line is a few words; one that never ends is not kept.
  private static let maximumLine = 1 << 16

  #if os(tvOS) || os(watchOS)
    init(_ command: [String], preloading: String? = nil) throws {
      throw Problem(description: "this system starts no processes")
    }
  #else
    /// Held while a process is started, so that no other inherits its ends of pipes before they are marked.
    private static let starting = Mutex(())

    /// - Parameters:
    ///   - command: The path of the program, and its arguments.
    ///   - library: The path of a library that is loaded before all others.
    init(_ command: [String], preloading library: String? = nil) throws {
      let words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
      defer { for word in words { free(word) } }
      let environment = library.map { Self.environment(preloading: $0) }
      defer { for variable in environment ?? [] { free(variable) } }
      // Sockets, because a write to a process that has ended can be told to raise no signal there.
      var started = Self.starting.withLock { _ in Self.start(command.first ?? "", words, environment) }
      // A program that was just written may be open in a process that another thread has begun meanwhile.
      for _ in 0..<200 where started == nil && errno == ETXTBSY {
        usleep(10_000)
        started = Self.starting.withLock { _ in Self.start(command.first ?? "", words, environment) }
      }
      guard let started else {
        throw Problem(description: "\(command.first ?? "") could not be started: \(String(cString: strerror(errno)))")
      }
      id = started.id
      input = Mutex(started.ends[0])
      output = started.ends[1]
      errors = started.ends[2]
    }

    private typealias Words = [UnsafeMutablePointer<CChar>?]

    /// The variables of this process, with the library.
    private static func environment(preloading library: String) -> Words {
      let name = "LD_PRELOAD"
      let variables = ProcessInfo.processInfo.environment
      let libraries = [library, variables[name]].compactMap { $0 }.joined(separator: ":")
      return variables.merging([name: libraries]) { $1 }.map { strdup("\($0.key)=\($0.value)") } + [nil]
    }

    private static func start(_ path: String, _ words: Words, _ environment: Words?) -> (id: Int32, ends: [Int32])? {
      #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
      #else
        var actions = posix_spawn_file_actions_t()
      #endif
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      var (ours, theirs): ([Int32], [Int32]) = ([], [])
      defer { for descriptor in theirs { close(descriptor) } }
      for standard in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
        var pair: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, stream, 0, &pair) == 0 else {
          for descriptor in ours { close(descriptor) }
          return nil
        }
        for descriptor in pair { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        posix_spawn_file_actions_adddup2(&actions, pair[1], standard)
        ours.append(pair[0])
        theirs.append(pair[1])
      }
      #if canImport(Darwin)
        var on: Int32 = 1
        setsockopt(ours[0], SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
      #endif
      var id = pid_t()
      let result =
        environment.map { posix_spawn(&id, path, &actions, nil, words, $0) }
        ?? posix_spawn(&id, path, &actions, nil, words, environ)
      guard result == 0 else {
        for descriptor in ours { close(descriptor) }
        errno = result
        return nil
      }
      return (id, ours)
    }

    #if canImport(Darwin)
      private static let stream = SOCK_STREAM
      private static let sendFlags: Int32 = 0
    #else
      private static let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif
  #endif

  deinit {
    reap()
    close(output)
    close(errors)
    finishInput()
  }

  /// The next line that the process wrote; nil when it has closed its output.
  ///
  /// - Throws: ``Problem`` when it writes none within the time, or one that does not end.
  func line(within limit: Duration) throws -> String? {
    // The system's own clock, which no harness has a hand in.
    let deadline = DispatchTime.now().uptimeNanoseconds + UInt64(limit / .nanoseconds(1))
    while true {
      if let newline = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeSubrange(...newline) }
        return String(decoding: buffer[..<newline], as: UTF8.self)
      }
      guard buffer.count < Self.maximumLine else { throw Problem(description: "wrote a line that does not end") }
      let now = DispatchTime.now().uptimeNanoseconds
      guard now < deadline else { throw Problem(description: "wrote nothing within \(limit)") }
      var waiting = [
        pollfd(fd: output, events: Int16(POLLIN), revents: 0), pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
      ]
      if hasErrorsEnded { waiting.removeLast() }
      let ready = Foundation.poll(
        &waiting, nfds_t(waiting.count), Int32(min((deadline - now) / 1_000_000 + 1, 1_000_000)))
      guard ready > 0 else { continue }
      if waiting.count > 1, waiting[1].revents != 0 { readErrors() }
      if waiting[0].revents != 0 {
        let bytes = Self.read(output)
        if bytes.isEmpty { return nil }
        buffer += bytes
      }
    }
  }

  private func readErrors() {
    let bytes = Self.read(errors)
    if bytes.isEmpty { hasErrorsEnded = true }
    errorText = (errorText + bytes).suffix(4096)
  }

  /// What is there to be read; nothing at the end.
  private static func read(_ descriptor: Int32) -> ArraySlice<UInt8> {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Foundation.read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      return bytes[..<max(0, count)]
    }
  }

  /// Gives the process a line, unless it has ended.
  func write(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    input.withLock { input in
      guard let input else { return }
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes { send(input, $0.baseAddress, $0.count, Self.sendFlags) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        sent += count
      }
    }
  }

  /// Ends the process's standard input.
  func finishInput() {
    input.withLock { input in
      if let input { close(input) }
      input = nil
    }
  }

  /// Ends the process in a way that nothing can prevent.
  func kill() {
    end.withLock { end in
      // A process that was waited for is gone, and its number may be another's.
      if end == nil { _ = sendSignal(id, SIGKILL) }
    }
  }

  /// Stops the process until it is killed, and waits until it has stopped: the system tells one thread at first, and others
  /// run until that one was.
  ///
  /// - Throws: ``Problem`` when it has ended, or cannot be stopped.
  func stop() throws {
    let isStopped = end.withLock { end in
      guard end == nil, sendSignal(id, SIGSTOP) == 0 else { return false }
      var state = siginfo_t()
      while waitid(P_PID, id_t(id), &state, WSTOPPED | WEXITED | WNOWAIT) != 0 { if errno != EINTR { return false } }
      return state.si_code == Int32(CLD_STOPPED)
    }
    if !isStopped { throw Problem(description: "could not be stopped") }
  }

  /// Whether its end was seen.
  var hasEnded: Bool { end.withLock { $0 != nil } }

  /// The end, if it has come.
  private func poll() -> End? {
    end.withLock { end in
      if let end { return end }
      var status: Int32 = 0
      let result = waitpid(id, &status, WNOHANG)
      if result == 0 || (result < 0 && errno == EINTR) { return nil }
      end = result < 0 ? .exit(-1) : status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
      return end
    }
  }

  /// Waits for the end.
  ///
  /// - Throws: ``Problem`` when it does not come within the time; the process is killed then.
  @discardableResult
  func wait(within limit: Duration) throws -> End {
    let deadline = DispatchTime.now().uptimeNanoseconds + UInt64(limit / .nanoseconds(1))
    while DispatchTime.now().uptimeNanoseconds < deadline {
      if let end = poll() { return end }
      usleep(500)
    }
    reap()
    throw Problem(description: "did not end within \(limit)")
  }

  /// Kills the process and waits for its end.
  @discardableResult
  func reap() -> End {
    kill()
    while true {
      if let end = poll() { return end }
      usleep(200)
    }
  }

  /// The end of what the process wrote to standard error, on one line.
  var errorSummary: String {
    while !hasErrorsEnded {
      var waiting = pollfd(fd: errors, events: Int16(POLLIN), revents: 0)
      guard Foundation.poll(&waiting, 1, 0) > 0 else { break }
      readErrors()
    }
    let lines = String(decoding: errorText, as: UTF8.self).split(whereSeparator: \.isNewline)
    return lines.suffix(6).joined(separator: " / ")
  }
}

private func sendSignal(_ process: pid_t, _ signal: Int32) -> Int32 { kill(process, signal) }
