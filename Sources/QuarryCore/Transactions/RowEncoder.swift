public import QuarryBackend

/// Encodes the rows of objects that are written, and checks them against the limits of the engine.
@usableFromInline
struct RowEncoder {
  @usableFromInline let limits: WriteLimits
  /// Whether more than the row of an object is checked: the length of its key, or the object by its own rules.
  @usableFromInline let checksObjects: Bool
  /// Writers of rows, by ``ModelDefinition/number``.
  private(set) var writers: [RowWriter?]

  /// - Parameter writers: Those that another encoder of the context has left.
  init(_ context: StoreContext, _ writers: [RowWriter?] = []) {
    self.writers = writers
    limits = context.limits
    checksObjects = context.limits.keyBytes != .max || context.hasValidated
  }

  /// The writer of a model's rows.
  @usableFromInline
  mutating func writer(_ binding: ModelBinding, _ number: Int) -> RowWriter {
    while writers.count <= number { writers.append(nil) }
    if let writer = writers[number] { return writer }
    let writer = RowWriter(binding.layout)
    writers[number] = writer
    return writer
  }

  /// The row of an object, with the limits checked; valid until the next row is encoded.
  ///
  /// - Parameter validates: Whether a ``Validated`` object is checked. An object that is only compared is not.
  @inlinable
  mutating func encode<M: Model>(
    _ object: M, _ binding: ModelBinding, validates: Bool = true
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    let writer = writer(binding, M.modelDefinition.number)
    writer.begin()
    do throws(StorageError) {
      try object.write(to: ModelWriter(writer, binding))
      let row = try finish(writer, binding)
      if checksObjects {
        if limits.keyBytes != .max { try limits.checkKey(object.primaryKeyValue, binding) }
        if validates, binding.isValidated { try M.modelDefinition.validate(object) }
      }
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
    try limits.checkRow(row, binding)
    return row
  }
}

extension WriteTransaction {
  /// The writer of a model's rows.
  @inlinable
  func rowWriter(_ binding: ModelBinding, _ number: Int) -> RowWriter { encoder.writer(binding, number) }

  /// The row of an object, valid until the next row is encoded.
  @inlinable
  func encode<M: Model>(
    _ object: M, _ binding: ModelBinding, validates: Bool = true
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    beginCoding()
    defer { endCoding() }
    return try encoder.encode(object, binding, validates: validates)
  }

  /// Checks an object of a ``Validated`` model, which takes no calls of the transaction meanwhile.
  @usableFromInline
  func validate<M: Model>(_ object: M) throws(StorageError) {
    beginCoding()
    defer { endCoding() }
    try M.modelDefinition.validate(object)
  }
}
