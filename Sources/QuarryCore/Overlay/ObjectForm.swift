package import QuarryBackend

/// The stored form of a model's objects in one store: rows that are compared, merged and laid over those of the store.
package struct ObjectForm<M: Model>: Sendable {
  private let context: StoreContext
  private let binding: ModelBinding

  /// - Throws: `schemaMismatch` when the store was not opened for the model.
  package init(_ store: Store) throws(StorageError) {
    context = store.context
    binding = try store.context.binding(M.self)
  }

  /// The name of the model.
  package var name: String { binding.name }

  /// The type of the primary key.
  package var keyType: PropertyType { binding.schema.keyProperty.type }

  /// The slots of the model's references.
  package var references: Set<Int> {
    Set(binding.schema.liveSlots.filter { binding.schema.properties[$0].reference != nil })
  }

  /// The row that a write of the object would store, without its own rules.
  ///
  /// - Throws: `invalidValue`, `missingValue`, `limitExceeded`. An object that gets its key when it is written is `invalidValue`.
  package func row(_ object: M) throws(StorageError) -> Row { try encoder().row(object) }

  /// An encoder of rows, for several objects.
  package func encoder() -> ObjectEncoder<M> { ObjectEncoder(self, RowEncoder(context)) }

  fileprivate func row(_ object: M, _ encoder: inout RowEncoder) throws(StorageError) -> Row {
    // The bytes are the encoder's.
    let row = try encoder.encode(object, binding, validates: false)
    if let key = binding.generatedKey, key.isMissing(in: row) {
      throw StorageError(
        .invalidValue, "the object has no key yet: insert it into the store, or give it a key", model: name,
        property: key.model.keyProperty.name)
    }
    return Row(copying: row)
  }

  /// The object of a row.
  package func object(_ row: Row) throws(StorageError) -> M {
    try row.bytes.withBytes { (bytes) throws(StorageError) in try ModelReader(bytes, binding).object(M.self) }
  }

  /// The bytes of a primary key.
  package func key(_ key: M.PrimaryKey) throws(StorageError) -> Key {
    try key.withKeyBytes { Key(copying: $0) }
  }

  /// Checks an object by the rules of its model.
  package func validate(_ object: M) throws(StorageError) {
    if binding.isValidated { try M.modelDefinition.validate(object) }
  }

  /// The slots in which the rows differ, bit by bit.
  package func differences(_ old: Row, _ new: Row) throws(StorageError) -> [Int] {
    try old.bytes.withBytes { (old) throws(StorageError) in
      try new.bytes.withBytes { (new) throws(StorageError) in
        if old.count == new.count, old.compare(new) == 0 { return [] }
        return try RowView(old, binding.layout).differences(from: RowView(new, binding.layout), binding.layout)
      }
    }
  }

  /// A row with some slots of one row, and all others of another.
  package func merging(_ slots: Set<Int>, of row: Row, into other: Row) throws(StorageError) -> Row {
    try row.bytes.withBytes { (row) throws(StorageError) in
      try other.bytes.withBytes { (other) throws(StorageError) in
        let (row, other) = (try RowView(row, binding.layout), try RowView(other, binding.layout))
        let writer = RowWriter(binding.layout)
        writer.begin()
        for slot in binding.layout.slots {
          try writer.copy(slot, from: slots.contains(Int(slot.index)) ? row : other, binding.layout)
        }
        return Row(copying: try writer.finish())
      }
    }
  }

  /// The name of the property in a slot.
  package func property(_ slot: Int) -> String { binding.schema.properties[slot].name }

  /// The value of a row's slot.
  package func value(_ slot: Int, of row: Row) throws(StorageError) -> Value {
    try row.bytes.withBytes { (row) throws(StorageError) in
      try RowView(row, binding.layout).value(binding.layout.slots[slot], binding.layout)
    }
  }
}

/// Encodes objects of one model, one after the other: ``ObjectForm/row(_:)`` with the same memory each time.
package final class ObjectEncoder<M: Model> {
  private let form: ObjectForm<M>
  private var encoder: RowEncoder

  fileprivate init(_ form: ObjectForm<M>, _ encoder: RowEncoder) {
    self.form = form
    self.encoder = encoder
  }

  /// The row that a write of the object would store: ``ObjectForm/row(_:)``.
  package func row(_ object: M) throws(StorageError) -> Row { try form.row(object, &encoder) }
}
