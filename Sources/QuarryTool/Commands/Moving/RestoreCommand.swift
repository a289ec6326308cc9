import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryDump
import QuarryEngines

struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Creates a store from a dump.",
    discussion: """
      The whole dump is stored in one transaction, or nothing: a dump that was cut or changed is refused, with the line. \
      A store that has models is not changed.
      """)

  @Argument(help: ArgumentHelp("A file that \"quarry dump\" has written.", valueName: "file"))
  var file: String

  @Argument(
    help: ArgumentHelp("The new store: \(StoreURL.forms).", valueName: "url"))
  var place: StorePlace

  @OptionGroup var key: KeyOptions

  func run() throws {
    let url = try place.url
    let clock = ContinuousClock()
    let start = clock.now
    var options = OpenOptions()
    options.encryption = try key.encryption()
    let report = try WatchedProgress.of("restoring") {
      try Store.restore(file, to: url, options: url.options(options), progress: $0)
    }
    var lines = report.models.map { "\($0.name.escapedForDisplay): \($0.rows)" }
    lines.append(
      RateText.line("restored", report.rows, to: "to \(url.description.escapedForDisplay)", clock.now - start))
    try StandardOutput.print(lines)
  }
}
