package import QuarryBackend

extension StorageError {
  package static var storeClosed: StorageError { StorageError(.closed, "the store was closed") }
  static var snapshotClosed: StorageError { StorageError(.closed, "the snapshot was closed") }
  static var ended: StorageError { StorageError(.transactionEnded, "the transaction has ended") }
  static var noSavepoint: StorageError { StorageError(.notFound, "no savepoint is open") }
  static var cursorEnded: StorageError {
    StorageError(.transactionEnded, "the cursor ended when its tree was written to")
  }
}
