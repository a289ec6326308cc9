import QuarryBackend

/// Verifies the log of a store: every row, every change set and the state.
struct HistoryCheck {
  let models: HistoryModels
  let transaction: any BackendReadTransaction

  /// - Returns: What is wrong, a sentence for each defect.
  func run() throws(StorageError) -> [String] {
    var report = DefectReport()
    try report.examine("the history") { report throws(StorageError) in
      let state = try HistoryState(models, transaction)
      let schemas = try HistorySchemas(models, transaction)
      if schemas.last != state.schema { report.add("the history: its last schema is missing") }
      try rows(state, schemas, &report)
    }
    return report.lines
  }

  private func rows(
    _ state: HistoryState, _ schemas: HistorySchemas, _ report: inout DefectReport
  ) throws(StorageError) {
    var expected = state.oldest
    var (bytes, time) = (Int64(0), Int64(0))
    var set = HistorySetBuilder()
    var lines = DefectReport()
    var isInside = false
    try models.log.forEach(in: transaction) { values throws(StorageError) in
      try lines.examine("the history after position \(expected - 1)") { lines throws(StorageError) in
        let row = try HistoryRow(values)
        if row.position != expected { lines.add("the history: position \(expected) is followed by \(row.position)") }
        expected = row.position + 1
        bytes += row.size
        if row.time < time { lines.add("the history: position \(row.position) is older than the one before") }
        time = row.time
        if !schemas.isKnown(row.schema) { lines.add("the history: the schema of position \(row.position) is missing") }
        guard row.first >= state.oldest else { return }
        if row.first != set.first {
          if isInside { lines.add("the history: the change set before position \(row.position) is cut") }
          set = HistorySetBuilder()
        }
        isInside = row.more
        try set.add(row)
      }
      return true
    }
    for line in lines.lines { report.add(line) }
    if isInside { report.add("the history: its last change set is cut") }
    if expected != state.next {
      report.add("the history: it ends before position \(expected), and not before \(state.next)")
    }
    if bytes != state.bytes { report.add("the history: its rows have \(bytes) bytes, and \(state.bytes) are counted") }
    if state.open != 0 { report.add("the history: a change set was begun at position \(state.open) and not ended") }
  }
}
