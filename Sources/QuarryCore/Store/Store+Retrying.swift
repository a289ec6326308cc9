import QuarryBackend

/// Writes that are done again where writers may get in each other's way.
extension Store {
  /// Writes, and runs the write again when the commit throws `conflict`.
  ///
  /// On an engine with one writer at a time, no commit throws `conflict`, and the body runs once: see
  /// ``BackendManifest/writers``. Every engine of this package has one writer at a time. With several writers, the body sees a
  /// newer state each time, and its side effects outside the store are repeated. An error of the body itself, even `conflict`,
  /// ends the write. Inside a write on the same thread the call joins that write and the body runs once: the outer commit counts.
  ///
  /// - Parameters:
  ///   - retry: The maximum number of times that the write is repeated.
  ///   - timeout: Seconds to wait for other writers, each time; the store's own when nil.
  /// - Returns: The body's last result.
  /// - Throws: As ``write(timeout:alone:_:)-swift.method``; `conflict` when the last commit throws it.
  @discardableResult
  public func write<R>(retry: Int, timeout: Double? = nil, _ body: (WriteTransaction) throws -> R) throws -> R {
    var left = retries(retry)
    guard left > 0, try joined() == nil else { return try write(timeout: timeout, body) }
    try checkOpen()
    try checkWritable()
    while true {
      do {
        return try write(timeout ?? busyTimeout, WriteMode(marksConflict: true), body)
      } catch let conflict as CommitConflict {
        guard left > 0 else { throw conflict.error }
        left -= 1
      }
    }
  }

  /// Writes on a thread of its own, and runs the write again when the commit throws `conflict`.
  ///
  /// - Parameters:
  ///   - retry: The maximum number of times that the write is repeated; never on an engine with one writer at a time.
  ///   - timeout: Seconds to wait for other writers, each time; the store's own when nil.
  /// - Returns: The body's last result.
  /// - Throws: As ``write(timeout:alone:_:)-swift.method``; `conflict` when the last commit throws it. `CancellationError` when
  ///   the task is cancelled before any write begins, be it the first or a repeated one.
  @discardableResult
  public func write<R>(
    retry: Int, timeout: Double? = nil, _ body: sending @escaping (WriteTransaction) throws -> sending R
  ) async throws -> sending R {
    var left = retries(retry)
    // One thread at a time has the body: the next write begins when the one before it is over.
    let body = Handover<(WriteTransaction) throws -> R>(body)
    while true {
      do {
        return try await queuedWrite(body, timeout, WriteMode(marksConflict: true)).value
      } catch let conflict as CommitConflict {
        guard left > 0 else { throw conflict.error }
        left -= 1
      }
    }
  }

  /// The number of times that a write is repeated, if that is more than 0.
  private func retries(_ asked: Int) -> Int {
    backend.manifest.writers == .many ? asked : 0
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
