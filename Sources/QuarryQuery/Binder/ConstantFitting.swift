import Foundation
import QuarryBackend

/// Where a constant lies among the values of a type, so that a comparison with it can be rewritten into one with a
/// constant of exactly that type and keep its meaning.
enum FittedConstant {
  /// A value of the type is equal to the constant.
  case exact(Value)
  /// The constant lies between two neighbouring values of the type; nil where there is none on that side.
  case between(below: Value?, above: Value?)
  /// The constant is the floating-point NaN, which equals nothing.
  case notANumber
  /// A text that was given for the value and is no text of one.
  case unreadable
  /// Values of the type are not compared with such a constant.
  case incomparable
}

/// A comparison with a constant between two neighbouring values of a type, said with one of those.
enum BetweenComparison {
  /// The same of every value, and of null.
  case constant(Bool)
  /// True of every value, and not of null.
  case present
  case compare(Comparison, Value)

  /// - Parameters:
  ///   - below: The value below the constant; nil where there is none.
  ///   - above: The value above it.
  init(_ comparison: Comparison, below: Value?, above: Value?) {
    switch comparison {
    case .equal: self = .constant(false)
    case .notEqual: self = .constant(true)
    case .less, .lessOrEqual:
      self = below.map { above == nil ? .present : .compare(.lessOrEqual, $0) } ?? .constant(false)
    case .greater, .greaterOrEqual:
      self = above.map { below == nil ? .present : .compare(.greaterOrEqual, $0) } ?? .constant(false)
    }
  }
}

extension Value {
  /// Finds this constant among the values of an ordered type.
  ///
  /// Numbers are taken by their exact values, with one exception: a decimal for a Float or Double stands for the
  /// nearest of those, as a literal in the program's text does. Strings are read where the type has a text form:
  /// see ``Value/converted(to:element:)``.
  func fitted(to type: PropertyType) -> FittedConstant {
    switch (type, self) {
    case (.date, .date(let value)) where value.timeIntervalSinceReferenceDate.isNaN:
      return .notANumber
    case (.bool, .bool), (.string, .string), (.date, .date), (.data, .data), (.uuid, .uuid), (.url, .url):
      return .exact(self)
    case (.float, .float(let value)):
      return value.isNaN ? .notANumber : .exact(self)
    case (.double, .double(let value)):
      return value.isNaN ? .notANumber : .exact(self)
    case (_, .float(let value)) where type.isNumeric:
      return Value.double(Double(value)).fitted(to: type)
    case (_, .double(let value)) where type.isNumeric:
      return value.isNaN ? .notANumber : Self.fitted(value, to: type)
    case (_, .decimal(let value)) where type.isNumeric:
      do throws(StorageError) {
        return Self.fitted(try DecimalParts(value), to: type)
      } catch {
        return .notANumber
      }
    case (_, .int), (_, .uint):
      guard type.isNumeric, let integer else { return .incomparable }
      return Self.fitted(integer, to: type)
    case (_, .string(let text)):
      return Self.read(text, as: type)
    default:
      return .incomparable
    }
  }

  private static func fitted(_ integer: Int128, to type: PropertyType) -> FittedConstant {
    if let range = type.integerRange { return fitted(integer, among: range) }
    // Constants have 64 bits, so that conversions back to Int128 cannot overflow.
    switch type {
    case .float:
      let nearest = Float(integer)
      let back = Int128(nearest)
      if back == integer { return .exact(.float(nearest)) }
      return beside(nearest, isBelow: back < integer, Value.float)
    case .double:
      let nearest = Double(integer)
      let back = Int128(nearest)
      if back == integer { return .exact(.double(nearest)) }
      return beside(nearest, isBelow: back < integer, Value.double)
    default:
      let parts = DecimalParts(isNegative: integer < 0, exponent: 0, mantissa: integer.magnitude)
      return .exact(.decimal(parts.decimal))
    }
  }

  /// A constant between the nearest floating-point number and its neighbour.
  private static func beside<F: BinaryFloatingPoint>(
    _ nearest: F, isBelow: Bool, _ value: (F) -> Value
  ) -> FittedConstant {
    isBelow
      ? .between(below: value(nearest), above: value(nearest.nextUp))
      : .between(below: value(nearest.nextDown), above: value(nearest))
  }

  private static func fitted(_ double: Double, to type: PropertyType) -> FittedConstant {
    if let range = type.integerRange {
      let below = double.rounded(.down)
      if below >= Double(range.upperBound) + (range.upperBound > Int128(1) << 53 ? 0 : 1) {
        return .between(below: Value(integer: range.upperBound), above: nil)
      }
      if double < Double(range.lowerBound) { return .between(below: nil, above: Value(integer: range.lowerBound)) }
      let integer = Int128(below)
      if below == double { return .exact(Value(integer: integer)) }
      let above = integer + 1
      return .between(
        below: Value(integer: integer), above: range.contains(above) ? Value(integer: above) : nil)
    }
    switch type {
    case .float:
      let nearest = Float(double)
      let back = Double(nearest)
      if back == double { return .exact(.float(nearest)) }
      return beside(nearest, isBelow: back < double, Value.float)
    case .double:
      return .exact(.double(double))
    default:
      return DecimalNeighbours(of: double).fitted
    }
  }

  private static func fitted(_ parts: DecimalParts, to type: PropertyType) -> FittedConstant {
    if let range = type.integerRange { return fitted(parts, toIntegersIn: range) }
    switch type {
    case .float:
      let nearest = Float(parts.literal) ?? .nan
      if nearest.isFinite { return .exact(.float(nearest)) }
      return parts.isNegative
        ? .between(below: .float(-.infinity), above: .float(-.greatestFiniteMagnitude))
        : .between(below: .float(.greatestFiniteMagnitude), above: .float(.infinity))
    case .double:
      // Every decimal is far from the ends of Double.
      return .exact(.double(Double(parts.literal) ?? .nan))
    default:
      return DecimalNeighbours(isNegative: parts.isNegative, mantissa: parts.mantissa, exponent: parts.exponent).fitted
    }
  }

  private static func fitted(_ parts: DecimalParts, toIntegersIn range: ClosedRange<Int128>) -> FittedConstant {
    var magnitude = parts.mantissa
    var isExact = true
    if parts.exponent >= 0 {
      for _ in 0..<parts.exponent {
        let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
        magnitude = overflow ? .max : product
        if overflow { break }
      }
    } else {
      for _ in 0..<(-parts.exponent) {
        if magnitude % 10 != 0 { isExact = false }
        magnitude /= 10
        if magnitude == 0 {
          isExact = isExact && parts.mantissa == 0
          break
        }
      }
    }
    // Wider than any range is as good as the exact number.
    let truncated = Int128(min(magnitude, UInt128(1) << 100)) * (parts.isNegative ? -1 : 1)
    if isExact { return fitted(truncated, among: range) }
    let below = parts.isNegative ? truncated - 1 : truncated
    if below < range.lowerBound { return .between(below: nil, above: Value(integer: range.lowerBound)) }
    if below >= range.upperBound { return .between(below: Value(integer: range.upperBound), above: nil) }
    return .between(below: Value(integer: below), above: Value(integer: below + 1))
  }

  private static func fitted(_ integer: Int128, among range: ClosedRange<Int128>) -> FittedConstant {
    if range.contains(integer) { return .exact(Value(integer: integer)) }
    return integer < range.lowerBound
      ? .between(below: nil, above: Value(integer: range.lowerBound))
      : .between(below: Value(integer: range.upperBound), above: nil)
  }

  /// Reads the text form of a type that has one.
  private static func read(_ text: String, as type: PropertyType) -> FittedConstant {
    switch type {
    case .uuid:
      guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else { return .unreadable }
      return .exact(.uuid(uuid))
    case .date:
      guard let date = ISO8601Text.date(text) else { return .unreadable }
      return .exact(.date(date))
    case .data:
      guard let data = Data(base64Encoded: text) else { return .unreadable }
      return .exact(.data(data))
    case .url:
      // Foundation percent-encodes what does not belong into a URL: that would be another URL than the one given.
      guard let url = URL(string: text), url.absoluteString.utf8.elementsEqual(text.utf8) else { return .unreadable }
      return .exact(.url(url))
    case .decimal:
      guard let number = NumberText(text), let parts = number.decimal else { return .unreadable }
      return fitted(parts, to: .decimal)
    default:
      return .incomparable
    }
  }
}
