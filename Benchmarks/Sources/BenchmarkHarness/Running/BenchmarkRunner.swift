import Foundation

/// Runs workloads on engines: every workload on all engines in turn, round by round, so that what disturbs the machine
/// for a while disturbs all of them.
public struct BenchmarkRunner {
  public var engines: [BenchmarkEngine]
  public var workloads: [Workload]
  public var sizes: [Int]
  public var rounds: Int
  public var seed: UInt64
  public var effort: Effort
  /// Where stores are made; the caller removes it.
  public var folder: String
  public var measuresMemory: Bool
  /// Whether each engine works in a process of its own, so that none meets a heap that another has used: this program
  /// must know the command `measure-engine`. A single engine has the process to itself anyway.
  public var separatesEngines: Bool

  public init(
    engines: [BenchmarkEngine], workloads: [Workload], sizes: [Int], rounds: Int, seed: UInt64, effort: Effort,
    folder: String, measuresMemory: Bool, separatesEngines: Bool
  ) {
    self.engines = engines
    self.workloads = workloads
    self.sizes = sizes
    self.rounds = rounds
    self.seed = seed
    self.effort = effort
    self.folder = folder
    self.measuresMemory = measuresMemory
    #if os(Linux)
      self.separatesEngines = separatesEngines && engines.count > 1
    #else
      self.separatesEngines = false
    #endif
  }

  /// Fills the report. What was measured before an interruption or an error stays in it.
  ///
  /// A wrong answer or an error of an engine ends that engine's part in the size and is listed as a failure.
  public func run(
    into report: inout BenchmarkReport, _ progress: ProgressLine, _ interruption: Interruption
  ) throws {
    let began = Stopwatch.now()
    defer {
      report.run.seconds = Stopwatch.seconds(since: began)
      progress.finish()
    }
    var forecast = TimeForecast(steps())
    for size in sizes.sorted() {
      let session = try Session(self, size, progress, interruption, forecast)
      defer { session.end() }
      do {
        try session.fill(&report)
        for workload in workloads { try session.measure(workload, &report) }
        if measuresMemory { try session.measureMemory(&report) }
      } catch is Session.Interrupted {
        return
      }
      forecast = session.forecast
    }
    report.isComplete = true
  }

  private func steps() -> [TimeForecast.Step] {
    sizes.flatMap { size in
      engines.flatMap { engine in
        var steps = [TimeForecast.Step(workload: "fill", engine: engine.name, size: size, times: 1)]
        for workload in workloads where engine.supports(workload) {
          let times = warmUps(workload, size) + rounds + (workload.hasLatency ? 1 : 0)
          steps.append(TimeForecast.Step(workload: workload.id, engine: engine.name, size: size, times: times))
        }
        if measuresMemory { steps.append(.init(workload: "memory", engine: engine.name, size: size, times: 1)) }
        return steps
      }
    }
  }

  /// The fill has warmed up what inserts need; once more would take long on large stores.
  func warmUps(_ workload: Workload, _ size: Int) -> Int { workload.id == "insert-bulk" ? 0 : 1 }
}

/// The stores of all engines for one size.
final class Session {
  struct Interrupted: Error {}

  private let runner: BenchmarkRunner
  private let size: Int
  private let progress: ProgressLine
  private let interruption: Interruption
  private(set) var forecast: TimeForecast
  private var slots: [Slot]

  /// An engine and the place where it works.
  private struct Slot {
    let engine: BenchmarkEngine
    let bench: any Bench
  }

  init(
    _ runner: BenchmarkRunner, _ size: Int, _ progress: ProgressLine, _ interruption: Interruption,
    _ forecast: TimeForecast
  ) throws {
    self.runner = runner
    self.size = size
    self.progress = progress
    self.interruption = interruption
    self.forecast = forecast
    let dataset = runner.separatesEngines ? nil : Dataset(seed: runner.seed, count: size)
    slots = try runner.engines.map { engine in
      let folder = runner.folder + "/\(engine.name)"
      if let dataset {
        return Slot(engine: engine, bench: LocalBench(engine, dataset, runner.effort, folder: folder))
      }
      let bench = try ChildBench(engine, size: size, seed: runner.seed, effort: runner.effort, folder: folder)
      return Slot(engine: engine, bench: bench)
    }
  }

  /// Closes and removes all stores. What cannot be removed goes with the folder of the run.
  func end() {
    for slot in slots { try? slot.bench.end() }
    slots = []
  }

  /// Fills the stores, compares people field by field and weighs the files.
  func fill(_ report: inout BenchmarkReport) throws {
    for slot in slots {
      guard let bytes = try attempt("fill", slot, &report, { try $0.bench.fill() }), let bytes else { continue }
      report.footprints.append(.init(engine: slot.engine.name, size: size, diskBytes: bytes))
    }
  }

  func measure(_ workload: Workload, _ report: inout BenchmarkReport) throws {
    var rates: [String: [Double]] = [:]
    var operations: [String: Int] = [:]
    var latencies: [String: LatencySummary] = [:]
    let warmUps = runner.warmUps(workload, size)
    let passes = warmUps + runner.rounds + (workload.hasLatency ? 1 : 0)
    defer {
      // Also what was measured before an interruption.
      for engine in runner.engines {
        guard let rates = rates[engine.name] else { continue }
        report.results.append(
          .init(
            workload: workload.id, engine: engine.name, size: size, operations: operations[engine.name] ?? 0,
            rates: Statistics(rates), latency: latencies[engine.name]))
      }
    }
    for pass in 0..<passes {
      let recordsLatency = pass >= warmUps + runner.rounds
      // Another engine goes first each time. A slot that fails leaves the list while its copy is walked.
      let present = slots
      for turn in present.indices {
        let slot = present[(turn + pass) % present.count]
        guard slot.engine.supports(workload) else { continue }
        let figures = try attempt(workload.id, slot, &report) {
          try $0.bench.round(workload, pass, recordsLatency: recordsLatency)
        }
        guard let figures else {
          rates[slot.engine.name] = nil
          continue
        }
        if recordsLatency {
          latencies[slot.engine.name] = figures.latency
        } else if pass >= warmUps {
          rates[slot.engine.name, default: []].append(Double(figures.operations) / figures.seconds)
          operations[slot.engine.name] = figures.operations
        }
      }
    }
  }

  func measureMemory(_ report: inout BenchmarkReport) throws {
    for slot in slots {
      let figures = try attempt("memory", slot, &report) { slot in
        let folder = runner.folder + "/memory"
        defer { try? slot.engine.remove(folder: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return MemoryProbe.run(slot.engine, size: size, seed: runner.seed, folder: folder)
      }
      guard let figures, let figures,
        let index = report.footprints.firstIndex(where: { $0.engine == slot.engine.name && $0.size == size })
      else { continue }
      report.footprints[index].memory = figures
    }
  }

  /// Does a piece of work on a store. A failure is put into the report, and the engine takes no further part.
  private func attempt<T>(
    _ workload: String, _ slot: Slot, _ report: inout BenchmarkReport, _ work: (Slot) throws -> T
  ) throws -> T? {
    if interruption.isRequested { throw Interrupted() }
    let engine = slot.engine.name
    progress.show(
      "\(Format.count(size)) objects, \(workload)", detail: engine, done: forecast.done,
      secondsLeft: forecast.secondsLeft)
    let start = Stopwatch.now()
    do {
      let result = try work(slot)
      forecast.did(workload, engine, size, seconds: Stopwatch.seconds(since: start))
      return result
    } catch {
      report.failures.append(.init(workload: workload, engine: engine, size: size, message: "\(error)"))
      forecast.drop(engine: engine, size: size)
      try? slot.bench.end()
      slots.removeAll { $0.bench === slot.bench }
      return nil
    }
  }
}
