import Foundation

/// The program `second-process`, which writes to a store or reads its history and prints a line for each thing done.
///
/// It ends by itself after two minutes.
package final class WritingProcess {
  private let process = Process()
  private let output = Pipe()
  private let errors = Pipe()
  private var bytes: [UInt8] = []

  /// Starts it.
  package init(_ arguments: [String]) throws {
    // Not by the first argument: it may be a relative path, and the tests of the guide change the folder of this process.
    let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    process.executableURL = own.resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("second-process")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
  }

  deinit {
    if process.isRunning { kill() }
  }

  /// The next line that it prints; nil when it has ended.
  package func line() -> String? {
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        defer { bytes.removeFirst(end + 1) }
        return String(decoding: bytes[..<end], as: UTF8.self)
      }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { return nil }
      bytes += data
    }
  }

  /// Ends it at once, wherever it is, as `kill -9` does.
  package func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Waits for its end, and returns its exit code and what it has printed as errors.
  package func end() -> (status: Int32, errors: String) {
    let text = (try? errors.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }
}
