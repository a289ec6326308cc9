import Foundation
import QuarryAdoption
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryEngines

/// An import of tables of another program's SQLite database.
struct DatabaseImport {
  var path: String
  /// Nil for all tables that hold data of the program.
  var tables: [String]?
  /// The name of the model of a single table.
  var model: String?
  var naming: AdoptionPlan.Naming

  /// Whether a file is an SQLite database: by its first bytes, or by its name where it cannot be read.
  static func isDatabase(_ path: String) -> Bool {
    if let file = FileHandle(forReadingAtPath: path) {
      defer { try? file.close() }
      return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
    }
    let name = path.loweredASCII
    return [".db", ".sqlite", ".sqlite3", ".store"].contains { name.hasSuffix($0) }
  }

  /// Imports the tables into a store, which is created where it does not exist, and prints a line for each.
  func run(_ url: StoreURL, _ key: KeyOptions) throws {
    let database = try ForeignDatabase(path: path)
    let clock = ContinuousClock()
    let start = clock.now
    let (store, isMade) = try url.openToImport(key.encryption())
    let counts: [(model: String, rows: Int)]
    do {
      let plan = try AdoptionPlan(
        database, tables: tables, modelName: model, naming: naming, stored: store.models())
      for note in plan.notes { Notice.print(note.escapedForDisplay) }
      counts = try load(database, plan, store)
      try store.close()
    } catch {
      // Nothing was stored, and nothing else was there.
      if !isMade || (try? store.destroy()) == nil { try? store.close() }
      throw error
    }
    for count in counts {
      try StandardOutput.print("\(count.model.escapedForDisplay): \(CountText.rows(count.rows))")
    }
    let rows = counts.reduce(0) { $0 + $1.rows }
    let models = "\(counts.count) \(counts.count == 1 ? "model" : "models")"
    try StandardOutput.print(RateText.line("imported", rows, to: "into \(models)", clock.now - start))
  }

  private func load(
    _ database: ForeignDatabase, _ plan: AdoptionPlan, _ store: Store
  ) throws -> [(model: String, rows: Int)] {
    let progress = ProgressBar()
    progress.begin("importing")
    var work = AdoptionImport(database, plan)
    let names = plan.tables.map(\.table)
    work.progress = { table, rows in
      progress.update(Double(names.firstIndex(of: table) ?? 0) / Double(max(1, names.count)), rows: rows)
    }
    return try work.run(in: store)
  }
}
