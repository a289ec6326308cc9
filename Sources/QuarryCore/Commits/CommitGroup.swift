import Dispatch
import QuarryBackend
import Synchronization

/// A write transaction of the engine that several writers share, together with the wait for the disk.
///
/// Its *leader* has begun it and will commit it, on one thread, as engines require. The bodies of the other writers, its
/// *followers*, run in a savepoint each, one after the other, each on its own thread. A thread that has run a body hands the
/// transaction to the next waiting follower, and the last one hands it back to the leader. At any time one thread has it. All
/// writers, including those whose bodies threw, receive the result of the commit before their calls return.
///
/// Unchecked because only the thread that has the transaction uses `engine` and the variables next to it; the transaction changes
/// hands under a lock.
final class CommitGroup: @unchecked Sendable {
  /// How long followers are admitted by default, from the start of the leader's body. It is about as long as a slow disk takes,
  /// so that no writer waits much longer for others than for the disk. Bodies that take longer would gain nothing either. A
  /// caller is in a group once, because its call returns after the commit.
  static let time = Duration.milliseconds(5)

  let engine: any BackendWriteTransaction
  private let end: ContinuousClock.Instant
  private var isFull = false
  /// Whether the current part has a savepoint.
  private var hasSavepoint = false
  /// Why only a rollback of the whole transaction can follow.
  private(set) var failure: StorageError?

  private struct State {
    /// Nil until the commit is over; then its error, if it has one.
    var outcome: StorageError??
    var waiting: [@Sendable (StorageError?) -> Void] = []
  }

  private let state = Mutex(State())
  private let back = DispatchSemaphore(value: 0)
  /// What all threads wait for, so that the leader wakes them with one system call: it is left when the commit is over. The
  /// leader always balances `enter()`; Dispatch traps otherwise.
  private let isOver = DispatchGroup()

  /// - Parameter end: When followers are no longer admitted.
  init(_ engine: any BackendWriteTransaction, until end: ContinuousClock.Instant) {
    self.engine = engine
    self.end = end
    isOver.enter()
  }

  // MARK: Ownership of the transaction

  /// Takes the next follower out of the queue, with a savepoint for its body if it needs one; nil when there is none.
  func next(in line: WriterQueue) -> WriterQueue.Waiter? {
    while failure == nil, !isFull, ContinuousClock.now < end, let isSingleStatement = line.followerIsOneCall {
      // Where no savepoint is possible, followers wait for turns of their own, and the commit reports the error.
      if !isSingleStatement { do throws(StorageError) { try engine.savepoint() } catch { return nil } }
      hasSavepoint = !isSingleStatement
      if let follower = line.takeFollower(isSingleStatement: isSingleStatement) { return follower }
      // The follower has given up meanwhile.
      endEmptyPart()
    }
    return nil
  }

  /// Ends a follower's part. After this its transaction takes no calls.
  ///
  /// - Parameter error: The error of the body, whose writes are then undone.
  func endPart(_ transaction: WriteTransaction, _ error: (any Error)?) {
    if let failure = transaction.leave() { fail(failure) }
    if !transaction.allowsFollowers { isFull = true }
    if failure == nil { endSavepoint(error) }
  }

  /// Ends the part of a follower that has given up before its body began.
  func endEmptyPart() { endSavepoint(nil) }

  private func endSavepoint(_ thrown: (any Error)?) {
    if !hasSavepoint, thrown == nil { return }
    do throws(StorageError) {
      // A call that threw has left nothing behind. Whether it has left a transaction shows when the next one begins.
      if !hasSavepoint { try engine.savepoint() }
      if !hasSavepoint || thrown == nil { try engine.releaseSavepoint() } else { try engine.rollbackSavepoint() }
    } catch {
      // Where the engine has ended the transaction, for a full disk for example, the body received the reason.
      fail(error.code == .transactionEnded ? thrown as? StorageError ?? error : error)
    }
  }

  /// Lets only a rollback of the whole transaction follow.
  func fail(_ error: StorageError) {
    if failure == nil { failure = error }
  }

  /// Hands the transaction back to the leader, for the commit.
  func giveBack() { back.signal() }

  /// Waits until the transaction is handed back. Only for the leader.
  func waitForReturn() { back.wait() }

  // MARK: The commit

  /// Notifies all followers of the commit's result. Only for the leader.
  func end(_ error: StorageError?) {
    let waiting = state.withLock { state in
      state.outcome = .some(error)
      defer { state.waiting = [] }
      return state.waiting
    }
    isOver.leave()
    for tell in waiting { tell(error) }
  }

  /// Calls the body when the commit is over, with its error.
  func whenOver(_ body: @escaping @Sendable (StorageError?) -> Void) {
    let outcome = state.withLock { state -> StorageError?? in
      if state.outcome == nil { state.waiting.append(body) }
      return state.outcome
    }
    if let outcome { body(outcome) }
  }

  /// Waits on this thread until the commit is over.
  ///
  /// - Throws: The error of the commit.
  func waitForCommit() throws(StorageError) {
    isOver.wait()
    if let error = state.withLock({ $0.outcome ?? nil }) { throw error }
  }
}
