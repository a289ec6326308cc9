public import QuarryBackend

/// A transaction, store or frozen store: where objects are read.
///
/// Each call that reads is written once, here. In a transaction it reads the state of that transaction. On a store or a
/// frozen store it is a transaction of its own.
///
/// ```swift
/// func titles(in scope: some ReadScope) throws -> [String] { try scope.fetch(Book.all).map(\.title) }
/// ```
///
/// A call throws a ``StorageError``, or the error of a closure of the caller. It is declared to throw any error. Swift 6.3
/// crashes, or never ends, where a `do` whose calls throw one type has a `catch` with `where`. An example is `catch let error as
/// StorageError where error.code == .notFound`.
public protocol ReadScope {
  /// Runs the body in one committed state.
  ///
  /// - Parameter body: Reads in the given transaction, which ends with it. With many writers it may run more than once.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body; `closed`; in a transaction `transactionEnded` and `wrongThread`.
  func reading<R>(_ body: (ReadTransaction) throws(StorageError) -> R) throws(StorageError) -> R
}

extension ReadTransaction: ReadScope {
  /// Runs the body in this transaction.
  ///
  /// - Parameter body: Reads in this transaction.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body; `transactionEnded`, `wrongThread`; `reentrant` in code that reads or writes a row.
  @inlinable
  public final func reading<R>(_ body: (ReadTransaction) throws(StorageError) -> R) throws(StorageError) -> R {
    try check()
    return try body(self)
  }
}

extension ReadScope {
  /// Runs a body that calls code of the caller, and passes the caller's error through unchanged.
  @inlinable
  func readingAndCalling<R>(_ body: (ReadTransaction) throws -> R) throws -> R {
    var thrown: (any Error)?
    do throws(StorageError) {
      return try reading { tx throws(StorageError) in
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

extension StorageError {
  /// The error itself, or one that has it as its cause.
  @usableFromInline
  static func of(_ error: any Error) -> StorageError {
    error as? StorageError ?? StorageError(.io, "the call was ended by another error", cause: error)
  }
}
