/// Where the work of one engine is done for one size: in this process, or in one of its own.
protocol Bench: AnyObject {
  /// Fills the store, compares people field by field and weighs the files; nil for a store without files.
  func fill() throws -> Int?
  /// A round of a workload.
  func round(_ workload: Workload, _ round: Int, recordsLatency: Bool) throws -> RoundFigures
  /// Closes and removes the store.
  func end() throws
}

/// What a round of a workload came to.
struct RoundFigures: Codable, Equatable {
  var seconds: Double
  var operations: Int
  /// Where latencies were recorded.
  var latency: LatencySummary?
}

/// The work of one engine in this process.
final class LocalBench: Bench {
  private let slot: StoreSlot
  private let dataset: Dataset
  private let effort: Effort

  init(_ engine: BenchmarkEngine, _ dataset: Dataset, _ effort: Effort, folder: String) {
    slot = StoreSlot(engine, folder: folder)
    self.dataset = dataset
    self.effort = effort
  }

  func fill() throws -> Int? {
    var random = SplitMix64(seed: dataset.seed)
    let keys = dataset.randomKeys(min(1000, dataset.count), &random)
    try slot.recreate()
    try slot.store.insert(dataset.people)
    let bytes = try slot.bytesOnDisk()
    let found = try slot.store.people(keys)
    guard found == keys.map({ dataset.person($0) }) else { throw WrongAnswer("a person is not what was inserted") }
    return bytes
  }

  func round(_ workload: Workload, _ round: Int, recordsLatency: Bool) throws -> RoundFigures {
    let plan = workload.makePlan(PlanContext(dataset: dataset, round: round, effort: effort))
    let recorder = LatencyRecorder(isOn: recordsLatency, capacity: 1 << 16)
    let timing = try plan.round(slot, recorder)
    return RoundFigures(seconds: timing.seconds, operations: timing.operations, latency: recorder.summary())
  }

  func end() throws { try slot.remove() }
}
