import ArgumentParser
import BenchmarkHarness
import Foundation

/// The files that a report goes to, as options of the commands that make one.
struct Outputs: ParsableArguments {
  @Option(help: "Write the report as JSON to this file.") var json: String?
  @Option(help: "Write the report as Markdown to this file.") var markdown: String?
  @Option(help: "Write the report as one HTML page to this file.") var html: String?

  /// Finds out before the run, not after it, that a report cannot be written.
  func check() throws {
    for path in [json, markdown, html].compactMap(\.self) {
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
        throw BenchmarkError("the folder of \(path) does not exist")
      }
      let place = FileManager.default.fileExists(atPath: path) ? path : folder
      guard FileManager.default.isWritableFile(atPath: place) else {
        throw BenchmarkError("\(path) cannot be written to")
      }
    }
  }

  /// Prints and writes the report of what was measured, whatever ended the run, and then throws what did.
  func end(_ report: BenchmarkReport, _ outcome: Result<Void, any Error>, _ interruption: Interruption) throws {
    print(TextReport(report).text())
    try write(report)
    try outcome.get()
    if interruption.isRequested { throw Ending.interrupted }
    if !report.failures.isEmpty { throw Ending.wrongAnswer }
  }

  private func write(_ report: BenchmarkReport) throws {
    if let json { try report.json().write(to: URL(fileURLWithPath: json)) }
    if let markdown { try Data(MarkdownReport(report).text().utf8).write(to: URL(fileURLWithPath: markdown)) }
    if let html { try Data(HTMLReport(report).text().utf8).write(to: URL(fileURLWithPath: html)) }
  }
}
