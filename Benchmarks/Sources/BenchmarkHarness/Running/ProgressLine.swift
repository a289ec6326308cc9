import Foundation

/// What is going on and how long it will still take, on one line of the terminal; a line for each workload where there
/// is no terminal.
public final class ProgressLine {
  private let isTerminal = isatty(2) == 1
  private let isQuiet: Bool
  private let began = Stopwatch.now()
  private var lastWords = ""
  private var width = 0

  public init(isQuiet: Bool) {
    self.isQuiet = isQuiet
  }

  package func show(_ words: String, detail: String, done: Double, secondsLeft: Double) {
    guard !isQuiet else { return }
    if isTerminal {
      var line = "\(Int(done * 100)) %  \(words)  \(detail)"
      if secondsLeft.isFinite { line += "  " + Self.duration(secondsLeft) + " left" }
      // A line that is longer than the terminal is wide could not be written over.
      line = String(line.prefix(100))
      let padding = String(repeating: " ", count: max(0, width - line.count))
      FileHandle.standardError.write(Data("\r\(line)\(padding)".utf8))
      width = line.count
    } else if words != lastWords {
      FileHandle.standardError.write(Data("\(Int(done * 100)) %  \(words)\n".utf8))
    }
    lastWords = words
  }

  /// Clears the line.
  public func finish() {
    guard isTerminal, !isQuiet, width > 0 else { return }
    FileHandle.standardError.write(Data("\r\(String(repeating: " ", count: width))\r".utf8))
    width = 0
  }

  static func duration(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded())
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3600) h \(whole % 3600 / 60) min"
  }
}

/// Guesses what is left from how long the same work took before.
package struct TimeForecast {
  private struct Piece: Hashable {
    var workload: String
    var engine: String
  }

  package struct Step {
    var workload: String
    var engine: String
    var size: Int
    var times: Int

    package init(workload: String, engine: String, size: Int, times: Int) {
      self.workload = workload
      self.engine = engine
      self.size = size
      self.times = times
    }
  }

  private var remaining: [Step]
  private var seen: [Piece: (seconds: Double, size: Int)] = [:]
  private var spent = 0.0

  package init(_ steps: [Step]) {
    remaining = steps
  }

  /// A step was done `times` times less than planned.
  package mutating func did(_ workload: String, _ engine: String, _ size: Int, seconds: Double) {
    seen[Piece(workload: workload, engine: engine)] = (seconds, size)
    spent += seconds
    guard
      let index = remaining.firstIndex(where: { $0.workload == workload && $0.engine == engine && $0.size == size })
    else { return }
    remaining[index].times -= 1
    if remaining[index].times <= 0 { remaining.remove(at: index) }
  }

  /// A step will not be done.
  package mutating func drop(engine: String, size: Int) {
    remaining.removeAll { $0.engine == engine && $0.size == size }
  }

  package var secondsLeft: Double {
    guard !seen.isEmpty else { return .infinity }
    let mean = seen.values.reduce(0) { $0 + $1.seconds } / Double(seen.count)
    var byWorkload: [String: [Double]] = [:]
    for (piece, one) in seen { byWorkload[piece.workload, default: []].append(one.seconds) }
    return remaining.reduce(0) { total, step in
      let known = seen[Piece(workload: step.workload, engine: step.engine)]
      let guess =
        known.map { $0.seconds * max(1, Double(step.size) / Double($0.size)).squareRoot() }
        ?? byWorkload[step.workload].map(Statistics.median) ?? mean
      return total + guess * Double(step.times)
    }
  }

  package var done: Double {
    let left = secondsLeft
    return left.isFinite ? spent / max(spent + left, 1e-9) : 0
  }
}
