import BenchmarkHarness
import QuarryBackend
import Testing

@testable import DataBenchmark

@Suite struct DataRunTests {
  private let workbench: Workbench

  init() throws {
    workbench = try Workbench()
  }

  @Test(arguments: [1, 6], [false, true])
  func allEnginesGiveTheSameAnswers(batch: Int, isZipfian: Bool) throws {
    var settings = try workbench.settings(
      "get=40,query=30,update=14,insert=8,delete=8", indexed: ["country", "people"])
    settings.batch = batch
    settings.isZipfian = isZipfian
    let report = try workbench.report(settings, workbench.towns(300))
    #expect(report.failures.isEmpty, "\(report.failures)")
    #expect(report.isComplete)
    let size = try #require(report.data).rows
    #expect(size == 300 - 16)
    for engine in DataEngine.all {
      let works = ["load", "mix", "get", "equal", "range", "sort", "update", "insert", "delete"]
      for work in works {
        #expect(report.result(work, engine.name, size)?.rates.values.count == 2, "\(work) on \(engine.name)")
      }
      #expect((report.result("open", engine.name, size) != nil) == engine.engine.isPersistent)
      #expect((report.result("transaction", engine.name, size) != nil) == (batch > 1))
      #expect((report.footprint(engine.name, size)?.diskBytes ?? 1) > 0)
    }
    #expect(report.data?.recommendation?.points.isEmpty == false)
  }

  @Test func aStoreIsASourceOfARun() throws {
    let url = "lmdb:\(workbench.path)/towns.lmdb"
    try workbench.store(url, 100)
    let report = try workbench.report(
      workbench.settings("get=50,query=30,update=20", key: nil), DataSource(url, emptyAsText: false))
    #expect(report.failures.isEmpty && report.data?.rows == 100)
  }

  @Test func equalSeedsGiveEqualPlans() throws {
    let rows = try workbench.read(workbench.towns(100), key: "id")
    let planner = try planner(rows, "get=50,update=30,insert=10,delete=10")
    #expect(try planner.plan(round: 1).finalState == planner.plan(round: 1).finalState)
    #expect(try planner.plan(round: 1).finalState != planner.plan(round: 2).finalState)
    #expect(try planner.plan(round: 1).finalRows == 90)
  }

  @Test func whatTheDataAreTooFewForIsRefused() throws {
    let rows = try workbench.read(workbench.towns(20), key: "id")
    #expect(throws: BenchmarkError.self) { try planner(rows, "get=50,insert=30,delete=20") }
    let keys = try workbench.read(workbench.file("id\n1\n2\n"), key: "id")
    #expect(throws: BenchmarkError.self) { try planner(keys, "get=50,update=50") }
  }

  @Test func aStoreThatLostARowIsFoundOut() throws {
    let rows = try workbench.read(workbench.towns(50), key: "id")
    let planner = try planner(rows, "get=100")
    var plan = try planner.plan(round: 0)
    let store = DataStore(DataEngine.all[0], rows, folder: workbench.path)
    plan.steps.append(.write([.delete(try rows.key(0))]))
    #expect(throws: WrongAnswer.self) {
      try DataRound.run(plan, planner, on: store, checksLoading: true, pause: {}, opened: { _ in })
    }
  }

  @Test func aWrongAnswerIsThatOfTheFew() {
    var right = [AnswerDigest](repeating: AnswerDigest(), count: OperationKind.allCases.count)
    right[OperationKind.range.rawValue].add(row: 1)
    var wrong = right
    wrong[OperationKind.range.rawValue].add(row: 2)
    let found = Disagreement.find([("a", right), ("b", wrong), ("c", right)])
    #expect(found.map(\.engine) == ["b"] && found[0].message.contains("range"))
    #expect(Disagreement.find([("a", right), ("b", wrong)]).count == 2)
    #expect(Disagreement.find([("a", right), ("b", right)]).isEmpty)
  }

  @Test func theOrderOfRowsIsPartOfAnAnswer() {
    var one = AnswerDigest()
    var other = AnswerDigest()
    for row: UInt64 in [1, 2] { one.add(row: row) }
    for row: UInt64 in [2, 1] { other.add(row: row) }
    #expect(one != other)
  }

  @Test func anInterruptedRunKeepsItsReport() throws {
    let interruption = Interruption()
    let settings = try workbench.settings("get=100")
    let source = try workbench.towns(100)
    let runner = try DataRunner(settings, source, ProgressLine(isQuiet: true), interruption)
    var report = BenchmarkReport(
      machine: .current(folder: workbench.path),
      run: .init(command: "c", commit: "c", swift: "6", date: "d", seed: 1, rounds: 2, sizes: [100], effort: .smoke),
      engines: settings.engines.map(\.engine), works: runner.works, data: runner.section)
    interruption.request()
    try runner.run(into: &report)
    #expect(!report.isComplete && report.failures.isEmpty && report.data != nil)
  }

  private func planner(_ rows: DataRows, _ mix: String) throws -> OperationPlanner {
    let mix = try OperationMix(parsing: mix)
    let queries = try QueryMaker(rows, QueryColumns(rows.model, .init()), mix, selectivity: 0.1, limit: 10)
    return try OperationPlanner(
      rows, mix, operations: 100, batch: 1, isZipfian: false, seed: 1, queries)
  }
}
