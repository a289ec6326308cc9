// The errors of stores and transactions that every engine makes, so that one code and cause reads alike on all of them:
// contract, ERR-5.

extension StorageError {
  /// Another writer, of this process or another, held the store for longer than the timeout.
  ///
  /// - Parameter seconds: How long the caller waited.
  public static func busy(_ seconds: Double) -> StorageError {
    StorageError(.busy, "another write transaction was open for longer than \(seconds) s")
  }

  /// Whether it is the error of a wait of that many seconds for other writers.
  package func isWait(_ seconds: Double) -> Bool { code == .busy && message == StorageError.busy(seconds).message }

  /// The path of an open store names nothing any more, or another file: what is written now would be found by no later
  /// opening.
  ///
  /// - Parameter path: The path by which the store was opened.
  public static func removedOrReplaced(_ path: String) -> StorageError {
    StorageError(.io, path + removal)
  }
  private static var removal: String { " was removed or replaced while it was open" }

  /// Whether it is ``removedOrReplaced(_:)`` of any path.
  package var isRemovedOrReplaced: Bool { code == .io && message.hasSuffix(Self.removal) }

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
