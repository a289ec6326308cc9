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
  /// - Parameter timeout: Seconds to wait for other writers, counted from the call; the store's own when nil.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws; `reentrant` inside a read of this store; `readOnly`; `busy`; `closed`; `full` or
  ///   `io` when the commit fails.
  @discardableResult
  public func write<R>(timeout: Double? = nil, _ body: (WriteTransaction) throws -> R) throws -> R {
    try checkOpen()
    if let outer = TransactionFrame.transaction(of: identity) {
      guard let write = outer as? WriteTransaction else {
        throw StorageError(.reentrant, "a write inside a read of the same store")
      }
      return try write.savepoint { try body(write) }
    }
    try checkWritable()
    return try write(inTurn: try writers.enter(timeout ?? busyTimeout), body)
  }

  func checkWritable() throws(StorageError) {
    if isReadOnly { throw StorageError.openedForReading }
  }

  /// Writes, for who has the turn, which is given on before the commit: where writers share what a commit waits for, the
  /// next one begins meanwhile.
  ///
  /// - Parameters:
  ///   - timeout: The seconds that are left to wait for writers of other stores and processes.
  ///   - marksConflict: Whether the commit's `conflict` is thrown as a ``CommitConflict``.
  func write<R>(
    inTurn timeout: Double, marksConflict: Bool = false, withoutNotifying muted: Set<Int> = [],
    _ body: (WriteTransaction) throws -> R
  ) throws -> R {
    let begun: any BackendWriteTransaction
    let capture = observation.demand
    do {
      begun = try backend.beginWrite(WriteOptions(capture: capture, timeout: timeout))
    } catch {
      writers.leave()
      throw error
    }
    let ticket = observation.begin()
    let transaction = WriteTransaction(self, begun)
    defer { transaction.end() }
    let result: R
    do {
      defer { writers.leave() }
      try checkBindings(begun)
      result = try TransactionFrame.with(identity, transaction) { try body(transaction) }
    } catch {
      observation.abandon(ticket)
      throw error
    }
    do throws(StorageError) {
      try observation.commit(ticket, capture, withoutNotifying: muted) { () throws(StorageError) in
        try transaction.commit()
      }
    } catch {
      if marksConflict, error.code == .conflict { throw CommitConflict(error: error) }
      throw error
    }
    return result
  }

  /// Reads in one committed state, on a thread of its own from begin to end, so that no task waits on the shared pool.
  ///
  /// - Throws: What the body throws; `CancellationError` when the task was cancelled before the read began.
  public func read<R>(_ body: sending @escaping (ReadTransaction) throws -> sending R) async throws -> sending R {
    try await Self.run(on: Self.readerThreads, body) { [self] body in try read(body) }
  }

  /// Writes, on a thread of its own from begin to commit, so that no task waits on the shared pool.
  ///
  /// Writes of one store run in the order of their calls, those of threads and of tasks in one line.
  ///
  /// - Parameter timeout: Seconds to wait for other writers, counted from the call; the store's own when nil.
  /// - Throws: What the body throws; `CancellationError`, at once, when the task is cancelled before the write begins. A
  ///   write that has begun is not cancelled. Beside these as the synchronous form.
  @discardableResult
  public func write<R>(
    timeout: Double? = nil, _ body: sending @escaping (WriteTransaction) throws -> sending R
  ) async throws -> sending R {
    try await queuedWrite(Handover(body), timeout).value
  }

  /// Writes on a thread of its own. See ``write(inTurn:marksConflict:_:)``.
  func queuedWrite<R>(
    _ body: Handover<(WriteTransaction) throws -> R>, _ timeout: Double?, marksConflict: Bool = false,
    withoutNotifying muted: Set<Int> = []
  ) async throws -> Handover<R> {
    try Task.checkCancellation()
    try checkOpen()
    try checkWritable()
    let pending = PendingWork<(WriteTransaction) throws -> R, R>(body)
    return try await pending.result { queue(pending, timeout ?? busyTimeout, marksConflict, muted) }
  }

  /// Takes a place in the line of writers for the work of a task.
  private func queue<R>(
    _ pending: PendingWork<(WriteTransaction) throws -> R, R>, _ timeout: Double, _ marksConflict: Bool,
    _ muted: Set<Int>
  ) {
    let place = writers.enter(timeout) { [self] answer in
      switch answer {
      case .failure(let error): pending.giveUp(error)
      case .success(let left):
        writerThreads.run { [self] in
          let isDone = pending.begin { body in
            try write(inTurn: left, marksConflict: marksConflict, withoutNotifying: muted, body)
          }
          if !isDone { writers.leave() }
        }
      }
    }
    if let place { pending.whenCancelled { [writers] in writers.giveUp(place) } }
  }

  /// Runs work that blocks on a thread of its own, for parts of Quarry above this one.
  ///
  /// The caller goes on where it was: on its actor, without a detour over the shared pool.
  package static func onThread<R: Sendable>(
    isolation actor: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    let pending = PendingWork<Void, R>(Handover(()))
    return try await pending.result(isolation: actor) { readerThreads.run { _ = pending.begin { try body() } } }.value
  }

  static func run<Body, R>(
    on threads: TransactionThreads, _ body: sending Body, _ execute: @escaping @Sendable (Body) throws -> R
  ) async throws -> sending R {
    try Task.checkCancellation()
    let pending = PendingWork<Body, R>(Handover(body))
    return try await pending.result { threads.run { _ = pending.begin(execute) } }.value
  }
}

// A function that is a value, such as one that a caller hands on, does not promise that its result is given away, as a
// closure's literal does: without these forms it would be taken for the synchronous one, which blocks its thread.
extension Store {
  /// Reads with a function that is handed on. See ``read(_:)-swift.method``.
  @_disfavoredOverload
  public func read<R: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> R) async throws -> R {
    try await read { tx in try body(tx) }
  }

  /// Writes with a function that is handed on. See ``write(timeout:_:)-swift.method``.
  @_disfavoredOverload
  @discardableResult
  public func write<R: Sendable>(
    timeout: Double? = nil, _ body: @escaping @Sendable (WriteTransaction) throws -> R
  ) async throws -> R {
    try await write(timeout: timeout) { tx in try body(tx) }
  }
}
