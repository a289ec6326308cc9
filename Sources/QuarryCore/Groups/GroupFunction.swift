import QuarryBackend

/// A function over the objects of a group: those of an engine, and those that are computed above it.
package enum GroupFunction: Hashable, Sendable {
  case count, sum, average, min, max
  /// The number of different values.
  case distinct
  /// The least value that a part of the values, in percent, do not exceed.
  case percentile(Percent)
  case median
  /// The standard deviation of a sample.
  case deviation
  case first, last

  /// A percentage from 0 to 100, exactly as it was written.
  package struct Percent: Hashable, Sendable {
    /// The number is `mantissa` divided by `scale`.
    var mantissa: Int128
    var scale: Int128

    package init?(_ text: some StringProtocol) {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) && $0.utf8.count <= 9 }),
        let mantissa = Int128(parts.joined())
      else { return nil }
      self.mantissa = mantissa
      scale = (0..<(parts.count == 2 ? parts[1].utf8.count : 0)).reduce(1) { scale, _ in scale * 10 }
      guard mantissa <= 100 * scale else { return nil }
    }

    /// A percentage with the digits of a number; -1 for a number that is no percentage.
    init(_ number: Double) {
      self =
        Percent(number == number.rounded() ? "\(Int64(exactly: number) ?? -1)" : "\(number)") ?? Percent(mantissa: -1)
    }

    private init(mantissa: Int128) {
      self.mantissa = mantissa
      scale = 1
    }

    /// The place of the percentile among so many sorted values, from 0 on.
    func place(in count: Int) -> Int {
      let whole = 100 * scale
      let rank = (mantissa * Int128(count) + whole - 1) / whole
      return Swift.min(Swift.max(Int(rank), 1), count) - 1
    }
  }

  /// The names in texts.
  package static let names = [
    "count", "sum", "average", "min", "max", "distinct", "median", "percentile", "deviation", "first", "last",
  ]

  /// The function of a name; nil for `percentile`, which needs a number, and for unknown names.
  package init?(name: String) {
    switch name.lowercased() {
    case "count": self = .count
    case "sum": self = .sum
    case "average", "mean", "avg": self = .average
    case "min", "minimum": self = .min
    case "max", "maximum": self = .max
    case "distinct": self = .distinct
    case "median": self = .median
    case "deviation", "stddev": self = .deviation
    case "first": self = .first
    case "last": self = .last
    case let name where name.hasPrefix("p"):
      // p90 is percentile(…, 90).
      guard let percent = Percent(name.dropFirst()) else { return nil }
      self = .percentile(percent)
    default: return nil
    }
  }

  /// The name in errors.
  var name: String {
    switch self {
    case .count: "count"
    case .sum: "sum"
    case .average: "average"
    case .min: "min"
    case .max: "max"
    case .distinct: "distinct"
    case .percentile: "percentile"
    case .median: "median"
    case .deviation: "deviation"
    case .first: "first"
    case .last: "last"
    }
  }

  init(_ function: AggregateFunction) {
    self =
      switch function {
      case .count: .count
      case .sum: .sum
      case .average: .average
      case .min: .min
      case .max: .max
      }
  }

  /// The engine's function; nil for what is worked out above the engine.
  var engine: AggregateFunction? {
    switch self {
    case .count: .count
    case .sum: .sum
    case .average: .average
    case .min: .min
    case .max: .max
    default: nil
    }
  }

  /// Whether it needs the values of a group in their order.
  var needsOrder: Bool {
    switch self {
    case .distinct, .percentile, .median, .deviation: true
    default: false
    }
  }

  var isByOrder: Bool { self == .first || self == .last }

  /// The type of the function's results.
  ///
  /// - Parameter type: The type of its column; nil for the count of rows.
  /// - Throws: `invalidQuery` for a type that the function does not have.
  func type(of type: PropertyType?, _ column: String?) throws(StorageError) -> PropertyType {
    func refuse(_ type: PropertyType) -> StorageError {
      StorageError(.invalidQuery, "the function is not defined for the type \(type.name)", property: column)
    }
    guard let type else { return .int64 }
    // What a function of the engines is defined for is said in one place.
    if let engine, !engine.isDefined(for: type) { throw refuse(type) }
    switch self {
    case .count: return .int64
    case .distinct:
      guard type.isOrdered else { throw refuse(type) }
      return .int64
    case .sum:
      return type.integerRange.map { $0.lowerBound < 0 ? .int64 : .uint64 } ?? type
    case .average:
      return type == .decimal ? .decimal : .double
    case .deviation:
      guard type.isNumeric else { throw refuse(type) }
      return .double
    case .median:
      guard type.isOrdered else { throw refuse(type) }
      return type.isNumeric ? (type == .decimal ? .decimal : .double) : type
    case .percentile(let percent) where percent.mantissa < 0:
      throw StorageError(.invalidQuery, "a percentile must be a number from 0 to 100", property: column)
    case .percentile:
      guard type.isOrdered else { throw refuse(type) }
      return type
    case .min, .max: return type
    case .first, .last: return type
    }
  }
}
