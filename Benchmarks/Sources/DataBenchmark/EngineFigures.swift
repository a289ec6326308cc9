import BenchmarkHarness

/// What was found out about an engine in the rounds so far, by the names of workloads.
struct EngineFigures {
  private(set) var rates: [String: [Double]] = [:]
  private(set) var latencies: [String: LatencyRecorder] = [:]
  /// Operations of a round.
  private(set) var operations: [String: Int] = [:]
  private(set) var diskBytes: Int?
  var memory: MemoryFigures?

  /// Adds a round.
  mutating func add(_ round: DataRound) {
    func note(_ work: String, _ count: Int, _ seconds: Double) {
      rates[work, default: []].append(Double(count) / max(seconds, 1e-9))
      operations[work] = count
    }
    func note(_ work: String, _ durations: [UInt64]) {
      guard !durations.isEmpty else { return }
      note(work, durations.count, Double(durations.reduce(0, &+)) / 1e9)
      let recorder = latencies[work] ?? LatencyRecorder(isOn: true)
      recorder.add(durations)
      latencies[work] = recorder
    }
    note(BenchmarkReport.DataWork.load, round.rows, round.loadSeconds)
    if let seconds = round.openSeconds { note(BenchmarkReport.DataWork.open, 1, seconds) }
    note(BenchmarkReport.DataWork.mix, round.operations, round.mixSeconds)
    for kind in OperationKind.allCases { note(kind.name, round.durations[kind.rawValue]) }
    note("transaction", round.transactions)
    diskBytes = round.diskBytes ?? diskBytes
  }
}
