import QuarryBackend

extension Store {
  var identity: ObjectIdentifier { ObjectIdentifier(self) }

  /// Writes everything in the body, or nothing when it throws.
  ///
  /// Inside a write on the same thread it joins that write as a savepoint, so that a throw undoes only the inner write. The outer
  /// write decides on repetitions, and keeps its author if it has one.
  ///
  /// The body runs once on an engine with one writer at a time, as all engines of this package are unless another mode is chosen.
  /// With many writers (``BackendManifest/writers``) a write that conflicts with another one is run again: up to 19 times, or
  /// `retry` times. The body sees a newer state each time, and its side effects outside the store are repeated. An error of the body
  /// itself, even `conflict`, ends the write.
  ///
  /// Concurrent writes share a commit where commits wait for the disk. Their bodies run one after another, and each is undone
  /// alone when it throws. No call returns before the commit is as durable as the store declares. Pass `alone` for a body that
  /// takes long, so that others do not wait for it. Also pass it for a body that waits for another write to return.
  ///
  /// - Parameters:
  ///   - author: The name of the write's author in the history of the store. More than 255 bytes are `limitExceeded` where the
  ///     store keeps a history.
  ///   - retry: The maximum number of times that the write is repeated; 0 turns it off.
  ///   - timeout: Seconds to wait for other writers, and for all attempts, counted from the call; the store's own when nil.
  ///   - alone: Whether the write shares its commit with no other.
  /// - Returns: The result of the body's last run.
  /// - Throws: The body's errors; `reentrant` inside a read of this store; `readOnly`; `busy`; `closed`. `full` or `io` when the
  ///   commit fails, also a commit that the write shares. `conflict` when the last attempt conflicts.
  @discardableResult
  public func write<R>(
    author: String? = nil, retry: Int? = nil, timeout: Double? = nil, alone: Bool = false,
    _ body: (WriteTransaction) throws -> R
  ) throws -> R {
    let mode = WriteMode(isAlone: alone, retries: retry)
    guard let author else { return try write(timeout, mode: mode, body) }
    return try write(timeout, mode: mode) { tx in
      if tx.author == nil { tx.author = author }
      return try body(tx)
    }
  }

  func write<R>(
    _ timeout: Double?, mode: WriteMode, _ body: (WriteTransaction) throws -> R
  ) throws -> R {
    try checkOpen()
    if let outer = try currentTransaction() {
      guard let write = outer as? WriteTransaction else {
        throw StorageError(.reentrant, "a write inside a read of the same store")
      }
      return try write.savepoint { try body(write) }
    }
    try checkWritable()
    return try write(timeout ?? busyTimeout, mode, body)
  }

  func checkWritable() throws(StorageError) {
    if isReadOnly { throw StorageError.openedForReading }
  }

  /// Writes, on a thread of its own from begin to commit, so that no task waits on the shared pool.
  ///
  /// Writes of one store run in the order of their calls, with threads and tasks in one queue. Concurrent writes share a commit,
  /// as in the synchronous form.
  ///
  /// - Parameters:
  ///   - author: The name of the write's author in the history of the store.
  ///   - retry: The maximum number of times that the write is repeated when it conflicts; 0 turns it off.
  ///   - timeout: Seconds to wait for other writers, and for all attempts, counted from the call; the store's own when nil.
  ///   - alone: Whether the write shares its commit with no other.
  /// - Returns: The result of the body's last run.
  /// - Throws: The body's errors; `CancellationError`, at once, when the task is cancelled before the write begins. A write that
  ///   has begun is not cancelled. Otherwise as the synchronous form.
  @discardableResult
  public func write<R>(
    author: String? = nil, retry: Int? = nil, timeout: Double? = nil, alone: Bool = false,
    _ body: sending @escaping (WriteTransaction) throws -> sending R
  ) async throws -> sending R {
    let mode = WriteMode(isAlone: alone, retries: retry)
    guard let author else { return try await queuedWrite(TransferBox(body), timeout, mode).value }
    return try await write(retry: retry, timeout: timeout, alone: alone) { tx in
      if tx.author == nil { tx.author = author }
      return try body(tx)
    }
  }

  /// Writes a single call of the transaction, which is atomic by itself, on a thread of its own.
  func writeOneCall<R>(_ body: sending @escaping (WriteTransaction) throws -> sending R) async throws -> sending R {
    try await queuedWrite(TransferBox(body), nil, WriteMode(isSingleStatement: true, isCall: true)).value
  }

  /// Writes by a call of the transaction on a thread of its own.
  func writeCall<R>(_ body: sending @escaping (WriteTransaction) throws -> sending R) async throws -> sending R {
    try await queuedWrite(TransferBox(body), nil, WriteMode(isCall: true)).value
  }

  /// Runs blocking work on a thread of its own, for parts of Quarry above this one.
  ///
  /// The caller continues where it was: on its actor, without a detour over the shared pool.
  package static func onThread<R: Sendable>(
    isolation actor: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    let pending = CancellableJob<Void, R>(TransferBox(()))
    return try await pending.result(isolation: actor) { readerThreads.run { _ = pending.begin { try body() } } }.value
  }

  static func run<Body, R>(
    on threads: TransactionThreads, _ body: sending Body, _ execute: @escaping @Sendable (Body) throws -> R
  ) async throws -> sending R {
    try Task.checkCancellation()
    let pending = CancellableJob<Body, R>(TransferBox(body))
    return try await pending.result { threads.run { _ = pending.begin(execute) } }.value
  }
}

// Unlike a closure literal, a function value, such as one that a caller passes on, does not promise that its result is sent away.
// Without these forms the compiler would choose the synchronous one, which blocks its thread.
extension Store {
  /// Writes with a function that is passed on. See ``write(author:retry:timeout:alone:_:)-swift.method``.
  @_disfavoredOverload
  @discardableResult
  public func write<R: Sendable>(
    author: String? = nil, retry: Int? = nil, timeout: Double? = nil, alone: Bool = false,
    _ body: @escaping @Sendable (WriteTransaction) throws -> R
  ) async throws -> R {
    try await write(author: author, retry: retry, timeout: timeout, alone: alone) { tx in try body(tx) }
  }
}
