import QuarryBackend

extension StorageError {
  static func duplicateKey(_ key: UnsafeRawBufferPointer, _ table: Table) -> StorageError {
    StorageError(
      .duplicateKey, "an object with this key exists", model: table.model.name,
      property: table.model.keyProperty.name, key: KeyText.of(key, table))
  }

  /// - Parameter key: The primary key of the row that could not be stored.
  static func uniqueViolation(
    _ index: TableIndex, _ key: UnsafeRawBufferPointer, _ table: Table
  ) -> StorageError {
    let names = index.schema.columns.map { table.model.properties[$0.slot].name }.joined(separator: ", ")
    return StorageError(
      .uniqueViolation, "another object has this value", model: table.model.name, property: names,
      key: KeyText.of(key, table))
  }

  static func notFound(_ key: UnsafeRawBufferPointer, _ table: Table) -> StorageError {
    StorageError(
      .notFound, "there is no object with this key", model: table.model.name, key: KeyText.of(key, table))
  }

  static func conflict(_ key: UnsafeRawBufferPointer, _ table: Table) -> StorageError {
    StorageError(
      .conflict, "the object was changed since it was read", model: table.model.name, key: KeyText.of(key, table))
  }
}
