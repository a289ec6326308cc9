import ArgumentParser
import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines

struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copies a store to the same or another engine, and verifies the copy.",
    discussion: """
      Copies one committed state while other programs use the store: models, indexes, the version and every object. Then \
      it reads the copy again, and compares the number of objects and a sum of their hashes. An interrupted copy \
      continues where it stopped, if the source has not changed. A destination that has models is not changed.
      """)

  @OptionGroup var store: StoreArgument

  @Argument(
    help: ArgumentHelp("The URL of the copy; no store may exist there.", valueName: "destination"))
  var destination: StorePlace

  @OptionGroup var destinationKey: DestinationKeyOptions

  @Flag(help: "Skips reading the copy again.")
  var unverified = false

  func run() throws {
    let destination = try destination.url
    let source = try store.open(.checking)
    defer { try? source.close() }
    let encryption = try destinationKey.encryption()
    let report = try WatchedProgress.of("copying") { progress in
      var options = CopyOptions(progress: progress)
      options.isVerified = !unverified
      options.destination.encryption = encryption
      return try source.copy(to: destination, options: options)
    }
    var lines: [String] = []
    if let reason = report.restartReason { lines.append("started again: \(reason)") }
    if report.resumedRows > 0 { lines.append("continued after \(report.resumedRows) objects of an interrupted copy") }
    lines += report.models.map { "\($0.name.escapedForDisplay): \($0.rows), sum \($0.digest)" }
    let place = "to \(destination.description.escapedForDisplay)"
    lines.append(RateText.line("copied", report.rows, to: place, .seconds(report.copySeconds)))
    if report.isVerified {
      lines.append("the same on both sides, compared in \(String(format: "%.2f", report.verificationSeconds)) s")
    }
    try StandardOutput.print(lines)
  }
}
