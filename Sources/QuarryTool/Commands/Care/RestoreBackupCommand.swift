import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryEngines

struct RestoreBackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore-backup", abstract: "Puts a copy of a backup in the place of a store.",
    discussion: """
      The backup must come from "quarry backup" and the same engine; it stays as it is. If a store exists at the place, \
      --replace puts it aside as a whole, with its logs, under a name that is printed. The store must not be open \
      anywhere. Copying the file by hand is not safe: SQLite would read the old store's log as the log of the backup.
      """)

  @Argument(help: ArgumentHelp("The backup.", valueName: "path"))
  var path: String

  @Argument(
    help: ArgumentHelp("The place of the store: \(StoreURL.forms).", valueName: "url"))
  var place: StorePlace

  @Flag(help: "Puts an existing store aside.")
  var replace = false

  @OptionGroup var key: KeyOptions

  func run() throws {
    let url = try place.url
    let done = try Store.restoreBackup(path, to: url, replacing: replace, encryption: try key.encryption())
    var lines = ["restored \(path.escapedForDisplay) to \(url.description.escapedForDisplay)"]
    if let old = done.quarantine { lines.append("the store that was there is kept as \(old.escapedForDisplay)") }
    try StandardOutput.print(lines)
  }
}
