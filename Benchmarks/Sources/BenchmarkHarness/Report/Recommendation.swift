/// Which engine to take for a mix, in words with the figures that carry them.
public struct Recommendation: Sendable, Codable, Equatable {
  /// The engine to take.
  public var engine: String
  /// Why that one.
  public var summary: String
  /// When to choose each engine; nil in reports from before it was said of all.
  public var engines: [EngineAdvice]?
  /// What else is to be known: failures, noise, what waits for the disk.
  public var points: [String]

  /// - Returns: nil where no engine, or in an interrupted run not every engine, ended a round of the mix.
  public init?(_ report: BenchmarkReport) {
    guard let adviser = Adviser(report) else { return nil }
    engine = adviser.choice.name
    summary = adviser.summary
    engines = adviser.advice
    points = adviser.points
  }
}

/// Reads the figures of a report on the user's own data.
struct Adviser {
  let report: BenchmarkReport
  let data: DataSection
  /// The engines that did the mix and failed nowhere, the fastest first.
  let contenders: [BenchmarkReport.Engine]
  /// Those whose commits survive a loss of power; all of them where there is none of these.
  let pool: [BenchmarkReport.Engine]
  /// Those of the pool that are as fast as the fastest within the noise.
  private let equals: [BenchmarkReport.Engine]
  /// Those of these whose readers are as fast as the fastest within the noise.
  private let quick: [BenchmarkReport.Engine]
  let choice: BenchmarkReport.Engine

  init?(_ report: BenchmarkReport) {
    guard let data = report.data else { return nil }
    func rate(_ engine: BenchmarkReport.Engine) -> Double? {
      report.result(BenchmarkReport.DataWork.mix, engine.name, data.rows)?.rates.median
    }
    let contenders = report.engines
      .filter { engine in rate(engine) != nil && !report.failures.contains { $0.engine == engine.name } }
      .sorted { (rate($0) ?? 0) > (rate($1) ?? 0) }
    // An engine that is missing without a failure was not reached: the others prove nothing against it.
    let unreached = report.engines.filter { engine in
      rate(engine) == nil && !report.failures.contains { $0.engine == engine.name }
    }
    guard unreached.isEmpty else { return nil }
    let durable = contenders.filter { $0.durability != .none }
    let pool = durable.isEmpty ? contenders : durable
    guard let fastest = pool.first else { return nil }
    let equals = pool.filter { other in
      guard other.name != fastest.name else { return true }
      let ratio = report.ratio(BenchmarkReport.DataWork.mix, fastest.name, data.rows, over: other.name)
      return ratio.map { $0.low <= 1 || $0.median < 1.1 } ?? false
    }
    // Among equals those whose readers are not slower, and of these one that does not need memory for all rows.
    let readers = BenchmarkReport.DataWork.readers
    func reading(_ engine: BenchmarkReport.Engine) -> Double {
      report.result(readers, engine.name, data.rows)?.rates.median ?? 0
    }
    let best = equals.max { reading($0) < reading($1) }
    let quick = equals.filter { other in
      guard let best, reading(best) > 0, other.name != best.name else { return true }
      let ratio = report.ratio(readers, best.name, data.rows, over: other.name)
      return ratio.map { $0.low <= 1 || $0.median < 1.1 } ?? false
    }
    let light = quick.first { engine in
      data.traits.first { $0.engine == engine.name }?.keepsAllInMemory == false
    }
    self.report = report
    self.data = data
    self.contenders = contenders
    self.pool = pool
    self.equals = equals
    self.quick = quick
    choice = light ?? quick.first ?? fastest
  }

  // MARK: Figures

  private func result(_ work: String, _ engine: String) -> BenchmarkReport.Result? {
    report.result(work, engine, data.rows)
  }

  func rate(_ work: String, _ engine: String) -> Double { result(work, engine)?.rates.median ?? 0 }

  func mix(_ engine: String) -> String {
    Format.rate(rate(BenchmarkReport.DataWork.mix, engine)) + " operations a second"
  }

  /// `0.42 × lmdb`.
  func ratio(_ engine: String, to other: String, _ work: String = BenchmarkReport.DataWork.mix) -> String {
    guard let ratio = report.ratio(work, engine, data.rows, over: other) else { return "" }
    return Format.digits(ratio.median) + " × " + other
  }

  func trait(_ engine: String) -> DataSection.Trait? { data.traits.first { $0.engine == engine } }

  func openingTime(_ engine: String) -> String? {
    let rate = rate(BenchmarkReport.DataWork.open, engine)
    return rate > 0 ? Format.duration(1e9 / rate) : nil
  }

  var rows: String { Format.count(data.rows) + " rows" }

  func list(_ words: [String]) -> String {
    words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " and " + (words.last ?? "")
  }

  // MARK: Words

  var summary: String {
    let name = choice.name
    let others = pool.filter { $0.name != name }
    let group =
      choice.durability == .none
      ? "Of the engines that ran" : "Of the engines whose commits survive a loss of power"
    if others.isEmpty { return "Take \(name): \(mix(name)). No other engine of its kind was in the run." }
    if equals.count > 1 {
      let figures = equals.map { "\($0.name) \(Format.rate(rate(BenchmarkReport.DataWork.mix, $0.name)))" }
      let slower = pool.filter { engine in !equals.contains { $0.name == engine.name } }
      var text =
        "Take \(name). \(group) \(list(equals.map(\.name))) are the fastest with this mix, and too close to tell "
      text += "apart in the noise of this run (\(figures.joined(separator: ", ")) operations a second)"
      if !slower.isEmpty { text += "; \(list(slower.map { "\($0.name) does \(ratio($0.name, to: name))" }))" }
      text += "."
      if quick.count < equals.count {
        let behind = equals.filter { engine in !quick.contains { $0.name == engine.name } }.map(\.name)
        text += " Beside the mix \(list(behind)) \(behind.count == 1 ? "lets" : "let") readers read slower."
      }
      if quick.contains(where: { trait($0.name)?.keepsAllInMemory == true }), trait(name)?.keepsAllInMemory == false {
        text += " \(name) does not need the memory for all rows."
      }
      return text
    }
    let distances = others.map { other in
      "\(ratio(name, to: other.name)) (\(Format.rate(rate(BenchmarkReport.DataWork.mix, other.name))))"
    }
    return "Take \(name). \(group) it does this mix fastest: \(mix(name)), \(list(distances))."
  }

  var points: [String] {
    var points: [String] = []
    for engine in report.engines where report.failures.contains(where: { $0.engine == engine.name }) {
      points.append("\(engine.name) failed and is left out: see the failures.")
    }
    let rounds = pool.compactMap { result(BenchmarkReport.DataWork.mix, $0.name)?.rates.values.count }.min() ?? 0
    if rounds < 3 { points.append("\(rounds) \(rounds == 1 ? "round is" : "rounds are") too few to decide by.") }
    if let text = commits { points.append(text) }
    if let text = readers { points.append(text) }
    if let text = quicker { points.append(text) }
    if let text = sharing { points.append(text) }
    if let text = noise { points.append(text) }
    return points
  }

  /// What waits for the disk.
  private var commits: String? {
    guard choice.durability != .none else { return nil }
    let writes = report.workloads.filter { $0.isBoundByCommits && $0.id != BenchmarkReport.DataWork.mix }
    let slow = writes.compactMap { work in result(work.id, choice.name)?.latency.map { (work.title, $0.p50) } }
    let reads = report.workloads.filter { !$0.isBoundByCommits }
      .compactMap { result($0.id, choice.name)?.latency?.p50 }
    guard let write = slow.max(by: { $0.1 < $1.1 }), let read = reads.min(), write.1 > read * 20 else { return nil }
    let remedy = data.batch == 1 ? " Several writes in one transaction share a commit (--batch shows it)." : ""
    return "On \(choice.name) a commit is what takes time: \(write.0.lowercased()) \(Format.duration(write.1)) at the "
      + "median, the quickest read \(Format.duration(read)).\(remedy)"
  }

  /// What readers beside the mix do on each engine, the quickest first.
  private var readers: String? {
    let work = BenchmarkReport.DataWork.readers
    let figures = contenders.map { (name: $0.name, rate: rate(work, $0.name)) }.filter { $0.rate > 0 }
      .sorted { $0.rate > $1.rate }
    guard let threads = data.readers, threads > 0, !figures.isEmpty else { return nil }
    let items = figures.map { figure in
      let ratio = figure.name == choice.name ? "" : " (\(ratio(figure.name, to: choice.name, work)))"
      return "\(figure.name) \(Format.rate(figure.rate))\(ratio)"
    }
    let who = threads == 1 ? "one thread that reads does" : "\(threads) threads that read do"
    return "Beside the mix \(who) so many operations a second: \(items.joined(separator: ", "))."
  }

  /// The kinds of operation.
  var kinds: [BenchmarkReport.Work] {
    let apart = [
      BenchmarkReport.DataWork.load, BenchmarkReport.DataWork.open, BenchmarkReport.DataWork.mix,
      BenchmarkReport.DataWork.readers,
    ]
    return report.workloads.filter { !apart.contains($0.id) }
  }

  /// The kinds of operation that another durable engine does faster.
  private var quicker: String? {
    let better = kinds.compactMap { work -> String? in
      guard let first = pool.max(by: { rate(work.id, $0.name) < rate(work.id, $1.name) }), first.name != choice.name,
        let ratio = report.ratio(work.id, first.name, data.rows, over: choice.name), ratio.median >= 1.25, ratio.low > 1
      else { return nil }
      let figure = Format.rate(rate(work.id, first.name))
      return
        "\(work.title.lowercased()) on \(first.name) (\(figure)/s, \(self.ratio(first.name, to: choice.name, work.id)))"
    }
    return better.isEmpty ? nil : "Quicker elsewhere: \(list(better))."
  }

  private var sharing: String? {
    let shared = contenders.filter { trait($0.name)?.isShared == true }.map(\.name)
    let single = contenders.filter { trait($0.name)?.isShared == false }.map(\.name)
    guard !shared.isEmpty, !single.isEmpty else { return nil }
    return "If several processes have the store open at once, take \(shared.joined(separator: " or ")); "
      + "\(list(single)) \(single.count == 1 ? "belongs" : "belong") to one process."
  }

  /// Rounds that are far from each other.
  private var noise: String? {
    let rates = pool.compactMap { result(BenchmarkReport.DataWork.mix, $0.name)?.rates }
    guard let widest = rates.filter({ !$0.isSettled }).map(\.spread).max() else { return nil }
    return "The rounds of one engine were \(Format.percent(widest)) off their median: something else kept the machine "
      + "busy. Run it again on a quiet one before you decide."
  }
}
