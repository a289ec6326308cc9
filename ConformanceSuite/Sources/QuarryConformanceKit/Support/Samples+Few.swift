import Foundation
package import QuarryBackend

extension Samples {
  /// At most eight values of the type, evenly chosen, the first and the last among them.
  package static func few(_ type: PropertyType, _ count: Int = 8) -> [Value] {
    let values = values(type)
    guard values.count > count else { return values }
    return (0..<count).map { values[$0 * (values.count - 1) / (count - 1)] }
  }

  /// Values of the type in their order, no two of which are one value in order.
  package static func distinct(_ type: PropertyType, _ count: Int = .max) -> [Value] {
    var result: [Value] = []
    for value in values(type).sorted(by: { Reference.rank($0, $1) < 0 }) {
      if let last = result.last, Reference.rank(last, value) == 0 { continue }
      result.append(value)
    }
    guard result.count > count else { return result }
    return (0..<count).map { result[$0 * (result.count - 1) / max(1, count - 1)] }
  }

  /// The number as a value of a numeric type.
  package static func number(_ number: Int, _ type: PropertyType) -> Value {
    switch type {
    case .float: .float(Float(number))
    case .double: .double(Double(number))
    case .decimal: .decimal(Decimal(number))
    default: Value(integer: number)
    }
  }

  /// The least value of a numeric type that is no infinity.
  package static func least(_ type: PropertyType) -> Value {
    switch type {
    case .float: .float(-.greatestFiniteMagnitude)
    case .double: .double(-.greatestFiniteMagnitude)
    case .decimal: .decimal(-Decimal.greatestFiniteMagnitude)
    default: Value(integer: type.integerRange?.lowerBound ?? 0)
    }
  }

  /// The greatest value of a numeric type that is no infinity.
  package static func greatest(_ type: PropertyType) -> Value {
    switch type {
    case .float: .float(.greatestFiniteMagnitude)
    case .double: .double(.greatestFiniteMagnitude)
    case .decimal: .decimal(.greatestFiniteMagnitude)
    default: Value(integer: type.integerRange?.upperBound ?? 0)
    }
  }
}
