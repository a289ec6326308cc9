public import BenchmarkHarness
import Foundation
import QuarryBackend

/// What a run on the user's own data does.
public struct DataSettings: Sendable {
  public var engines: [DataEngine]
  public var selection: DataSelection
  public var mix: OperationMix
  /// Operations of a round.
  public var operations: Int
  /// Writes in a transaction.
  public var batch: Int
  public var isZipfian: Bool
  /// The part of the rows that a range covers.
  public var selectivity: Double
  /// The most rows that a query fetches.
  public var limit: Int
  /// The columns of queries, where they are named.
  public var equal: String?
  public var range: String?
  public var sort: String?
  /// The user's queries.
  public var queries: [OwnQuery] = []
  public var rounds: Int
  public var seed: UInt64
  /// Where stores are made; the caller removes it.
  public var folder: String
  /// Threads that read beside the mix.
  public var readers = 0
  /// Whether each engine works in a process of its own, so that none meets a heap that another has used: this program
  /// must know the command `measure-data-engine`.
  public var separatesEngines = false
  /// Whether the memory of each engine is measured, which takes a process of its own.
  public var measuresMemory = false
  /// Makes the command of an engine's process another one: for tests.
  var changesCommand: @Sendable (_ engine: String, LineProcess.Command) -> LineProcess.Command = { $1 }
  /// The seconds of silence after which an engine's process counts as hanging; nil for what the number of rows makes right.
  var patience: Double?

  public init(
    engines: [DataEngine], selection: DataSelection, mix: OperationMix, operations: Int, batch: Int, isZipfian: Bool,
    selectivity: Double, limit: Int, rounds: Int, seed: UInt64, folder: String
  ) {
    self.engines = engines
    self.selection = selection
    self.mix = mix
    self.operations = operations
    self.batch = batch
    self.isZipfian = isZipfian
    self.selectivity = selectivity
    self.limit = limit
    self.rounds = rounds
    self.seed = seed
    self.folder = folder
  }
}

extension DataSettings {
  /// What an error of a store says to a person.
  public static func words(_ error: any Error) -> BenchmarkError? {
    guard let error = error as? StorageError else { return nil }
    return BenchmarkError("\(error.code): \(error.message)")
  }

  /// The seconds of silence after which an engine's process counts as hanging. What gives no sign for long is a commit of
  /// all rows.
  func patience(rows: Int) -> Double { patience ?? 300 + Double(rows) / 1000 }

  /// What is measured, in the order of reports.
  var works: [BenchmarkReport.Work] {
    var works = [
      BenchmarkReport.Work(
        id: BenchmarkReport.DataWork.load, title: "Load all rows", unit: "rows",
        explanation:
          "All rows in one transaction, in the order of the data. The time in which rows are put together is "
          + "not counted."),
      BenchmarkReport.Work(
        id: BenchmarkReport.DataWork.open, title: "Open", unit: "openings",
        explanation: "Opening the store after a clean close, and reading one row.", display: .milliseconds),
      BenchmarkReport.Work(
        id: BenchmarkReport.DataWork.mix, title: "The mix", unit: "operations",
        explanation: "All operations one after the other, on one thread.",
        isBoundByCommits: mix.shares.contains { $0.kind.isWrite }),
    ]
    if readers > 0 {
      works.append(
        BenchmarkReport.Work(
          id: BenchmarkReport.DataWork.readers,
          title: readers == 1 ? "1 reader beside it" : "\(readers) readers beside it", unit: "operations",
          explanation: "Operations of the mix that read, on threads of their own while the mix is at work, each in a "
            + "transaction of its own: of all threads together, in the time that they spend in operations."))
    }
    let commit = batch == 1 ? " In a transaction of its own, whose commit is durable." : ""
    for (kind, _) in mix.shares {
      let (title, explanation) =
        switch kind {
        case .get: ("Get by key", "One row by its key, every field read, in a transaction of its own.")
        case .equal: ("Query by equality", "The rows with a value that occurs in the data.")
        case .range: ("Query by range", "The rows between two values, in their order.")
        case .sort: ("Query sorted", "The first rows from a value downwards.")
        case .own: ("Your queries", "One of your queries, each as often as the others.")
        case .update: ("Update by key", "One property is set to a value of another row." + commit)
        case .insert: ("Insert", "A row that was kept back." + commit)
        case .delete: ("Delete by key", "A row by its key." + commit)
        }
      works.append(
        BenchmarkReport.Work(
          id: kind.name, title: title, unit: "operations", explanation: explanation,
          isBoundByCommits: kind.isWrite && batch == 1))
      guard kind == .own else { continue }
      for (place, query) in queries.enumerated() {
        works.append(
          BenchmarkReport.Work(
            id: BenchmarkReport.DataWork.ownQuery(place), title: "Query \(place + 1)", unit: "operations",
            explanation: query.text))
      }
    }
    if batch > 1, mix.shares.contains(where: { $0.kind.isWrite }) {
      works.append(
        BenchmarkReport.Work(
          id: "transaction", title: "Transaction of \(batch) writes", unit: "transactions",
          explanation: "From its begin to the end of its durable commit.", isBoundByCommits: true))
    }
    return works
  }
}
