import QuarryBackend

/// The rows with some keys, in the order of the keys.
final class SortedRows: RowCursor {
  private let backend: any BackendReadTransaction
  private let model: ModelID
  private var keys: ArraySlice<Key>
  /// Copies of the rows that are lent.
  private var lent: [UnsafeMutableRawBufferPointer] = []

  init(_ backend: any BackendReadTransaction, _ model: ModelID, _ keys: [Key]) {
    self.backend = backend
    self.model = model
    self.keys = keys[...]
  }

  deinit {
    takeBack()
  }

  func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    takeBack()
    var count = 0
    while count == 0, !keys.isEmpty {
      let next = Array(keys.prefix(rows.count))
      keys = keys.dropFirst(rows.count)
      try backend.rows(model, next) { _, row throws(StorageError) in
        guard let row else { return }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: row.count, alignment: 16)
        copy.copyMemory(from: row)
        lent.append(copy)
        rows[count] = UnsafeRawBufferPointer(copy)
        count += 1
      }
    }
    return count
  }

  func close() {
    keys = []
    takeBack()
  }

  private func takeBack() {
    for row in lent { row.deallocate() }
    lent = []
  }
}
