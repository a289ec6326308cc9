import Foundation

extension Value {
  /// The value that stands for the group that this one is in: 0.0 for both zeros, one NaN for all, otherwise itself.
  package var inGroupForm: Value {
    switch self {
    case .float(let number): .float(FloatOrder.float(FloatOrder.bits(number)))
    case .double(let number): .double(FloatOrder.double(FloatOrder.bits(number)))
    case .date(let date):
      .date(
        Date(timeIntervalSinceReferenceDate: FloatOrder.double(FloatOrder.bits(date.timeIntervalSinceReferenceDate))))
    default: self
    }
  }
}
