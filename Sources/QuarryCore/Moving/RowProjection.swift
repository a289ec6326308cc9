import QuarryBackend

/// Rows of a model with some of its properties alone, in an order of one's own: what two stores have of one object is the
/// same bytes there, however old the rows are and whatever was dropped.
final class RowProjection {
  /// The model of the rows that are made.
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
      primaryKey: slots.firstIndex(of: source.primaryKey) ?? 0)
    self.source = RowLayout(source)
    target = RowLayout(model)
    self.slots = slots
    writer = RowWriter(target)
  }

  /// The row that is made of a stored one, valid until the next one is made.
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

  /// The row that is made, to be read.
  func view(_ made: UnsafeRawBufferPointer) throws(StorageError) -> (row: RowView, layout: RowLayout) {
    (try RowView(made, target), target)
  }
}
