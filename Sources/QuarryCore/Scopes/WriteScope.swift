public import QuarryBackend

/// A write transaction or a store: where objects are written.
///
/// Each call that writes is written once, here. In a transaction it is part of that transaction. On a store it is a
/// transaction of its own, or a savepoint where the thread is inside a write of the store. Each call is all or nothing.
public protocol WriteScope: ReadScope {
  /// Runs the body in a write transaction: all of it, or nothing when it throws.
  ///
  /// - Parameter asOneStatement: Whether the body is one call that is all or nothing by itself.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body; in a transaction `transactionEnded` and `wrongThread`; on a store `reentrant` inside a
  ///   read of it, `readOnly`, `busy`, `closed`, and `full` or `io` when the commit fails.
  func writing<R>(
    asOneStatement: Bool, _ body: (WriteTransaction) throws(StorageError) -> R
  ) throws(StorageError) -> R
}

extension WriteTransaction: WriteScope {
  /// Runs the body in this transaction. The calls in it check that the transaction may be used.
  @inlinable
  public func writing<R>(
    asOneStatement: Bool, _ body: (WriteTransaction) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    try body(self)
  }
}

extension Store: WriteScope {
  /// Runs the body in a write transaction. See ``write(timeout:alone:_:)-swift.method``.
  public func writing<R>(
    asOneStatement: Bool, _ body: (WriteTransaction) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    do {
      return try write(nil, mode: WriteMode(isOneCall: asOneStatement, isCall: true), body)
    } catch {
      throw StorageError.of(error)
    }
  }

  /// Adds an object. See ``WriteScope/insert(_:)``. A thread that has to wait for another writer encodes the row meanwhile.
  ///
  /// - Throws: As ``WriteScope/insert(_:)``.
  @inlinable
  @discardableResult
  public func insert<M: Model>(_ object: M) throws -> M {
    if makesRowsAhead, !context.generatesKey(M.self) {
      try insertAhead(object)
      return object
    }
    var stored: M?
    try writing(asOneStatement: true) { tx throws(StorageError) in stored = try tx.insertOne(object) }
    return stored ?? object
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
