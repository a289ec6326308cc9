import QuarryBackend

/// Asks for rows one at a time.
final class RowByRowBackend: BackendLayer, @unchecked Sendable {
  // Unchecked as its superclass is: no field is added.
  override func readHooks() -> (any TransactionHooks)? { RowByRowHooks() }
  override func writeHooks() -> (any TransactionHooks)? { RowByRowHooks() }
}

private struct RowByRowHooks: TransactionHooks {
  func rows(
    _ base: Reader, _ model: ModelID, _ keys: [Key],
    _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    for (place, key) in keys.enumerated() {
      let row = try lend(key.bytes) { (bytes) throws(StorageError) in try base.row(model, bytes) }
      try body(place, row)
    }
  }

  func missing(_ base: Reader, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int] {
    try missingByReading(base, model, keys)
  }

  func answers(_ base: Reader, _ questions: [ReadQuestion]) throws(StorageError) -> [ReadAnswer] {
    try answersByAsking(base, questions)
  }

  func cursor(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    OneRowCursor(try base.cursor(query))
  }
}

/// Lends one row in each call.
private final class OneRowCursor: CursorLayer {
  override func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    guard rows.count > 0 else { return 0 }
    return try base.fill(UnsafeMutableBufferPointer(rebasing: rows[..<1]))
  }
}
