import QuarryBackend

extension Store: WriteScope {
  /// Runs the body in a write transaction. See ``write(author:retry:timeout:alone:_:)-swift.method``.
  public func writing<R>(
    asOneStatement: Bool, _ body: (WriteTransaction) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    do {
      return try write(nil, mode: WriteMode(isSingleStatement: asOneStatement, isCall: true), body)
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
    if preencodesInserts, !context.generatesKey(M.self) {
      try insertPreencoded(object)
      return object
    }
    var stored: M?
    try writing(asOneStatement: true) { tx throws(StorageError) in stored = try tx.insertOne(object) }
    return stored ?? object
  }
}
