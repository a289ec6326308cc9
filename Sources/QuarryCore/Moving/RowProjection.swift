import QuarryBackend

/// Rows of a model with only some of its properties, in a fixed order. Two stores have the same bytes for one object there,
/// however old the rows are and whatever was dropped.
final class RowProjection {
  /// The model of the created rows.
  let model: ModelSchema
  private let source: RowLayout
  private let target: RowLayout
  private let slots: [Int]
  private let writer: RowWriter

  /// - Parameters:
  ///   - source: The model of the rows that are read.
  ///   - slots: The properties, of which the primary key is one; all that were not dropped when nil.
  init(_ source: ModelSchema, slots: [Int]? = nil) {
    let slots = slots ?? source.liveSlots
    model = ModelSchema(
      name: source.name, properties: slots.map { source.properties[$0] },
      primaryKey: slots.firstIndex(of: source.primaryKey) ?? 0, keyGeneration: source.keyGeneration,
      keyMembers: source.keyMembers.flatMap { members in
        let places = members.compactMap(slots.firstIndex)
        return places.count == members.count ? places : nil
      }, syncName: source.syncName)
    self.source = RowLayout(source)
    target = RowLayout(model)
    self.slots = slots
    writer = RowWriter(target)
  }

  /// The row created from a stored one, valid until the next one is created.
  ///
  /// - Throws: `corrupt` for a row that cannot be read.
  func row(_ stored: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer {
    let view = try RowView(stored, source)
    writer.begin()
    for (place, slot) in slots.enumerated() {
      try writer.copy(target.slots[place], from: view, at: source.slots[slot], source)
    }
    return try writer.finish()
  }

  /// The created row, to be read.
  func view(_ made: UnsafeRawBufferPointer) throws(StorageError) -> (row: RowView, layout: RowLayout) {
    (try RowView(made, target), target)
  }
}
