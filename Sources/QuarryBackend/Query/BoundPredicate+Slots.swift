extension BoundPredicate {
  /// Adds the slots that the predicate reads.
  ///
  /// - Parameter slots: The set that the slots are added to.
  public func collectSlots(_ slots: inout Set<Int>) {
    switch self {
    case .constant: break
    case .isNull(let slot), .compare(let slot, _, _), .oneOf(let slot, _), .oneOfRows(let slot, _),
      .function(let slot, _), .nested(let slot, _):
      slots.insert(slot)
    case .compareSlots(let left, _, let right):
      slots.insert(left)
      slots.insert(right)
    case .calculated(let left, _, let right):
      left.collectSlots(&slots)
      right.collectSlots(&slots)
    case .after(let keys, _): slots.formUnion(keys.map(\.slot))
    case .not(let inner): inner.collectSlots(&slots)
    case .and(let parts), .or(let parts): for part in parts { part.collectSlots(&slots) }
    }
  }
}
