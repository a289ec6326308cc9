public import BenchmarkHarness
import Foundation
import QuarryBackend

/// Runs a mix of operations on the user's own data: every round on all engines in turn, each in a store of its own that
/// is loaded, worked on and removed.
public final class DataRunner {
  private struct Interrupted: Error {}

  private let settings: DataSettings
  private let progress: ProgressLine
  private let interruption: Interruption
  private let planner: OperationPlanner
  private let rows: DataRows
  private var forecast: TimeForecast
  private var stores: [DataStore]
  private var figures: [String: EngineFigures] = [:]

  /// Reads the data, and finds out what the run will be.
  ///
  /// - Throws: `BenchmarkError` and errors of the data with line and column; when there is too little memory or room on
  ///   the disk.
  public init(
    _ settings: DataSettings, _ source: DataSource, _ progress: ProgressLine, _ interruption: Interruption
  ) throws {
    self.settings = settings
    self.progress = progress
    self.interruption = interruption
    let loader = DataLoader(selection: settings.selection) { model, rows, bytes in
      for engine in settings.engines {
        try Resources(
          rowBytes: bytes, rows: rows, indexes: model.indexes.count, isPersistent: engine.engine.isPersistent,
          keepsAllInMemory: engine.keepsAllInMemory
        ).require(in: settings.folder)
      }
    } progress: { words, fraction in
      if interruption.isRequested { throw Interrupted() }
      progress.show(words, detail: "", done: fraction, secondsLeft: .infinity)
    }
    defer { progress.finish() }
    do {
      rows = try loader.read(source)
    } catch is Interrupted {
      throw BenchmarkError("stopped before anything was measured")
    }
    let columns = try QueryColumns(
      rows.model, .init(equal: settings.equal, range: settings.range, sort: settings.sort))
    let queries = try QueryMaker(
      rows, columns, settings.mix, selectivity: settings.selectivity, limit: settings.limit)
    planner = try OperationPlanner(
      rows, settings.mix, operations: settings.operations, batch: settings.batch, isZipfian: settings.isZipfian,
      seed: settings.seed, queries)
    stores = settings.engines.map { [rows] in DataStore($0, rows, folder: settings.folder) }
    let size = planner.loaded.count
    forecast = TimeForecast(
      settings.engines.map { .init(workload: "round", engine: $0.name, size: size, times: settings.rounds + 1) })
    section = DataSection(
      source: source.name, model: rows.model.name, rows: size, keptBack: planner.keptBack.count,
      properties: Self.properties(rows.model),
      mix: settings.mix.shares.map { .init(operation: $0.kind.name, percent: $0.percent) },
      skew: settings.isZipfian ? "zipfian" : "uniform", operations: settings.operations, batch: settings.batch,
      queries: queries.sentences(settings.mix), traits: [])
  }

  /// What the run is about.
  public private(set) var section: DataSection

  /// What is measured.
  public var works: [BenchmarkReport.Work] { settings.works }

  private static func properties(_ model: ModelSchema) -> [DataSection.Property] {
    model.properties.enumerated().map { slot, property in
      DataSection.Property(
        name: property.name, type: property.typeName, isKey: slot == model.primaryKey,
        isIndexed: model.indexes.contains { $0.columns.first?.slot == slot })
    }
  }

  /// Fills the report. What was measured before an interruption stays in it.
  ///
  /// A wrong answer or an error of an engine ends that engine's part and is listed as a failure.
  public func run(into report: inout BenchmarkReport) throws {
    let began = Stopwatch.now()
    defer {
      for store in stores { try? store.remove() }
      conclude(&report)
      report.run.seconds = Stopwatch.seconds(since: began)
      progress.finish()
    }
    do {
      // The first round warms up and is not counted.
      for pass in 0...settings.rounds { try round(pass, &report) }
      try weigh()
      report.isComplete = true
    } catch is Interrupted {}
  }

  private func round(_ pass: Int, _ report: inout BenchmarkReport) throws {
    let plan = try planner.plan(round: pass)
    var answers: [(engine: String, answers: [AnswerDigest])] = []
    // Another engine goes first each time. A store that fails leaves the list while its copy is walked.
    let present = stores
    for turn in present.indices {
      let store = present[(turn + pass) % present.count]
      let name = store.engine.name
      try pause(pass, name)
      let start = Stopwatch.now()
      do {
        let round = try DataRound.run(plan, planner, on: store, checksLoading: pass == 0) {
          if interruption.isRequested { throw Interrupted() }
        } opened: {
          section.add(store.engine.trait($0))
        }
        if pass > 0 { figures[name, default: EngineFigures()].add(round) }
        answers.append((name, round.answers))
        forecast.did("round", name, planner.loaded.count, seconds: Stopwatch.seconds(since: start))
      } catch let interrupted as Interrupted {
        throw interrupted
      } catch {
        fail(name, DataSettings.words(error)?.description ?? "\(error)", &report)
      }
    }
    for (name, message) in Disagreement.find(answers) { fail(name, message, &report) }
  }

  /// Measures the memory of the engines that are left.
  private func weigh() throws {
    guard settings.memoryArguments != nil else { return }
    for store in stores {
      if interruption.isRequested { throw Interrupted() }
      progress.show("memory", detail: store.engine.name, done: forecast.done, secondsLeft: forecast.secondsLeft)
      figures[store.engine.name]?.memory = DataMemory.run(settings, store.engine)
    }
  }

  private func pause(_ pass: Int, _ engine: String) throws {
    if interruption.isRequested { throw Interrupted() }
    let words = pass == 0 ? "warming up" : "round \(pass) of \(settings.rounds)"
    progress.show(
      "\(Format.count(planner.loaded.count)) rows, \(words)", detail: engine, done: forecast.done,
      secondsLeft: forecast.secondsLeft)
  }

  private func fail(_ engine: String, _ message: String, _ report: inout BenchmarkReport) {
    report.failures.append(
      .init(workload: BenchmarkReport.DataWork.mix, engine: engine, size: planner.loaded.count, message: message))
    forecast.drop(engine: engine, size: planner.loaded.count)
    for store in stores where store.engine.name == engine { try? store.remove() }
    stores.removeAll { $0.engine.name == engine }
    figures[engine] = nil
  }

  /// Puts the figures of all rounds into the report, and what follows from them.
  private func conclude(_ report: inout BenchmarkReport) {
    let size = planner.loaded.count
    for engine in settings.engines {
      guard let figures = figures[engine.name] else { continue }
      for work in works {
        guard let rates = figures.rates[work.id], !rates.isEmpty else { continue }
        report.results.append(
          .init(
            workload: work.id, engine: engine.name, size: size, operations: figures.operations[work.id] ?? 0,
            rates: Statistics(rates), latency: figures.latencies[work.id]?.summary()))
      }
      if figures.diskBytes != nil || figures.memory != nil {
        report.footprints.append(
          .init(engine: engine.name, size: size, diskBytes: figures.diskBytes, memory: figures.memory))
      }
    }
    report.data = section
    let recommendation = Recommendation(report)
    report.data?.recommendation = recommendation
  }
}
