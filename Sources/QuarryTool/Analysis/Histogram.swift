import Foundation
import QuarryBackend
import QuarryCore
import QuarryData

/// Counts of numbers or dates in ranges of one width, from the least to the greatest value.
struct Histogram {
  private enum Scale {
    /// Integers are divided exactly. The last range may be shorter.
    case integers(least: Int128, step: Int128)
    case numbers(least: Double, greatest: Double, isDate: Bool)
  }

  private let scale: Scale
  private(set) var counts: [Int]
  /// The values that have no place between others: NaN and the infinities.
  private(set) var outside = 0

  /// - Parameters:
  ///   - least: The least finite value.
  ///   - greatest: The greatest one.
  ///   - buckets: The greatest number of ranges.
  /// - Returns: Nil for values that are neither numbers nor dates, and where there is nothing to divide.
  init?(least: Value, greatest: Value, buckets: Int) {
    guard buckets > 0 else { return nil }
    if let low = least.integer, let high = greatest.integer {
      let span = high - low + 1
      guard span > 1 else { return nil }
      let step = max(1, (span + Int128(buckets) - 1) / Int128(buckets))
      scale = .integers(least: low, step: step)
      counts = Array(repeating: 0, count: Int((span + step - 1) / step))
      return
    }
    guard let low = least.axisNumber, let high = greatest.axisNumber, low.isFinite, high.isFinite,
      high / 2 - low / 2 > 0
    else {
      return nil
    }
    var isDate = false
    if case .date = least { isDate = true }
    scale = .numbers(least: low, greatest: high, isDate: isDate)
    counts = Array(repeating: 0, count: buckets)
  }

  mutating func add(_ value: Value) {
    guard let place = place(of: value) else {
      outside += 1
      return
    }
    counts[place] += 1
  }

  private func place(of value: Value) -> Int? {
    switch scale {
    case .integers(let least, let step):
      guard let number = value.integer else { return nil }
      return min(max(0, Int(clamping: (number - least) / step)), counts.count - 1)
    case .numbers(let least, let greatest, _):
      guard let number = value.axisNumber, number.isFinite else { return nil }
      // By halves, because the difference of two numbers may be infinite.
      let part = (number / 2 - least / 2) / (greatest / 2 - least / 2)
      guard part.isFinite else { return nil }
      return min(max(0, Int((part * Double(counts.count)).rounded(.down))), counts.count - 1)
    }
  }

  /// The first value of each range.
  var edges: [Value] {
    counts.indices.map { index in
      switch scale {
      case .integers(let least, let step): return Value(integer: least + step * Int128(index))
      case .numbers(let least, let greatest, let isDate):
        let part = Double(index) / Double(counts.count)
        let number = least * (1 - part) + greatest * part
        return isDate ? .date(Date(timeIntervalSinceReferenceDate: number)) : .double(number)
      }
    }
  }

  /// The first value of each range, as short text: numbers with four digits, dates as days where a range has days.
  var labels: [String] {
    switch scale {
    case .integers: return edges.map(ExactText.text)
    case .numbers(let least, let greatest, let isDate):
      let step = greatest / Double(counts.count) - least / Double(counts.count)
      return edges.map { edge in
        guard let number = edge.axisNumber else { return "" }
        guard isDate else { return Self.short(number, step: step) }
        let text = ISO8601Text.exactText(Date(timeIntervalSinceReferenceDate: number.rounded(.down)))
        return step >= 86_400 && text.hasSuffix("Z") ? String(text.prefix(10)) : text
      }
    }
  }

  /// As many digits as tell the edges of ranges apart.
  private static func short(_ number: Double, step: Double) -> String {
    guard step > 0, step.isFinite, number.magnitude < 1e15, step > 1e-9 else {
      return String(format: "%.4g", number)
    }
    let digits = max(0, min(12, 1 - Int(log10(step).rounded(.down))))
    return String(format: "%.\(digits)f", number)
  }
}
