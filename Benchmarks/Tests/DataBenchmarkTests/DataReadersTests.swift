import BenchmarkHarness
import QuarryBackend
import Testing

@testable import DataBenchmark

@Suite struct DataReadersTests {
  private let workbench: Workbench

  init() throws {
    workbench = try Workbench()
  }

  @Test(arguments: [1, 5]) func readersAreMeasuredBesideTheMixOfEveryEngine(batch: Int) throws {
    var settings = try workbench.settings(
      "get=30,query=30,update=24,insert=8,delete=8", indexed: ["country", "people"])
    settings.batch = batch
    settings.readers = 3
    let report = try workbench.report(settings, workbench.towns(300))
    #expect(report.failures.isEmpty, "\(report.failures)")
    for engine in DataEngine.all {
      let result = try #require(report.result("readers", engine.name, 284))
      #expect(result.rates.values.count == 2 && result.rates.low > 0)
      #expect(try #require(result.latency).count >= 3 * 2)
    }
    #expect(report.data?.readers == 3)
    #expect(report.data?.recommendation?.points.contains { $0.contains("3 threads that read do") } == true)
    for text in [TextReport(report).text(), MarkdownReport(report).text(), HTMLReport(report).text()] {
      #expect(text.contains("3 readers beside it"))
    }
    #expect(try BenchmarkReport.read(json: report.json(), name: "x") == report)
  }

  @Test(arguments: ReadFault.allCases) func whatReadersFindIsChecked(fault: ReadFault) throws {
    var settings = try workbench.settings("get=40,query=60", indexed: ["country", "people"])
    settings.readers = 2
    settings.limit = 5
    settings.engines = [DataEngine.all[0].with { FaultyBackend($0, fault) }]
    let report = try workbench.report(settings, workbench.towns(300))
    let words = fault == .missesRows || fault == .findsAnotherRow ? "thread that reads" : "a query found"
    #expect(report.failures.first?.message.contains(words) == true, "\(report.failures)")
    #expect(report.results.isEmpty)
  }

  @Test(arguments: ReadFault.allCases) func anEngineThatAnswersOtherwiseIsAloneWithIt(fault: ReadFault) throws {
    var settings = try workbench.settings("get=40,query=60", indexed: ["country", "people"])
    settings.engines = [DataEngine.all[1], DataEngine.all[0].with { FaultyBackend($0, fault) }, DataEngine.all[3]]
    let report = try workbench.report(settings, workbench.towns(300))
    #expect(report.failures.map(\.engine) == [DataEngine.all[0].name])
    #expect(report.failures.first?.message.contains("are not those of") == true)
    #expect(report.isComplete && report.result("mix", DataEngine.all[3].name, 300) != nil)
  }

  @Test func aRowIsOneThatItWasAfterATransaction() throws {
    let rows = try workbench.read(workbench.towns(10), key: "id")
    var versions = RowVersions()
    versions.change(1, 77)
    versions.change(1, 88)
    versions.commit()
    versions.change(2, 99)
    versions.comeOrGo(2)
    versions.commit()
    let known = KnownRows(rows, versions)
    try known.check(rows.digest(1), at: 1)
    try known.check(88, at: 1)
    try known.check(nil, at: 2)
    try known.check(rows.digest(9))
    #expect(throws: WrongAnswer.self) { try known.check(77, at: 1) }
    #expect(throws: WrongAnswer.self) { try known.check(rows.digest(2), at: 1) }
    #expect(throws: WrongAnswer.self) { try known.check(nil, at: 1) }
    #expect(throws: WrongAnswer.self) { try known.check(99, at: 2) }
    #expect(throws: WrongAnswer.self) { try known.check(77 as UInt64) }
  }

  @Test func theRowsOfAQueryAreWhatItAsksFor() throws {
    let range = RowRule(slot: 0, least: .int(2), most: .int(4), order: .ascending, limit: 3)
    try range.check([.int(2), .int(2), .int(4)])
    for wrong: [Value] in [[.int(1)], [.int(5)], [.int(3), .int(2)], [.null], [.int(2), .int(2), .int(2), .int(2)]] {
      #expect(throws: WrongAnswer.self) { try range.check(wrong) }
    }
    let sort = RowRule(slot: 0, least: nil, most: .int(4), order: .descending, limit: 3)
    try sort.check([.int(4), .int(1)])
    #expect(throws: WrongAnswer.self) { try sort.check([.int(4), .null]) }
    try RowRule(slot: 0, least: nil, most: nil, order: .descending, limit: 3).check([.int(4), .null])
    try RowRule(slot: 0, least: .null, most: .null, order: .none, limit: 3).check([.null, .null])
  }

  @Test func aMixWithoutReadsHasNothingForReaders() throws {
    var settings = try workbench.settings("update=100")
    settings.readers = 1
    #expect(throws: BenchmarkError("--readers: the mix has no operation that reads")) {
      try workbench.report(settings, workbench.towns(30))
    }
  }
}
