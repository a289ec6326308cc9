import QuarryBackend

/// All rows of the user's data in memory, in the row format: what every store is filled from.
///
/// - Complexity: Memory is that of the rows' bytes and 8 bytes for each.
final class DataRows: Sendable {
  /// The model as a store has it.
  let model: ModelSchema
  let layout: RowLayout
  private let bytes: [UInt8]
  private let ends: [Int]

  init(_ model: ModelSchema, bytes: [UInt8], ends: [Int]) {
    self.model = model
    layout = RowLayout(model)
    self.bytes = bytes
    self.ends = ends
  }

  var count: Int { ends.count }
  var byteCount: Int { bytes.count }

  /// Lends the bytes of a row.
  func withRow<R>(
    _ index: Int, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    let start = index > 0 ? ends[index - 1] : 0
    let result: Result<R, StorageError> = bytes.withUnsafeBytes { all in
      do throws(StorageError) {
        return .success(try body(UnsafeRawBufferPointer(rebasing: all[start..<ends[index]])))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The values of a row in the order of the slots.
  func values(_ index: Int) throws(StorageError) -> [Value] {
    try withRow(index) { bytes throws(StorageError) in try layout.values(of: bytes) }
  }

  func value(_ index: Int, _ slot: Int) throws(StorageError) -> Value {
    try withRow(index) { bytes throws(StorageError) in
      try RowView(bytes, layout).value(layout.slots[slot], layout)
    }
  }

  func key(_ index: Int) throws(StorageError) -> Key {
    try Key.primary(value(index, model.primaryKey), model)
  }
}

extension RowLayout {
  /// Every field of a row.
  func values(of bytes: UnsafeRawBufferPointer) throws(StorageError) -> [Value] {
    let view = try RowView(bytes, self)
    var values: [Value] = []
    values.reserveCapacity(slots.count)
    for slot in slots { values.append(try view.value(slot, self)) }
    return values
  }
}
