extension Value {
  /// Whether this is the floating-point number, date or decimal that is no number. It equals nothing in predicates (PRED-7).
  package var isNotANumber: Bool {
    switch self {
    case .float(let value): value.isNaN
    case .double(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    case .decimal(let value): value.isNaN
    default: false
    }
  }
}
