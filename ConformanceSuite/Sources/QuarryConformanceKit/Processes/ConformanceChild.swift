import Foundation
import QuarryBackend

/// What a second process does for the kit.
///
/// It reads lines of commands from standard input, does each and answers with a line on standard output, until the input
/// ends. It ends itself when the kit does not.
public enum ConformanceChild {
  /// The first argument of a program that is started as a second process. No option of the kit's commands is so called.
  public static let argument = "conformance-child"

  /// The last argument of a second process whose place is sealed with the kit's key.
  private static let sealedArgument = "sealed"

  /// The first line that a second process writes, so that any other program is told apart at once.
  static let greeting = "quarry conformance child \(ConformanceSuite.version)"

  /// Follows the commands of the kit: called by the program that ``ConformanceHarness/secondProcess`` names.
  ///
  /// - Parameter arguments: The program's arguments after ``argument`` and ``ConformanceProcess/arguments``.
  /// - Returns: The process's exit code: 0, or 64 for arguments that are not the kit's.
  public static func run(_ arguments: [String], on harness: some ConformanceHarness) -> Int32 {
    let isSealed = arguments.count == 3 && arguments[2] == sealedArgument
    let process = isSealed ? SealedHarness(inner: harness).secondProcess : harness.secondProcess
    guard arguments.count == 2 || isSealed, let seconds = UInt32(arguments[1]), let process else {
      report("the arguments of a second process are an address and seconds, and its harness has a secondProcess")
      return 64
    }
    let place: any BackendProvider
    do {
      place = try process.place(arguments[0])
    } catch {
      report("the harness has no place with the address \(arguments[0]): \(error)")
      return 64
    }
    signal(SIGPIPE, SIG_IGN)
    // A signal that ends the process: nothing that hangs in here can be in its way.
    alarm(seconds)
    ChildInterpreter(place, process).run()
    return 0
  }

  /// What a second process is started with.
  static func command(_ process: ConformanceProcess, path: String, address: String, seconds: Int) -> [String] {
    [path, argument] + process.arguments + [address, "\(seconds)"] + (process.isSealed ? [sealedArgument] : [])
  }

  private static func report(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }
}
