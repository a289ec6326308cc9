import ArgumentParser
import Foundation
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryDump
import QuarryEngines

struct DumpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump", abstract: "Writes a whole store as text, the same bytes from every engine.",
    discussion: """
      The text is lines of JSON with the models, exact values and checksums; "quarry restore" creates a store from it. \
      Without --to it goes to standard output. A dump is plain text, also of an encrypted store.
      """)

  @OptionGroup var store: StoreArgument

  @Option(help: ArgumentHelp("The file to write; it is complete or does not exist.", valueName: "file"))
  var to: String?

  @OptionGroup var output: OutputOptions

  func run() throws {
    let keys = OutputOptions.keys(store.key.source)
    let store = try store.open(.checking)
    defer { try? store.close() }
    if try store.keySlot() != nil { Notice.print("the store is encrypted, and its dump is plain") }
    let clock = ContinuousClock()
    let start = clock.now
    guard let to else {
      let sink = StandardOutput.sink()
      try WatchedProgress.of("dumping") { _ = try store.dump(progress: $0) { try sink.write($0) } }
      return try sink.flush()
    }
    let report = try WatchedProgress.of("dumping") {
      try store.dump(to: to, replacing: output.force, keys: keys, progress: $0)
    }
    try StandardOutput.print(
      RateText.line("dumped", report.rows, to: "to \(to.escapedForDisplay)", clock.now - start),
      "SHA-256 \(report.sha256)")
  }
}
