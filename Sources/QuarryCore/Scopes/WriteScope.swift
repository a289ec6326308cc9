public import QuarryBackend

/// A write transaction or a store: where objects are written.
///
/// Each call that writes is written once, here. In a transaction it is part of that transaction. On a store it is a
/// transaction of its own, or a savepoint where the thread is inside a write of the store. Each call is all or nothing.
public protocol WriteScope: ReadScope {
  /// Runs the body in a write transaction: all of it, or nothing when it throws.
  ///
  /// - Parameters:
  ///   - asOneStatement: Whether the body is one call that is all or nothing by itself.
  ///   - body: Writes in the given transaction. With many writers it may run more than once.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body; in a transaction `transactionEnded` and `wrongThread`; on a store `reentrant` inside a
  ///   read of it, `readOnly`, `busy`, `closed`, and `full` or `io` when the commit fails.
  func writing<R>(
    asOneStatement: Bool, _ body: (WriteTransaction) throws(StorageError) -> R
  ) throws(StorageError) -> R
}

extension WriteTransaction: WriteScope {
  /// Runs the body in this transaction. The calls in it check that the transaction may be used.
  ///
  /// - Parameters:
  ///   - asOneStatement: Has no meaning here, because the transaction surrounds the call.
  ///   - body: Writes in this transaction.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body.
  @inlinable
  public func writing<R>(
    asOneStatement: Bool, _ body: (WriteTransaction) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    try body(self)
  }
}

extension WriteScope {
  @inlinable
  func writing<R>(_ body: (WriteTransaction) throws(StorageError) -> R) throws(StorageError) -> R {
    try writing(asOneStatement: false, body)
  }

  /// Runs a body that calls code of the caller, and passes the caller's error through unchanged.
  @inlinable
  func writingAndCalling<R>(_ body: (WriteTransaction) throws -> R) throws -> R {
    var thrown: (any Error)?
    do throws(StorageError) {
      return try writing(asOneStatement: false) { tx throws(StorageError) in
        thrown = nil
        do {
          return try body(tx)
        } catch {
          thrown = error
          throw StorageError.of(error)
        }
      }
    } catch {
      throw thrown ?? error
    }
  }
}
