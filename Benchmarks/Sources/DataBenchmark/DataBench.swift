import BenchmarkHarness

/// Where the rounds of one engine are run: in this process, or in one of its own.
protocol DataBench: AnyObject {
  /// Runs a round.
  ///
  /// - Parameters:
  ///   - number: 0 for the one that warms up, which is not counted.
  ///   - pause: Is called now and then; it throws to end the round.
  func round(_ number: Int, _ pause: () throws -> Void) throws -> DataAnswer
  /// Fills a store with all rows, reads them, and weighs the memory that this took: nothing else may have been done in the
  /// process.
  func weigh(_ pause: () throws -> Void) throws -> DataAnswer
  /// Closes and removes the store.
  func end()
}

/// What a bench answers; a line of JSON where it comes from another process.
struct DataAnswer: Codable {
  /// Of all rounds so far that count.
  var figures = EngineFigures()
  /// What stands for the answers of the round, by the kind of operation.
  var answers: [AnswerDigest] = []
  var trait: DataSection.Trait?
  /// Why there is no result.
  var failure: String?
}

/// The work of one engine in this process.
final class LocalDataBench: DataBench {
  private let engine: DataEngine
  private let rows: DataRows
  private let planner: OperationPlanner
  private let store: DataStore
  private var collector = FigureCollector()

  init(_ engine: DataEngine, _ planner: OperationPlanner, folder: String) {
    self.engine = engine
    self.planner = planner
    rows = planner.rows
    store = DataStore(engine, rows, folder: folder)
  }

  func round(_ number: Int, _ pause: () throws -> Void) throws -> DataAnswer {
    var answer = DataAnswer()
    let plan = try planner.plan(round: number)
    let round = try DataRound.run(plan, planner, on: store, checksLoading: number == 0, pause: pause) {
      answer.trait = engine.trait($0)
    }
    if number > 0 { collector.add(round) }
    answer.figures = collector.figures
    answer.answers = round.answers
    return answer
  }

  func weigh(_ pause: () throws -> Void) throws -> DataAnswer {
    defer { end() }
    let places = Array(0..<rows.count)
    // The pages of the rows' file would count where they are first touched.
    rows.makeResident()
    let (_, memory) = try MemoryProbe.weigh {
      _ = try store.load(places, pause)
      // Opened again where it can be: what filling left behind is no part of a store in use.
      _ = try store.reopen(reading: 0)
      guard try store.state(pause).rows == rows.count else { throw WrongAnswer("a row is missing") }
    }
    var answer = DataAnswer()
    answer.figures.memory = memory
    return answer
  }

  func end() { try? store.remove() }
}
