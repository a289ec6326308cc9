import Foundation

/// What moved between two reports.
public struct Comparison: Sendable {
  public enum Verdict: String, Sendable {
    case faster, slower
    /// Moved less than the threshold, or not beyond the noise.
    case same
  }

  public struct Line: Sendable {
    public var workload: String
    public var engine: String
    public var size: Int
    public var old: Double
    public var new: Double
    /// New over old, less 1.
    public var change: Double
    /// How much of a change is noise.
    public var noise: Double
    public var verdict: Verdict
  }

  public let lines: [Line]
  /// Results that the old report has and the new one lacks.
  public let missing: [String]
  /// What makes the two hard to compare.
  public let cautions: [String]
  /// Failures that the old report does not have.
  public let failures: [String]

  /// - Parameters:
  ///   - threshold: The part of the old figure from which a change counts: 0.1 is a tenth.
  ///   - comparesRatios: Whether to compare ratios to the peers instead of rates, for reports of different machines.
  ///     Only what has a peer is compared then.
  public init(old: BenchmarkReport, new: BenchmarkReport, threshold: Double, comparesRatios: Bool) {
    func figures(_ report: BenchmarkReport, _ result: BenchmarkReport.Result) -> Statistics? {
      comparesRatios ? report.ratio(result.workload, result.engine, result.size) : result.rates
    }
    var lines: [Line] = []
    var missing: [String] = []
    for result in old.results {
      guard let before = figures(old, result), before.median > 0 else { continue }
      guard let other = new.result(result.workload, result.engine, result.size), let after = figures(new, other) else {
        missing.append("\(result.workload) on \(result.engine) at \(Format.count(result.size))")
        continue
      }
      let change = after.median / before.median - 1
      // Twice the usual distance of a round from the median, of both reports together; and ranges that touch are noise.
      let noise = 2 * (before.spread * before.spread + after.spread * after.spread).squareRoot()
      let isApart = after.high < before.low || after.low > before.high
      let hasMoved = abs(change) > max(threshold, noise) && isApart
      lines.append(
        Line(
          workload: result.workload, engine: result.engine, size: result.size, old: before.median,
          new: after.median, change: change, noise: noise,
          verdict: hasMoved ? (change > 0 ? .faster : .slower) : .same))
    }
    self.lines = lines
    self.missing = missing
    var cautions: [String] = []
    if old.machine != new.machine { cautions.append("the reports are of different machines") }
    if old.run.effort != new.run.effort { cautions.append("the rounds had different numbers of operations") }
    if old.run.seed != new.run.seed { cautions.append("the seeds differ") }
    if (old.data?.readers ?? 0) != (new.data?.readers ?? 0) {
      cautions.append("the numbers of threads that read beside the mix differ")
    }
    if !old.isComplete || !new.isComplete { cautions.append("a report is only a part") }
    self.cautions = cautions
    failures = new.failures.filter { failure in
      !old.failures.contains {
        $0.workload == failure.workload && $0.engine == failure.engine && $0.size == failure.size
      }
    }.map { "\($0.workload) on \($0.engine) at \(Format.count($0.size)): \($0.message)" }
  }

  /// Whether something got slower, or failed that did not fail before.
  public var hasRegression: Bool {
    !failures.isEmpty || lines.contains { $0.verdict == .slower }
  }

  public func text() -> String {
    var text = cautions.map { "caution: \($0)\n" }.joined()
    let moved = lines.filter { $0.verdict != .same }.sorted { $0.change < $1.change }
    if moved.isEmpty {
      text += "nothing moved beyond the noise, of \(lines.count) results\n"
    } else {
      let rows = moved.map {
        [
          $0.workload, $0.engine, Format.count($0.size), Format.rate($0.old), Format.rate($0.new),
          String(format: "%+.0f %%", $0.change * 100), Format.percent($0.noise), $0.verdict.rawValue,
        ]
      }
      text += TextReport.aligned([["workload", "engine", "objects", "old", "new", "change", "noise", ""]] + rows)
      text += "\(moved.count) of \(lines.count) results moved\n"
    }
    for failure in failures { text += "failed: \(failure)\n" }
    for name in missing { text += "missing in the new report: \(name)\n" }
    return text
  }
}
