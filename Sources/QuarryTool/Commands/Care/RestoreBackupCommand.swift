import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryEngines

struct RestoreBackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore-backup", abstract: "Puts a copy of a backup in the place of a store.",
    discussion: """
      The backup is one that "quarry backup" has made, of the same engine, and stays as it is. Where there is a store \
      already, --replace puts it aside as a whole, with its logs, under a name that is printed; nobody may have it open. \
      Copying the file by hand is not safe: SQLite would read the old store's log as the new one's.
      """)

  @Argument(help: ArgumentHelp("The backup.", valueName: "path"))
  var path: String

  @Argument(
    help: ArgumentHelp("Where the store is to be: \(StoreURL.forms).", valueName: "url"),
    transform: { try StoreURL(argument: $0) })
  var url: StoreURL

  @Flag(help: "Put aside the store that is there.")
  var replace = false

  @OptionGroup var key: KeyOptions

  func run() throws {
    let done = try Store.restoreBackup(path, to: url, replacing: replace, encryption: try key.encryption())
    var lines = ["restored \(path.escapedForDisplay) to \(url.description.escapedForDisplay)"]
    if let old = done.quarantine { lines.append("the store that was there is kept as \(old.escapedForDisplay)") }
    try StandardOutput.print(lines)
  }
}
