package import QuarryBackend
import QuarryCore

extension ColumnTable {
  package static let allColumns = ["plain", "indexed", "falling", "present", "presentIndexed"]

  /// Calls the body with the table in one state, in a read of its own: for cases about one thing each.
  package static func look(
    _ kit: ConformanceContext, _ type: PropertyType, _ values: [Value]? = nil, _ body: (View) throws -> Void
  ) throws {
    let store = try kit.open([], at: kit.makePlace())
    let rows = rows(values ?? Samples.few(type))
    try store.write { tx in
      try tx.apply(.createModel(model(type)))
      try tx.records.insert(into: name, rows)
    }
    try store.read { try body(View(name: "", transaction: $0, columns: allColumns, rows: rows)) }
  }
}

extension ConformanceVariant {
  /// What a case about reads alone does not need: ways to write, threads, and what is on disk.
  package static let ofWrites: Set<ConformanceVariant> = [.savepoint, .replayed, .otherThread, .rowByRow, .reopened]
  /// What a case about one writing statement does not need.
  package static let ofReads: Set<ConformanceVariant> = [.insideTransaction, .otherThread, .rowByRow]
  /// What a case of calls inside a transaction does not need: reads in another way, and stores that are closed between.
  package static let ofWholeTransactions: Set<ConformanceVariant> = ofReads.union([.frozen, .reopened])
  /// What a case in which threads or stores meet does not need: a read that is a write transaction, for which others
  /// wait, because that is what it is about.
  package static let ofWriter: Set<ConformanceVariant> = [.insideTransaction]
}
