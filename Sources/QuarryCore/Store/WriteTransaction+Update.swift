public import QuarryBackend

extension WriteTransaction {
  /// Changes the object with the primary key in place, and writes only the properties that were changed.
  ///
  /// The closure may read and write in this transaction; what it writes is undone when the update throws.
  ///
  /// - Returns: The object as it is stored now.
  /// - Throws: `notFound` when there is none, or when the closure has removed it; `conflict` when the closure has changed
  ///   the stored object otherwise than by its argument; `invalidValue` when it changed the primary key;
  ///   `uniqueViolation`; what the closure throws.
  @discardableResult
  @inlinable
  public func update<M: Model>(
    _ type: M.Type, _ key: M.PrimaryKey, _ change: (inout M) throws -> Void
  ) throws -> M {
    let binding = try store.binding(M.self)
    try checkWrite(binding.model)
    let old = takeRowBuffer()
    defer { giveBack(old) }
    var object: M = try copyRow(key, binding, into: old)
    let mark = beginStatement()
    do {
      try change(&object)
      try checkUse(binding.model)
      if statementHasWritten { try checkUnchanged(key, old.bytes, binding) }
      try replace(old.bytes, with: encode(object, binding), binding)
    } catch {
      try undoStatement(mark)
      throw error
    }
    try endStatement()
    return object
  }

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

  /// Replaces the stored object that has the primary key of this one.
  ///
  /// - Throws: `notFound` when there is none, `uniqueViolation`.
  public func update<M: Model>(_ object: M) throws(StorageError) {
    let binding = try store.binding(M.self)
    try checkWrite(binding.model)
    let row = try encode(object, binding)
    try describing(binding, object.primaryKeyValue) { () throws(StorageError) in
      try updateRow(binding.model, row)
    }
  }

  /// Replaces the stored object if it is still as it was read, bit by bit.
  ///
  /// - Throws: `conflict` when it was changed since, `notFound`, `uniqueViolation`; `invalidValue` when the two objects
  ///   have different primary keys.
  public func update<M: Model>(_ object: M, ifUnchangedFrom old: M) throws(StorageError) {
    let binding = try store.binding(M.self)
    try checkWrite(binding.model)
    guard try object.primaryKeyValue.isSameKey(as: old.primaryKeyValue) else { throw Self.changedKey(binding) }
    let expected = try asStored(encode(old, binding), old.primaryKeyValue, binding)
    let row = try encode(object, binding)
    try describing(binding, object.primaryKeyValue) { () throws(StorageError) in
      try expected.bytes.withBytes { expected throws(StorageError) in
        try updateRow(binding.model, row, expected: expected)
      }
    }
  }

  /// Replaces the stored object if a column, such as a version number, still has the expected value.
  ///
  /// - Throws: `conflict` when it has another one, `notFound`, `uniqueViolation`.
  public func update<M: Model, V: Storable>(
    _ object: M, ifStored column: KeyPath<M.Columns, Column<V>>, is value: V
  ) throws(StorageError) {
    let binding = try store.binding(M.self)
    try checkWrite(binding.model)
    let slot = try binding.slot(M.Columns()[keyPath: column])
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

  /// The row that is to be stored under the key where the expected one is to be read.
  private func asStored(
    _ expected: UnsafeRawBufferPointer, _ key: some Storable, _ binding: ModelBinding
  ) throws(StorageError) -> Row {
    guard binding.hasIncomplete, let stored = try storedRow(key, binding) else { return Row(copying: expected) }
    return try binding.asStored(expected, stored)
  }

  /// Changes every object of the query with a closure, which must not write to the model itself. What it writes to other
  /// models is undone when the update throws. Uniqueness is checked when all are changed; objects that the closure leaves
  /// as they are are not written.
  ///
  /// - Returns: How many objects the query gave.
  /// - Throws: `invalidValue` when the closure changed a primary key, `iterationActive` when it wrote to the model,
  ///   `uniqueViolation`, what the closure throws; nothing is changed then.
  @discardableResult
  public func update<M: Model>(_ query: Query<M>, _ change: (inout M) throws -> Void) throws -> Int {
    let binding = try store.binding(M.self)
    try checkWrite(binding.model)
    return try statement {
      var changedRows = RowBatch()
      let count = try changeRows(query, binding, change, &changedRows)
      try checkUse(binding.model)
      _ = try upsertRows(binding.model, changedRows, .replace)
      return count
    }
  }

  /// Calls the closure with each object of the query, and collects the rows that are changed.
  private func changeRows<M: Model>(
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
        let row = try encode(object, binding)
        let changed = try binding.differences(old, RowView(row, binding.layout))
        guard !changed.contains(binding.layout.primaryKey) else { throw Self.changedKey(binding) }
        if !changed.isEmpty { changedRows.append(row) }
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
  @usableFromInline
  func replace(
    _ old: UnsafeRawBufferPointer, with row: UnsafeRawBufferPointer, _ binding: ModelBinding
  ) throws(StorageError) {
    let changed = try binding.differences(RowView(old, binding.layout), RowView(row, binding.layout))
    guard !changed.isEmpty else { return }
    guard !changed.contains(binding.layout.primaryKey) else { throw Self.changedKey(binding) }
    try updateRow(binding.model, row, slots: changed)
  }

  private static func changedKey(_ binding: ModelBinding) -> StorageError {
    StorageError(
      .invalidValue, "an update cannot change the primary key", model: binding.name,
      property: binding.schema.keyProperty.name)
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
