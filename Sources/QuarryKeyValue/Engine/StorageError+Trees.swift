package import QuarryBackend

extension StorageError {
  /// A cursor of a tree that its transaction has written to since.
  package static var cursorEnded: StorageError {
    StorageError(.transactionEnded, "the cursor ended when its tree was written to")
  }
}
