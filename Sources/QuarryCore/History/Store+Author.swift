import QuarryBackend

// Writes with the name of their author, which the history of the store has.

extension Store {
  /// Writes, and names the author of the write in the history of the store.
  ///
  /// Inside a write on the same thread the outer write keeps its author, if it has one. A name of more than 255 bytes is
  /// `limitExceeded` where the store keeps a history.
  ///
  /// - Returns: The body's result.
  /// - Throws: As ``write(timeout:alone:_:)-swift.method``.
  @discardableResult
  public func write<R>(
    author: String, timeout: Double? = nil, _ body: (WriteTransaction) throws -> R
  ) throws -> R {
    try write(timeout: timeout) { tx in
      if tx.author == nil { tx.author = author }
      return try body(tx)
    }
  }

  /// Writes on a thread of its own, and names the author of the write in the history of the store.
  ///
  /// - Returns: The body's result.
  /// - Throws: As ``write(timeout:alone:_:)-swift.method``.
  @discardableResult
  public func write<R>(
    author: String, timeout: Double? = nil, _ body: sending @escaping (WriteTransaction) throws -> sending R
  ) async throws -> sending R {
    try await write(timeout: timeout) { tx in
      if tx.author == nil { tx.author = author }
      return try body(tx)
    }
  }
}
