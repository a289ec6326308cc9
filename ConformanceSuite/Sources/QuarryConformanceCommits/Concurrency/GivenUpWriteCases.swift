import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// Writes that end before their turn: cancelled, too late, or without time to wait.
enum GivenUpWriteCases {
  static let all: [ConformanceCase] = [noTime, eachInTime, timeLeft, cancelled, cancelledInGroup].map { $0.only(.one) }

  /// How long each write has waited for its turn, as it was reported.
  private final class Waits: StoreReporter {
    private let waits = Mutex<[Double]>([])
    private let action = Mutex<(@Sendable (Int) -> Void)?>(nil)

    func report(_ event: StoreEvent) {
      guard case .waited(.turn, let seconds) = event else { return }
      let count = waits.withLock { waits in
        waits.append(seconds)
        return waits.count
      }
      action.withLock { $0 }?(count)
    }

    var all: [Double] { waits.withLock { $0 } }

    /// Does something on the thread that reports a wait, with the number of the waits that were reported.
    func whenReported(_ body: @escaping @Sendable (Int) -> Void) { action.withLock { $0 = body } }
  }

  /// A place that notes how long the engine may wait for other processes in each write.
  private final class TimedPlace: BackendProvider {
    private let inner: any BackendProvider
    private let times = Mutex<[Double]>([])

    init(_ inner: any BackendProvider) {
      self.inner = inner
    }

    func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
      TimedBackend(try inner.open(options), self)
    }

    /// The seconds that the writes since the last call had left.
    func taken() -> [Double] {
      times.withLock { times in
        defer { times = [] }
        return times
      }
    }

    fileprivate func note(_ seconds: Double) { times.withLock { $0.append(seconds) } }
  }

  private final class TimedBackend: BackendLayer, @unchecked Sendable {
    // Unchecked as its superclass is: the field is immutable and Sendable.
    private let place: TimedPlace

    init(_ backend: any Backend, _ place: TimedPlace) {
      self.place = place
      super.init(backend)
    }

    override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
      place.note(options.timeout ?? .infinity)
      return try super.beginWrite(options)
    }
  }

  private static func open(
    _ kit: ConformanceContext, _ waits: Waits, at place: (any BackendProvider)? = nil
  ) throws -> Store {
    var options = OpenOptions()
    options.reporters = [waits]
    options.busyTimeout = 60
    return try kit.open([Item.self], at: place ?? kit.makePlace(), options: options)
  }

  private static func task(
    _ store: Store, timeout: Double, _ body: @escaping @Sendable (WriteTransaction) throws -> Void = { _ in }
  ) -> Task<Void, any Error> {
    Task.ofCase { try await store.write(timeout: timeout) { try body($0) } }
  }

  /// The name of the error with which a task ended.
  private static func end(_ task: Task<Void, any Error>) async -> String {
    switch await task.result {
    case .success: "done"
    case .failure(let error as StorageError): "\(error.code)"
    case .failure(let error): "\(type(of: error))"
    }
  }

  // Not asynchronous, which an expectation does not take.
  private static func keys(_ store: Store) throws -> [Int] { try store.keys(Item.all) }

  // MARK: Time

  private static let noTime = ConformanceCase(
    "CON.given-up-no-time", ["TXN-10", "TXN-15"],
    "A write that has no time to wait is busy at once while another is open: it has not waited, and nothing is reported.",
    within: .seconds(30)
  ) { kit in
    let waits = Waits()
    let store = try open(kit, waits)
    let holder = try ScriptedTransaction.write(store)
    let before = store.writesThatWaited
    for seconds in [0.0, -1] {
      try expectError(.busy) { try ThreadWrite(store, timeout: seconds) { _ in }.outcome() }
      let ended = await end(task(store, timeout: seconds))
      try expectEqual(ended, "busy", "a task")
    }
    try holder.commit()
    try expectEqual(waits.all, [])
    try expectEqual(store.writesThatWaited, before)
    try await store.write(timeout: 0) { try $0.insert(Item(1)) }
    try expectEqual(try keys(store), [1])
  }

  private static let eachInTime = ConformanceCase(
    "CON.given-up-each-in-time", ["TXN-10"],
    "Of tasks and threads that wait, each is busy when its own time is over, while another write is still open.",
    within: .seconds(30)
  ) { kit in
    let store = try kit.store(Item.self)
    let runs = Atomic(0)
    let writers = [0.02, 0.05, 0.04, 0.08, 0.1].enumerated().map { number, seconds in
      WaitingWriters.Writer(isTask: number != 2, timeout: seconds) { _ in runs.add(1, ordering: .relaxed) }
    }
    let waiting = try await WaitingWriters(store, writers)
    let end = ContinuousClock.now + .seconds(10)
    while waiting.ended.contains(where: { $0 == nil }), ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(2))
    }
    let late = waiting.ended.indices.filter { waiting.ended[$0] == nil }
    let ended = GroupCommitCases.codes(try await waiting.run())
    try expectEqual(late, [], "writers that were not told that their time is over")
    try expectEqual(ended, Array(repeating: "busy", count: 5))
    try expectEqual(runs.load(ordering: .relaxed), 0)
  }

  private static let timeLeft = ConformanceCase(
    "CON.given-up-time-left", ["TXN-10"],
    "A write that has waited for another of its store waits for other processes for the rest of its time alone.",
    within: .seconds(30)
  ) { kit in
    let place = TimedPlace(try kit.makePlace())
    let store = try kit.open([Item.self], at: place)
    let waiting = try await WaitingWriters(
      store,
      (0..<3).map { number in
        WaitingWriters.Writer(isTask: number == 1, isAlone: true, timeout: 50) { try $0.insert(Item(number)) }
      })
    try await Task.sleep(for: .milliseconds(60))
    _ = place.taken()
    for outcome in try await waiting.run() { try outcome.get() }
    let left = place.taken()
    try expectEqual(left.count, 3)
    try expect(left.allSatisfy { $0 > 0 && $0 <= 49.95 }, "of 50 s, \(left) s are left after a wait of 0.06 s")
    try expectEqual(try keys(store), [0, 1, 2])
  }

  // MARK: Cancelled

  private static let cancelled = ConformanceCase(
    "CON.given-up-cancelled", ["TXN-8", "TXN-15"],
    "The wait of a task that is cancelled ends then: no turn comes for it, and no longer wait is reported.",
    within: .seconds(30)
  ) { kit in
    let waits = Waits()
    let store = try open(kit, waits)
    let holder = try ScriptedTransaction.write(store)
    let before = store.writesThatWaited
    let start = ContinuousClock.now
    let waiting = task(store, timeout: 60)
    try await store.untilWaiting(before + 1)
    waiting.cancel()
    let ended = await end(waiting)
    try expectEqual(ended, "CancellationError")
    let longest = (ContinuousClock.now - start) / .seconds(1)
    try await Task.sleep(for: .milliseconds(20))
    try holder.commit()
    try expect(waits.all.allSatisfy { $0 <= longest }, "cancelled after \(longest) s, and waited for \(waits.all) s")
    try await store.write { try $0.insert(Item(1)) }
    try expectEqual(try keys(store), [1])
  }

  private static let cancelledInGroup = ConformanceCase(
    "CON.given-up-in-group", ["TXN-8", "TXN-11", "TXN-12"],
    "A task that is cancelled when it is about to share a commit leaves nothing in it, and the others share it.",
    within: .seconds(60)
  ) { kit in
    let waits = Waits()
    let place = SharedCommits(try kit.makePlace())
    let store = try open(kit, waits, at: place)
    store.shareCommits(for: .seconds(60))
    let runs = Atomic(0)
    let holder = try ScriptedTransaction.write(store, alone: true)
    let before = store.writesThatWaited
    place.set(\.commits, 0)
    let leader = ThreadWrite(store, timeout: 50) { try $0.insert(Item(0)) }
    try await store.untilWaiting(before + 1)
    let task = task(store, timeout: 50) { tx in
      runs.add(1, ordering: .relaxed)
      try tx.insert(Item(1))
    }
    try await store.untilWaiting(before + 2)
    let failing = ThreadWrite(store, timeout: 50) { tx in
      try tx.insert(Item(2))
      throw Abandoned()
    }
    try await store.untilWaiting(before + 3)
    let last = ThreadWrite(store, timeout: 50) { try $0.insert(Item(3)) }
    try await store.untilWaiting(before + 4)
    // The second wait is the task's, which is over when its turn has come and its body has not begun.
    waits.whenReported { if $0 == 2 { task.cancel() } }
    try holder.commit()
    try leader.outcome(within: 20)
    try expectThrows(Abandoned.self) { try failing.outcome(within: 20) }
    try last.outcome(within: 20)
    let ended = await end(task)
    try expectEqual(ended, "CancellationError")
    try expectEqual(runs.load(ordering: .relaxed), 0)
    try expectEqual(try keys(store), [0, 3])
    // The one that was waited for, and one for all.
    try expectEqual(place.get(\.commits), 2)
    try expectEqual(place.get(\.leftSavepoints), 0, "savepoints that were open at the commit")
  }
}
