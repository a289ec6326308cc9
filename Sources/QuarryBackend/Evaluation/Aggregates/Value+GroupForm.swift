import Foundation

extension Value {
  /// The value that stands for the group that this one is in: 0.0 for both zeros, one NaN for all, otherwise itself.
  package var inGroupForm: Value {
    switch self {
    case .float(let number): .float(FloatOrder.oneForm(of: number))
    case .double(let number): .double(FloatOrder.oneForm(of: number))
    case .date(let date):
      .date(Date(timeIntervalSinceReferenceDate: FloatOrder.oneForm(of: date.timeIntervalSinceReferenceDate)))
    default: self
    }
  }
}
