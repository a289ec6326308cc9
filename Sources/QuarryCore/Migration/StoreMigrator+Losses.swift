import QuarryBackend
import QuarryQuery

/// The report of a rehearsal about lost values.
extension StoreMigrator {
  /// Counts the values that are dropped.
  func countLosses(_ comparison: SchemaComparison) throws(StorageError) {
    guard isRehearsal else { return }
    let schema = writer.schema
    for change in comparison.changes {
      guard case .dropProperty(let id, let slot) = change, let model = schema.model(id: id) else { continue }
      try countLoss(model, slot)
    }
    for rebuild in comparison.rebuilds {
      let names = Set(rebuild.code.properties.map { ByteString($0.name) })
      for slot in rebuild.stored.liveSlots where !names.contains(ByteString(rebuild.stored.properties[slot].name)) {
        try countLoss(rebuild.stored, slot)
      }
    }
    for model in comparison.dropped { try countLoss(model, nil) }
  }

  private func countLoss(_ model: ModelSchema, _ slot: Int?) throws(StorageError) {
    var query = QueryTree(model: model.name)
    if let slot {
      query.predicate = .compare(.property(PropertyPath(model.properties[slot].name)), .notEqual, .value(.null))
    }
    let binder = QueryBinder(model)
    let count = try writer.count(try binder.bind(query, projection: nil))
    guard count > 0 else { return }
    var loss = MigrationReport.Loss(model: model.name, property: slot.map { model.properties[$0].name }, count: count)
    query.limit = ObjectFailures.told
    let layout = RowLayout(model)
    try writer.cursor(try binder.bind(query, projection: [model.keyProperty.name])).forEach {
      row throws(StorageError) in
      if let key = KeyText.text(of: try RowView(row, layout), layout) { loss.keys.append(key) }
      return true
    }
    losses.append(loss)
  }
}
