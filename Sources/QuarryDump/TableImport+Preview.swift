package import QuarryBackend
package import QuarryCore
import QuarryData

extension TableImport {
  /// The effect that an import would have.
  package struct Preview: Sendable {
    /// The model that the rows would be added to, with the ids of the store only where it is stored.
    package var model: ModelSchema
    /// Whether the import would create the model.
    package var isNew: Bool
    /// The properties that the file has columns for.
    package var columns: [PropertySchema]
    /// Whether the primary key is counted and not a column.
    package var isKeyCounted: Bool
    /// The number of rows in the file.
    package var rows: Int
    /// The inferred facts, each in a sentence.
    package var notes: [String]
    /// The first rows, in the order of ``columns``.
    package var samples: [[Value]]
  }

  /// Reads the whole file as ``run(in:)`` would, and changes nothing.
  ///
  /// Keys, unique values and references are checked against the store by ``run(in:)`` alone.
  ///
  /// - Throws: The errors of the data with line and column; `schemaMismatch` where the model is stored and does not fit.
  package func preview(in store: Store, samples: Int = 10) throws -> Preview {
    let (data, notes) = try data.resolved()
    var resolved = self
    resolved.data = data
    let stored = try store.models()
    var preview: Preview
    if let existing = stored.first(where: { $0.name.utf8.elementsEqual(model.utf8) }) {
      try resolved.checkReferences(existing)
      try resolved.check(existing)
      var columns = try resolved.columns(of: existing)
      var isCounted = false
      if case .counted = key { isCounted = true }
      if isCounted { columns.removeAll { $0.name.utf8.elementsEqual(existing.keyProperty.name.utf8) } }
      preview = Preview(
        model: existing, isNew: false, columns: columns, isKeyCounted: isCounted, rows: 0, notes: notes, samples: [])
    } else {
      let draft = try data.draft(named: model, key: key, indexed: indexed, unique: unique, progress: progress)
      let slots =
        draft.isKeyCounted ? draft.model.liveSlots.filter { $0 != draft.model.primaryKey } : draft.model.shownSlots
      preview = Preview(
        model: draft.model, isNew: true, columns: slots.map { draft.model.properties[$0] },
        isKeyCounted: draft.isKeyCounted, rows: draft.rows, notes: notes + draft.notes, samples: [])
    }
    var reader = try data.rows(as: preview.columns)
    var rows = 0
    // A stored model has its own types: every row is read to find those that do not fit.
    while rows < samples || !preview.isNew, let row = try reader.next() {
      if rows < samples { preview.samples.append(row) }
      rows += 1
    }
    if !preview.isNew { preview.rows = rows }
    return preview
  }
}
