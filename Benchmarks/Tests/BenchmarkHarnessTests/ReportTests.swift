import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@testable import BenchmarkHarness

@Suite struct ReportTests {
  /// A report with made figures: two engines, two workloads, two sizes.
  static func report(_ change: (inout BenchmarkReport) -> Void = { _ in }) -> BenchmarkReport {
    let engines = [
      DictionaryStore.engine("sqlite", peer: "raw-sqlite-checked"), DictionaryStore.engine("raw-sqlite-checked"),
    ]
    let workloads = ["get", "insert-single"].compactMap { Workload.named($0) }
    var report = BenchmarkReport(
      machine: Machine(processor: "x", cores: 2, memoryBytes: 1 << 30, system: "y", fileSystem: "ext4"),
      run: .init(
        command: "quarry-bench", commit: "c", swift: "6.3", date: "2026-01-01T00:00:00Z", seed: 1, rounds: 3,
        sizes: [1000, 100_000], effort: .short),
      engines: engines, workloads: workloads)
    for size in [1000, 100_000] {
      for workload in workloads {
        for (engine, rate) in [("sqlite", 800_000.0), ("raw-sqlite-checked", 1_000_000)] {
          let rate = workload.id == "get" && engine == "sqlite" ? 950_000 : rate
          let rates = Statistics([rate * 0.99, rate, rate * 1.01])
          let latency = LatencySummary(
            count: 50_000, p50: 100, p95: 200, p99: 300, p999: 900, max: 5000,
            curve: LatencySummary.places.map { 90 + $0 * 8 })
          report.results.append(
            .init(
              workload: workload.id, engine: engine, size: size, operations: 1000, rates: rates, latency: latency))
        }
      }
    }
    for size in [1000, 100_000] {
      report.footprints.append(
        .init(engine: "sqlite", size: size, diskBytes: size * 100, memory: .init(peakBytes: 1 << 20, privateBytes: 9)))
    }
    report.isComplete = true
    change(&report)
    return report
  }

  @Test func jsonReadsBackAsItWas() throws {
    let report = Self.report()
    #expect(try BenchmarkReport.read(json: report.json(), name: "x") == report)
  }

  @Test(arguments: ["", "{}", "[1,2]", "{\"format\": 99}", "{\"format\": 1}", "no json"])
  func whatIsNoReportIsRefused(text: String) {
    #expect(throws: BenchmarkError.self) { try BenchmarkReport.read(json: Data(text.utf8), name: "x") }
  }

  @Test func ratiosAreToThePeer() throws {
    let report = Self.report()
    #expect(try #require(report.ratio("get", "sqlite", 1000)).median == 0.95)
    #expect(report.ratio("get", "raw-sqlite-checked", 1000) == nil)
  }

  @Test func unequalDurabilityHasNoRatioOfCommits() {
    let report = Self.report { $0.engines[0].durability = .none }
    #expect(report.ratio("insert-single", "sqlite", 1000) == nil)
    #expect(report.ratio("get", "sqlite", 1000) != nil)
  }

  @Test func aGoalHoldsOrFallsShort() throws {
    let states = GoalState.all(of: Self.report())
    let get = try #require(states.first { $0.workload == "get" })
    #expect(get.wanted == "≥ 0.90× raw-sqlite-checked" && get.found == "0.95×" && get.isReached)
    let commits = try #require(states.first { $0.workload == "insert-single" })
    #expect(commits.found == "0.80×" && !commits.isReached)
    // 1,000 objects are too few to hold a goal against.
    #expect(states.allSatisfy { $0.size != "1,000" })
  }

  @Test func aRatioOfScatteredRoundsIsLeftOut() throws {
    let quiet = Self.report()
    #expect(!TextReport(quiet).text().contains("×?"))
    let busy = Self.report { report in
      report.results = report.results.map { result in
        guard result.workload == "get", result.engine == "sqlite" else { return result }
        var result = result
        result.rates = Statistics(result.rates.values.enumerated().map { $0 == 0 ? $1 / 2 : $0 == 1 ? $1 : $1 * 2 })
        return result
      }
    }
    for text in [TextReport(busy).text(), MarkdownReport(busy).text()] {
      #expect(text.contains("×?") && text.contains("2 of 4 ratios are left out"), "\(text)")
    }
    let states = GoalState.all(of: busy)
    #expect(states.first { $0.workload == "get" }?.verdict == "unsettled")
    #expect(states.first { $0.workload == "insert-single" }?.verdict == "falls short")
  }

  /// Scattered rounds say on which side of a goal they are if there are five, and all are on that side.
  @Test func fiveRoundsOnOneSideSettleAGoal() throws {
    func state(_ ratios: [Double]) throws -> GoalState {
      let report = Self.report { report in
        report.results = report.results.map { result in
          guard result.workload == "get" else { return result }
          var result = result
          result.rates = Statistics(ratios.map { result.engine == "sqlite" ? $0 * 1_000 : 1_000 })
          return result
        }
      }
      return try #require(GoalState.all(of: report).first { $0.workload == "get" && $0.engine == "sqlite" })
    }
    let above = try state([20, 12, 30, 45, 60])
    #expect(above.verdict == "holds" && above.found == "≥ 12.0×", "\(above)")
    let below = try state([0.1, 0.3, 0.5, 0.2, 0.8])
    #expect(below.verdict == "falls short" && below.found == "≤ 0.80×", "\(below)")
    #expect(try state([0.1, 0.3, 0.5, 0.2, 80]).verdict == "unsettled")
    #expect(try state([20, 12, 30, 45]).verdict == "unsettled")
  }

  /// Where the limit itself is slower than the other engine, the goal is a share of what the limit reaches.
  @Test func noGoalExceedsItsLimit() throws {
    func state(limit: [Double]) throws -> GoalState {
      let report = Self.report { report in
        let all = [("sqlite", [850, 851, 852]), ("raw-sqlite-checked", limit), ("grdb", [1000, 1000, 1000])]
        for (engine, rates) in all {
          let sample = report.results[0]
          report.results.append(
            .init(
              workload: "filter", engine: engine, size: 100_000, operations: 1000, rates: Statistics(rates),
              latency: sample.latency))
        }
      }
      return try #require(GoalState.all(of: report).first { $0.workload == "filter" && $0.wanted.contains("grdb") })
    }
    let slower = try state(limit: [900, 900, 900])
    #expect(slower.wanted == "≥ 0.81× grdb (raw-sqlite-checked reaches 0.90×)" && slower.isReached, "\(slower)")
    let faster = try state(limit: [1200, 1200, 1200])
    #expect(faster.wanted == "≥ 1.00× grdb" && !faster.isReached, "\(faster)")
    // A limit whose rounds are far from each other lowers no goal.
    #expect(try state(limit: [900, 400, 1400]).wanted == "≥ 1.00× grdb")
  }

  @Test func growthIsBetweenTwoSizes() throws {
    func growth(_ sizes: [Int], slower: Double = 1) -> [GoalState] {
      let report = Self.report { report in
        report.results = zip(sizes, [1_000, 100_000]).flatMap { new, old in
          report.results.filter { $0.size == old }.map { result in
            var result = result
            result.size = new
            if new == sizes.last, result.engine == "sqlite" {
              result.rates = Statistics(result.rates.values.map { $0 / slower })
            }
            return result
          }
        }
      }
      return GoalState.all(of: report).filter { $0.wanted.contains("cost") }
    }
    let sizes = [10_000, 1_000_000]
    #expect(growth(sizes).map(\.workload) == ["get"])
    #expect(try #require(growth(sizes).first).isReached)
    let slower = try #require(growth(sizes, slower: 1.5).first)
    #expect(slower.found == "1.50×" && !slower.isReached, "\(slower)")
    #expect(growth([10_000_000]).isEmpty)
    #expect(growth([1_000, 1_000_000]).isEmpty)
  }

  @Test func thePageStandsByItself() {
    let page = HTMLReport(Self.report()).text()
    #expect(page.contains("<svg") && page.contains("prefers-color-scheme: dark") && page.contains("viewport"))
    #expect(!page.contains("http:") && !page.contains("https:") && !page.contains("<script"))
    #expect(!page.contains("src=") && !page.contains("@import") && !page.contains("url("))
  }

  @Test func thePageIsWellFormed() throws {
    var page = HTMLReport(Self.report()).text()
    // What HTML leaves open and XML closes.
    page.replace("<!doctype html>", with: "")
    page.replace(try Regex("<meta ([^>]*)>")) { "<meta \($0.output[1].substring ?? "")/>" }
    let delegate = Elements()
    let parser = XMLParser(data: Data(page.utf8))
    parser.delegate = delegate
    #expect(parser.parse())
    #expect(delegate.counts["section"] == 8)
    // Two workloads: rates and latencies at two sizes, growth; the footprints of an engine at two sizes.
    #expect(delegate.counts["figure"] == 2 * 2 + 2 * 2 + 2 + 2 * 2)
  }

  @Test func textOfOthersIsEscaped() {
    let report = Self.report {
      $0.machine.processor = "<b>&\"|x"
      $0.failures = [.init(workload: "get", engine: "sqlite", size: 1, message: "<script>")]
    }
    #expect(!HTMLReport(report).text().contains("<b>&\""))
    #expect(!HTMLReport(report).text().contains("<script>"))
    #expect(MarkdownReport(report).text().contains("\\<b\\>"))
  }

  @Test func aPartSaysThatItIsOne() {
    let part = Self.report { $0.isComplete = false }
    #expect(TextReport(part).text().contains("Interrupted"))
    #expect(MarkdownReport(part).text().contains("interrupted"))
    #expect(HTMLReport(part).text().contains("interrupted"))
  }

  @Test func anEmptyReportIsNoTrap() {
    let empty = Self.report {
      $0.results = []
      $0.footprints = []
    }
    #expect(!TextReport(empty).text().isEmpty)
    #expect(!MarkdownReport(empty).text().isEmpty)
    #expect(HTMLReport(empty).text().contains("</html>"))
  }

  @Test(arguments: [(1_234_567, "1.23M"), (999, "999"), (12_345, "12.3k"), (1.5e9, "1.50G"), (0.5, "0.50")])
  func ratesAreShort(value: Double, text: String) {
    #expect(Format.rate(value) == text)
  }

  @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567")])
  func countsHaveCommas(value: Int, text: String) {
    #expect(Format.count(value) == text)
  }
}

private final class Elements: NSObject, XMLParserDelegate {
  var counts: [String: Int] = [:]

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    counts[name, default: 0] += 1
  }
}
