import BenchmarkHarness

/// What was found out about an engine in the rounds so far, by the names of workloads.
struct EngineFigures: Codable {
  private(set) var rates: [String: [Double]] = [:]
  /// Over all rounds.
  private(set) var latencies: [String: LatencySummary] = [:]
  /// Operations of a round.
  private(set) var operations: [String: Int] = [:]
  private(set) var diskBytes: Int?
  var memory: MemoryFigures?

  /// Rounds that are in it.
  var rounds: Int { rates[BenchmarkReport.DataWork.mix]?.count ?? 0 }

  fileprivate mutating func note(_ work: String, _ count: Int, _ seconds: Double) {
    rates[work, default: []].append(Double(count) / max(seconds, 1e-9))
    operations[work] = count
  }

  fileprivate mutating func note(_ diskBytes: Int?) { self.diskBytes = diskBytes ?? self.diskBytes }

  fileprivate mutating func summarize(_ histograms: [String: LatencyHistogram]) {
    latencies = histograms.compactMapValues { $0.summary() }
  }
}

/// Collects the figures of rounds, where they are run.
struct FigureCollector {
  private(set) var figures = EngineFigures()
  private var histograms: [String: LatencyHistogram] = [:]

  /// Adds a round.
  mutating func add(_ round: DataRound) {
    figures.note(BenchmarkReport.DataWork.load, round.rows, round.loadSeconds)
    if let seconds = round.openSeconds { figures.note(BenchmarkReport.DataWork.open, 1, seconds) }
    figures.note(BenchmarkReport.DataWork.mix, round.operations, round.mixSeconds)
    for kind in OperationKind.allCases { note(kind.name, round.durations[kind.rawValue]) }
    for (place, durations) in round.ownDurations.enumerated() {
      note(BenchmarkReport.DataWork.ownQuery(place), durations)
    }
    note("transaction", round.transactions)
    if let reading = round.reading {
      // As many at once as there are threads: what each does in the time of its operations, together.
      figures.note(BenchmarkReport.DataWork.readers, reading.operations, Double(reading.operations) / reading.rate)
      histograms[BenchmarkReport.DataWork.readers, default: LatencyHistogram()].add(reading.latencies)
    }
    figures.note(round.diskBytes)
    figures.summarize(histograms)
  }

  private mutating func note(_ work: String, _ durations: [UInt64]) {
    guard !durations.isEmpty else { return }
    figures.note(work, durations.count, Double(durations.reduce(0, &+)) / 1e9)
    for duration in durations { histograms[work, default: LatencyHistogram()].record(duration) }
  }
}
