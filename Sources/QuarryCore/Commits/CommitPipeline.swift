package import QuarryBackend
import Synchronization

/// The one way of every transaction that writes: admission, body, preparation, commit, publication.
///
/// The engine decides the admission. With one writer at a time, writers wait in a queue and share commits
/// (`Store+QueuedWriting.swift`). With many writers, they begin at once, and those that conflict are run again
/// (`Store+ConcurrentWriting.swift`). Openings, migrations and copies, which have no store yet, call
/// ``transaction(_:_:)``, or ``begin(_:)`` and ``commit(_:)``.
package final class CommitPipeline: Sendable {
  let backend: any Backend
  /// The first participant, which has fast paths of its own: most writes have no observers.
  let observation: ObservationHub
  /// The participant that writes the log of change sets, where the store has one. Without a log a write checks one flag.
  let recorder = HistoryRecorder()
  /// The participant that keeps the records of a synced store. In a store that is not synced a write checks one flag.
  let keeping = CommitKeeping()
  /// The other participants, in their order.
  let others: [any CommitParticipant]
  /// Whether writers begin without waiting for each other.
  let isConcurrent: Bool
  /// Whether writers share commits: where there is one writer at a time and a commit waits for the disk.
  let sharesCommits: Bool
  /// Whether commits return without waiting: then no writer could work between the end of a body and the end of its commit.
  let commitsAtOnce: Bool
  /// The queue of writers; where there are many writers, of those that have conflicted several times.
  let writers: WriterQueue
  /// Commits that wait for the disk, of an engine that shares them.
  let commitsUnderWay = Atomic(0)
  /// Whether a transaction was seen to begin meanwhile.
  let overlapsCommits = Atomic(false)
  /// The threads on which writes of tasks run when it is their turn. There is more than one, because a commit may wait for the
  /// disk while the next writer is busy.
  let writerThreads = TransactionThreads(name: "quarry.writer", limit: 64)

  /// Receives what operators want to know: conflicts and waits.
  let reporter: (any StoreReporter)?
  private let search: SearchKeeping
  /// A version of the schema without searchable properties, so that without them this is the only check.
  private let plainSchema = Atomic<UInt64>(.max)

  /// The transactions that keep the indexes of words.
  enum SearchKeeping {
    /// None: the rows of the indexes come like all others, from a store that has them.
    case never
    /// Those that begin with searchable properties, or to change the schema.
    case whereSearched
    /// All, for a store whose models come in one of them.
    case always
  }

  package convenience init(_ backend: any Backend, participants: [any CommitParticipant] = []) {
    self.init(backend, participants: participants, search: .whereSearched)
  }

  init(
    _ backend: any Backend, participants: [any CommitParticipant] = [], search: SearchKeeping,
    reporter: (any StoreReporter)? = nil
  ) {
    let manifest = backend.manifest
    self.reporter = reporter
    self.search = search
    self.backend = backend
    observation = ObservationHub(manifest)
    others = participants
    isConcurrent = manifest.writers == .many
    sharesCommits =
      !isConcurrent && manifest.durability == .powerLoss && manifest.capabilities[.savepoints]?.isSupported == true
    commitsAtOnce = !isConcurrent && manifest.durability != .powerLoss
    writers = WriterQueue(hasShortTurns: commitsAtOnce, reporter: reporter)
  }

  // MARK: The steps

  /// Begins a transaction of the engine, which keeps the indexes of words.
  func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    let transaction = try backend.beginWrite(options)
    switch search {
    case .never: return transaction
    case .always: return WriterLayer(transaction, SearchHooks(transaction))
    case .whereSearched: break
    }
    if !options.isSchemaChange {
      if transaction.schemaVersion == plainSchema.load(ordering: .relaxed) { return transaction }
      let schema = transaction.schema
      guard schema.models.contains(where: { !$0.searchedSlots.isEmpty }) else {
        plainSchema.store(schema.version, ordering: .relaxed)
        return transaction
      }
    }
    return WriterLayer(transaction, SearchHooks(transaction))
  }

  /// The changes that a write has to capture for all participants.
  var demand: Capture {
    guard !others.isEmpty || recorder.isOn || keeping.isOn else { return observation.demand }
    var demand = observation.demand
    if demand.isNone, others.isEmpty, !keeping.isOn { return recorder.demand }
    if recorder.isOn { demand.merge(recorder.demand) }
    if keeping.isOn { demand.merge(keeping.demand) }
    for participant in others { demand.merge(participant.demand) }
    return demand
  }

  /// Lets the participants see the changes of a body that is over, and write in its transaction.
  ///
  /// - Parameter body: The transaction of the body; nil for one without a store.
  func prepare(_ transaction: any BackendWriteTransaction, of body: WriteTransaction? = nil) throws(StorageError) {
    guard !others.isEmpty || recorder.isOn || keeping.isOn else { return }
    // A transaction without a store fills or migrates one: its changes are found at the next opening.
    let isKept = keeping.isOn && body?.isMerge == false
    let captured: CapturedChanges
    if isKept || !others.isEmpty {
      var changes = try transaction.changes()
      for participant in others { try participant.prepare(changes, in: transaction) }
      if isKept {
        try keeping.prepare(changes, in: transaction)
        // What became visible again belongs to the same write.
        changes.merge(try transaction.changes())
      }
      captured = CapturedChanges(changes)
    } else {
      captured = try .taken(from: transaction)
    }
    guard recorder.isOn else { return }
    let part = body?.hasRecordedParts == true ? HistoryRecorder.Part.last : .only
    let position = try recorder.record(captured, author: body?.author, part: part, in: transaction)
    body?.recorded = position
  }

  /// Lets the recorder see the changes of a long body in parts. Other participants see those of a body at once.
  func prepareParts(of body: WriteTransaction) {
    if recorder.isOn, others.isEmpty, !keeping.isOn { body.recordInParts(recorder) }
  }

  /// Commits by the body, and publishes the result.
  ///
  /// - Parameters:
  ///   - ticket: The hub's ticket of the write: ``ObservationHub/begin()``.
  ///   - capture: The value of ``demand`` when the write began.
  ///   - muted: The feeds that are not notified.
  @discardableResult
  func commit(
    _ ticket: UInt64?, _ capture: Capture, withoutNotifying muted: Set<Int> = [],
    _ body: () throws(StorageError) -> CommitResult
  ) throws(StorageError) -> CommitVersion {
    let result = try observation.commit(ticket, capture, withoutNotifying: muted, body)
    if !others.isEmpty { for participant in others { participant.publish(result) } }
    return result.version
  }

  // MARK: Transactions without a store

  /// The end of a transaction whose body has thrown nothing.
  enum Ending<R> {
    case commit(R), rollback(R)
  }

  /// Runs the body in a transaction of the engine, and commits what it has written.
  ///
  /// With many writers, a transaction that conflicts is run again.
  ///
  /// - Throws: The errors of the body and of the commit; nothing of the transaction is stored then.
  func transaction<R>(
    _ options: WriteOptions = WriteOptions(), _ body: (any BackendWriteTransaction) throws -> Ending<R>
  ) throws -> R {
    var schedule = RetrySchedule(
      until: Deadline(after: options.timeout ?? .infinity), retries: isConcurrent ? nil : 0, reporter: reporter)
    while true {
      do {
        return try attempt(options, schedule.attempt, body)
      } catch let conflict as CommitConflict {
        guard schedule.next() else { throw conflict.error }
      }
    }
  }

  private func attempt<R>(
    _ options: WriteOptions, _ attempt: Int, _ body: (any BackendWriteTransaction) throws -> Ending<R>
  ) throws -> R {
    var options = options
    options.attempt = attempt
    let write = try begin(options)
    do {
      switch try body(write.transaction) {
      case .rollback(let result):
        rollback(write)
        return result
      case .commit(let result):
        if let failure = write.transaction.failure { throw failure }
        try commit(write)
        return result
      }
    } catch {
      let failure = write.transaction.failure
      rollback(write)
      if isConcurrent, let failure, failure.code == .conflict { throw CommitConflict(error: failure) }
      throw error
    }
  }

  /// A transaction that a caller without a store has begun.
  final class OpenWrite {
    let transaction: any BackendWriteTransaction
    fileprivate let ticket: UInt64?
    fileprivate let capture: Capture
    fileprivate var hasEnded = false

    fileprivate init(_ transaction: any BackendWriteTransaction, _ ticket: UInt64?, _ capture: Capture) {
      self.transaction = transaction
      self.ticket = ticket
      self.capture = capture
    }
  }

  /// Begins a transaction that ``commit(_:)`` or ``rollback(_:)`` ends.
  ///
  /// - Throws: `busy`, `readOnly`, `closed`; where there are many writers a ``CommitConflict``, as ``commit(_:)``.
  func begin(_ options: WriteOptions = WriteOptions()) throws -> OpenWrite {
    var options = options
    options.capture = demand
    if !isConcurrent { _ = try writers.enter(.infinity, isAlone: true) }
    do {
      let transaction = try beginWrite(options)
      return OpenWrite(transaction, observation.begin(), options.capture)
    } catch {
      if !isConcurrent { writers.leave() }
      throw marked(error)
    }
  }

  /// Prepares and commits.
  ///
  /// - Returns: The version of the state that was made.
  @discardableResult
  func commit(_ write: OpenWrite) throws -> CommitVersion {
    guard !write.hasEnded else { throw StorageError.ended }
    defer { rollback(write) }
    try prepare(write.transaction)
    write.hasEnded = true
    defer { if !isConcurrent { writers.leave() } }
    do throws(StorageError) {
      return try commit(write.ticket, write.capture) { () throws(StorageError) in try write.transaction.commit() }
    } catch {
      throw marked(error)
    }
  }

  /// Undoes what was written, unless the transaction is over.
  func rollback(_ write: OpenWrite) {
    guard !write.hasEnded else { return }
    write.hasEnded = true
    write.transaction.rollback()
    observation.abandon(write.ticket)
    if !isConcurrent { writers.leave() }
  }

  private func marked(_ error: StorageError) -> any Error {
    isConcurrent && error.code == .conflict ? CommitConflict(error: error) : error
  }

  // MARK: Reads

  /// Runs a read of the engine, and again when it conflicts.
  func repeating<R>(
    for seconds: Double, _ body: () throws(StorageError) -> R
  ) throws(StorageError) -> R {
    guard isConcurrent else { return try body() }
    var schedule = RetrySchedule(until: Deadline(after: seconds), of: .read, reporter: reporter)
    while true {
      do throws(StorageError) {
        return try body()
      } catch {
        guard error.code == .conflict, schedule.next() else { throw error }
      }
    }
  }
}
