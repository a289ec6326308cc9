import QuarryBackend

extension WriteFault {
  /// The error that is told in the place of the one that it was.
  func changed(_ error: StorageError) -> StorageError {
    switch (self, error.code) {
    case (.conflictIsNotFound, .conflict), (.duplicateIsNotFound, .duplicateKey): Self.error(.notFound, error)
    case (.duplicateIsUnique, .duplicateKey): Self.error(.uniqueViolation, error)
    case (.uniqueIsDuplicate, .uniqueViolation): Self.error(.duplicateKey, error)
    case (.errorWithoutModel, .duplicateKey), (.errorWithoutModel, .uniqueViolation):
      StorageError(error.code, error.message, property: error.property, key: error.key)
    case (.errorWithoutProperty, .uniqueViolation):
      StorageError(error.code, error.message, model: error.model, key: error.key)
    case (.limitWithoutNumbers, .limitExceeded): StorageError(.limitExceeded, "too much")
    default: error
    }
  }

  private static func error(_ code: StorageError.Code, _ error: StorageError) -> StorageError {
    StorageError(code, error.message, model: error.model, property: error.property, key: error.key)
  }

  static func telling(
    _ error: StorageError, _ batch: borrowing RowBatch, _ coding: RowCoding
  ) throws(StorageError) -> StorageError {
    var message = error.message
    for row in try rows(batch) {
      message += " \(try row.lend { (row) throws(StorageError) in try coding.values(row) })"
    }
    return StorageError(error.code, message, model: error.model, property: error.property, key: error.key)
  }

  static func rows(_ batch: borrowing RowBatch) throws(StorageError) -> [Row] {
    var rows: [Row] = []
    try batch.forEach { _, row throws(StorageError) in rows.append(Row(copying: row)) }
    return rows
  }
}
