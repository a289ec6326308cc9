import Foundation
import QuarryTestSupport
import Testing

/// The built tool, run as a person runs it.
enum Quarry {
  struct Outcome {
    var status: Int32
    var output: String
    var errors: String

    /// The code in `error: CODE: message`, if that one line is all there is on standard error.
    var code: String? {
      let lines = errors.split(separator: "\n", omittingEmptySubsequences: false)
      guard lines.count == 2, lines[1].isEmpty, lines[0].hasPrefix("error: ") else { return nil }
      return lines[0].split(separator: ":").dropFirst().first.map { $0.drop { $0 == " " }.description }
    }

    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("quarry")

  /// Runs the tool to its end. Its output goes through files, so that no pipe can be full.
  ///
  /// - Parameter input: The file that is its standard input.
  static func run(
    _ arguments: [String], in directory: URL, program: URL = executable, input: String? = nil
  ) throws -> Outcome {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = directory
    let name = UUID().uuidString
    let files = ["out", "err"].map { directory.appendingPathComponent("\(name).\($0)") }
    for file in files { try Data().write(to: file) }
    defer { for file in files { try? FileManager.default.removeItem(at: file) } }
    process.standardInput =
      try input.map { try FileHandle(forReadingFrom: directory.appendingPathComponent($0)) } ?? FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationReason == .exit, "the tool was ended by a signal")
    let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
  }
}

/// A directory with a store and files of data, which is there while the value lives.
final class Workshop {
  private let folder: ScratchFolder
  var directory: URL { folder.url }

  init() throws {
    folder = try ScratchFolder()
  }

  func write(_ text: String, _ name: String) throws {
    try Data(text.utf8).write(to: directory.appendingPathComponent(name))
  }

  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: directory.appendingPathComponent(name)), as: UTF8.self)
  }

  func quarry(_ arguments: String...) throws -> Quarry.Outcome {
    try Quarry.run(arguments, in: directory)
  }

  /// A store `s.db` with the model City of five rows.
  static func cities() throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(
      """
      id,name,country,people,founded,area
      1,Zürich,CH,434008,,87.9
      2,Kyoto,JP,1463723,794-01-01,827.8
      3,Oslo,NO,709037,1040-01-01,454.1
      4,"Quote ""x"", Ville",CH,,,-1.5
      5,"",JP,5,,0.25

      """, "cities.csv")
    let outcome = try workshop.quarry(
      "import", "cities.csv", "--into", "sqlite:s.db", "--model", "City", "--key", "id", "--index", "country")
    try #require(outcome.status == 0, "\(outcome.errors)")
    return workshop
  }
}
