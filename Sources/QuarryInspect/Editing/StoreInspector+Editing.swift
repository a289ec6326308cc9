public import QuarryBackend
public import QuarryCore
import QuarryQuery

extension StoreInspector {
  /// Changes an object if it is still as it was read.
  ///
  /// - Parameter edit: The change, with the values that were read.
  /// - Returns: The outcome: a conflict has base, mine and theirs of each property concerned, and changes nothing.
  /// - Throws: `invalidQuery` for an unknown name and for a change of the primary key; `invalidValue`, `missingValue`,
  ///   `uniqueViolation`, `missingReference`; `readOnly`, `busy`.
  public func save(_ edit: ObjectEdit) throws -> EditOutcome {
    try write { tx in
      let model = try tx.model(named: edit.model)
      for field in edit.changes.fields where model.slot(named: field.name).map(model.isOfKey) == true {
        throw StorageError.keyChange(.invalidQuery, model: model.name, property: field.name)
      }
      guard let stored = try tx.records.get(in: model.name, key: edit.key) else {
        return .conflict(EditConflict(fields: [], isRemoved: true))
      }
      if let conflict = Self.conflict(edit, stored) { return .conflict(conflict) }
      let changes = edit.changes.fields.filter { stored[$0.name] != $0.value }
      guard !changes.isEmpty else { return .unchanged }
      let key = (name: model.keyProperty.name, value: edit.key)
      try tx.records.upsert(into: model.name, [Record([key] + changes)], updating: changes.map(\.name))
      return .saved
    }
  }

  private static func conflict(_ edit: ObjectEdit, _ stored: Record) -> EditConflict? {
    let changed = edit.base.fields.filter { stored[$0.name] != $0.value }.map(\.name)
    let isSame = edit.digest.map { $0 == RecordDigest.of(stored) } ?? true
    guard !changed.isEmpty || !isSame else { return nil }
    let fields = stored.fields.compactMap { field -> EditConflict.Field? in
      guard changed.contains(field.name) || edit.changes[field.name] != nil else { return nil }
      return EditConflict.Field(
        property: field.name, base: edit.base[field.name], mine: edit.changes[field.name], theirs: field.value)
    }
    return EditConflict(fields: fields, isRemoved: false)
  }

  /// Adds an object. A property that the record leaves out has its default, or nil.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - record: The values of the properties by name.
  /// - Returns: The primary key, which the store gives where the record has none and the keys of the model are generated.
  /// - Throws: `duplicateKey`; as ``save(_:)``.
  @discardableResult
  public func insert(into model: String, _ record: Record) throws -> Value {
    try write { tx in try tx.insertRecord(model, record) }
  }

  /// Removes an object if it is still as it was read, with the effects of the delete rules.
  ///
  /// - Parameter digest: The digest of the object as it was read; nil to remove it in any case.
  /// - Returns: The outcome; `unchanged` when the object was not there.
  /// - Throws: `referenced` when a delete rule denies it; `invalidQuery` for an unknown model; `readOnly`, `busy`.
  public func delete(in model: String, key: Value, digest: String? = nil) throws -> EditOutcome {
    try write { tx in
      guard let stored = try tx.records.get(in: model, key: key) else { return .unchanged }
      if let digest, digest != RecordDigest.of(stored) {
        let fields = stored.fields.map {
          EditConflict.Field(property: $0.name, base: nil, mine: nil, theirs: $0.value)
        }
        return .conflict(EditConflict(fields: fields, isRemoved: false))
      }
      try tx.records.delete(in: model, keys: [key])
      return .saved
    }
  }
}
