package import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// A child that is asked in lines on its standard input and answers in lines on its standard output.
///
/// Whatever the child does, a call comes back: when it ends, when it is silent for too long, when a line has no end, and
/// when the caller no longer wants to wait.
package final class LineProcess {
  /// Why there is no line.
  package enum Silence: Error, Equatable {
    case ended
    /// Nothing came for so many seconds.
    case tooLong(Double)
    case endlessLine
  }

  /// What is run: this program, unless a test says otherwise.
  package struct Command: Sendable {
    package var executable: URL
    package var arguments: [String]

    package init(executable: URL = LineProcess.ownExecutable, _ arguments: [String]) {
      self.executable = executable
      self.arguments = arguments
    }
  }

  /// The program that this is.
  package static var ownExecutable: URL { URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath() }

  /// No answer is as long as this.
  private static let longestLine = 64 << 20
  /// Children that have not ended yet, for who must end them at once.
  private static let running = Mutex<Set<Int32>>([])

  private let process = Process()
  private let requests = Pipe()
  private let answers = Pipe()
  private var received = Data()
  private var isInput = true
  private var piece = [UInt8](repeating: 0, count: 1 << 16)

  package init(_ command: Command) throws {
    // A child that has ended is noticed where it is written to.
    signal(SIGPIPE, SIG_IGN)
    process.executableURL = command.executable
    process.arguments = command.arguments
    process.standardInput = requests
    process.standardOutput = answers
    // One after the other: a process that another thread starts in the same moment could inherit the socket by which
    // Foundation notices that this one has ended, and hold it open.
    try Self.running.withLock { identifiers in
      try process.run()
      identifiers.insert(process.processIdentifier)
    }
    // This side's copy would keep the child's output from ending with it.
    try? answers.fileHandleForWriting.close()
  }

  /// Ends every child that is running, without waiting: before this process ends at once.
  static func endAll() {
    running.withLock { for identifier in $0 { kill(identifier, SIGKILL) } }
  }

  // MARK: Lines

  /// - Throws: `Silence.ended`.
  package func send(_ line: Data) throws(Silence) {
    do {
      try requests.fileHandleForWriting.write(contentsOf: line + [UInt8(ascii: "\n")])
    } catch {
      throw .ended
    }
  }

  /// The next line, without its end.
  ///
  /// - Parameters:
  ///   - patience: The seconds in which something must come; nil to wait for ever.
  ///   - pause: Is called while there is nothing; it throws to stop waiting.
  /// - Throws: `Silence`, and what `pause` throws.
  package func line(patience: Double? = nil, pause: () throws -> Void = {}) throws -> Data {
    var last = Stopwatch.now()
    var searched = 0
    while true {
      if let end = received[(received.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Data(received[..<end])
        received = Data(received[(end + 1)...])
        return line
      }
      searched = received.count
      guard searched <= Self.longestLine else { throw Silence.endlessLine }
      try pause()
      if try receive() {
        last = Stopwatch.now()
      } else if let patience, Stopwatch.seconds(since: last) > patience {
        throw Silence.tooLong(patience)
      }
    }
  }

  /// Takes what has come.
  ///
  /// - Returns: Whether something came within a moment.
  private func receive() throws(Silence) -> Bool {
    let descriptor = answers.fileHandleForReading.fileDescriptor
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // A moment short enough for who pressed Ctrl-C.
    guard poll(&state, 1, 100) > 0 else { return false }
    // A file handle would wait until all that it has room for is there.
    let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    guard count > 0 else {
      if count < 0, errno == EINTR || errno == EAGAIN { return false }
      throw .ended
    }
    received += piece[..<count]
    return true
  }

  // MARK: End

  /// Closes its input, at which a child ends by itself, and kills it when it has not ended after some seconds.
  package func end(patience: Double = 10) {
    if isInput {
      isInput = false
      try? requests.fileHandleForWriting.close()
    }
    let start = Stopwatch.now()
    while process.isRunning, Stopwatch.seconds(since: start) < patience { usleep(2000) }
    endAtOnce()
  }

  /// Kills it, and waits for its end.
  package func endAtOnce() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    // Not by `waitUntilExit`, which runs the run loop of whatever thread this is, and waits for children of the child.
    let start = Stopwatch.now()
    while process.isRunning, Stopwatch.seconds(since: start) < 5 { usleep(1000) }
    let identifier = process.processIdentifier
    _ = Self.running.withLock { $0.remove(identifier) }
  }
}

/// The child's side of a `LineProcess`.
package enum LineServer {
  /// What the thread that reads knows of the one that works.
  private final class State: Sendable {
    struct Content {
      var lines: [Data] = []
      var isAtEnd = false
      var isBusy = false
    }

    let content = Mutex(Content())
    let hasNews = DispatchSemaphore(value: 0)
  }

  /// Answers the lines of the standard input until it ends. When it ends in the middle of an answer there is no parent
  /// any more that would read it, and so the process ends, too.
  ///
  /// - Parameter answer: Makes the answer to a line, without its end.
  package static func run(_ answer: (Data) throws -> Data) throws {
    // Ctrl-C is for the parent, which ends this process when the report is written.
    signal(SIGINT, SIG_IGN)
    signal(SIGTERM, SIG_IGN)
    let state = State()
    let reader = Thread {
      while let line = readLine() {
        state.content.withLock { $0.lines.append(Data(line.utf8)) }
        state.hasNews.signal()
      }
      let isBusy = state.content.withLock { content in
        content.isAtEnd = true
        return content.isBusy
      }
      if isBusy { _exit(1) }
      state.hasNews.signal()
    }
    reader.start()
    while true {
      state.hasNews.wait()
      let line = state.content.withLock { content -> Data? in
        guard !content.lines.isEmpty else { return nil }
        content.isBusy = true
        return content.lines.removeFirst()
      }
      guard let line else { return }
      try send(answer(line))
      let isOver = state.content.withLock { content in
        content.isBusy = false
        return content.isAtEnd
      }
      if isOver { return }
    }
  }

  /// Tells the parent that work goes on.
  package static func sendSign() throws { try send(Data()) }

  private static func send(_ line: Data) throws {
    try FileHandle.standardOutput.write(contentsOf: line + [UInt8(ascii: "\n")])
  }
}
