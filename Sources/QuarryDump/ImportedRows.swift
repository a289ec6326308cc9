import QuarryBackend
import QuarryCore
import QuarryData

/// The rows of a file as rows of a model.
struct ImportedRows {
  let layout: RowLayout
  /// The number of rows so far.
  private(set) var count = 0
  private var reader: any RowReader
  private let writer: RowWriter
  private let slots: [RowLayout.Slot]
  /// The properties that the file has no columns for, and that have a default.
  private let defaults: [(slot: RowLayout.Slot, value: Value)]
  /// The key of the next row, where keys are counted.
  private var nextKey: Int64?
  /// The key of rows that have none, where the store generates it.
  private let missingKey: Value?
  /// Sets compound keys, which a file does not have.
  private let keys: CompoundKeySetter?

  /// - Parameter columns: The properties that the file has columns for.
  init(
    _ data: DataFile, _ model: ModelSchema, _ columns: [PropertySchema], firstKey: Int64?
  ) throws(StorageError) {
    let layout = RowLayout(model)
    self.layout = layout
    writer = RowWriter(layout)
    keys = CompoundKeySetter(model)
    missingKey = try model.keyGeneration?.missingKey.converted(to: model.keyProperty.type, element: nil)
    var read = columns
    // The file need not have the keys that the store generates.
    if missingKey != nil, let place = columns.firstIndex(of: model.keyProperty) { read[place].isOptional = true }
    reader = try data.rows(as: read)
    var slots: [RowLayout.Slot] = []
    for column in columns {
      guard let slot = model.slot(named: column.name) else {
        throw StorageError(
          .schemaMismatch, "a property of the model was removed during the import", model: model.name,
          property: column.name)
      }
      slots.append(layout.slots[slot])
    }
    self.slots = slots
    let taken = Set(slots.map(\.index))
    defaults = model.liveSlots.compactMap { slot in
      guard !taken.contains(Int32(slot)), let value = model.properties[slot].defaultValue, !value.isNull else {
        return nil
      }
      return (layout.slots[slot], value)
    }
    nextKey = firstKey
  }

  /// The line where the current row begins.
  var line: Int { reader.line }
  /// The part of the file that was read, from 0 to 1.
  var fraction: Double { reader.fraction }

  /// The next row, lent until the one after it.
  mutating func next() throws(StorageError) -> UnsafeRawBufferPointer? {
    writer.begin()
    guard try reader.next(into: writer, slots) else { return nil }
    for (slot, value) in defaults { try writer.set(slot, value: value) }
    if let missingKey, writer.isNull(layout.keySlot) { try writer.set(layout.keySlot, value: missingKey) }
    if let key = nextKey {
      writer.set(layout.keySlot, key.littleEndian)
      let (next, isTooLarge) = key.addingReportingOverflow(1)
      if isTooLarge { throw .limitExceeded("the counted key", limit: .max, actual: .max) }
      nextKey = next
    }
    count += 1
    let row = try writer.finish()
    guard let keys else { return row }
    return try keys.row(row)
  }
}
