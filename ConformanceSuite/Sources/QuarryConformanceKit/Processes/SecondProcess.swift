import Foundation
import QuarryBackend

/// A second process as a case uses it: asks it to do things, reads its answers, kills it.
///
/// Whatever the process does, a call ends: in its answer, in the error that it answered with, or in a failure that says
/// what the process did instead.
package final class SecondProcess: Sendable {
  private let process: SpawnedProcess
  private let patience: Duration

  var id: Int32 { process.id }
  /// Whether it was waited for, and is over.
  var hasEnded: Bool { process.hasEnded }

  /// Starts a second process at the address, and does not wait for it.
  ///
  /// - Parameters:
  ///   - patience: How long an answer may take.
  ///   - limit: Seconds after which the process ends itself.
  ///   - library: The path of a library that is loaded before all others.
  init(
    _ program: ConformanceProcess, at address: String, patience: Duration, limit: Int, preloading library: String? = nil
  ) throws {
    guard let path = program.path else { throw Self.failure(program.obstacle ?? "", #fileID, #line) }
    self.patience = patience
    do {
      process = try SpawnedProcess(
        ConformanceChild.command(program, path: path, address: address, seconds: limit), preloading: library)
    } catch {
      throw Self.failure("\(error)", #fileID, #line)
    }
  }

  /// Waits until the process has said that it is one of the kit's.
  package func expectGreeting(file: String = #fileID, line: Int = #line) throws {
    let first = try next(file: file, line: line)
    guard first == ConformanceChild.greeting else {
      process.reap()
      throw Self.failure(
        "the second process began with \(Self.excerpt(first)), the kit's says \"\(ConformanceChild.greeting)\"", file,
        line)
    }
  }

  /// Asks for something and waits for the answer.
  ///
  /// - Throws: The error that the process met, with its code; a ``ConformanceFailure`` when it met none and did not answer.
  @discardableResult
  package func ask(_ command: String, file: String = #fileID, line: Int = #line) throws -> String {
    tell(command)
    return try answer(to: command, file: file, line: line)
  }

  /// Asks for something, and does not wait.
  package func tell(_ command: String) { process.write(command) }

  /// Waits for the next answer.
  @discardableResult
  package func answer(to command: String = "", file: String = #fileID, line: Int = #line) throws -> String {
    let text = try next(command, file: file, line: line)
    try ChildLines.rethrow(text)
    return text
  }

  /// Throws unless the answer is this.
  package func expect(_ command: String, _ expected: String, file: String = #fileID, line: Int = #line) throws {
    try expectEqual(
      try ask(command, file: file, line: line), expected, "the second process, asked \(command)", file: file,
      line: line)
  }

  private func next(_ command: String = "", file: String, line: Int) throws -> String {
    let about = command.isEmpty ? "the second process" : "the second process, asked \(command),"
    do {
      if let line = try process.line(within: patience) { return line }
    } catch {
      let errors = process.errorSummary
      process.reap()
      throw Self.failure("\(about) \(error)\(Self.suffix(errors))", file, line)
    }
    let end = try? process.wait(within: patience)
    let text = end.map { "\($0)" } ?? "closed its output"
    throw Self.failure("\(about) \(text) before it answered\(Self.suffix(process.errorSummary))", file, line)
  }

  /// Every line that the process has said and that was not read, to its end. It was killed, or ends by itself.
  ///
  /// - Throws: A failure when the process says that something went wrong, or does not end.
  package func remainingLines(file: String = #fileID, line: Int = #line) throws -> [String] {
    var lines: [String] = []
    do {
      while let text = try process.line(within: patience) {
        try ChildLines.rethrow(text)
        lines.append(text)
      }
    } catch let problem as SpawnedProcess.Problem {
      process.reap()
      throw Self.failure("the second process \(problem)", file, line)
    }
    return lines
  }

  /// Asks for something as the last, and waits until the process has ended: after it, or in the midst of it.
  ///
  /// - Returns: What the process said, and its exit code; nil when a signal ended it.
  /// - Throws: The error that the process met; a failure when it does not end.
  package func askLast(_ command: String, file: String = #fileID, line: Int = #line) throws -> (
    lines: [String], code: Int32?
  ) {
    tell(command)
    process.finishInput()
    let lines = try remainingLines(file: file, line: line)
    do {
      guard case .exit(let code) = try process.wait(within: patience) else { return (lines, nil) }
      return (lines, code)
    } catch let problem as SpawnedProcess.Problem {
      throw Self.failure("the second process \(problem)", file, line)
    }
  }

  /// Asks for something of a process that is ended at an operation on files.
  ///
  /// - Parameter isAnswer: Whether the process was done when it said this.
  /// - Returns: Whether it was done. A run may take another way than the one that was counted, and be done earlier.
  /// - Throws: A failure when the process has ended in any other way.
  package func askUntilEnded(
    _ command: String, _ about: String, file: String = #fileID, line: Int = #line, _ isAnswer: (String) -> Bool
  ) throws -> Bool {
    let (lines, code) = try askLast(command, file: file, line: line)
    let isDone = lines.contains(where: isAnswer)
    try QuarryConformanceKit.expect(
      code == CrashLab.exitCode || (code == 0 && isDone), "\(about): the process ended with \(code ?? -1): \(lines)",
      file: file, line: line)
    return isDone
  }

  /// Stops the process until it is killed, and returns when none of its threads runs any more.
  package func stop(file: String = #fileID, line: Int = #line) throws {
    do { try process.stop() } catch { throw Self.failure("\(error)", file, line) }
  }

  /// Kills the process, as nothing can prevent, and waits for its end.
  package func kill() { process.reap() }

  /// Lets the process end by itself.
  ///
  /// - Throws: A failure when it ends in another way, or not.
  package func finish(file: String = #fileID, line: Int = #line) throws {
    process.finishInput()
    do {
      let end = try process.wait(within: patience)
      guard end == .exit(0) else {
        throw Self.failure("the second process \(end)\(Self.suffix(process.errorSummary))", file, line)
      }
    } catch let problem as SpawnedProcess.Problem {
      throw Self.failure("the second process \(problem) after its input was closed", file, line)
    }
  }

  private static func failure(_ message: String, _ file: String, _ line: Int) -> ConformanceFailure {
    ConformanceFailure(message: message, file: file, line: line)
  }

  private static func suffix(_ errors: String) -> String {
    errors.isEmpty ? "" : "; on standard error: \(ConformanceReport.shortened(errors, 500))"
  }

  private static func excerpt(_ text: String) -> String { "\"\(ConformanceReport.shortened(text, 80))\"" }
}
