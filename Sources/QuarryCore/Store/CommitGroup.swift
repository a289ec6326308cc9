import Dispatch
import QuarryBackend
import Synchronization

/// A write transaction of the engine that several writers share, and with it the wait for the disk.
///
/// Its *leader* has begun it and will commit it, on one thread, as engines want it. The bodies of the others, its
/// *followers*, run in a savepoint each, one after the other, each on its own thread. Whoever has run a body hands the
/// transaction to the next who waits, and the last one back to the leader; at any time one thread has it. All of them,
/// also those whose bodies threw, hear how the commit ended before their calls return.
///
/// Unchecked because `engine` and the variables beside it are used only by who has the transaction, which changes hands
/// under a lock.
final class CommitGroup: @unchecked Sendable {
  /// For how long followers are let in as a rule, from the begin of the leader's body on: about as long as a slow disk takes, so
  /// that nobody waits much longer for others than for that. Bodies that take longer would gain nothing either. A
  /// caller is in a group once, because its call returns after the commit.
  static let time = Duration.milliseconds(5)

  let engine: any BackendWriteTransaction
  private let end: ContinuousClock.Instant
  private var isFull = false
  /// Whether the part that is being done has a savepoint.
  private var hasSavepoint = false
  /// Why nothing but the rollback of all can follow.
  private(set) var failure: StorageError?

  private struct State {
    /// Nil until the commit is over; then its error, if it has one.
    var outcome: StorageError??
    var waiting: [@Sendable (StorageError?) -> Void] = []
  }

  private let state = Mutex(State())
  private let back = DispatchSemaphore(value: 0)
  /// What threads wait for, all of them at once, so that the leader wakes them by one call of the system: it is left when
  /// the commit is over. The leader always comes to that, for Dispatch ends the process where a group goes before.
  private let isOver = DispatchGroup()

  /// - Parameter end: When followers are no longer let in.
  init(_ engine: any BackendWriteTransaction, until end: ContinuousClock.Instant) {
    self.engine = engine
    self.end = end
    isOver.enter()
  }

  // MARK: Who has the transaction

  /// Takes the next follower out of the line, with a savepoint for its body if it needs one; nil when there is none.
  func next(in line: WriterLine) -> WriterLine.Hearer? {
    while failure == nil, !isFull, ContinuousClock.now < end, let isOneCall = line.followerIsOneCall {
      // Where there can be none, followers wait for turns of their own, and the commit tells what is wrong.
      if !isOneCall { do throws(StorageError) { try engine.savepoint() } catch { return nil } }
      hasSavepoint = !isOneCall
      if let follower = line.takeFollower(isOneCall: isOneCall) { return follower }
      // It has given up meanwhile.
      endEmptyPart()
    }
    return nil
  }

  /// Ends a follower's part. After this its transaction takes no calls.
  ///
  /// - Parameter error: What the body has thrown, which is undone then.
  func endPart(_ transaction: WriteTransaction, _ error: (any Error)?) {
    if let failure = transaction.leave() { fail(failure) }
    if !transaction.allowsFollowers { isFull = true }
    if failure == nil { endSavepoint(error) }
  }

  /// Ends the part of one that has given up before its body began.
  func endEmptyPart() { endSavepoint(nil) }

  private func endSavepoint(_ thrown: (any Error)?) {
    if !hasSavepoint, thrown == nil { return }
    do throws(StorageError) {
      // A call that threw has left nothing behind. Whether it has left a transaction is seen where the next one begins.
      if !hasSavepoint { try engine.savepoint() }
      if !hasSavepoint || thrown == nil { try engine.releaseSavepoint() } else { try engine.rollbackSavepoint() }
    } catch {
      // Where the engine has ended the transaction, for a full disk for example, the body was told why.
      fail(error.code == .transactionEnded ? thrown as? StorageError ?? error : error)
    }
  }

  private func fail(_ error: StorageError) {
    if failure == nil { failure = error }
  }

  /// Hands the transaction back to the leader, for the commit.
  func giveBack() { back.signal() }

  /// Waits until the transaction is handed back. Only for the leader.
  func waitForReturn() { back.wait() }

  // MARK: The commit

  /// Tells all followers how the commit has ended. Only for the leader.
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
  /// - Throws: What the commit has thrown.
  func waitForCommit() throws(StorageError) {
    isOver.wait()
    if let error = state.withLock({ $0.outcome ?? nil }) { throw error }
  }
}
