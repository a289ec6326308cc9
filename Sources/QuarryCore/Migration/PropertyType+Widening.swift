import QuarryBackend

extension PropertySchema {
  /// Whether every value of this property's type is one of the other's, exactly: what opening converts without being
  /// asked. Whether it may be nil is another question.
  func widens(to other: PropertySchema) -> Bool {
    if type == .array, other.type == .array, let element = elementType, let wider = other.elementType {
      return element.widens(to: wider)
    }
    return elementType == nil && other.elementType == nil && type.widens(to: other.type)
  }
}

extension PropertyType {
  /// Whether a type of numbers holds every value of this one.
  fileprivate func widens(to other: PropertyType) -> Bool {
    if let range = integerRange {
      // The integers without a gap around zero.
      let exact: ClosedRange<Int128>? =
        switch other {
        case .float: -(1 << 24)...(1 << 24)
        case .double: -(1 << 53)...(1 << 53)
        // More than the 20 digits of the longest integer.
        case .decimal: range
        default: other.integerRange
        }
      guard let exact else { return false }
      return exact.lowerBound <= range.lowerBound && range.upperBound <= exact.upperBound
    }
    return self == .float && other == .double
  }
}
