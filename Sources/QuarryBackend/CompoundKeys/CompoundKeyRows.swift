/// The compound key in the rows of a model.
package struct CompoundKeyRows: Sendable {
  package let model: ModelSchema
  private let layout: RowLayout
  private let members: [RowLayout.Slot]

  /// Nil for a model without a compound key.
  package init?(_ model: ModelSchema) {
    guard model.keyMembers != nil else { return nil }
    self.init(model, RowLayout(model))
  }

  /// Nil for a model without a compound key.
  init?(_ model: ModelSchema, _ layout: RowLayout) {
    guard let slots = model.keyMembers else { return nil }
    self.model = model
    self.layout = layout
    members = slots.map { layout.slots[$0] }
  }

  /// Writes the key of the members of a row.
  package func write(_ row: RowView, to writer: KeyWriter) throws(StorageError) {
    writer.removeAll()
    for member in members { try writer.append(row, member, layout, isDescending: false, isLast: false) }
  }

  /// Whether the key of a row has its members.
  func matches(_ row: RowView, _ writer: KeyWriter) throws(StorageError) -> Bool {
    try write(row, to: writer)
    return try writer.bytes.elementsEqual(row.bytes(layout.keySlot))
  }

  /// Checks that the key of a row has its members.
  ///
  /// - Throws: `invalidValue`.
  package func check(_ row: UnsafeRawBufferPointer, _ writer: KeyWriter) throws(StorageError) {
    let view = try RowView(row, layout)
    guard try matches(view, writer) else {
      throw StorageError(
        .invalidValue, "the primary key does not have the members of the object", model: model.name,
        property: model.keyProperty.name, key: KeyText.text(of: view, layout))
    }
  }
}

/// Sets the compound keys of rows that are created without them.
package final class CompoundKeySetter {
  private let rows: CompoundKeyRows
  private let layout: RowLayout
  private let key = KeyWriter()
  private let writer: RowWriter

  /// Nil for a model without a compound key.
  package init?(_ model: ModelSchema) {
    guard let rows = CompoundKeyRows(model) else { return nil }
    self.rows = rows
    layout = RowLayout(model)
    writer = RowWriter(layout)
  }

  /// The row with the key of its members, valid until the next call.
  ///
  /// - Parameter row: A row whose key may be anything.
  package func row(_ row: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer {
    let view = try RowView(row, layout)
    try rows.write(view, to: key)
    writer.begin()
    for slot in layout.slots where slot.index != layout.keySlot.index { try writer.copy(slot, from: view, layout) }
    writer.set(layout.keySlot, bytes: key.bytes)
    return try writer.finish()
  }
}
