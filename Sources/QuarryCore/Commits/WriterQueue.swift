import Dispatch
import QuarryBackend
import Synchronization

/// The queue in which the writers of a store wait: threads and tasks, in the order of their calls, each at most its own timeout.
///
/// The writer that holds the turn begins its transaction and runs its body. It may take the writers waiting behind it into its
/// transaction, so that they share its commit: see ``CommitGroup``. It passes the turn on before it commits. Where the engine
/// permits it, the next transaction then builds on the one that is being written to disk. Only the engine's own lock separates
/// two transactions, and at most one writer waits at it.
///
/// Without contention a turn costs two compare-and-swaps.
///
/// When turns are short, waking a thread takes several times as long as the wait itself. The first waiter then spins for some
/// microseconds before it sleeps. Passing the turn on wakes the waiter behind the new holder, so that it is awake when the new
/// holder is done. The order of turns stays the same.
final class WriterQueue: Sendable {
  /// The admission that a writer waits for.
  enum Admission {
    /// The turn, with the seconds left of the writer's timeout.
    case turn(Double)
    /// A part of the transaction of the writer that holds the turn.
    case part(CommitGroup)
  }

  /// The result that a writer receives at the end of its wait.
  typealias Answer = Result<Admission, StorageError>

  /// Receives the answer, and whether this thread is one on which the bodies of tasks may run.
  ///
  /// - Returns: Whether the writer continues on another thread; false if its work is complete.
  typealias Waiter = @Sendable (Answer, _ isOnWriterThread: Bool) -> Bool

  /// The states of the turn.
  private enum Turn {
    static let nobody = 0
    static let somebody = 1
    /// Held, and passed on to the first writer of the queue. Changed only under the lock of `state`.
    static let somebodyBeforeOthers = 2
  }

  /// A place in the queue.
  final class Ticket: @unchecked Sendable {
    // Unchecked: `hearer` is read and removed under the lock of the queue.
    let seconds: Double
    /// Nil without a timeout.
    let deadline: ContinuousClock.Instant?
    /// Whether the writer refuses to share its commit.
    let isAlone: Bool
    /// Whether the write is a single call, which is atomic by itself.
    let isSingleStatement: Bool
    /// The waiting thread; nil if a task waits.
    fileprivate let thread: ParkedThread?
    /// Nil when the wait is over.
    fileprivate var hearer: Waiter?

    fileprivate init(
      _ seconds: Double, isAlone: Bool, isSingleStatement: Bool, _ thread: ParkedThread?, _ hearer: @escaping Waiter
    ) {
      self.seconds = seconds
      self.isAlone = isAlone
      self.isSingleStatement = isSingleStatement
      self.thread = thread
      self.hearer = hearer
      deadline = Deadline(after: seconds).instant
    }

    fileprivate var left: Double {
      guard let deadline else { return seconds }
      return max(0, (deadline - .now) / .seconds(1))
    }

    fileprivate var busy: Answer { .failure(StorageError.busy(seconds)) }
  }

  private struct State {
    /// Places, from `first` on. Places whose wait is over stay until their turn comes, or until there are many of them.
    var places: [Ticket] = []
    var first = 0
    /// The number of places whose wait is over.
    var ended = 0
    var isClosed = false
    /// The number of writers that have taken a place so far.
    var joined = 0
    /// When the next timeout check for writers without a thread is due.
    var nextLook: ContinuousClock.Instant?

    /// Ends a wait.
    mutating func end(_ place: Ticket) -> Waiter? {
      guard let hearer = place.hearer else { return nil }
      place.hearer = nil
      ended += 1
      if ended > 32, ended > (places.count - first) / 2 { clear() }
      return hearer
    }

    /// The first place whose wait is not over.
    mutating func head() -> Ticket? {
      while first < places.count {
        if places[first].hearer != nil { return places[first] }
        first += 1
        ended -= 1
      }
      clear()
      return nil
    }

    /// Removes the first place whose wait is not over from the queue.
    mutating func next() -> (Ticket, Waiter)? {
      guard let place = head(), let hearer = place.hearer else { return nil }
      place.hearer = nil
      first += 1
      if first > 32, first > places.count / 2 { clear() }
      return (place, hearer)
    }

    /// The first place, if it shares its commit.
    mutating func follower() -> Ticket? { head().flatMap { $0.isAlone ? nil : $0 } }

    private mutating func clear() {
      places.removeFirst(first)
      places.removeAll { $0.hearer == nil }
      first = 0
      ended = 0
    }
  }

  private let turn = Atomic(Turn.nobody)
  private let state = Mutex(State())
  private let patience: SpinPatience
  /// Receives how long writers have waited.
  private let reporter: (any StoreReporter)?

  /// - Parameters:
  ///   - hasShortTurns: Whether turns are expected to take microseconds.
  ///   - reporter: Receives how long each writer that had to wait has waited.
  init(hasShortTurns: Bool = false, reporter: (any StoreReporter)? = nil) {
    patience = SpinPatience(isPossible: hasShortTurns)
    self.reporter = reporter
  }

  // MARK: Waiting

  /// Waits for the turn on this thread.
  ///
  /// - Parameters:
  ///   - isAlone: Whether the writer needs a turn of its own and takes no part in another writer's transaction.
  ///   - isSingleStatement: Whether the write is a single call, which is atomic by itself.
  ///   - part: Does the writer's part of a transaction, on the thread that has the transaction. The admission is then delivered
  ///     when the commit is over, so that this thread is woken once. Nil if this thread does the part itself.
  /// - Throws: `busy` when the time is over, `closed`.
  func enter(
    _ seconds: Double, isAlone: Bool = false, isSingleStatement: Bool = false,
    part: (@Sendable (CommitGroup) -> Void)? = nil
  ) throws(StorageError) -> Admission {
    if take() { return .turn(seconds) }
    let wait = ParkedThread(patience)
    let hearer: Waiter = { answer, _ in
      if let part, case .success(.part(let group)) = answer {
        part(group)
        group.whenOver { _ in wait.end(answer) }
        return false
      }
      wait.end(answer)
      return true
    }
    guard let place = try join(seconds, isAlone, isSingleStatement, wait, hearer) else { return .turn(seconds) }
    if let answer = wait.answer(until: place.deadline) { return try answer.get() }
    if state.withLock({ $0.end(place) }) != nil {
      reporter?.report(.waited(.turn, seconds: place.seconds))
      return try place.busy.get()
    }
    // The answer came at the last moment.
    return try wait.answer().get()
  }

  /// Requests the turn without a waiting thread.
  ///
  /// - Parameters:
  ///   - isAlone: Whether the writer needs a turn of its own and takes no part in another writer's transaction.
  ///   - isSingleStatement: Whether the write is a single call, which is atomic by itself.
  ///   - hearer: Called once, before the return or later on any thread, unless the place is given up.
  /// - Returns: The place, or nil when there is no wait.
  func enter(
    _ seconds: Double, isAlone: Bool = false, isSingleStatement: Bool = false, _ hearer: @escaping Waiter
  ) -> Ticket? {
    do throws(StorageError) {
      if !take(), let place = try join(seconds, isAlone, isSingleStatement, nil, hearer) { return place }
      _ = hearer(.success(.turn(seconds)), false)
    } catch {
      _ = hearer(.failure(error), false)
    }
    return nil
  }

  /// Ends a wait without an answer, unless it is over already.
  func giveUp(_ place: Ticket) {
    _ = state.withLock { $0.end(place) }
  }

  private func take() -> Bool {
    turn.compareExchange(expected: Turn.nobody, desired: Turn.somebody, ordering: .acquiring).exchanged
  }

  /// A place at the end of the queue, or nil when the caller already holds the turn.
  private func join(
    _ seconds: Double, _ isAlone: Bool, _ isSingleStatement: Bool, _ thread: ParkedThread?, _ hearer: @escaping Waiter
  ) throws(StorageError) -> Ticket? {
    let place = Ticket(
      seconds > 0 ? seconds : 0, isAlone: isAlone, isSingleStatement: isSingleStatement, thread, reporting(hearer))
    let result: Result<Ticket?, StorageError> = state.withLock { state in
      if state.isClosed { return .failure(StorageError.storeClosed) }
      while true {
        if take() { return .success(nil) }
        let isMarked = turn.compareExchange(
          expected: Turn.somebody, desired: Turn.somebodyBeforeOthers, ordering: .relaxed)
        if isMarked.exchanged || isMarked.original == Turn.somebodyBeforeOthers { break }
      }
      if !(seconds > 0) { return .failure(StorageError.busy(0)) }
      if patience.isPossible, state.head() == nil { thread?.isNext() }
      state.places.append(place)
      state.joined += 1
      if thread == nil, let deadline = place.deadline { lookAgain(&state, at: deadline) }
      return .success(place)
    }
    return try result.get()
  }

  /// A hearer that reports how long it has waited.
  private func reporting(_ hearer: @escaping Waiter) -> Waiter {
    guard let reporter else { return hearer }
    let start = ContinuousClock.now
    return { answer, isOnWriterThread in
      reporter.report(.waited(.turn, seconds: (ContinuousClock.now - start) / .seconds(1)))
      return hearer(answer, isOnWriterThread)
    }
  }

  // MARK: Continuing

  /// Passes the turn on.
  func leave() {
    if turn.compareExchange(expected: Turn.somebody, desired: Turn.nobody, ordering: .releasing).exchanged { return }
    let (next, behind) = state.withLock { state in
      let next = state.next()
      if next == nil { turn.store(Turn.nobody, ordering: .releasing) }
      return (next, patience.isLeft && next != nil ? state.head()?.thread : nil)
    }
    if let (place, hearer) = next { _ = hearer(.success(.turn(place.left)), false) }
    behind?.wake()
  }

  // MARK: Sharing the turn

  /// How long followers are admitted, in nanoseconds.
  private let sharingTime = Atomic(Int64(CommitGroup.time / .nanoseconds(1)))

  /// How long a leader admits followers, counted from the start of its body: ``CommitGroup/time`` unless it was set.
  var timeForFollowers: Duration {
    get { .nanoseconds(sharingTime.load(ordering: .relaxed)) }
    set { sharingTime.store(Int64(newValue / .nanoseconds(1)), ordering: .relaxed) }
  }

  /// The number of writers that have had to wait since the queue was created.
  var joined: Int { state.withLock { $0.joined } }

  /// Whether a writer holds the turn.
  var isTaken: Bool { turn.load(ordering: .relaxed) != Turn.nobody }

  /// Whether ``takeFollower(isSingleStatement:)`` may take the first writer of the queue. Only the holder of the turn asks. Without
  /// waiting writers the answer is false and costs one memory read.
  var hasFollower: Bool { followerIsOneCall != nil }

  /// Whether the first writer of the queue writes a single call; nil if it may not be taken. Conditions as for ``hasFollower``.
  var followerIsOneCall: Bool? {
    guard turn.load(ordering: .relaxed) == Turn.somebodyBeforeOthers else { return nil }
    return state.withLock { $0.follower()?.isSingleStatement }
  }

  /// Removes the first writer from the queue for a part in the turn holder's transaction, if that writer shares its commit.
  ///
  /// - Parameter isSingleStatement: The kind that the first writer must have, or none is taken; nil for either kind.
  func takeFollower(isSingleStatement: Bool? = nil) -> Waiter? {
    state.withLock { state in
      guard let follower = state.follower(), isSingleStatement == nil || follower.isSingleStatement == isSingleStatement
      else { return nil }
      return state.next()?.1
    }
  }

  /// Notifies all waiting and later writers that the store is closed.
  func close() {
    let hearers = state.withLock { state in
      state.isClosed = true
      var hearers: [Waiter] = []
      for place in Array(state.places) { if let hearer = state.end(place) { hearers.append(hearer) } }
      return hearers
    }
    for hearer in hearers { _ = hearer(.failure(StorageError.storeClosed), false) }
  }

  // MARK: Time

  /// Schedules a timeout check for writers without a thread.
  private func lookAgain(_ state: inout State, at deadline: ContinuousClock.Instant) {
    if let next = state.nextLook, next <= deadline { return }
    state.nextLook = deadline
    DispatchQueue.global().asyncAfter(deadline: .now() + max(0, (deadline - .now) / .seconds(1))) { [weak self] in
      self?.look()
    }
  }

  /// Notifies writers whose time is over. Threads also check by themselves; being quicker here does no harm.
  private func look() {
    let late = state.withLock { state in
      let now = ContinuousClock.now
      var late: [(Ticket, Waiter)] = []
      var next: ContinuousClock.Instant?
      for place in Array(state.places) where place.hearer != nil {
        guard let deadline = place.deadline else { continue }
        if deadline > now {
          next = min(next ?? deadline, deadline)
        } else if let hearer = state.end(place) {
          late.append((place, hearer))
        }
      }
      state.nextLook = nil
      if let next { lookAgain(&state, at: next) }
      return late
    }
    for (place, hearer) in late { _ = hearer(place.busy, false) }
  }
}
