// The errors that every engine makes, so that one code and cause reads alike on all of them: contract, ERR-5.

extension StorageError {
  // MARK: Rows

  /// - Parameter key: The key that is taken.
  public static func duplicateKey(_ model: ModelSchema, key: String?) -> StorageError {
    StorageError(
      .duplicateKey, "an object with this primary key exists", model: model.name, property: model.keyProperty.name,
      key: key)
  }

  /// - Parameters:
  ///   - index: Nil where it is not known which of them is violated.
  ///   - key: The primary key of the object that could not be stored.
  public static func uniqueViolation(_ index: IndexSchema?, _ model: ModelSchema, key: String?) -> StorageError {
    let names = index.map { $0.columns.map { model.properties[$0.slot].name }.joined(separator: ", ") }
    let what = index.map { "in the unique index \($0.name)" } ?? "in a unique index"
    return StorageError(
      .uniqueViolation, "another object has this value \(what)", model: model.name, property: names, key: key)
  }

  /// There is no object with the key.
  public static func notFound(_ model: String, key: String?) -> StorageError {
    StorageError(.notFound, "there is no object with this primary key", model: model, key: key)
  }

  /// The object is not as the caller expects it to be.
  public static func conflict(_ model: String, key: String?) -> StorageError {
    StorageError(.conflict, "the object was changed since it was read", model: model, key: key)
  }

  /// Arithmetic went beyond the property's type.
  static func resultDoesNotFit(_ type: PropertyType) -> StorageError {
    StorageError(.invalidValue, "the result does not fit into \(type.name)")
  }

  // MARK: Ends

  /// Another writer of this process held the store for longer than the timeout.
  public static func busy(_ seconds: Double) -> StorageError {
    StorageError(.busy, "another write transaction was open for longer than \(seconds) s")
  }

  /// The store was closed.
  public static var storeClosed: StorageError { StorageError(.closed, "the store was closed") }
  /// The snapshot was closed.
  public static var snapshotClosed: StorageError { StorageError(.closed, "the snapshot was closed") }
  /// The transaction has ended.
  public static var ended: StorageError { StorageError(.transactionEnded, "the transaction has ended") }
  /// A savepoint is to be released or rolled back, and none is open: its part of the transaction has ended.
  public static var noSavepoint: StorageError { StorageError(.transactionEnded, "no savepoint is open") }
  /// A write to what was opened for reading.
  public static var openedForReading: StorageError {
    StorageError(.readOnly, "the store was opened for reading only")
  }
}
