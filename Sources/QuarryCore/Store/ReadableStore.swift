public import QuarryBackend

/// A store or frozen store: a scope that tasks read, too, each call in a transaction of its own.
///
/// Each call has two forms. Where code may suspend, the compiler chooses the asynchronous one, which runs on a thread of its
/// own, so that no task waits on the shared pool. `scripts/generate-calls` writes these forms from the calls of
/// ``ReadScope``.
public protocol ReadableStore: ReadScope, Sendable {}

extension ReadableStore {
  /// Reads in one committed state.
  ///
  /// Inside a write on the same thread it sees that write; inside a read it joins it. On an engine with many writers the body may
  /// run more than once.
  ///
  /// - Parameter body: Reads in the given transaction, which is valid until the body returns and on its thread alone.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body; `closed`.
  public func read<R>(_ body: (ReadTransaction) throws -> R) throws -> R {
    try readingAndCalling(body)
  }

  /// Reads in one committed state, on a thread of its own from begin to end, so that no task waits on the shared pool.
  ///
  /// - Parameter body: Reads in the given transaction, on the thread that runs it.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body; `closed`; `CancellationError` when the task was cancelled before the read began.
  public func read<R>(_ body: sending @escaping (ReadTransaction) throws -> sending R) async throws -> sending R {
    try await Store.run(on: Store.readerThreads, body) { [self] body in try readingAndCalling(body) }
  }

  // Unlike a closure literal, a function value does not promise that its result is sent away. Without this form the compiler
  // would choose the synchronous one, which blocks its thread.
  /// Reads with a function that is passed on. See ``read(_:)-swift.method``.
  @_disfavoredOverload
  public func read<R: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> R) async throws -> R {
    try await read { tx in try body(tx) }
  }
}

extension Store: ReadableStore {
  /// Runs the body in one committed state. See ``ReadableStore/read(_:)-swift.method``.
  public func reading<R>(_ body: (ReadTransaction) throws(StorageError) -> R) throws(StorageError) -> R {
    try checkOpen()
    if let outer = try currentTransaction() { return try outer.reading(body) }
    if pipeline.isConcurrent { return try readConcurrently(body) }
    let transaction = ReadTransaction(context, try backend.beginRead())
    defer { transaction.end() }
    try checkBindings(transaction.backend)
    return try TransactionFrame.with(identity, transaction) { () throws(StorageError) in try body(transaction) }
  }
}

extension FrozenStore: ReadableStore {
  /// Runs the body in the pinned state. See ``ReadableStore/read(_:)-swift.method``.
  public func reading<R>(_ body: (ReadTransaction) throws(StorageError) -> R) throws(StorageError) -> R {
    let identity = ObjectIdentifier(self)
    if let outer = try TransactionFrame.transaction(of: identity) { return try outer.reading(body) }
    let transaction = ReadTransaction(store.context, try snapshot.beginRead())
    defer { transaction.end() }
    try store.checkBindings(transaction.backend)
    return try TransactionFrame.with(identity, transaction) { () throws(StorageError) in try body(transaction) }
  }
}
