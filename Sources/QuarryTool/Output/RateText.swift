import Foundation

/// The last line of an import or export: `imported 28298 rows into Airport in 0.41 s, 69020 rows/s`.
enum RateText {
  static func line(_ verb: String, _ rows: Int, to place: String, _ elapsed: Duration) -> String {
    let seconds = max(elapsed / .seconds(1), 1e-6)
    let rate = perSecond(rows, elapsed / .seconds(1))
    let time = String(format: "%.2f", seconds)
    return "\(verb) \(CountText.rows(rows)) \(place) in \(time) s, \(rate) rows/s"
  }

  /// Rows in a second, of whatever times a clock gives.
  static func perSecond(_ rows: Int, _ seconds: Double) -> Int {
    Int(exactly: (Double(rows) / max(seconds, 1e-6)).rounded()) ?? .max
  }
}
