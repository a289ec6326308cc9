import Foundation
import Testing

/// The program `quarry`, in a folder.
struct Tool {
  private static let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "quarry")

  private let folder: URL

  init(_ folder: URL) { self.folder = folder }

  func start(_ arguments: [String]) throws -> (process: Process, output: Pipe, errors: Pipe) {
    let process = Process()
    process.executableURL = Self.program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    return (process, output, errors)
  }

  func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) { try run(arguments) }

  func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
    let (process, output, errors) = try start(arguments)
    let texts = [output, errors].map { String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
    process.waitUntilExit()
    return (process.terminationStatus, texts[0], texts[1])
  }

  /// Serves a store to holders of the token in the file `token`.
  ///
  /// - Returns: The process, and the address at which it serves.
  func serve(_ url: String, _ options: String...) throws -> (process: Process, address: String) {
    let (process, output, _) = try start(["serve", url, "--token-file", "token"] + options)
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let address = try #require(line.split(separator: " ").last).trimmingCharacters(in: .whitespacesAndNewlines)
    return (process, address)
  }
}
