import Foundation

/// The total order of values in sorting, keys, groups, minima and maxima.
///
/// Nil is first. Every NaN is one value after positive infinity, and -0.0 ties with 0.0. Text is ordered by its UTF-8
/// bytes, data and UUIDs by their bytes. Values of different kinds, which no column mixes, are ordered by kind; numbers
/// are one kind.
public enum ValueOrder {
  /// Negative, zero or positive as `a` comes before, ties with, or comes after `b`.
  ///
  /// - Parameters:
  ///   - a: A value.
  ///   - b: A value of the same column.
  public static func compare(_ a: Value, _ b: Value) -> Int {
    switch (a, b) {
    case (.null, .null): return 0
    case (.bool(let a), .bool(let b)): return (a ? 1 : 0) - (b ? 1 : 0)
    case (.int(let a), .int(let b)): return order(a, b)
    case (.float(let a), .float(let b)): return order(FloatOrder.bits(a), FloatOrder.bits(b))
    case (.double(let a), .double(let b)): return order(FloatOrder.bits(a), FloatOrder.bits(b))
    case (.date(let a), .date(let b)):
      return order(
        FloatOrder.bits(a.timeIntervalSinceReferenceDate), FloatOrder.bits(b.timeIntervalSinceReferenceDate))
    case (.string(let a), .string(let b)): return bytes(a, b)
    case (.url(let a), .url(let b)): return bytes(a.absoluteString, b.absoluteString)
    case (.data(let a), .data(let b)):
      return a.withUnsafeBytes { a in b.withUnsafeBytes { b in sign(a.compare(b)) } }
    case (.uuid(let a), .uuid(let b)):
      return withUnsafeBytes(of: a.uuid) { a in withUnsafeBytes(of: b.uuid) { b in sign(a.compare(b)) } }
    case (.array(let a), .array(let b)): return sequences(a, b) { compare($0, $1) }
    case (.object(let a), .object(let b)):
      return sequences(a, b) {
        let names = bytes($0.name, $1.name)
        return names != 0 ? names : compare($0.value, $1.value)
      }
    default: return numbersOrKinds(a, b)
    }
  }

  /// The values in their order, and of those that tie the first.
  ///
  /// - Complexity: O(n log n) comparisons; a decimal is taken apart once.
  package static func distinct(_ values: [Value]) -> [Value] {
    guard let decimals = decimals(values) else { return distinct(values) { compare($0, $1) } }
    return distinct(Array(zip(decimals, values))) { $0.0.compare($1.0) }.map(\.1)
  }

  private static func distinct<T>(_ values: [T], _ compare: (T, T) -> Int) -> [T] {
    var result: [T] = []
    result.reserveCapacity(values.count)
    for value in values.sorted(by: { compare($0, $1) < 0 }) {
      if let last = result.last, compare(last, value) == 0 { continue }
      result.append(value)
    }
    return result
  }

  /// The parts of values that are all decimals; nil when one is none.
  private static func decimals(_ values: [Value]) -> [DecimalParts]? {
    var result: [DecimalParts] = []
    for value in values {
      guard case .decimal(let decimal) = value, let parts = try? DecimalParts(decimal) else { return nil }
      result.append(parts)
    }
    return result
  }

  static func order<T: Comparable>(_ a: T, _ b: T) -> Int {
    a == b ? 0 : a < b ? -1 : 1
  }

  static func sign(_ value: Int) -> Int {
    value.signum()
  }

  static func bytes(_ a: String, _ b: String) -> Int {
    var a = a
    var b = b
    return a.withUTF8 { a in
      b.withUTF8 { b in sign(UnsafeRawBufferPointer(a).compare(UnsafeRawBufferPointer(b))) }
    }
  }

  private static func sequences<T>(_ a: [T], _ b: [T], _ compare: (T, T) -> Int) -> Int {
    for (left, right) in zip(a, b) {
      let order = compare(left, right)
      if order != 0 { return order }
    }
    return order(a.count, b.count)
  }

  private static func numbersOrKinds(_ a: Value, _ b: Value) -> Int {
    let kinds = order(rank(a), rank(b))
    guard kinds == 0 else { return kinds }
    guard let left = ExactNumber(a), let right = ExactNumber(b), let result = ExactNumber.compare(left, right) else {
      return (a.isNotANumber ? 1 : 0) - (b.isNotANumber ? 1 : 0)
    }
    return result
  }

  private static func rank(_ value: Value) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .int, .uint, .float, .double, .decimal: 2
    case .string: 3
    case .date: 4
    case .data: 5
    case .uuid: 6
    case .url: 7
    case .array: 8
    case .object: 9
    }
  }
}
