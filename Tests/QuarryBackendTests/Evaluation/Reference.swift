import Foundation
import QuarryBackend
import Synchronization

/// What the contract says, written as plainly as possible and without anything of the evaluator.
enum Reference {
  // MARK: Numbers, digit by digit

  /// A number as decimal digits before and after the point.
  private struct Digits {
    var isNegative: Bool
    var whole: [Int]
    var fraction: [Int]

    init(_ text: String) {
      isNegative = text.hasPrefix("-")
      let parts = text.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
      whole = parts[0].compactMap(\.wholeNumberValue)
      fraction = parts.count > 1 ? parts[1].compactMap(\.wholeNumberValue) : []
      trim()
    }

    /// Doubles and halves digits until the exponent is used up.
    init(_ value: Double) {
      self.init(String(UInt64(value.magnitude.significand * 0x1p52)))
      isNegative = value < 0
      let exponent = value == 0 ? 0 : Int(value.exponent) - 52
      for _ in 0..<abs(exponent) { if exponent > 0 { double() } else { halve() } }
      trim()
    }

    private mutating func double() {
      var carry = 0
      for index in whole.indices.reversed() {
        let sum = whole[index] * 2 + carry
        whole[index] = sum % 10
        carry = sum / 10
      }
      if carry > 0 { whole.insert(carry, at: 0) }
    }

    private mutating func halve() {
      var rest = 0
      for index in whole.indices {
        let value = rest * 10 + whole[index]
        whole[index] = value / 2
        rest = value % 2
      }
      for index in fraction.indices {
        let value = rest * 10 + fraction[index]
        fraction[index] = value / 2
        rest = value % 2
      }
      if rest == 1 { fraction.append(5) }
    }

    private mutating func trim() {
      while whole.first == 0 { whole.removeFirst() }
      while fraction.last == 0 { fraction.removeLast() }
      if whole.isEmpty, fraction.isEmpty { isNegative = false }
    }

    static func compare(_ a: Digits, _ b: Digits) -> Int {
      if a.isNegative != b.isNegative { return a.isNegative ? -1 : 1 }
      let magnitude: Int
      if a.whole.count != b.whole.count {
        magnitude = a.whole.count < b.whole.count ? -1 : 1
      } else if a.whole != b.whole {
        magnitude = a.whole.lexicographicallyPrecedes(b.whole) ? -1 : 1
      } else {
        magnitude = a.fraction == b.fraction ? 0 : a.fraction.lexicographicallyPrecedes(b.fraction) ? -1 : 1
      }
      return a.isNegative ? -magnitude : magnitude
    }
  }

  /// Digits of doubles that were worked out before: a thousand halvings take their time.
  private static let known = Mutex<[Double: Digits]>([:])

  private static func digits(_ value: Double) -> Digits? {
    guard value.isFinite else { return nil }
    if let digits = known.withLock({ $0[value] }) { return digits }
    let digits = Digits(value)
    known.withLock { $0[value] = digits }
    return digits
  }

  private static func digits(_ value: Value) -> Digits? {
    switch value {
    case .int(let value): Digits(String(value))
    case .uint(let value): Digits(String(value))
    case .float(let value): digits(Double(value))
    case .double(let value): digits(value)
    case .decimal(let value): Digits(value.description)
    default: nil
    }
  }

  private static func special(_ value: Value) -> Double? {
    switch value {
    case .float(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// Nil for NaN and values without an order.
  static func numbers(_ a: Value, _ b: Value) -> Int? {
    if case .double(let a) = a, case .double(let b) = b { return a < b ? -1 : a > b ? 1 : a == b ? 0 : nil }
    if let left = digits(a), let right = digits(b) { return Digits.compare(left, right) }
    guard digits(a) != nil || special(a) != nil, digits(b) != nil || special(b) != nil else { return nil }
    let left = special(a).map { $0.isFinite ? 0 : $0 } ?? 0
    let right = special(b).map { $0.isFinite ? 0 : $0 } ?? 0
    if left.isNaN || right.isNaN { return nil }
    return left < right ? -1 : left > right ? 1 : 0
  }

  // MARK: Predicates

  static func order(_ a: Value, _ b: Value) -> Int? {
    switch (a, b) {
    case (.bool(let a), .bool(let b)): return a == b ? 0 : b ? -1 : 1
    case (.string(let a), .string(let b)): return bytes(Array(a.utf8), Array(b.utf8))
    case (.url(let a), .url(let b)): return bytes(Array(a.absoluteString.utf8), Array(b.absoluteString.utf8))
    case (.data(let a), .data(let b)): return bytes(Array(a), Array(b))
    case (.uuid(let a), .uuid(let b)): return bytes(Array(a.uuidString.utf8), Array(b.uuidString.utf8))
    case (.date(let a), .date(let b)):
      return numbers(.double(a.timeIntervalSinceReferenceDate), .double(b.timeIntervalSinceReferenceDate))
    default: return numbers(a, b)
    }
  }

  private static func bytes(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
  }

  static func holds(_ a: Value, _ comparison: Comparison, _ b: Value) -> Bool {
    let bothNil = a.isNull && b.isNull
    let order = order(a, b)
    switch comparison {
    case .equal: return bothNil || order == 0
    case .notEqual: return !(bothNil || order == 0)
    case .less: return order.map { $0 < 0 } ?? false
    case .lessOrEqual: return order.map { $0 <= 0 } ?? false
    case .greater: return order.map { $0 > 0 } ?? false
    case .greaterOrEqual: return order.map { $0 >= 0 } ?? false
    }
  }

  static func matches(_ predicate: BoundPredicate, _ row: [Value]) -> Bool {
    switch predicate {
    case .constant(let result): return result
    case .isNull(let slot): return row[slot].isNull
    case .compare(let slot, let comparison, let value): return holds(row[slot], comparison, value)
    case .compareSlots(let left, let comparison, let right): return holds(row[left], comparison, row[right])
    case .oneOf(let slot, let values): return values.contains { holds(row[slot], .equal, $0) }
    // Nothing that the evaluator decides.
    case .oneOfRows: return false
    case .function(let slot, let call):
      guard let (operation, needle) = call.search else { return false }
      switch row[slot] {
      case .string(let text): return matches(text, operation, needle, call.options)
      case .url(let url): return matches(url.absoluteString, operation, needle, call.options)
      default: return false
      }
    case .nested(let slot, .count(_, let comparison, let count)):
      guard case .array(let elements) = row[slot] else { return comparison == .notEqual }
      return holds(.int(Int64(elements.count)), comparison, .int(count))
    case .nested(let slot, .function(_, let call)):
      guard call.function is ContainsElementFunction, case .array(let elements) = row[slot] else { return false }
      return elements.contains { holds($0, .equal, call.arguments[0]) }
    case .nested: return false
    case .calculated(let left, let comparison, let right):
      return holds(number(left, row) ?? .null, comparison, number(right, row) ?? .null)
    case .after(let keys, let values):
      for (key, value) in zip(keys, values) {
        let order = total(row[key.slot], value)
        if order != 0 { return key.isDescending ? order < 0 : order > 0 }
      }
      return false
    case .not(let part): return !matches(part, row)
    case .and(let parts): return parts.allSatisfy { matches($0, row) }
    case .or(let parts): return parts.contains { matches($0, row) }
    }
  }

  /// A number that is calculated, in Double and for few numbers, whose results are exact.
  private static func number(_ number: BoundNumber, _ row: [Value]) -> Value? {
    switch number {
    case .slot(let slot): return row[slot]
    case .constant(let value): return value
    case .count(let slot):
      switch row[slot] {
      case .string(let text): return .int(Int64(text.count))
      case .data(let data): return .int(Int64(data.count))
      case .array(let elements): return .int(Int64(elements.count))
      default: return nil
      }
    case .arithmetic(let left, let operation, let right, _):
      guard let a = Self.number(left, row).flatMap(double), let b = Self.number(right, row).flatMap(double) else {
        return nil
      }
      switch operation {
      case .add: return .double(a + b)
      case .subtract: return .double(a - b)
      case .multiply: return .double(a * b)
      case .divide, .remainder: return nil
      }
    }
  }

  private static func double(_ value: Value) -> Double? {
    switch value {
    case .double(let value): value
    case .float(let value): Double(value)
    default: value.integer.map { Double($0) }
    }
  }

  // MARK: Text

  static func fold(_ text: String, _ options: TextOptions) -> String {
    var compare: String.CompareOptions = []
    if options.contains(.caseInsensitive) { compare.insert(.caseInsensitive) }
    if options.contains(.diacriticInsensitive) { compare.insert(.diacriticInsensitive) }
    return compare.isEmpty ? text : text.folding(options: compare, locale: nil)
  }

  static func matches(_ text: String, _ operation: TextOperator, _ needle: String, _ options: TextOptions) -> Bool {
    let text = fold(text, options)
    let needle = fold(needle, options)
    let haystack = Array(text.utf8)
    let wanted = Array(needle.utf8)
    switch operation {
    case .equal: return haystack == wanted
    case .hasPrefix: return haystack.starts(with: wanted)
    case .hasSuffix: return haystack.reversed().starts(with: wanted.reversed())
    case .contains:
      guard haystack.count >= wanted.count else { return false }
      return (0...(haystack.count - wanted.count)).contains { haystack[$0...].starts(with: wanted) }
    case .like: return like(Array(text.unicodeScalars)[...], Array(needle.unicodeScalars)[...])
    }
  }

  private static func like(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case "*": return like(text, rest) || !text.isEmpty && like(text.dropFirst(), pattern)
    case "?": return !text.isEmpty && like(text.dropFirst(), rest)
    case "\\": return text.first == (rest.first ?? "\\") && like(text.dropFirst(), rest.dropFirst())
    default: return text.first == first && like(text.dropFirst(), rest)
    }
  }

  // MARK: The total order

  /// Nil first, NaN last.
  static func total(_ a: Value, _ b: Value) -> Int {
    if a.isNull || b.isNull { return (a.isNull ? 0 : 1) - (b.isNull ? 0 : 1) }
    if let order = order(a, b) { return order }
    return (isNaN(a) ? 1 : 0) - (isNaN(b) ? 1 : 0)
  }

  private static func isNaN(_ value: Value) -> Bool {
    if case .date(let date) = value { return date.timeIntervalSinceReferenceDate.isNaN }
    return special(value)?.isNaN ?? false
  }

  static func sorted(_ rows: [[Value]], _ keys: [BoundSortKey]) -> [[Value]] {
    rows.sorted { a, b in
      for key in keys {
        let order = total(a[key.slot], b[key.slot])
        if order != 0 { return key.isDescending ? order > 0 : order < 0 }
      }
      return false
    }
  }
}
