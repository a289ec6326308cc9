public import QuarryBackend

// The parts of the calls that change objects: see `WriteScope+Update.swift`.

extension WriteTransaction {
  /// The object with the primary key, and its row copied.
  @inlinable @inline(__always)
  func copyRow<M: Model>(
    _ key: M.PrimaryKey, _ binding: ModelBinding, into copy: RowBuffer
  ) throws(StorageError) -> M {
    beginCoding()
    defer { endCoding() }
    let isFound = try key.withKeyBytes { bytes throws(StorageError) -> Bool in
      guard let row = try backend.row(binding.model, bytes) else { return false }
      copy.copy(row)
      return true
    }
    guard isFound else { throw Self.missing(binding, key) }
    return try ModelReader(copy.bytes, binding).object(M.self)
  }

  /// Throws unless the object with the primary key is still stored as in this row.
  @usableFromInline
  func checkUnchanged(
    _ key: some Storable, _ row: UnsafeRawBufferPointer, _ binding: ModelBinding
  ) throws(StorageError) {
    guard let stored = try storedRow(key, binding) else { throw Self.missing(binding, key) }
    let layout = binding.layout
    guard try RowView(row, layout).differences(from: RowView(stored, layout), layout).isEmpty else {
      throw StorageError(
        .conflict, "the closure of the update has changed the stored object itself", model: binding.name,
        key: key.keyText)
    }
  }

  /// The row with the primary key, lent until the next call.
  @inlinable
  func storedRow(_ key: some Storable, _ binding: ModelBinding) throws(StorageError) -> UnsafeRawBufferPointer? {
    beginCoding()
    defer { endCoding() }
    return try row(key, binding)
  }

  /// Replaces the stored object if it is still as it was read.
  func replace<M: Model>(_ object: M, ifUnchangedFrom old: M?) throws(StorageError) {
    let binding = try context.binding(M.self)
    try checkWrite(binding.model)
    guard let old else {
      let row = try encode(object, binding)
      return try describing(binding, object.primaryKeyValue) { () throws(StorageError) in
        try updateRow(binding.model, row)
      }
    }
    guard try object.primaryKeyValue.isSameKey(as: old.primaryKeyValue) else { throw Self.changedKey(binding) }
    let expected = try asStored(encode(old, binding, validates: false), old.primaryKeyValue, binding)
    let row = try encode(object, binding)
    try describing(binding, object.primaryKeyValue) { () throws(StorageError) in
      try expected.bytes.withBytes { expected throws(StorageError) in
        try updateRow(binding.model, row, expected: expected)
      }
    }
  }

  /// Replaces the stored object if a column still has the expected value.
  func replace<M: Model, V: Storable>(
    _ object: M, ifStored column: Column<V>, is value: V
  ) throws(StorageError) {
    let binding = try context.binding(M.self)
    try checkWrite(binding.model)
    let slot = try binding.slot(column)
    // A row of the object with the expected value in place of its own.
    let row = try encode(object, binding)
    let expecting = RowWriter(binding.layout)
    expecting.begin()
    let view = try RowView(row, binding.layout)
    for other in binding.layout.slots where other.index != slot.index {
      try expecting.copy(other, from: view, binding.layout)
    }
    try write(value, to: expecting, slot)
    let expected = try expecting.finish()
    try describing(binding, object.primaryKeyValue) { () throws(StorageError) in
      guard binding.isIncomplete(slot) else {
        try updateRow(binding.model, row, expected: expected, expectedSlots: [Int(slot.index)])
        return
      }
      let stored = try asStored(expected, object.primaryKeyValue, binding)
      try stored.bytes.withBytes { expected throws(StorageError) in
        try updateRow(binding.model, row, expected: expected, expectedSlots: [Int(slot.index)])
      }
    }
  }

  /// The row to store under the key so that reading it gives the expected row.
  private func asStored(
    _ expected: UnsafeRawBufferPointer, _ key: some Storable, _ binding: ModelBinding
  ) throws(StorageError) -> Row {
    guard binding.hasIncomplete, let stored = try storedRow(key, binding) else { return Row(copying: expected) }
    return try binding.asStored(expected, stored)
  }

  /// Calls the closure with each object of the query, and collects the rows that are changed.
  func changeRows<M: Model>(
    _ query: Query<M>, _ binding: ModelBinding, _ change: (inout M) throws -> Void, _ changedRows: inout RowBatch
  ) throws -> Int {
    var count = 0
    let cursor = try rows(query, binding)
    let number = beginCursor(binding.model)
    defer { endCursor(number) }
    defer { cursor.close() }
    let pointers = RowPointers()
    while true {
      let filled = try cursor.fill(pointers.buffer)
      guard filled > 0 else { break }
      count += filled
      for index in 0..<filled {
        let old = try RowView(pointers.buffer[index], binding.layout)
        var object: M = try read(ModelReader(old, binding))
        try change(&object)
        try check()
        let row = try encode(object, binding, validates: false)
        let changed = try binding.differences(old, RowView(row, binding.layout))
        guard !changed.contains(binding.layout.primaryKey) else { throw Self.changedKey(binding) }
        guard !changed.isEmpty else { continue }
        if binding.isValidated { try validate(object) }
        guard binding.hasIncomplete else {
          changedRows.append(row)
          continue
        }
        // Only the properties that the closure changed are written, and no defaults of members.
        try binding.asStored(row, pointers.buffer[index]).bytes.withBytes { changedRows.append($0) }
      }
    }
    return count
  }

  // MARK: - Parts

  /// Room for a row that must outlast the next call. Updates nest, so each takes its own and gives it back.
  @usableFromInline
  func takeRowBuffer() -> RowBuffer {
    guard let buffer = spareRowBuffer else { return RowBuffer() }
    spareRowBuffer = nil
    return buffer
  }

  @usableFromInline
  func giveBack(_ buffer: RowBuffer) {
    spareRowBuffer = buffer
  }

  /// Writes the properties in which a row differs from its stored form.
  ///
  /// - Parameter validate: Checks the object of the row, where its model is ``Validated`` and something is written.
  @usableFromInline
  func replace(
    _ old: UnsafeRawBufferPointer, with row: UnsafeRawBufferPointer, _ binding: ModelBinding,
    validate: () throws(StorageError) -> Void
  ) throws(StorageError) {
    let changed = try binding.differences(RowView(old, binding.layout), RowView(row, binding.layout))
    guard !changed.isEmpty else { return }
    guard !changed.contains(binding.layout.primaryKey) else { throw Self.changedKey(binding) }
    if binding.isValidated { try validate() }
    try updateRow(binding.model, row, slots: changed)
  }

  private static func changedKey(_ binding: ModelBinding) -> StorageError {
    .keyChange(.invalidValue, model: binding.name, property: binding.schema.keyProperty.name)
  }

  @usableFromInline
  static func missing(_ binding: ModelBinding, _ key: some Storable) -> StorageError {
    .notFound(binding.name, key: key.keyText)
  }

  private func describing(
    _ binding: ModelBinding, _ key: some Storable, _ body: () throws(StorageError) -> Void
  ) throws(StorageError) {
    do throws(StorageError) {
      try body()
    } catch {
      throw error.with(model: binding.name, key: key.keyText)
    }
  }
}
