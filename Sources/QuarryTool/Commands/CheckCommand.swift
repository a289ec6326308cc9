import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryEngines

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Verifies a store: its file, every row, every index entry.",
    discussion: """
      Prints "sound" with what was looked at, or a line for each defect and then exits with 1. A line that begins with \
      "note:" says what was found on opening and is no defect by itself. A store that is so damaged that it does not \
      open is the error "corrupt".
      """)

  @OptionGroup var store: StoreArgument

  func run() throws {
    let store = try store.url.open(.reading)
    defer { try? store.close() }
    let defects = try store.check()
    let sink = StandardOutput.sink()
    for note in store.openingReport.notes { try sink.write("note: " + note.escapedForDisplay + "\n") }
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

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
