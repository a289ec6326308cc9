import Dispatch
import QuarryBackend
import Synchronization

/// The line in which the writers of a store wait: threads and tasks, in the order of their calls, each so long and no
/// longer.
///
/// Who has the turn begins its transaction and runs its body. It gives the turn on before it commits, so that the next
/// one builds on what is being brought to the disk where the engine lets it: what keeps two transactions apart is the
/// engine's own lock, at which one waits at most.
///
/// Without others a turn costs two compare-and-swaps.
final class WriterLine: Sendable {
  /// What a writer hears at the end of its wait: the turn, with the seconds that are left of its time, or why it is not
  /// its turn.
  typealias Answer = Result<Double, StorageError>

  /// Who has the turn.
  private enum Turn {
    static let nobody = 0
    static let somebody = 1
    /// Somebody, who gives it on to the first of the line. Changed by who holds the lock of `state` only.
    static let somebodyBeforeOthers = 2
  }

  /// A place in the line.
  final class Place: @unchecked Sendable {
    // Unchecked: `answer` is read and taken away under the lock of the line.
    let seconds: Double
    /// Nil without a timeout.
    let deadline: ContinuousClock.Instant?
    /// Nil when the wait is over.
    fileprivate var answer: (@Sendable (Answer) -> Void)?

    fileprivate init(_ seconds: Double, _ answer: @escaping @Sendable (Answer) -> Void) {
      self.seconds = seconds
      self.answer = answer
      // Thirty years are for ever, and still less than what a clock can hold.
      deadline = seconds < 1e9 ? .now + .seconds(seconds) : nil
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
    /// When the next look for writers without a thread is due whose time is over.
    var nextLook: ContinuousClock.Instant?

    /// Ends a wait.
    mutating func end(_ place: Place) -> (@Sendable (Answer) -> Void)? {
      guard let answer = place.answer else { return nil }
      place.answer = nil
      ended += 1
      if ended > 32, ended > (places.count - first) / 2 { clear() }
      return answer
    }

    /// The first whose wait is not over.
    mutating func next() -> (Place, @Sendable (Answer) -> Void)? {
      while first < places.count {
        let place = places[first]
        first += 1
        if let answer = place.answer {
          place.answer = nil
          if first > 32, first > places.count / 2 { clear() }
          return (place, answer)
        }
        ended -= 1
      }
      clear()
      return nil
    }

    private mutating func clear() {
      places.removeFirst(first)
      places.removeAll { $0.answer == nil }
      first = 0
      ended = 0
    }
  }

  private let turn = Atomic(Turn.nobody)
  private let state = Mutex(State())

  // MARK: Waiting

  /// Waits for the turn on this thread.
  ///
  /// - Returns: The seconds that are left of the time.
  /// - Throws: `busy` when the time is over, `closed`.
  func enter(_ seconds: Double) throws(StorageError) -> Double {
    if take() { return seconds }
    let wait = ThreadWait()
    guard let place = try join(seconds, hasThread: true, { wait.end($0) }) else { return seconds }
    if let answer = wait.answer(until: place.deadline) { return try answer.get() }
    if state.withLock({ $0.end(place) }) != nil { return try place.busy.get() }
    // The answer came at the last moment.
    return try wait.answer().get()
  }

  /// Asks for the turn without a thread that waits.
  ///
  /// - Parameter answer: Is called once, before the return or later on any thread, unless the place is given up.
  /// - Returns: The place, or nil when there is no wait.
  func enter(_ seconds: Double, _ answer: @escaping @Sendable (Answer) -> Void) -> Place? {
    do throws(StorageError) {
      if !take(), let place = try join(seconds, hasThread: false, answer) { return place }
      answer(.success(seconds))
    } catch {
      answer(.failure(error))
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
    _ seconds: Double, hasThread: Bool, _ answer: @escaping @Sendable (Answer) -> Void
  ) throws(StorageError) -> Place? {
    let place = Place(seconds > 0 ? seconds : 0, answer)
    let result: Result<Place?, StorageError> = state.withLock { state in
      if state.isClosed { return .failure(StorageError.storeClosed) }
      while true {
        if take() { return .success(nil) }
        let isMarked = turn.compareExchange(
          expected: Turn.somebody, desired: Turn.somebodyBeforeOthers, ordering: .relaxed)
        if isMarked.exchanged || isMarked.original == Turn.somebodyBeforeOthers { break }
      }
      if !(seconds > 0) { return .failure(StorageError.busy(0)) }
      state.places.append(place)
      if !hasThread, let deadline = place.deadline { lookAgain(&state, at: deadline) }
      return .success(place)
    }
    return try result.get()
  }

  // MARK: Going on

  /// Gives the turn on.
  func leave() {
    if turn.compareExchange(expected: Turn.somebody, desired: Turn.nobody, ordering: .releasing).exchanged { return }
    let next = state.withLock { state in
      let next = state.next()
      if next == nil { turn.store(Turn.nobody, ordering: .releasing) }
      return next
    }
    if let (place, answer) = next { answer(.success(place.left)) }
  }

  /// Tells all who wait, and all who come, that the store is closed.
  func close() {
    let answers = state.withLock { state in
      state.isClosed = true
      var answers: [@Sendable (Answer) -> Void] = []
      for place in Array(state.places) { if let answer = state.end(place) { answers.append(answer) } }
      return answers
    }
    for answer in answers { answer(.failure(StorageError.storeClosed)) }
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
      var late: [(Place, @Sendable (Answer) -> Void)] = []
      var next: ContinuousClock.Instant?
      for place in Array(state.places) where place.answer != nil {
        guard let deadline = place.deadline else { continue }
        if deadline > now {
          next = min(next ?? deadline, deadline)
        } else if let answer = state.end(place) {
          late.append((place, answer))
        }
      }
      state.nextLook = nil
      if let next { lookAgain(&state, at: next) }
      return late
    }
    for (place, answer) in late { answer(place.busy) }
  }
}

/// A thread that waits for an answer.
private final class ThreadWait: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let given = Mutex<WriterLine.Answer?>(nil)

  func end(_ answer: WriterLine.Answer) {
    given.withLock { $0 = answer }
    semaphore.signal()
  }

  /// The answer, or nil when there was none until then.
  func answer(until deadline: ContinuousClock.Instant?) -> WriterLine.Answer? {
    while given.withLock({ $0 }) == nil {
      guard let deadline else {
        semaphore.wait()
        continue
      }
      let left = deadline - .now
      guard left > .zero else { return nil }
      _ = semaphore.wait(timeout: .now() + left / .seconds(1))
    }
    return given.withLock { $0 }
  }

  func answer() -> WriterLine.Answer {
    answer(until: nil) ?? .failure(StorageError.busy(0))
  }
}
