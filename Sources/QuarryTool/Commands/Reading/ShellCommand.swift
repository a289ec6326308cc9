import ArgumentParser
import Foundation
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryEngines

struct ShellCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shell", abstract: "Reads commands for one store, line by line.",
    discussion: """
      Lines are the tool's commands without the URL, or the name of a model with a condition behind it. "help" lists them. \
      From a pipe the first command that fails ends the session with its exit code; on a terminal the session continues.
      """)

  @OptionGroup var store: StoreArgument

  func run() throws {
    let isInteractive = isatty(STDIN_FILENO) == 1
    let place = try store.url
    var url = place.text
    var kept: Store?
    defer { try? kept?.close() }
    if place.engine.path == .optionalName {
      // A store in memory lasts as long as it is open somewhere.
      if place.path.isEmpty { url = "memory:quarry-shell-\(UUID().uuidString)" }
      kept = try StoreURL(argument: url).open(.filling, store.key.encryption())
    } else {
      do {
        try store.open(.reading).close()
      } catch let error as StorageError where error.code == .notFound {
        Notice.print("there is no store yet: import creates it")
      }
    }
    if isInteractive {
      let shown = place.description.escapedForDisplay
      try StandardOutput.print("quarry \(Tool.version), \(shown); \"help\" lists the commands")
    }
    try Shell(url: url, key: store.key.arguments, isInteractive: isInteractive).run()
  }
}
