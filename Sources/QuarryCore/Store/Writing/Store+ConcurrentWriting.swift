import QuarryBackend

// Transactions on an engine with many writers. They begin at once, and only the engine separates them. A transaction that
// conflicts is run again from its beginning, whichever call has reported the conflict.

extension Store {
  /// Writes, and runs the write again when it conflicts with another one.
  ///
  /// - Parameter deadline: The end of the time that the write may take, whatever it waits for.
  /// - Throws: The last `conflict` when the attempts or the time are over.
  func write<R>(until deadline: Deadline, _ mode: WriteMode, _ body: (WriteTransaction) throws -> R) throws -> R {
    var schedule = RetrySchedule(until: deadline, retries: mode.retries, reporter: pipeline.reporter)
    var last: StorageError?
    while true {
      do {
        // Every recorded write changes the end of a log: side by side they would conflict.
        let isRecorded = pipeline.recorder.isOn || pipeline.keeping.isOn
        guard schedule.isInLine || isRecorded else { return try attempt(schedule, mode, body) }
        do {
          _ = try pipeline.writers.enter(deadline.secondsLeft, isAlone: true)
        } catch {
          throw error.code == .busy ? last ?? error : error
        }
        defer { pipeline.writers.leave() }
        return try attempt(schedule, mode, body)
      } catch let conflict as CommitConflict {
        // What fills a new store comes from a reader that gives it once.
        guard conflict.isRepeatable, !isToFill, schedule.next() else { throw conflict.error }
        last = conflict.error
      } catch is EarlyCapture {
        continue
      }
    }
  }

  /// Sync was turned on for models after the write had asked which changes to capture, and before it began.
  private struct EarlyCapture: Error {}

  /// Writes once.
  ///
  /// - Throws: A ``CommitConflict`` for a conflict that the engine has reported, whatever the body has made of it.
  private func attempt<R>(
    _ schedule: RetrySchedule, _ mode: WriteMode, _ body: (WriteTransaction) throws -> R
  ) throws -> R {
    let capture = pipeline.demand
    let left = schedule.deadline.secondsLeft
    let begun: any BackendWriteTransaction
    do {
      // Filling a store changes its schema from the first call on.
      let options = WriteOptions(capture: capture, timeout: left, attempt: schedule.attempt, isSchemaChange: isToFill)
      begun = try pipeline.beginWrite(options)
    } catch {
      if error.code == .conflict { throw CommitConflict(error: error) }
      // The engine knows only the time that was left.
      if let patience = mode.patience, error.isWait(left) { throw StorageError.busy(patience) }
      throw error
    }
    let transaction = WriteTransaction(context, begun)
    pipeline.prepareParts(of: transaction)
    defer { transaction.end() }
    let result: R
    do {
      try checkBindings(begun)
      if pipeline.keeping.isOn, !capture.covers(pipeline.keeping.demand) { throw EarlyCapture() }
      result = try TransactionFrame.with(identity, transaction) { try body(transaction) }
      if let failure = begun.failure { throw failure }
      try transaction.finish()
      try pipeline.prepare(begun, of: transaction)
    } catch {
      guard let failure = begun.failure, failure.code == .conflict else { throw error }
      throw CommitConflict(error: failure, isRepeatable: mode.mayRepeat(transaction))
    }
    do throws(StorageError) {
      try pipeline.commit(nil, capture, withoutNotifying: mode.muted) { () throws(StorageError) in
        try transaction.writer.commit()
      }
    } catch {
      guard error.code == .conflict else { throw error }
      throw CommitConflict(error: error, isRepeatable: mode.mayRepeat(transaction))
    }
    return result
  }

  /// Writes on a thread of its own.
  func concurrentWrite<R>(
    _ pending: CancellableJob<(WriteTransaction) throws -> R, R>, _ timeout: Double, _ mode: WriteMode
  ) {
    let deadline = Deadline(after: timeout)
    pipeline.writerThreads.run { [self] in
      _ = pending.begin { body in try write(until: deadline, mode, body) }
    }
  }

  // MARK: Reads

  /// Reads in one committed state, and again when the read conflicts with a write.
  func readConcurrently<R>(_ body: (ReadTransaction) throws(StorageError) -> R) throws(StorageError) -> R {
    var schedule = RetrySchedule(until: Deadline(after: busyTimeout), of: .read, reporter: pipeline.reporter)
    while true {
      var conflict: StorageError?
      do throws(StorageError) {
        return try readOnce(&conflict, body)
      } catch {
        guard conflict != nil, schedule.next() else { throw conflict ?? error }
      }
    }
  }

  /// - Parameter conflict: Receives the conflict that the engine has reported.
  private func readOnce<R>(
    _ conflict: inout StorageError?, _ body: (ReadTransaction) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    let begun: any BackendReadTransaction
    do throws(StorageError) {
      begun = try backend.beginRead()
    } catch {
      if error.code == .conflict { conflict = error }
      throw error
    }
    let transaction = ReadTransaction(context, begun)
    defer { transaction.end() }
    do throws(StorageError) {
      try checkBindings(begun)
      let result = try TransactionFrame.with(identity, transaction) { () throws(StorageError) in try body(transaction) }
      if let failure = begun.failure { throw failure }
      return result
    } catch {
      if let failure = begun.failure, failure.code == .conflict { conflict = failure }
      throw error
    }
  }
}

extension Store.WriteMode {
  /// Whether the write may be run again after this transaction. A call whose sequence can be read only once may not, because the
  /// sequence has given its elements away.
  fileprivate func mayRepeat(_ transaction: WriteTransaction) -> Bool { !(isCall && transaction.hasReadSequence) }
}
