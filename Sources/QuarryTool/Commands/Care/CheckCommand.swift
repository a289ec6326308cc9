import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryDump
import QuarryEngines

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Verifies a store: its file, every row and every index entry.",
    discussion: """
      Prints "sound" with the numbers of what was checked, or one line for each defect; then the exit code is 1. A line \
      that begins with "note:" is not a defect: a finding of opening, or that an SQLite store has no checksums. A store \
      that is too damaged to open is the error "corrupt". With --repair, unreadable rows are moved to a file next to the \
      store, and indexes are rebuilt; the command then prints its actions, and exits with 1 if defects remain.
      """)

  @OptionGroup var store: StoreArgument

  @Flag(help: "Repairs the defects that can be repaired.")
  var repair = false

  @Option(
    help: ArgumentHelp(
      "The file for unreadable rows, which must not exist; by default a dated name next to the store, where that is a file.",
      valueName: "file"))
  var quarantine: String?

  func validate() throws {
    if quarantine != nil, !repair { throw ValidationError("--quarantine needs --repair") }
  }

  func run() throws {
    if repair { return try mend() }
    let store = try store.open(.checking)
    defer { try? store.close() }
    let defects = try store.check()
    let sink = StandardOutput.sink()
    for note in store.openingReport.notes { try sink.write("note: " + note.escapedForDisplay + "\n") }
    if try store.statistics().details["checksums"] == "none" {
      let remedy = (try? store.manifest.require(.compact)) == nil ? "" : ": quarry compact --checksums"
      try sink.write("note: the store has no checksums, so that damage may be read as data\(remedy)\n")
    }
    guard defects.isEmpty else {
      for defect in defects { try sink.write(defect.escapedForDisplay + "\n") }
      try sink.flush()
      throw ExitCode.failure
    }
    let models = try store.statistics().models
    let rows = models.reduce(0) { $0 + $1.rows }
    let indexes = models.reduce(0) { $0 + $1.indexes.count }
    try sink.write(
      "sound: \(Self.count(models.count, "model")), \(Self.count(rows, "row")), "
        + "\(indexes) \(indexes == 1 ? "index" : "indexes")\n")
    try sink.flush()
  }

  private func mend() throws {
    let url = try store.url
    if quarantine == nil, url.engine.path == .connection {
      throw StorageError(.invalidValue, "the store is on a server: name a file for removed rows with --quarantine")
    }
    let store = try store.open(.mending)
    defer { try? store.close() }
    if quarantine == nil, try store.keySlot() != nil {
      throw StorageError(
        .invalidValue,
        "the store is encrypted, and removed rows are kept unencrypted: name a file with --quarantine")
    }
    let file = quarantine ?? "\(url.path).unreadable-\(TimeStamp.now).jsonl"
    let report = try store.repair(quarantine: file)
    var lines = report.defects.map { "found: \($0.escapedForDisplay)" }
    lines += report.actions.map(\.escapedForDisplay)
    if report.removedRows > 0 { lines.append("they are kept in \(file.escapedForDisplay)") }
    lines += report.remaining.map { "still: \($0.escapedForDisplay)" }
    if report.defects.isEmpty { lines.append("sound: there was nothing to repair") }
    try StandardOutput.print(lines)
    if !report.remaining.isEmpty { throw ExitCode.failure }
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
