// The errors of stores and transactions that every engine makes, so that one code and cause reads alike on all of them:
// contract, ERR-5.

extension StorageError {
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
