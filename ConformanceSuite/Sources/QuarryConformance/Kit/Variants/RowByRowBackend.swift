import QuarryBackend

/// Asks for rows one at a time.
final class RowByRowBackend: ForwardingBackend, @unchecked Sendable {
  // Unchecked as its superclass is: no field is added.
  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    RowByRowTransaction(try inner.beginRead())
  }

  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    RowByRowWriteTransaction(writer: try inner.beginWrite(options))
  }

  override func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    let transaction = try inner.beginRead()
    defer { transaction.end() }
    guard let row = try transaction.row(model, key) else { return false }
    try body(row)
    return true
  }

  override func snapshot() throws(StorageError) -> any BackendSnapshot {
    RowByRowSnapshot(try inner.snapshot())
  }
}

private final class RowByRowSnapshot: ForwardingSnapshot, @unchecked Sendable {
  // Unchecked as its superclass is: no field is added.
  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    RowByRowTransaction(try inner.beginRead())
  }
}

private final class RowByRowTransaction: ForwardingReadTransaction {
  override func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try oneByOne(inner, model, keys, body)
  }

  override func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor {
    OneRowCursor(try inner.cursor(query))
  }
}

private final class RowByRowWriteTransaction: ForwardingWriteTransaction {
  override func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try oneByOne(writer, model, keys, body)
  }

  override func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor {
    OneRowCursor(try writer.cursor(query))
  }
}

private func oneByOne(
  _ transaction: any BackendReadTransaction, _ model: ModelID, _ keys: [Key],
  _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
) throws(StorageError) {
  for (place, key) in keys.enumerated() {
    let row = try lend(key.bytes) { (bytes) throws(StorageError) in try transaction.row(model, bytes) }
    try body(place, row)
  }
}

/// Lends one row in each call.
private final class OneRowCursor: ForwardingCursor {
  override func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    guard rows.count > 0 else { return 0 }
    return try inner.fill(UnsafeMutableBufferPointer(rebasing: rows[..<1]))
  }
}
