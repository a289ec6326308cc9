import Foundation
import QuarryBackend

extension Value {
  /// The number, or the seconds of a date, for a place on an axis; nil for every other value.
  package var axisNumber: Double? {
    switch self {
    case .int(let number): Double(number)
    case .uint(let number): Double(number)
    case .float(let number): Double(number)
    case .double(let number): number
    case .decimal(let number): Double(number.description)
    case .date(let date): date.timeIntervalSinceReferenceDate
    default: nil
    }
  }
}
