import QuarryBackend

/// Builds primary keys and index entries of rows, in buffers that are reused from row to row.
final class IndexEntries {
  private let keyWriter = KeyWriter()
  private let entryWriter = KeyWriter()
  /// Made when two entries are compared for the first time.
  @exclusivity(unchecked) private var otherWriter: KeyWriter?
  /// Bytes of the buffers.
  var memoryBytes: Int { keyWriter.memoryBytes + entryWriter.memoryBytes + (otherWriter?.memoryBytes ?? 0) }

  /// The primary key of a row, valid until the next call of this method.
  ///
  /// - Throws: `missingValue` for a row without one, `corrupt`.
  func primaryKey(_ row: RowView, _ table: Table) throws(StorageError) -> UnsafeRawBufferPointer {
    let slot = table.layout.keySlot
    guard !row.isAbsent(slot), !row.isNull(slot) else {
      throw StorageError(
        .missingValue, "the row has no primary key", model: table.model.name, property: table.model.keyProperty.name)
    }
    keyWriter.removeAll()
    try keyWriter.append(row, slot, table.layout, isDescending: false, isLast: true)
    return keyWriter.bytes
  }

  /// The entry of a row in an index, valid until the next call of this method.
  func entry(
    _ row: RowView, _ key: UnsafeRawBufferPointer, _ index: TableIndex, _ table: Table
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    try Self.write(row, key, index, table, to: entryWriter)
    return entryWriter.bytes
  }

  /// The same in a buffer of its own, so that two entries can be compared.
  func otherEntry(
    _ row: RowView, _ key: UnsafeRawBufferPointer, _ index: TableIndex, _ table: Table
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    let writer = otherWriter ?? KeyWriter()
    otherWriter = writer
    try Self.write(row, key, index, table, to: writer)
    return writer.bytes
  }

  private static func write(
    _ row: RowView, _ key: UnsafeRawBufferPointer, _ index: TableIndex, _ table: Table, to writer: KeyWriter
  ) throws(StorageError) {
    writer.removeAll()
    let layout = table.layout
    var hasNull = false
    for column in index.columns {
      try writer.append(row, column.slot, layout, isDescending: column.isDescending, isLast: false)
      if column.slot.isOptional, row.isNull(column.slot, layout) { hasNull = true }
    }
    guard hasNull || !index.isUnique else { return }
    if index.isKeyDescending {
      try writer.append(row, layout.keySlot, layout, isDescending: true, isLast: false)
    } else {
      writer.append(raw: key)
    }
  }
}

extension RowView {
  /// Whether the slot is null, of a row of any age.
  func isNull(_ slot: RowLayout.Slot, _ layout: RowLayout) -> Bool {
    isAbsent(slot) ? layout.defaults[Int(slot.index)].isNull : isNull(slot)
  }
}

/// Index entries that a statement removes or adds once it knows all of them, with the primary keys of their rows.
final class EntryList {
  private let entries = ByteArena()
  private let keys = ByteArena()
  // Not counted: the table of the statement keeps its indexes. Behind the count are some of statements before.
  @exclusivity(unchecked) private var indexes: [Unmanaged<TableIndex>] = []

  var count: Int { keys.count }
  /// Bytes of the memory that is kept from statement to statement.
  var memoryBytes: Int { entries.memoryBytes + keys.memoryBytes }

  /// Bytes that entries and keys take.
  var byteCount: Int { entries.byteCount + keys.byteCount + count * 3 * MemoryLayout<Int>.stride }

  func append(_ index: TableIndex, _ entry: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer) {
    let place = keys.count
    if place < indexes.count {
      indexes[place] = .passUnretained(index)
    } else {
      indexes.append(.passUnretained(index))
    }
    entries.append(entry)
    keys.append(key)
  }

  subscript(place: Int) -> (index: TableIndex, entry: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) {
    (indexes[place].takeUnretainedValue(), entries[place], keys[place])
  }

  func removeAll() {
    entries.removeAll()
    keys.removeAll()
  }
}
