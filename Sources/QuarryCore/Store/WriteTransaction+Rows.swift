public import QuarryBackend

/// The rows of objects that are written.
extension WriteTransaction {
  @usableFromInline
  func rowWriter(_ binding: ModelBinding, _ number: Int) -> RowWriter {
    while rowWriters.count <= number { rowWriters.append(nil) }
    if let writer = rowWriters[number] { return writer }
    let writer = RowWriter(binding.layout)
    rowWriters[number] = writer
    return writer
  }

  /// The row of an object, valid until the next one is made, with the store's limits checked.
  @inlinable
  func encode<M: Model>(_ object: M, _ binding: ModelBinding) throws(StorageError) -> UnsafeRawBufferPointer {
    let writer = rowWriter(binding, M.modelDefinition.number)
    writer.begin()
    beginCoding()
    defer { endCoding() }
    do throws(StorageError) {
      try object.write(to: ModelWriter(writer, binding))
      let row = try finish(writer, binding)
      if limitsKeys { try store.limits.checkKey(object.primaryKeyValue, binding) }
      return row
    } catch {
      throw error.with(model: binding.name, key: object.primaryKeyValue.keyText)
    }
  }

  /// The row that the writer has, checked.
  @usableFromInline
  func finish(_ writer: RowWriter, _ binding: ModelBinding) throws(StorageError) -> UnsafeRawBufferPointer {
    let row = try writer.finish()
    try binding.checkComplete(RowView(row, binding.layout))
    try store.limits.checkRow(row, binding)
    return row
  }

  @usableFromInline var limitsKeys: Bool { store.limits.keyBytes != .max }
}
