public import QuarryBackend
import QuarryCore

// Accepting and editing are ordinary writes of the store: SYNC-21.

extension StoreSync {
  /// Writes a held item again, as a write of this store: its values, or the delete.
  ///
  /// The constraints of the store apply: a unique value must be free, and what it refers to must be there. What the hub has refused is
  /// sent to it again.
  ///
  /// - Parameter item: An item of ``held()``.
  /// - Throws: `notFound` where nothing of the kind is held any more, and for an edit of an object that is not in the store.
  ///   `uniqueViolation`, `missingReference`, `referenced`, and the other errors of a write. Nothing has changed then.
  public func accept(_ item: HeldItem) throws { try write(item, [:]) }

  /// Writes a held item with other values, as a write of this store: ``accept(_:)``.
  ///
  /// - Parameters:
  ///   - item: An item of ``held()``.
  ///   - values: The values that replace those of the item, by the names of properties.
  /// - Throws: As ``accept(_:)``; `invalidQuery` for an unknown name, `invalidValue` for a delete with values.
  public func edit(_ item: HeldItem, _ values: [String: Value]) throws { try write(item, values) }

  private func write(_ item: HeldItem, _ values: [String: Value]) throws {
    try store.requireNoTransaction()
    try store.write { tx in
      let work = try keeper.workToChange(in: tx.engineWriter)
      let source = try work.find(item)
      let object = source.object
      guard let table = work.schema.tables[object.model] else { throw StorageError.notSynced }
      let row = try table.find(object, in: tx.engineReader)
      var written = item.values
      var isWhole = false
      switch source {
      case .object(let irregular): isWhole = irregular.isHeld
      case .edit(_, let edit): written = work.schema.shown(edit.applied(to: row), of: object)
      case .refused(_, let refused, _):
        let change = refused.entry.changes.first { $0.object == object } ?? ObjectChange(object)
        let values = refused.written(change)
        (written, isWhole) = (work.schema.shown(values.applied(to: row), of: object), values.isInsert)
      }
      written.merge(values) { $1 }
      if item.isDeletion {
        guard values.isEmpty else {
          throw StorageError(.invalidValue, "a delete has no values to edit", model: item.object.model)
        }
        try tx.records.delete(in: item.object.model, keys: [item.object.key])
      } else {
        guard row != nil || isWhole else { throw Self.gone(item) }
        try write(item, written, isPart: row != nil, table.schema, tx)
      }
      try work.remove(source)
    }
  }

  private func write(
    _ item: HeldItem, _ values: [String: Value], isPart: Bool, _ model: ModelSchema, _ tx: WriteTransaction
  ) throws {
    var fields = values.map { ($0.key, $0.value) }
    if model.keyMembers == nil {
      fields.append((model.keyProperty.name, item.object.key))
    } else {
      guard case .array(let members) = item.object.key, let slots = model.keyMembers else { throw SyncReader.damaged }
      for (slot, member) in zip(slots, members) { fields.append((model.properties[slot].name, member)) }
    }
    let record = Record(fields.map { (name: $0.0, value: $0.1) })
    let names = values.keys.filter { name in model.keyMembers?.contains { model.properties[$0].name == name } != true }
    if isPart, !names.isEmpty {
      try tx.records.upsert(into: item.object.model, [record], updating: names.sorted())
    } else {
      try tx.records.upsert(into: item.object.model, [record])
    }
  }

  static func gone(_ item: HeldItem) -> StorageError {
    StorageError(
      .notFound, "the object is not in the store: insert it, or discard the edit", model: item.object.model)
  }
}

extension LostEdit {
  /// The value to write where the object has these now.
  func applied(to row: SyncRow?) -> SyncRow {
    let value: Value
    switch (content, row?[column]) {
    case (.value(let written), _): value = written
    case (.counted(let plus, let minus), .int(let now)?): value = .int(now &+ Int64(bitPattern: plus &- minus))
    case (.counted(let plus, let minus), _): value = .int(Int64(bitPattern: plus &- minus))
    case (.element(let element), .array(let now)?): value = .array(now.filter { $0 != element } + [element])
    case (.element(let element), _): value = .array([element])
    }
    return [column: value]
  }
}
