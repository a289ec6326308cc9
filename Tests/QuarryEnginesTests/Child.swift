import Foundation
import Synchronization

/// A process that a test starts and ends as it likes. It is killed when nothing refers to it any more.
final class Child {
  struct Stuck: Error, CustomStringConvertible {
    let description: String
  }

  private let process: pid_t
  private let output: Int32
  private var input: Int32
  private var buffer: [UInt8] = []
  private var status: Int32?

  var id: Int32 { process }

  /// Held while a process is started, so that no other inherits its pipes before they are marked.
  private static let starting = Mutex(())

  static let exerciser = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("QuarryExerciserCommand").path

  /// Starts the exerciser on a store of the engine in the folder.
  convenience init(_ engine: Engine, _ folder: URL, _ arguments: String...) throws {
    try self.init(Self.exerciser, [engine.rawValue, folder.path] + arguments)
  }

  init(_ program: String, _ arguments: [String]) throws {
    var outputs: [Int32] = [0, 0]
    var inputs: [Int32] = [0, 0]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id = pid_t()
    let result = Self.starting.withLock { _ in
      guard pipe(&outputs) == 0, pipe(&inputs) == 0 else { return errno }
      for end in outputs + inputs { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      posix_spawn_file_actions_adddup2(&actions, inputs[0], STDIN_FILENO)
      posix_spawn_file_actions_adddup2(&actions, outputs[1], STDOUT_FILENO)
      defer {
        close(outputs[1])
        close(inputs[0])
      }
      return posix_spawn(&id, program, &actions, nil, &words, environ)
    }
    process = id
    output = outputs[0]
    input = inputs[1]
    guard result == 0 else {
      status = -1
      throw Stuck(description: "\(program) could not be started: \(result)")
    }
  }

  deinit {
    if status == nil {
      _ = send(SIGKILL, to: process)
      var status: Int32 = 0
      waitpid(process, &status, 0)
    }
    close(output)
    if input >= 0 { close(input) }
  }

  /// The next line that the process said; nil when it has ended.
  ///
  /// - Throws: ``Stuck`` when it says nothing for two minutes, and does not end.
  func line() throws -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeSubrange(...end) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, 120_000)
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { throw Stuck(description: "process \(process) says nothing") }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(output, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      buffer += bytes[..<count]
    }
  }

  /// Every line until the process ends.
  func lines() throws -> [String] {
    var lines: [String] = []
    while let line = try line() { lines.append(line) }
    return lines
  }

  /// Ends standard input, which is what some modes wait for.
  func finishInput() {
    close(input)
    input = -1
  }

  /// Ends the process as nothing can prevent.
  func kill() {
    _ = send(SIGKILL, to: process)
  }

  /// Waits for the end. The process has ended its output, or is about to end.
  ///
  /// - Returns: The exit status; nil when a signal ended the process.
  func wait() -> Int32? {
    if status == nil {
      var raw: Int32 = 0
      while waitpid(process, &raw, 0) < 0 && errno == EINTR {}
      status = raw
    }
    let raw = status ?? -1
    return raw & 0x7F == 0 ? (raw >> 8) & 0xFF : nil
  }
}

private func send(_ signal: Int32, to process: pid_t) -> Int32 { kill(process, signal) }
