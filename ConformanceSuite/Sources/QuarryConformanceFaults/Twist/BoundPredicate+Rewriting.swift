import QuarryBackend

extension BoundPredicate {
  /// The predicate with each of its parts, the innermost first, changed by the body.
  func rewritten(_ body: (BoundPredicate) -> BoundPredicate) -> BoundPredicate {
    switch self {
    case .not(let inner): body(.not(inner.rewritten(body)))
    case .and(let parts): body(.and(parts.map { $0.rewritten(body) }))
    case .or(let parts): body(.or(parts.map { $0.rewritten(body) }))
    default: body(self)
    }
  }

  /// The slots that the predicate looks at.
  var slots: Set<Int> {
    switch self {
    case .constant: []
    case .isNull(let slot), .compare(let slot, _, _), .oneOf(let slot, _), .oneOfRows(let slot, _),
      .function(let slot, _), .nested(let slot, _):
      [slot]
    case .compareSlots(let left, _, let right): [left, right]
    case .calculated(let left, _, let right): left.slots.union(right.slots)
    case .after(let keys, _): Set(keys.map(\.slot))
    case .not(let inner): inner.slots
    case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.slots) }
    }
  }

  /// The predicate, and that none of its slots is nil: what SQL makes of it.
  var ofNoNil: BoundPredicate {
    let slots = slots.sorted()
    return slots.isEmpty ? self : .and([self] + slots.map { .not(.isNull(slot: $0)) })
  }
}

extension BoundNumber {
  /// The slots that the number is calculated from.
  var slots: Set<Int> {
    var slots: Set<Int> = []
    collectSlots(&slots)
    return slots
  }

  /// The number with each of its parts, the innermost first, changed by the body.
  func rewritten(_ body: (BoundNumber) -> BoundNumber) -> BoundNumber {
    guard case .arithmetic(let left, let operation, let right, let type) = self else { return body(self) }
    return body(.arithmetic(left.rewritten(body), operation, right.rewritten(body), in: type))
  }
}

extension NestedTest {
  /// The test with each of its parts, the innermost first, changed by the body.
  func rewritten(_ body: (NestedTest) -> NestedTest) -> NestedTest {
    switch self {
    case .any(let path, let test): body(.any(path: path, test.rewritten(body)))
    case .all(let path, let test): body(.all(path: path, test.rewritten(body)))
    case .completing(let form, let test): body(.completing(form, test.rewritten(body)))
    case .not(let test): body(.not(test.rewritten(body)))
    case .and(let tests): body(.and(tests.map { $0.rewritten(body) }))
    case .or(let tests): body(.or(tests.map { $0.rewritten(body) }))
    default: body(self)
    }
  }
}
