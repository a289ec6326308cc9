public import QuarryBackend

extension WriteTransaction {
  /// Changes the object with the primary key in place, and writes only the properties that were changed.
  ///
  /// - Returns: The object as it is stored now.
  /// - Throws: `notFound` when there is none; `invalidValue` when the closure changed the primary key;
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
    let isFound = try key.withKeyBytes { bytes throws(StorageError) -> Bool in
      guard let row = try writer.row(binding.model, bytes) else { return false }
      old.copy(row)
      return true
    }
    guard isFound else { throw Self.missing(binding, key) }
    var object = try M(reading: ModelReader(old.bytes, binding))
    try change(&object)
    try checkWrite(binding.model)
    try replace(old.bytes, with: encode(object, binding), binding)
    return object
  }

  /// Replaces the stored object that has the primary key of this one.
  ///
  /// - Throws: `notFound` when there is none, `uniqueViolation`.
  public func update<M: Model>(_ object: M) throws(StorageError) {
    let binding = try store.binding(M.self)
    try checkWrite(binding.model)
    let row = try encode(object, binding)
    try describing(binding, object.primaryKeyValue) { () throws(StorageError) in
      try writer.update(binding.model, row, slots: nil, expected: nil, expectedSlots: nil)
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
    let expected = Row(copying: try encode(old, binding))
    let row = try encode(object, binding)
    try describing(binding, object.primaryKeyValue) { () throws(StorageError) in
      try lending(expected.bytes) { expected throws(StorageError) in
        try writer.update(binding.model, row, slots: nil, expected: expected, expectedSlots: nil)
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
    try value.write(FieldWriter(writer: .passUnretained(expecting), slot: slot))
    let expected = try expecting.finish()
    try describing(binding, object.primaryKeyValue) { () throws(StorageError) in
      try writer.update(
        binding.model, row, slots: nil, expected: expected, expectedSlots: [Int(slot.index)])
    }
  }

  /// Changes every object of the query with a closure, which must not write to the model itself. Uniqueness is checked
  /// when all are changed; objects that the closure leaves as they are are not written.
  ///
  /// - Returns: How many objects the query gave.
  /// - Throws: `invalidValue` when the closure changed a primary key, `iterationActive` when it wrote to the model,
  ///   `uniqueViolation`, what the closure throws; nothing is changed then.
  @discardableResult
  public func update<M: Model>(_ query: Query<M>, _ change: (inout M) throws -> Void) throws -> Int {
    let binding = try store.binding(M.self)
    try checkWrite(binding.model)
    var changedRows = RowBatch()
    var count = 0
    let cursor = try rows(query, binding)
    beginStream(binding.model)
    defer { endStream(binding.model) }
    defer { cursor.close() }
    let pointers = RowPointers()
    while true {
      let filled = try cursor.fill(pointers.buffer)
      guard filled > 0 else { break }
      count += filled
      for index in 0..<filled {
        let old = try RowView(pointers.buffer[index], binding.layout)
        var object = try M(reading: ModelReader(old, binding))
        try change(&object)
        try check()
        let row = try encode(object, binding)
        let changed = try old.differences(from: RowView(row, binding.layout), binding.layout)
        guard !changed.contains(binding.layout.primaryKey) else { throw Self.changedKey(binding) }
        if !changed.isEmpty { changedRows.append(row) }
      }
    }
    cursor.close()
    if changedRows.count > 0 { _ = try writer.upsert(binding.model, changedRows, .replace) }
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
    let changed = try RowView(old, binding.layout).differences(from: RowView(row, binding.layout), binding.layout)
    guard !changed.isEmpty else { return }
    guard !changed.contains(binding.layout.primaryKey) else { throw Self.changedKey(binding) }
    try writer.update(binding.model, row, slots: changed, expected: nil, expectedSlots: nil)
  }

  private static func changedKey(_ binding: ModelBinding) -> StorageError {
    StorageError(
      .invalidValue, "an update cannot change the primary key", model: binding.name,
      property: binding.schema.keyProperty.name)
  }

  @usableFromInline
  static func missing(_ binding: ModelBinding, _ key: some Storable) -> StorageError {
    StorageError(.notFound, "there is no such object", model: binding.name, key: "\(key)")
  }

  private func describing(
    _ binding: ModelBinding, _ key: some Storable, _ body: () throws(StorageError) -> Void
  ) throws(StorageError) {
    do throws(StorageError) {
      try body()
    } catch {
      throw error.with(model: binding.name, key: "\(key)")
    }
  }
}

/// The bytes of an array, for the time of a call.
func lending<R>(
  _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
) throws(StorageError) -> R {
  let result: Result<R, StorageError> = bytes.withUnsafeBytes { bytes in
    do throws(StorageError) {
      return .success(try body(bytes))
    } catch {
      return .failure(error)
    }
  }
  return try result.get()
}
