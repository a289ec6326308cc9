import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryDump
import QuarryEngines

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Verifies a store: its file, every row, every index entry.",
    discussion: """
      Prints "sound" with what was looked at, or a line for each defect and then exits with 1. A line that begins with \
      "note:" says what is no defect by itself: what was found on opening, or that an SQLite store of before has no \
      checksums. A store that is so damaged that it does not open is the error "corrupt". With --repair, rows that cannot \
      be read go into a file beside the store and indexes are made anew; then it prints what was done, and exits with 1 \
      where something is still wrong.
      """)

  @OptionGroup var store: StoreArgument

  @Flag(help: "Mends what it can.")
  var repair = false

  @Option(
    help: ArgumentHelp(
      "Where rows go that cannot be read: nothing is there yet. Beside the store, with the date, when left out.",
      valueName: "file"))
  var quarantine: String?

  func validate() throws {
    if quarantine != nil, !repair { throw ValidationError("--quarantine is for --repair") }
  }

  func run() throws {
    if repair { return try mend() }
    let store = try store.open(.checking)
    defer { try? store.close() }
    let defects = try store.check()
    let sink = StandardOutput.sink()
    for note in store.openingReport.notes { try sink.write("note: " + note.escapedForDisplay + "\n") }
    if try store.statistics().details["checksums"] == "none" {
      try sink.write(
        "note: the store has no checksums, so that damage may be read as data: quarry compact --checksums\n")
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
    let url = store.url
    let store = try store.open(.mending)
    defer { try? store.close() }
    if quarantine == nil, try store.keySlot() != nil {
      throw StorageError(
        .invalidValue,
        "the store is encrypted, and rows that are taken out are kept in the clear: say where, --quarantine")
    }
    let file = quarantine ?? "\(url.path).unreadable-\(TimeStamp.now).jsonl"
    let report = try store.repair(quarantine: file)
    var lines = report.defects.map { "found: \($0.escapedForDisplay)" }
    lines += report.actions.map(\.escapedForDisplay)
    if report.removedRows > 0 { lines.append("they are kept in \(file.escapedForDisplay)") }
    lines += report.remaining.map { "still: \($0.escapedForDisplay)" }
    if report.defects.isEmpty { lines.append("sound: nothing was to be repaired") }
    try StandardOutput.print(lines)
    if !report.remaining.isEmpty { throw ExitCode.failure }
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
