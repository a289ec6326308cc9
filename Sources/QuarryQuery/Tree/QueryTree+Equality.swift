import QuarryBackend

// Trees are equal when their texts are equal by bytes: `String` would unite composed and decomposed forms, which select
// different rows. Hashes are synthesised; they need not tell the forms apart.

extension PredicateTree {
  public static func == (left: PredicateTree, right: PredicateTree) -> Bool {
    switch (left, right) {
    case (.constant(let a), .constant(let b)): a == b
    case (.compare(let a, let comparison, let b), .compare(let c, let other, let d)):
      comparison == other && a == c && b == d
    case (.oneOf(let a, let values), .oneOf(let b, let others)): a == b && values == others
    case (.function(let a), .function(let b)): a == b
    case (.any(let a, let condition), .any(let b, let other)), (.all(let a, let condition), .all(let b, let other)):
      a == b && condition == other
    case (.not(let a), .not(let b)): a == b
    case (.and(let a), .and(let b)), (.or(let a), .or(let b)): a == b
    default: false
    }
  }
}

extension QueryTree {
  public static func == (left: QueryTree, right: QueryTree) -> Bool {
    left.model.utf8.elementsEqual(right.model.utf8) && left.predicate == right.predicate && left.order == right.order
      && left.limit == right.limit && left.offset == right.offset && left.position == right.position
      && left.links == right.links
  }
}

extension AssignmentTree {
  public static func == (left: AssignmentTree, right: AssignmentTree) -> Bool {
    left.property.utf8.elementsEqual(right.property.utf8) && left.operation == right.operation
      && left.value == right.value
  }
}
