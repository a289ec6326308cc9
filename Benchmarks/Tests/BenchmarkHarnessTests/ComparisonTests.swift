import Testing

@testable import BenchmarkHarness

@Suite struct ComparisonTests {
  /// Compares a report with itself after the rates of the first engine were multiplied.
  private func comparison(_ factor: Double, threshold: Double = 0.1, ratios: Bool = false) -> Comparison {
    let new = ReportTests.report { report in
      for index in report.results.indices where report.results[index].engine == "sqlite" {
        report.results[index].rates = Statistics(report.results[index].rates.values.map { $0 * factor })
      }
    }
    return Comparison(old: ReportTests.report(), new: new, threshold: threshold, comparesRatios: ratios)
  }

  @Test func theSameIsTheSame() {
    #expect(!comparison(1).hasRegression)
    #expect(comparison(1).lines.count == 8)
    #expect(comparison(1).lines.allSatisfy { $0.verdict == .same })
  }

  @Test func slowerBeyondTheThresholdIsARegression() {
    #expect(comparison(0.8).hasRegression)
    #expect(comparison(0.8).lines.count { $0.verdict == .slower } == 4)
  }

  @Test func fasterIsNone() {
    #expect(!comparison(1.5).hasRegression)
    #expect(comparison(1.5).lines.contains { $0.verdict == .faster })
  }

  @Test func withinTheThresholdIsTheSame() {
    #expect(!comparison(0.95).hasRegression)
    #expect(comparison(0.95, threshold: 0.02).hasRegression)
  }

  @Test func withinTheNoiseIsTheSame() {
    let noisy = { (rates: [Double]) in
      ReportTests.report { report in
        for index in report.results.indices { report.results[index].rates = Statistics(rates) }
      }
    }
    let comparison = Comparison(
      old: noisy([60, 100, 140]), new: noisy([50, 80, 120]), threshold: 0.1, comparesRatios: false)
    #expect(!comparison.hasRegression)
  }

  @Test func ratiosAreComparedForEnginesWithAPeer() {
    let comparison = comparison(0.5, ratios: true)
    #expect(comparison.lines.allSatisfy { $0.engine == "sqlite" && $0.verdict == .slower })
    #expect(!comparison.lines.isEmpty)
  }

  @Test func aNewFailureIsARegression() {
    let new = ReportTests.report {
      $0.failures = [.init(workload: "get", engine: "sqlite", size: 1000, message: "wrong")]
    }
    #expect(Comparison(old: ReportTests.report(), new: new, threshold: 0.1, comparesRatios: false).hasRegression)
    #expect(!Comparison(old: new, new: new, threshold: 0.1, comparesRatios: false).hasRegression)
  }

  @Test func whatIsMissingIsNamed() {
    let new = ReportTests.report { $0.results.removeLast() }
    let comparison = Comparison(old: ReportTests.report(), new: new, threshold: 0.1, comparesRatios: false)
    #expect(comparison.missing.count == 1)
    #expect(comparison.text().contains("missing"))
  }

  @Test func otherReadersAreACaution() {
    func report(_ readers: Int?) -> BenchmarkReport {
      ReportTests.report {
        $0.data = DataSection(
          source: "a.csv", model: "Book", rows: 1000, keptBack: 0, properties: [], mix: [], skew: "uniform",
          operations: 100, batch: 1, queries: [], traits: [])
        $0.data?.readers = readers
      }
    }
    func cautions(_ old: Int?, _ new: Int?) -> [String] {
      Comparison(old: report(old), new: report(new), threshold: 0.1, comparesRatios: false).cautions
    }
    #expect(cautions(0, 4).count == 1)
    // Reports from before there were readers have none.
    #expect(cautions(nil, 0).isEmpty && cautions(4, 4).isEmpty)
  }

  @Test func anotherMachineIsACaution() {
    let new = ReportTests.report { $0.machine.cores = 64 }
    #expect(
      Comparison(old: ReportTests.report(), new: new, threshold: 0.1, comparesRatios: false).cautions.count == 1)
  }
}
