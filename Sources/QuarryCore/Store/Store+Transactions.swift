import QuarryBackend

extension Store {
  var identity: ObjectIdentifier { ObjectIdentifier(self) }

  /// Reads in one committed state.
  ///
  /// Inside a write on the same thread it sees that write; inside a read it joins it.
  ///
  /// - Returns: What the body returns.
  /// - Throws: What the body throws; `closed`.
  public func read<R>(_ body: (ReadTransaction) throws -> R) throws -> R {
    try checkOpen()
    if let outer = TransactionFrame.transaction(of: identity) {
      try outer.check()
      return try body(outer)
    }
    let transaction = ReadTransaction(self, try backend.beginRead())
    defer { transaction.end() }
    try checkBindings(transaction.backend)
    return try TransactionFrame.with(identity, transaction) { try body(transaction) }
  }

  /// Writes: all of it, or nothing when the body throws.
  ///
  /// Inside a write on the same thread it joins it as a savepoint, so that a throw undoes only the inner write. The body
  /// runs once.
  ///
  /// - Parameter timeout: Seconds to wait for another writer; the store's own when nil.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws; `reentrant` inside a read of this store; `readOnly`; `busy`; `closed`; `full` or
  ///   `io` when the commit fails.
  public func write<R>(timeout: Double? = nil, _ body: (WriteTransaction) throws -> R) throws -> R {
    try checkOpen()
    if let outer = TransactionFrame.transaction(of: identity) {
      guard let write = outer as? WriteTransaction else {
        throw StorageError(.reentrant, "a write inside a read of the same store")
      }
      return try write.savepoint { try body(write) }
    }
    guard !isReadOnly else { throw StorageError(.readOnly, "the store was opened for reading") }
    let backendTransaction = try backend.beginWrite(WriteOptions(timeout: timeout))
    let transaction = WriteTransaction(self, backendTransaction)
    defer { transaction.end() }
    try checkBindings(backendTransaction)
    let result = try TransactionFrame.with(identity, transaction) { try body(transaction) }
    try transaction.commit()
    return result
  }

  /// Reads in one committed state, on a thread of its own from begin to end, so that no task waits on the shared pool.
  ///
  /// - Throws: What the body throws; `CancellationError` when the task was cancelled before the read began.
  public func read<R>(_ body: sending @escaping (ReadTransaction) throws -> sending R) async throws -> sending R {
    try await Self.run(on: Self.readerThreads, body) { [self] body in try read(body) }
  }

  /// Writes, on a thread of its own from begin to commit, so that no task waits on the shared pool. Writes of one store
  /// run in the order in which they were asked for.
  ///
  /// - Throws: What the body throws; `CancellationError` when the task was cancelled before the write began. A write
  ///   that has begun is not cancelled.
  public func write<R>(
    timeout: Double? = nil, _ body: sending @escaping (WriteTransaction) throws -> sending R
  ) async throws -> sending R {
    try await Self.run(on: writerThread, body) { [self] body in try write(timeout: timeout, body) }
  }

  static func run<Body, R>(
    on threads: TransactionThreads, _ body: sending Body, _ execute: @escaping @Sendable (Body) throws -> R
  ) async throws -> sending R {
    try Task.checkCancellation()
    let cancellation = CancellationFlag()
    let work = Handover(body)
    let result: Handover<R> = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        threads.run {
          guard !cancellation.isCancelled else { return continuation.resume(throwing: CancellationError()) }
          do {
            continuation.resume(returning: Handover(try execute(work.value)))
          } catch {
            continuation.resume(throwing: error)
          }
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
    return result.value
  }
}
