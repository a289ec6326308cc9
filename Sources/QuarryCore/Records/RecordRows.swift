import QuarryBackend
import QuarryQuery

/// Encodes the rows of records of one model.
final class RecordRows {
  let model: ModelSchema
  let layout: RowLayout
  let writer: RowWriter
  /// The meaning of the last record's names: they are looked up again only when they change.
  private var shape: RecordShape?

  init(_ model: ModelSchema) {
    self.model = model
    layout = RowLayout(model)
    writer = RowWriter(layout)
  }

  /// The row of a record, valid until the next one is encoded. Values are converted to their properties' types where that is
  /// exact; a property that the record leaves out has its default, or nil.
  ///
  /// - Throws: `invalidQuery` for an unknown name; `invalidValue`, `missingValue`, with the key where the record has it.
  func row(_ record: Record) throws(StorageError) -> UnsafeRawBufferPointer {
    let current: RecordShape
    if let shape, shape.names == record.names { current = shape } else { current = try RecordShape(record, model) }
    shape = current
    writer.begin()
    do throws(StorageError) {
      for (slot, value) in zip(current.slots, record.values) { try set(slot, value) }
      for slot in current.missing { try setDefault(slot) }
      try setKey(current, record)
    } catch {
      let key = current.slots.firstIndex(of: model.primaryKey).map { record.values[$0] }
      throw error.with(key: key.flatMap { KeyText.text($0, model.keyProperty.keyMembers) })
    }
    return try writer.finish()
  }

  func set(_ slot: Int, _ value: Value) throws(StorageError) {
    let property = model.properties[slot]
    var value = value
    if value.isNull, slot == model.primaryKey, let generation = model.keyGeneration { value = generation.missingKey }
    do throws(StorageError) {
      try writer.set(layout.slots[slot], value: property.converted(value))
    } catch {
      throw error.with(model: model.name, property: property.name)
    }
  }

  /// Sets a compound key that the record leaves out from its members.
  func setKey(_ shape: RecordShape, _ record: Record) throws(StorageError) {
    guard let members = shape.keyMembers, let slots = model.keyMembers else { return }
    var values: [Value] = []
    for (member, slot) in zip(members, slots) {
      let value = member.map { record.values[$0] } ?? model.properties[slot].defaultValue ?? .null
      guard !value.isNull else {
        throw StorageError(
          .missingValue, "the primary key needs the property", model: model.name, property: model.properties[slot].name)
      }
      values.append(value)
    }
    try set(model.primaryKey, .array(values))
  }

  /// Sets a property to its default, or nil.
  func setDefault(_ slot: Int) throws(StorageError) {
    try set(slot, model.properties[slot].defaultValue ?? .null)
  }
}
