public import BenchmarkHarness
import Foundation
import QuarryBackend

/// Runs a mix of operations on the user's own data: every round on all engines in turn, each in a process of its own with
/// a store that is loaded, worked on and removed.
public final class DataRunner {
  private struct Interrupted: Error {}

  /// An engine and the place where it works.
  private struct Place {
    let engine: DataEngine
    let bench: any DataBench
  }

  private let settings: DataSettings
  private let progress: ProgressLine
  private let interruption: Interruption
  private let planner: OperationPlanner
  private let rows: DataRows
  private var forecast: TimeForecast
  private var places: [Place] = []
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
    let loader = DataLoader(selection: settings.selection, path: settings.folder + "/rows") { model, rows, bytes in
      try Resources(
        rowBytes: bytes, rows: rows, indexes: model.indexes.count, unique: settings.selection.unique.count,
        operations: settings.operations, readers: settings.readers,
        engines: settings.engines.map {
          .init(isPersistent: $0.engine.isPersistent, keepsAllInMemory: $0.keepsAllInMemory)
        }
      ).require(in: settings.folder)
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
    planner = try DataTask(settings).planner(rows)
    let size = planner.loaded.count
    forecast = TimeForecast(
      settings.engines.map { .init(workload: "round", engine: $0.name, size: size, times: settings.rounds + 1) })
    section = DataSection(
      source: source.name, model: rows.model.name, rows: size, keptBack: planner.keptBack.count,
      properties: Self.properties(rows.model),
      mix: settings.mix.shares.map { .init(operation: $0.kind.name, percent: $0.percent) },
      skew: settings.isZipfian ? "zipfian" : "uniform", operations: settings.operations, batch: settings.batch,
      readers: settings.readers, queries: planner.queries.sentences(settings.mix), traits: [])
  }

  /// What the run is about.
  public private(set) var section: DataSection

  /// What is measured.
  public var works: [BenchmarkReport.Work] { settings.works }

  private static func properties(_ model: ModelSchema) -> [DataSection.Property] {
    model.properties.enumerated().map { slot, property in
      DataSection.Property(
        name: property.name, type: property.typeName, isKey: slot == model.primaryKey,
        isIndexed: model.indexes.contains { $0.columns.first?.slot == slot },
        isUnique: model.indexes.contains { $0.isUnique && $0.columns.map(\.slot) == [slot] })
    }
  }

  /// Fills the report. What was measured before an interruption stays in it.
  ///
  /// A wrong answer or an error of an engine ends that engine's part and is listed as a failure.
  public func run(into report: inout BenchmarkReport) throws {
    let began = Stopwatch.now()
    defer {
      endAll()
      conclude(&report)
      report.run.seconds = Stopwatch.seconds(since: began)
      progress.finish()
    }
    do {
      begin(&report)
      // The first round warms up and is not counted.
      for pass in 0...settings.rounds { try round(pass, &report) }
      try weigh()
      report.isComplete = true
    } catch is Interrupted {}
  }

  /// The place of an engine's work, with a folder of its own inside one of the run's.
  private func bench(_ engine: DataEngine, _ name: String) throws -> any DataBench {
    let folder = settings.folder + "/" + name
    guard settings.separatesEngines else { return LocalDataBench(engine, planner, folder: folder) }
    let task = String(decoding: try JSONEncoder().encode(DataTask(settings)), as: UTF8.self)
    let command = LineProcess.Command([
      "measure-data-engine", engine.name, "--rows", settings.folder + "/rows", "--task", task, "--directory", folder,
    ])
    return try ChildDataBench(
      engine, settings.changesCommand(engine.name, command), folder: folder + "/" + engine.name,
      patience: settings.patience(rows: rows.count))
  }

  /// Starts the engines' processes.
  private func begin(_ report: inout BenchmarkReport) {
    for engine in settings.engines {
      do {
        places.append(Place(engine: engine, bench: try bench(engine, "stores")))
      } catch {
        fail(engine.name, "\(error)", &report)
      }
    }
  }

  private func endAll() {
    for place in places { place.bench.end() }
    places = []
  }

  private func round(_ pass: Int, _ report: inout BenchmarkReport) throws {
    var answers: [(engine: String, answers: [AnswerDigest])] = []
    // Another engine goes first each time. A place that fails leaves the list while its copy is walked.
    let present = places
    for turn in present.indices {
      let place = present[(turn + pass) % present.count]
      let name = place.engine.name
      try pause(pass, name)
      let start = Stopwatch.now()
      do {
        let answer = try place.bench.round(pass, stopIfRequested)
        if let trait = answer.trait { section.add(trait) }
        if pass > 0 { figures[name] = answer.figures }
        answers.append((name, answer.answers))
        forecast.did("round", name, planner.loaded.count, seconds: Stopwatch.seconds(since: start))
      } catch let interrupted as Interrupted {
        throw interrupted
      } catch {
        fail(name, DataSettings.words(error)?.description ?? "\(error)", &report)
      }
    }
    for (name, message) in Disagreement.find(answers) { fail(name, message, &report) }
  }

  /// Measures the memory of the engines that are left, each in a process that has done nothing else.
  private func weigh() throws {
    guard settings.measuresMemory, settings.separatesEngines else { return }
    let engines = places.map(\.engine)
    endAll()
    for engine in engines {
      try stopIfRequested()
      progress.show("memory", detail: engine.name, done: forecast.done, secondsLeft: forecast.secondsLeft)
      guard let bench = try? bench(engine, "memory") else { continue }
      defer { bench.end() }
      do {
        figures[engine.name]?.memory = try bench.weigh(stopIfRequested).figures.memory
      } catch let interrupted as Interrupted {
        throw interrupted
      } catch {
        // A run without this figure is worth no less.
      }
    }
  }

  private func stopIfRequested() throws {
    if interruption.isRequested { throw Interrupted() }
  }

  private func pause(_ pass: Int, _ engine: String) throws {
    try stopIfRequested()
    let words = pass == 0 ? "warming up" : "round \(pass) of \(settings.rounds)"
    progress.show(
      "\(Format.count(planner.loaded.count)) rows, \(words)", detail: engine, done: forecast.done,
      secondsLeft: forecast.secondsLeft)
  }

  private func fail(_ engine: String, _ message: String, _ report: inout BenchmarkReport) {
    report.failures.append(
      .init(workload: BenchmarkReport.DataWork.mix, engine: engine, size: planner.loaded.count, message: message))
    forecast.drop(engine: engine, size: planner.loaded.count)
    for place in places where place.engine.name == engine { place.bench.end() }
    places.removeAll { $0.engine.name == engine }
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
            rates: Statistics(rates), latency: figures.latencies[work.id]))
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
