import QuarryBackend

/// Verifies the meaning of the entries of one state.
///
/// Every row must be readable and stored under its key, and the indexes must hold exactly the entries of the rows.
///
/// Rows are walked and their entries looked up, then entries are walked and their rows looked up, so that the memory it
/// takes does not grow with the store.
struct StoreCheck<Transaction: KeyValueReadTransaction> {
  private let trees: TreeAccess<Transaction>
  private let entries = IndexEntries()

  init(_ trees: TreeAccess<Transaction>) {
    self.trees = trees
  }

  /// Checks all tables of the schema.
  func run(_ schema: SchemaState, _ report: inout DefectReport) throws(StorageError) {
    for table in schema.all {
      let name = table.model.name
      try report.examine("model \(name)") { report throws(StorageError) in try checkRows(table, &report) }
      for index in table.indexes {
        try report.examine("model \(name), index \(index.schema.name)") { report throws(StorageError) in
          try checkEntries(index, table, &report)
        }
      }
      for tree in [table.tree] + table.indexes.map(\.tree) {
        try report.examine("model \(name), long keys") { report throws(StorageError) in
          try checkLongKeys(tree, table, &report)
        }
      }
    }
  }

  // MARK: Rows

  private func checkRows(_ table: Table, _ report: inout DefectReport) throws(StorageError) {
    var cursor = try trees.cursor(table.tree, .all, descending: false)
    var rows = 0
    while let (key, row) = try cursor.next() {
      rows += 1
      try report.examine(Self.text(table, key)) { report throws(StorageError) in
        let view = try RowView(row, table.layout)
        let defects = view.defects(table.layout, table.model)
        for defect in defects { report.add("\(Self.text(table, key)), \(defect)") }
        // An unreadable part cannot be compared either.
        guard defects.isEmpty else { return }
        let own = try entries.primaryKey(view, table)
        guard own.compare(key) == 0 else {
          report.add("\(Self.text(table, key)): the row there has the key \(Self.text(own, table))")
          return
        }
        for index in table.indexes {
          let entry = try entries.entry(view, key, index, table)
          guard let found = try trees.get(index.tree, entry) else {
            report.add("\(Self.text(table, key)), index \(index.schema.name): the row has no entry")
            continue
          }
          if found.compare(key) != 0 {
            report.add(
              "\(Self.text(table, key)), index \(index.schema.name): the row's entry leads to "
                + Self.text(found, table))
          }
        }
      }
    }
    let counted = try trees.count(table.tree, .all)
    if counted != rows { report.add("model \(table.model.name): \(rows) rows, which are counted as \(counted)") }
  }

  // MARK: Entries

  private func checkEntries(
    _ index: TableIndex, _ table: Table, _ report: inout DefectReport
  ) throws(StorageError) {
    let place = "model \(table.model.name), index \(index.schema.name)"
    var cursor = try trees.cursor(index.tree, .all, descending: false)
    var count = 0
    while let (entry, key) = try cursor.next() {
      count += 1
      guard let row = try trees.get(table.tree, key) else {
        report.add("\(place): an entry leads to \(Self.text(key, table)), which is not there")
        continue
      }
      // A row that cannot be read was reported above.
      guard let view = try? RowView(row, table.layout), view.defects(table.layout, table.model).isEmpty else {
        continue
      }
      let own = try entries.entry(view, key, index, table)
      if own.compare(entry) != 0 {
        report.add("\(place): an entry leads to \(Self.text(key, table)), which has other values")
      }
    }
    let counted = try trees.count(index.tree, .all)
    if counted != count { report.add("\(place): \(count) entries, which are counted as \(counted)") }
  }

  // MARK: Long keys

  /// Checks how long keys are stored: each under its own beginning, hash and probe.
  private func checkLongKeys(_ tree: Tree, _ table: Table, _ report: inout DefectReport) throws(StorageError) {
    guard let format = trees.format else { return }
    let what = tree == table.tree ? "rows" : "entries"
    let companion = LongKeyFormat.companion(of: tree.id)
    var cursor = try trees.base.cursor(companion, .all, descending: false)
    /// The entry that a further key with the last one's beginning and hash has.
    var next: [UInt8]?
    while let (entry, stored) = try cursor.next() {
      let key = try LongKeyFormat.split(stored).key
      guard format.belongs(key, under: entry) else {
        report.add("model \(table.model.name), \(what) of long keys: a key lies under the entry of another")
        continue
      }
      let first = format.entry(key)
      let isExpected =
        first.withUnsafeBytes { entry.compare($0) == 0 } || next?.withUnsafeBytes { entry.compare($0) == 0 } == true
      if !isExpected {
        report.add("model \(table.model.name), \(what) of long keys: a key cannot be found behind a gap")
      }
      var following = Array(entry)
      next = LongKeyFormat.advance(&following) ? following : nil
    }
  }

  // MARK: Words

  private static func text(_ table: Table, _ key: UnsafeRawBufferPointer) -> String {
    "model \(table.model.name), key \(text(key, table))"
  }

  static func text(_ key: UnsafeRawBufferPointer, _ table: Table) -> String {
    if let text = KeyText.text(of: key, table.model) { return text }
    let digits = Array("0123456789abcdef")
    return "0x" + String(key.prefix(64).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
