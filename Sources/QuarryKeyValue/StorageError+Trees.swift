import QuarryBackend

extension StorageError {
  static var cursorEnded: StorageError {
    StorageError(.transactionEnded, "the cursor ended when its tree was written to")
  }
}
