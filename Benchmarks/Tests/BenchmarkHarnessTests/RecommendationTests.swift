import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@testable import BenchmarkHarness

@Suite struct RecommendationTests {
  /// A report on the user's own data with made rates of the mix.
  private func report(
    _ rates: [String: [Double]], _ change: (inout BenchmarkReport) -> Void = { _ in }
  ) -> BenchmarkReport {
    let names = ["memory", "flat-file", "sqlite", "lmdb"].filter { rates[$0] != nil }
    let engines = names.map { name in
      BenchmarkEngine(
        name: name, summary: name, version: "1", isQuarry: true, durability: name == "memory" ? .none : .powerLoss,
        isPersistent: name != "memory", peer: "raw-sqlite"
      ) { _ in throw BenchmarkError("not opened here") }
    }
    let traits = names.map { name in
      DataSection.Trait(
        engine: name, keepsAllInMemory: name == "memory" || name == "flat-file",
        isShared: name == "sqlite" || name == "lmdb", isReadByOthers: name == "sqlite")
    }
    let works = ["mix", "open", "range"].map { id in
      BenchmarkReport.Work(
        id: id, title: id == "range" ? "Query by range" : id, unit: "operations", explanation: "x",
        display: id == "open" ? .milliseconds : .rate, isBoundByCommits: id == "mix")
    }
    var report = BenchmarkReport(
      machine: Machine(processor: "x", cores: 2, memoryBytes: 1 << 30, system: "y", fileSystem: "ext4"),
      run: .init(
        command: "quarry-bench", commit: "c", swift: "6.3", date: "d", seed: 1, rounds: 3, sizes: [1000],
        effort: .mixed(100)),
      engines: engines, works: works,
      data: DataSection(
        source: "a<b.csv", model: "Book", rows: 1000, keptBack: 2,
        properties: [.init(name: "id", type: "int64", isKey: true, isIndexed: false)],
        mix: [.init(operation: "get", percent: 87.5), .init(operation: "insert", percent: 12.5)], skew: "uniform",
        operations: 100, batch: 1, queries: ["all"], traits: traits))
    for name in names {
      func add(_ work: String, _ rates: [Double]) {
        report.results.append(
          .init(workload: work, engine: name, size: 1000, operations: 100, rates: Statistics(rates), latency: nil))
      }
      if let rates = rates[name], !rates.isEmpty { add("mix", rates) }
      if name != "memory" { add("open", Array(repeating: name == "flat-file" ? 20 : 1000, count: 3)) }
      add("range", name == "sqlite" ? [900, 901, 899] : [100, 101, 99])
      report.footprints.append(
        .init(
          engine: name, size: 1000, diskBytes: name == "memory" ? nil : 1 << 20,
          memory: .init(peakBytes: 3 << 20, privateBytes: 2 << 20)))
    }
    report.isComplete = true
    change(&report)
    let recommendation = Recommendation(report)
    report.data?.recommendation = recommendation
    return report
  }

  private let usual = [
    "memory": [900.0, 901, 902], "flat-file": [300, 301, 302], "sqlite": [100, 101, 102], "lmdb": [600, 602, 604],
  ]

  @Test func theFastestDurableEngineIsTaken() throws {
    let recommendation = try #require(report(usual).data?.recommendation)
    #expect(recommendation.engine == "lmdb")
    #expect(recommendation.summary.contains("2.00 × flat-file") && recommendation.summary.contains("602 operations"))
    let engines = try #require(recommendation.engines)
    #expect(engines.map(\.engine) == ["memory", "lmdb", "flat-file", "sqlite"])
    #expect(engines.allSatisfy { $0.sentences.count == 3 })
    let texts = Dictionary(uniqueKeysWithValues: engines.map { ($0.engine, $0.text) })
    #expect(texts["memory"]?.hasPrefix("Choose memory for data that may be gone with the process") == true)
    #expect(texts["memory"]?.contains("It does 901 operations a second, 1.50 × lmdb.") == true)
    #expect(texts["flat-file"]?.contains("It keeps all rows in memory: 1.00 MiB on the disk (1048 B a row)") == true)
    #expect(texts["flat-file"]?.contains("2.00 MiB of memory and 50.0 ms to open for 1,000 rows.") == true)
    #expect(texts["sqlite"]?.hasPrefix("Choose sqlite for files that other tools read, too") == true)
    #expect(texts["sqlite"]?.contains("survive a loss of power at query by range (900/s)") == true)
    #expect(texts["lmdb"]?.hasPrefix("Choose lmdb for a store that only Quarry reads") == true)
    let points = recommendation.points.joined(separator: "\n")
    #expect(points.contains("query by range on sqlite (900/s"))
    #expect(points.contains("take lmdb or sqlite; memory and flat-file belong to one process"))
  }

  @Test func whatCannotBeToldApartIsSaidSo() throws {
    var rates = usual
    rates["flat-file"] = [590, 640, 610]
    let recommendation = try #require(report(rates).data?.recommendation)
    #expect(recommendation.engine == "lmdb")
    #expect(recommendation.summary.contains("too close to tell apart"))
    #expect(recommendation.summary.contains("lmdb does not need the memory for all rows"))
  }

  @Test func readersDecideAmongEquals() throws {
    var rates = usual
    rates["sqlite"] = [590, 640, 610]
    /// A report whose engines let readers do so much.
    func summary(_ sqlite: Double, _ lmdb: Double) throws -> Recommendation {
      let report = report(rates) { report in
        report.data?.readers = 4
        for (name, rate) in [("memory", 9000.0), ("flat-file", 500), ("sqlite", sqlite), ("lmdb", lmdb)] {
          report.results.append(
            .init(
              workload: "readers", engine: name, size: 1000, operations: 50,
              rates: Statistics([rate, rate * 1.01, rate * 0.99]), latency: nil))
        }
      }
      return try #require(report.data?.recommendation)
    }
    let recommendation = try summary(5000, 1000)
    #expect(recommendation.engine == "sqlite")
    #expect(recommendation.summary.contains("Beside the mix lmdb lets readers read slower."))
    let point = try #require(recommendation.points.first { $0.hasPrefix("Beside the mix") })
    #expect(point.contains("4 threads that read do") && point.contains("sqlite 5.00k, lmdb 1.00k (0.20 × sqlite)"))
    #expect(try summary(1000, 5000).engine == "lmdb")
    #expect(try !summary(5000, 5000).summary.contains("readers"))
  }

  @Test func memoryAloneIsTaken() throws {
    let recommendation = try #require(report(["memory": [5, 5, 5]]).data?.recommendation)
    #expect(recommendation.engine == "memory" && recommendation.summary.contains("No other engine"))
    #expect(recommendation.engines?.map(\.engine) == ["memory"])
  }

  @Test func whoFailedIsLeftOut() throws {
    let failed = report(usual) {
      $0.failures.append(.init(workload: "mix", engine: "lmdb", size: 1000, message: "wrong"))
    }
    let recommendation = try #require(failed.data?.recommendation)
    #expect(recommendation.engine == "flat-file")
    #expect(recommendation.points.contains { $0.hasPrefix("lmdb failed") })
  }

  @Test func aPartIsNotRecommendedFrom() {
    var rates = usual
    rates["lmdb"] = []
    let part = report(rates) { $0.isComplete = false }
    #expect(part.data?.recommendation == nil)
    #expect(TextReport(part).text().contains("No recommendation"))
  }

  @Test func fewOrRestlessRoundsAreACaution() throws {
    let few = try #require(report(["lmdb": [5.0], "sqlite": [1]]).data?.recommendation)
    #expect(few.points.contains("1 round is too few to decide by."))
    #expect(few.engines?.count == 2)
    let restless = try #require(report(["lmdb": [10.0, 20, 5], "sqlite": [1, 1, 1]]).data?.recommendation)
    #expect(restless.points.contains { $0.contains("50 % off their median") })
  }

  @Test func everyFormOfTheReportHasIt() throws {
    let report = report(usual)
    #expect(try BenchmarkReport.read(json: report.json(), name: "x") == report)
    let page = HTMLReport(report).text()
    let body = page.replacingOccurrences(of: "<!doctype html>", with: "")
      .replacingOccurrences(of: #"<meta([^>]*)>"#, with: "<meta$1/>", options: .regularExpression)
    #expect(XMLParser(data: Data(body.utf8)).parse())
    for text in [page, MarkdownReport(report).text(), TextReport(report).text()] {
      #expect(text.contains("Take lmdb.") && text.contains("Choose sqlite"))
    }
    #expect(!page.contains("a<b.csv"))
    #expect(TextReport(report).text().split(separator: "\n").allSatisfy { $0.count <= 110 })
    #expect(report.ratio("mix", "lmdb", 1000) == nil)
  }
}
