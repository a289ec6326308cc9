// Bound predicates are equal when their texts are equal by bytes, as trees by names are.

extension BoundPredicate {
  public static func == (left: BoundPredicate, right: BoundPredicate) -> Bool {
    switch (left, right) {
    case (.constant(let a), .constant(let b)): a == b
    case (.isNull(let a), .isNull(let b)): a == b
    case (.compare(let a, let comparison, let value), .compare(let b, let other, let constant)):
      a == b && comparison == other && value == constant
    case (.compareSlots(let a, let comparison, let b), .compareSlots(let c, let other, let d)):
      a == c && b == d && comparison == other
    case (.calculated(let a, let comparison, let b), .calculated(let c, let other, let d)):
      comparison == other && a == c && b == d
    case (.oneOf(let a, let values), .oneOf(let b, let others)): a == b && values == others
    case (.oneOfRows(let a, let subquery), .oneOfRows(let b, let other)): a == b && subquery == other
    case (.function(let a, let call), .function(let b, let other)): a == b && call == other
    case (.nested(let a, let test), .nested(let b, let other)): a == b && test == other
    case (.after(let keys, let values), .after(let others, let constants)): keys == others && values == constants
    case (.not(let a), .not(let b)): a == b
    case (.and(let a), .and(let b)), (.or(let a), .or(let b)): a == b
    default: false
    }
  }
}

extension NestedTest {
  public static func == (left: NestedTest, right: NestedTest) -> Bool {
    switch (left, right) {
    case (.constant(let a), .constant(let b)): a == b
    case (.compare(let a, let comparison, let value), .compare(let b, let other, let constant)):
      a == b && comparison == other && value == constant
    case (.count(let a, let comparison, let count), .count(let b, let other, let number)):
      a == b && comparison == other && count == number
    case (.oneOf(let a, let values), .oneOf(let b, let others)): a == b && values == others
    case (.function(let a, let call), .function(let b, let other)): a == b && call == other
    case (.any(let a, let test), .any(let b, let other)), (.all(let a, let test), .all(let b, let other)):
      a == b && test == other
    case (.completing(let a, let test), .completing(let b, let other)): a == b && test == other
    case (.not(let a), .not(let b)): a == b
    case (.and(let a), .and(let b)), (.or(let a), .or(let b)): a == b
    default: false
    }
  }
}
