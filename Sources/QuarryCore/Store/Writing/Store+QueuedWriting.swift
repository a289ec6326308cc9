import QuarryBackend
import Synchronization

// Writes on an engine with one writer at a time: the path of a write from its turn to the end of its commit, alone or with other
// writes.

extension Store {
  /// The number of writes that have had to wait for another write of this store since it was opened. A test that starts writers
  /// one after another uses it to see that each has its place in the queue.
  package var writesThatWaited: Int { pipeline.writers.joined }

  /// Sets how long a committing write lets waiting writes share its commit. A test uses it to allow enough time on any machine.
  package func shareCommits(for time: Duration) { pipeline.writers.timeForFollowers = time }

  /// How a write is performed.
  struct WriteMode {
    /// Whether the write refuses to share its commit.
    var isAlone = false
    /// Whether the write is a single call, which is atomic by itself.
    var isSingleStatement = false
    /// Whether the body is a call of Quarry, and not a closure that the caller has written for a transaction.
    var isCall = false
    /// The greatest number of repetitions after a conflict, where there are many writers; nil for the default.
    var retries: Int?
    /// The feeds that are not notified of the write.
    var muted: Set<Int> = []
    /// The total seconds that the caller accepts to wait, including the wait for the turn: for the error.
    var patience: Double?
    /// Whether the thread is one of the pipeline's threads for writers, on which the bodies of tasks may run.
    var isOnWriterThread = false

    var sharesCommit: Bool { !isAlone && muted.isEmpty }
  }

  /// Writes, blocking the calling thread until its turn.
  func write<R>(_ timeout: Double, _ mode: WriteMode, _ body: (WriteTransaction) throws -> R) throws -> R {
    var mode = mode
    mode.patience = timeout
    if pipeline.isConcurrent { return try write(until: Deadline(after: timeout), mode, body) }
    // A caller inside a transaction of another store holds what the bodies of other writes may wait for.
    if TransactionFrame.isInside { mode.isAlone = true }
    switch try pipeline.writers.enter(timeout, isAlone: !mode.sharesCommit, isSingleStatement: mode.isSingleStatement) {
    case .turn(let left): return try write(inTurn: left, mode, body)
    case .part(let group):
      let result = part(of: group, body)
      handOn(group, isOnWriterThread: false)
      try group.waitForCommit()
      return try result.get()
    }
  }

  /// Writes, for the holder of the turn. The turn is passed on before the commit. Where an engine lets the next transaction begin
  /// while a commit waits for the disk, the next one begins. Where commits wait for nothing, a thread passes the turn on after
  /// the commit. The next writer then does not wait a second time, for the engine's own lock. A task passes it on before the
  /// commit, because its thread takes up the next work when it is done.
  ///
  /// - Parameter timeout: The seconds left to wait for writers of other stores and processes.
  func write<R>(inTurn timeout: Double, _ mode: WriteMode, _ body: (WriteTransaction) throws -> R) throws -> R {
    let pipeline = pipeline
    let begun: any BackendWriteTransaction
    let capture = pipeline.demand
    let leavesLate = pipeline.commitsAtOnce && !mode.isOnWriterThread
    // After everything that the transaction does at its end, such as a rollback.
    defer { if leavesLate { pipeline.writers.leave() } }
    do {
      begun = try pipeline.beginWrite(WriteOptions(capture: capture, timeout: timeout))
    } catch {
      if !leavesLate { pipeline.writers.leave() }
      // The engine knows only the time that was left when the turn came.
      if let patience = mode.patience, error.isWait(timeout) {
        throw StorageError.busy(patience)
      }
      throw error
    }
    let sharesCommits = pipeline.sharesCommits
    if sharesCommits, pipeline.commitsUnderWay.load(ordering: .relaxed) > 0 {
      pipeline.overlapsCommits.store(true, ordering: .relaxed)
    }
    let ticket = pipeline.observation.begin()
    let transaction = WriteTransaction(context, begun)
    pipeline.prepareParts(of: transaction)
    defer { transaction.end() }
    let result: R
    let start = sharesCommits && mode.sharesCommit ? ContinuousClock.now : nil
    var group: CommitGroup?
    do {
      defer { if !leavesLate { pipeline.writers.leave() } }
      try checkBindings(begun)
      result = try TransactionFrame.with(identity, transaction) { try body(transaction) }
      try transaction.finish()
      try pipeline.prepare(begun, of: transaction)
      if let start, transaction.allowsFollowers, pipeline.writers.hasFollower {
        let shared = CommitGroup(begun, until: start + pipeline.writers.timeForFollowers)
        handOn(shared, isOnWriterThread: mode.isOnWriterThread)
        shared.waitForReturn()
        group = shared
      }
    } catch {
      pipeline.observation.abandon(ticket)
      throw error
    }
    if sharesCommits { pipeline.commitsUnderWay.add(1, ordering: .relaxed) }
    defer { if sharesCommits { pipeline.commitsUnderWay.subtract(1, ordering: .relaxed) } }
    do throws(StorageError) {
      try pipeline.commit(ticket, capture, withoutNotifying: mode.muted) { () throws(StorageError) in
        guard let failure = group?.failure else { return try transaction.writer.commit() }
        begun.rollback()
        throw failure
      }
    } catch {
      group?.end(error)
      throw error
    }
    group?.end(nil)
    return result
  }

  /// Runs a body as a follower's part, in the savepoint that was created for it if it needs one.
  func part<R>(of group: CommitGroup, _ body: (WriteTransaction) throws -> R) -> Result<R, any Error> {
    let transaction = WriteTransaction(context, group.engine)
    pipeline.prepareParts(of: transaction)
    let result = Result {
      let result = try TransactionFrame.with(identity, transaction) { try body(transaction) }
      try transaction.finish()
      do throws(StorageError) {
        try pipeline.prepare(group.engine, of: transaction)
      } catch {
        // What the participants have been shown is not taken back.
        group.fail(error)
        throw error
      }
      return result
    }
    switch result {
    case .success: group.endPart(transaction, nil)
    case .failure(let error): group.endPart(transaction, error)
    }
    return result
  }

  /// Hands this thread's transaction to the next waiting follower, or back to the leader.
  ///
  /// On a thread that may run them, the bodies of tasks run at once, so that the transaction does not change threads.
  private func handOn(_ group: CommitGroup, isOnWriterThread: Bool) {
    while let follower = group.next(in: pipeline.writers) {
      if follower(.success(.part(group)), isOnWriterThread) { return }
    }
    group.giveBack()
  }

  // MARK: Tasks

  /// Writes on a thread of its own. See ``write(inTurn:_:_:)``.
  func queuedWrite<R>(
    _ body: TransferBox<(WriteTransaction) throws -> R>, _ timeout: Double?, _ mode: WriteMode = WriteMode()
  ) async throws -> TransferBox<R> {
    try Task.checkCancellation()
    try checkOpen()
    try checkWritable()
    let pending = CancellableJob<(WriteTransaction) throws -> R, R>(body)
    var mode = mode
    mode.isOnWriterThread = true
    mode.patience = timeout ?? busyTimeout
    return try await pending.result { [mode] in queue(pending, timeout ?? busyTimeout, mode) }
  }

  /// Takes a place in the writer queue for the work of a task.
  private func queue<R>(
    _ pending: CancellableJob<(WriteTransaction) throws -> R, R>, _ timeout: Double, _ mode: WriteMode
  ) {
    if pipeline.isConcurrent { return concurrentWrite(pending, timeout, mode) }
    let place = pipeline.writers.enter(
      timeout, isAlone: !mode.sharesCommit, isSingleStatement: mode.isSingleStatement
    ) { [self] answer, isOnWriterThread in
      switch answer {
      case .failure(let error):
        pending.giveUp(error)
      case .success(.turn(let left)):
        pipeline.writerThreads.run { [self] in
          let isDone = pending.begin { body in try write(inTurn: left, mode, body) }
          if !isDone { pipeline.writers.leave() }
        }
      case .success(.part(let group)):
        if isOnWriterThread {
          part(of: group, pending)
          return false
        }
        pipeline.writerThreads.run { [self] in
          part(of: group, pending)
          handOn(group, isOnWriterThread: true)
        }
      }
      return true
    }
    if let place { pending.whenCancelled { [pipeline] in pipeline.writers.giveUp(place) } }
  }

  /// Does the work of a task as a follower's part; the task continues when the commit is over.
  private func part<R>(of group: CommitGroup, _ pending: CancellableJob<(WriteTransaction) throws -> R, R>) {
    if let end = pending.start({ body in part(of: group, body) }) {
      group.whenOver(end)
    } else {
      group.endEmptyPart()
    }
  }
}
