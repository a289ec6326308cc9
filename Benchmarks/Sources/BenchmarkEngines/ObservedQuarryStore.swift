import BenchmarkHarness
import Foundation
import QuarryBackend
import QuarryCore
import Synchronization

/// A store of Quarry's whose changes are observed under measurement.
final class ObservedQuarryStore: ObservedStore {
  private let store: Store
  private let openAgain: @Sendable () throws -> Store
  private let tokens = Mutex<[ObservationToken]>([])
  private let told = Told()

  init(_ provider: some BackendProvider, encryption: Encryption? = nil) throws {
    openAgain = { try Store(for: Counter.self, in: provider, encryption: encryption) }
    store = try openAgain()
  }

  func close() throws {
    tokens.withLock { $0 = [] }
    try store.close()
  }

  func insert(counters: Int) throws {
    try store.insert(contentsOf: (0..<Int64(counters)).lazy.map { Counter(id: $0, number: 0) })
  }

  func count(_ key: Int64, to numbers: ClosedRange<Int64>, _ latency: LatencyRecorder) throws {
    for number in numbers {
      let start = latency.start()
      try store.upsert(Counter(id: key, number: number))
      latency.stop(start)
    }
  }

  func countAndWait(
    _ key: Int64, to numbers: ClosedRange<Int64>, elsewhere: Bool, _ latency: LatencyRecorder
  ) throws {
    let writer = elsewhere ? try openAgain() : store
    defer { if elsewhere { try? writer.close() } }
    for number in numbers {
      let start = latency.start()
      try writer.upsert(Counter(id: key, number: number))
      guard told.waits(until: { $0[key] == number }) else { throw WrongAnswer("\(number) was not told of") }
      latency.stop(start)
    }
  }

  func observeList() throws {
    let told = told
    let token = try store.observe(Counter.all) { change in
      told.note(change.isInitial ? change.objects : change.updates.map(\.new))
    }
    tokens.withLock { $0.append(token) }
    _ = told.waits { !$0.isEmpty }
  }

  func observeCounters(below key: Int64) throws {
    let told = told
    for id in 0..<key {
      let token = try store.observe(Counter.self, id) { change in told.note(change.object.map { [$0] } ?? []) }
      tokens.withLock { $0.append(token) }
    }
    _ = told.waits { $0.count == Int(key) }
  }

  func sumTold(awaiting sum: Int64) throws -> Int64 {
    _ = told.waits { $0.values.reduce(0, +) == sum }
    return told.numbers.values.reduce(0, +)
  }

  func sumStored() throws -> Int64 { try store.fetch(Counter.all).reduce(0) { $0 + $1.number } }

  /// The numbers that observers were told of.
  private final class Told: @unchecked Sendable {
    // Unchecked: the condition guards the numbers.
    private let condition = NSCondition()
    private var current: [Int64: Int64] = [:]

    var numbers: [Int64: Int64] {
      condition.lock()
      defer { condition.unlock() }
      return current
    }

    func note(_ counters: [Counter]) {
      condition.lock()
      for counter in counters { current[counter.id] = counter.number }
      condition.broadcast()
      condition.unlock()
    }

    /// - Returns: Whether it is so within ten seconds.
    func waits(until isSo: ([Int64: Int64]) -> Bool) -> Bool {
      let end = ContinuousClock.now + .seconds(10)
      condition.lock()
      defer { condition.unlock() }
      while !isSo(current) {
        guard ContinuousClock.now < end else { return false }
        // A short wait, because this one ends by the wall clock.
        _ = condition.wait(until: Date(timeIntervalSinceNow: 0.05))
      }
      return true
    }
  }
}

/// A number that is counted up.
private struct Counter: Model {
  var id: Int64
  var number: Int64

  init(id: Int64, number: Int64) {
    (self.id, self.number) = (id, number)
  }

  static let modelDefinition = ModelDefinition<Counter>(
    name: "Counter",
    properties: [
      PropertyDefinition("id", \Counter.id, Int64.self), PropertyDefinition("number", \Counter.number, Int64.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int64>("id", 0)
    var number = Column<Int64>("number", 1)
  }

  var primaryKeyValue: Int64 { id }

  init(reading row: ModelReader) throws(StorageError) {
    self.init(id: try row.get(0), number: try row.get(1))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, number)
  }
}
