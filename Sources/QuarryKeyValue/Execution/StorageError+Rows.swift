import QuarryBackend

// The errors of rows by the bytes of their keys.

extension StorageError {
  static func duplicateKey(_ key: UnsafeRawBufferPointer, _ table: Table) -> StorageError {
    .duplicateKey(table.model, key: KeyText.text(of: key, table.model))
  }

  /// - Parameter key: The primary key of the row that could not be stored.
  static func uniqueViolation(
    _ index: TableIndex, _ key: UnsafeRawBufferPointer, _ table: Table
  ) -> StorageError {
    .uniqueViolation(index.schema, table.model, key: KeyText.text(of: key, table.model))
  }

  static func notFound(_ key: UnsafeRawBufferPointer, _ table: Table) -> StorageError {
    .notFound(table.model.name, key: KeyText.text(of: key, table.model))
  }

  static func conflict(_ key: UnsafeRawBufferPointer, _ table: Table) -> StorageError {
    .conflict(table.model.name, key: KeyText.text(of: key, table.model))
  }
}
