import QuarryBackend

/// What others depend on of an object: its references, its claims and their age.
private struct ObjectShape: Equatable {
  var references: [Value?]
  var age: ClaimAge?
  var claims: [ClaimedValues?]
}

extension SyncView {
  private func shape(_ object: ObjectID) -> ObjectShape? {
    guard let model = schema.models[object.model], let row = rows[object] else { return nil }
    return ObjectShape(
      references: model.references.map { row[$0.column] }, age: ages[object],
      claims: model.uniques.indices.map { claimed(object, $0) })
  }

  /// Objects whose place in the view may depend on this one.
  private func neighbours(_ object: ObjectID) -> [ObjectID] {
    var result = referrers[object] ?? []
    if rows[object] != nil, let model = schema.models[object.model] {
      for index in model.uniques.indices {
        if let values = claimed(object, index) { result += claimants[values] ?? [] }
      }
    }
    return result
  }

  /// The tables after a change of some records: only these objects and what depends on them are considered.
  ///
  /// - Parameters:
  ///   - old: The view before the change.
  ///   - tables: The tables of that view.
  /// - Returns: The tables of this view.
  func reconsidered(_ touched: some Sequence<ObjectID>, since old: SyncView, _ tables: [ObjectID: SyncRow])
    -> [ObjectID: SyncRow]
  {
    var result = tables
    var todo = Array(touched)
    var done: Set<ObjectID> = []
    while let object = todo.popLast() {
      guard done.insert(object).inserted else { continue }
      let before = tables[object]
      let after = row(object)
      result[object] = after
      let isHeld = old.rows[object] != nil && before == nil || rows[object] != nil && after == nil
      if isHeld || (before == nil) != (after == nil) || changesKeys(object, before, after)
        || old.shape(object) != shape(object)
      {
        todo += old.neighbours(object)
        todo += neighbours(object)
      }
    }
    return result
  }

  /// Whether a reference or a unique column shows another value.
  private func changesKeys(_ object: ObjectID, _ before: SyncRow?, _ after: SyncRow?) -> Bool {
    guard let before, let after, let model = schema.models[object.model] else { return false }
    return (model.references.map(\.column) + model.claims).contains { before[$0] != after[$0] }
  }
}
