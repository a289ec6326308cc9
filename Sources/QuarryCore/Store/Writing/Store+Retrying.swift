import QuarryBackend

/// Writes that say how often they are repeated where writers may get in each other's way.
extension Store {
  /// Writes, and runs the write again at most the given number of times when it conflicts with another write.
  ///
  /// Only an engine with many writers has conflicts: see ``BackendManifest/writers``. Without `retry`, a write is repeated up to 19
  /// times there; 0 turns that off. The body sees a newer state each time, and its side effects outside the store are repeated. An
  /// error of the body itself, even `conflict`, ends the write. Inside a write on the same thread the call joins that write and
  /// the body runs once: the outer write is repeated.
  ///
  /// - Parameters:
  ///   - retry: The maximum number of times that the write is repeated.
  ///   - timeout: Seconds for all attempts, and to wait for other writers; the store's own when nil.
  /// - Returns: The result of the body's last run.
  /// - Throws: As ``write(timeout:alone:_:)-swift.method``; `conflict` when the last attempt conflicts.
  @discardableResult
  public func write<R>(retry: Int, timeout: Double? = nil, _ body: (WriteTransaction) throws -> R) throws -> R {
    try write(timeout, mode: WriteMode(retries: retry), body)
  }

  /// Writes on a thread of its own, and runs the write again at most the given number of times when it conflicts with another
  /// write.
  ///
  /// - Parameters:
  ///   - retry: The maximum number of times that the write is repeated; never on an engine with one writer at a time.
  ///   - timeout: Seconds for all attempts, and to wait for other writers; the store's own when nil.
  /// - Returns: The result of the body's last run.
  /// - Throws: As ``write(timeout:alone:_:)-swift.method``; `conflict` when the last attempt conflicts. `CancellationError` when
  ///   the task is cancelled before the first attempt begins.
  @discardableResult
  public func write<R>(
    retry: Int, timeout: Double? = nil, _ body: sending @escaping (WriteTransaction) throws -> sending R
  ) async throws -> sending R {
    try await queuedWrite(Handover(body), timeout, WriteMode(retries: retry)).value
  }
}

// The form for a function that is handed on: see `Store+Transactions.swift`.
extension Store {
  /// Writes with a function that is passed on. See ``write(retry:timeout:_:)-swift.method``.
  @_disfavoredOverload
  @discardableResult
  public func write<R: Sendable>(
    retry: Int, timeout: Double? = nil, _ body: @escaping @Sendable (WriteTransaction) throws -> R
  ) async throws -> R {
    try await write(retry: retry, timeout: timeout) { tx in try body(tx) }
  }
}
