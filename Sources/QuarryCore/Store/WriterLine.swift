import Dispatch
import QuarryBackend
import Synchronization

/// The line in which the writers of a store wait: threads and tasks, in the order of their calls, each so long and no
/// longer.
///
/// Who has the turn begins its transaction and runs its body. It may take those who wait behind it into its transaction, so
/// that they share its commit: see ``CommitGroup``. It gives the turn on before it commits, so that the next
/// one builds on what is being brought to the disk where the engine lets it: what keeps two transactions apart is the
/// engine's own lock, at which one waits at most.
///
/// Without others a turn costs two compare-and-swaps.
///
/// Where turns are short, waking a thread takes several times as long as what it waits for. There the first of the line looks
/// for its turn for some microseconds before it sleeps, and who gives the turn on wakes the one behind: it is awake when the
/// one before it is done. The order of turns is the same.
final class WriterLine: Sendable {
  /// What a writer waits for.
  enum Admission {
    /// The turn, with the seconds that are left of its time.
    case turn(Double)
    /// A part of the transaction of who has the turn.
    case part(CommitGroup)
  }

  /// What a writer hears at the end of its wait.
  typealias Answer = Result<Admission, StorageError>

  /// Hears the answer, and whether this thread is one on which the bodies of tasks may run.
  ///
  /// - Returns: Whether the writer goes on on another thread. Else what it wanted is done.
  typealias Hearer = @Sendable (Answer, _ isOnWriterThread: Bool) -> Bool

  /// Who has the turn.
  private enum Turn {
    static let nobody = 0
    static let somebody = 1
    /// Somebody, who gives it on to the first of the line. Changed by who holds the lock of `state` only.
    static let somebodyBeforeOthers = 2
  }

  /// A place in the line.
  final class Place: @unchecked Sendable {
    // Unchecked: `hearer` is read and taken away under the lock of the line.
    let seconds: Double
    /// Nil without a timeout.
    let deadline: ContinuousClock.Instant?
    /// Whether the writer shares its commit with nobody.
    let isAlone: Bool
    /// Whether what it writes is one call, which is all or nothing by itself.
    let isOneCall: Bool
    /// The thread that waits, if it is one.
    fileprivate let thread: ThreadWait?
    /// Nil when the wait is over.
    fileprivate var hearer: Hearer?

    fileprivate init(
      _ seconds: Double, isAlone: Bool, isOneCall: Bool, _ thread: ThreadWait?, _ hearer: @escaping Hearer
    ) {
      self.seconds = seconds
      self.isAlone = isAlone
      self.isOneCall = isOneCall
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
    /// Places, from `first` on; those whose wait is over stay until they are come to, or are many.
    var places: [Place] = []
    var first = 0
    /// How many there are whose wait is over.
    var ended = 0
    var isClosed = false
    /// How many writers have taken a place so far.
    var joined = 0
    /// When the next look for writers without a thread is due whose time is over.
    var nextLook: ContinuousClock.Instant?

    /// Ends a wait.
    mutating func end(_ place: Place) -> Hearer? {
      guard let hearer = place.hearer else { return nil }
      place.hearer = nil
      ended += 1
      if ended > 32, ended > (places.count - first) / 2 { clear() }
      return hearer
    }

    /// The first whose wait is not over.
    mutating func head() -> Place? {
      while first < places.count {
        if places[first].hearer != nil { return places[first] }
        first += 1
        ended -= 1
      }
      clear()
      return nil
    }

    /// Takes the first whose wait is not over out of the line.
    mutating func next() -> (Place, Hearer)? {
      guard let place = head(), let hearer = place.hearer else { return nil }
      place.hearer = nil
      first += 1
      if first > 32, first > places.count / 2 { clear() }
      return (place, hearer)
    }

    /// The first, if it shares its commit.
    mutating func follower() -> Place? { head().flatMap { $0.isAlone ? nil : $0 } }

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

  /// - Parameter hasShortTurns: Whether turns are expected to take microseconds.
  init(hasShortTurns: Bool = false) {
    patience = SpinPatience(isPossible: hasShortTurns)
  }

  // MARK: Waiting

  /// Waits for the turn on this thread.
  ///
  /// - Parameters:
  ///   - isAlone: Whether the writer is to have the turn, and no part of another's transaction.
  ///   - isOneCall: Whether what it writes is one call, which is all or nothing by itself.
  ///   - part: Does the writer's part of a transaction, on the thread that has it. Then a part is given when the commit
  ///     is over, so that this thread is woken once; nil where it is to be done on this thread.
  /// - Throws: `busy` when the time is over, `closed`.
  func enter(
    _ seconds: Double, isAlone: Bool = false, isOneCall: Bool = false, part: (@Sendable (CommitGroup) -> Void)? = nil
  ) throws(StorageError) -> Admission {
    if take() { return .turn(seconds) }
    let wait = ThreadWait(patience)
    let hearer: Hearer = { answer, _ in
      if let part, case .success(.part(let group)) = answer {
        part(group)
        group.whenOver { _ in wait.end(answer) }
        return false
      }
      wait.end(answer)
      return true
    }
    guard let place = try join(seconds, isAlone, isOneCall, wait, hearer) else { return .turn(seconds) }
    if let answer = wait.answer(until: place.deadline) { return try answer.get() }
    if state.withLock({ $0.end(place) }) != nil { return try place.busy.get() }
    // The answer came at the last moment.
    return try wait.answer().get()
  }

  /// Asks for the turn without a thread that waits.
  ///
  /// - Parameters:
  ///   - isAlone: Whether the writer is to have the turn, and no part of another's transaction.
  ///   - isOneCall: Whether what it writes is one call, which is all or nothing by itself.
  ///   - hearer: Is called once, before the return or later on any thread, unless the place is given up.
  /// - Returns: The place, or nil when there is no wait.
  func enter(
    _ seconds: Double, isAlone: Bool = false, isOneCall: Bool = false, _ hearer: @escaping Hearer
  ) -> Place? {
    do throws(StorageError) {
      if !take(), let place = try join(seconds, isAlone, isOneCall, nil, hearer) { return place }
      _ = hearer(.success(.turn(seconds)), false)
    } catch {
      _ = hearer(.failure(error), false)
    }
    return nil
  }

  /// Ends a wait without an answer, if it is not over.
  func giveUp(_ place: Place) {
    _ = state.withLock { $0.end(place) }
  }

  private func take() -> Bool {
    turn.compareExchange(expected: Turn.nobody, desired: Turn.somebody, ordering: .acquiring).exchanged
  }

  /// A place at the end of the line, or nil when the turn is the caller's already.
  private func join(
    _ seconds: Double, _ isAlone: Bool, _ isOneCall: Bool, _ thread: ThreadWait?, _ hearer: @escaping Hearer
  ) throws(StorageError) -> Place? {
    let place = Place(seconds > 0 ? seconds : 0, isAlone: isAlone, isOneCall: isOneCall, thread, hearer)
    let result: Result<Place?, StorageError> = state.withLock { state in
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

  // MARK: Going on

  /// Gives the turn on.
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

  /// For how long followers are let in, in nanoseconds.
  private let sharingTime = Atomic(Int64(CommitGroup.time / .nanoseconds(1)))

  /// For how long a leader lets followers in, from the begin of its body on: ``CommitGroup/time`` unless it was set.
  var timeForFollowers: Duration {
    get { .nanoseconds(sharingTime.load(ordering: .relaxed)) }
    set { sharingTime.store(Int64(newValue / .nanoseconds(1)), ordering: .relaxed) }
  }

  /// How many writers have had to wait since the line was made.
  var joined: Int { state.withLock { $0.joined } }

  /// Whether somebody has the turn.
  var isTaken: Bool { turn.load(ordering: .relaxed) != Turn.nobody }

  /// Whether the first of the line may be taken by ``takeFollower(isOneCall:)``. Only who has the turn asks; where nobody
  /// waits, which is one read of memory, there is none.
  var hasFollower: Bool { followerIsOneCall != nil }

  /// Whether what the first of the line writes is one call; nil where it may not be taken. As ``hasFollower``.
  var followerIsOneCall: Bool? {
    guard turn.load(ordering: .relaxed) == Turn.somebodyBeforeOthers else { return nil }
    return state.withLock { $0.follower()?.isOneCall }
  }

  /// Takes the first of the line out of it, for a part in the transaction of who has the turn, if it shares its commit.
  ///
  /// - Parameter isOneCall: What it is to be, which nobody else is taken in place of; nil for either.
  func takeFollower(isOneCall: Bool? = nil) -> Hearer? {
    state.withLock { state in
      guard let follower = state.follower(), isOneCall == nil || follower.isOneCall == isOneCall else { return nil }
      return state.next()?.1
    }
  }

  /// Tells all who wait, and all who come, that the store is closed.
  func close() {
    let hearers = state.withLock { state in
      state.isClosed = true
      var hearers: [Hearer] = []
      for place in Array(state.places) { if let hearer = state.end(place) { hearers.append(hearer) } }
      return hearers
    }
    for hearer in hearers { _ = hearer(.failure(StorageError.storeClosed), false) }
  }

  // MARK: Time

  /// Plans a look at who waits without a thread.
  private func lookAgain(_ state: inout State, at deadline: ContinuousClock.Instant) {
    if let next = state.nextLook, next <= deadline { return }
    state.nextLook = deadline
    DispatchQueue.global().asyncAfter(deadline: .now() + max(0, (deadline - .now) / .seconds(1))) { [weak self] in
      self?.look()
    }
  }

  /// Tells those whose time is over. Threads look for themselves; here it does no harm to be quicker.
  private func look() {
    let late = state.withLock { state in
      let now = ContinuousClock.now
      var late: [(Place, Hearer)] = []
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
