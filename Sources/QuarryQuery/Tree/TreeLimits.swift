package import QuarryBackend

/// How large a predicate may be. Counted with a list of what is left to do instead of recursion, so that a hostile
/// tree cannot use up the stack before it is refused; everything else may then recurse.
package enum TreeLimits {
  /// The most predicates inside each other.
  package static let maximumDepth = BoundPredicate.maximumDepth
  /// The most predicates in a tree. The values of a list do not count.
  static let maximumNodes = 10_000

  /// - Throws: `limitExceeded` with the limit and the actual number.
  package static func check(_ predicate: PredicateTree) throws(StorageError) {
    var rest: [(PredicateTree, depth: Int)] = [(predicate, 1)]
    var nodes = 0
    var deepest = 0
    while let (node, depth) = rest.popLast() {
      nodes += 1
      deepest = max(deepest, depth)
      switch node {
      case .constant: break
      // An abbreviation counts for what it stands for.
      case .function(let call):
        if let expansion = call.expansion {
          rest.append((expansion, depth))
        } else {
          for operand in call.operands { try check(operand, &nodes) }
          for value in call.arguments { try check(value) }
        }
      case .compare(let left, _, let right):
        try check(left, &nodes)
        try check(right, &nodes)
      case .oneOf(let operand, let values):
        try check(operand, &nodes)
        for value in values { try check(value) }
      case .any(_, let child), .all(_, let child), .not(let child):
        rest.append((child, depth + 1))
      case .and(let children), .or(let children):
        for child in children { rest.append((child, depth + 1)) }
      }
    }
    guard deepest <= maximumDepth else {
      throw .limitExceeded("depth of a predicate", limit: maximumDepth, actual: deepest)
    }
    guard nodes <= maximumNodes else {
      throw .limitExceeded("parts of a predicate", limit: maximumNodes, actual: nodes)
    }
  }

  /// Checks the depth of a calculation, and counts what is calculated.
  private static func check(_ operand: Operand, _ nodes: inout Int) throws(StorageError) {
    switch operand {
    case .property, .count: return
    case .value(let value): return try check(value)
    case .arithmetic: break
    }
    var rest: [(Operand, depth: Int)] = [(operand, 1)]
    while let (operand, depth) = rest.popLast() {
      guard depth <= maximumDepth else {
        throw .limitExceeded("depth of a calculation", limit: maximumDepth, actual: depth)
      }
      switch operand {
      case .property, .count: break
      case .value(let value): try check(value)
      case .arithmetic(let left, _, let right):
        nodes += 1
        rest.append((left, depth + 1))
        rest.append((right, depth + 1))
      }
    }
  }

  /// Checks the depth of a value tree.
  static func check(_ value: Value) throws(StorageError) {
    switch value {
    case .array, .object: break
    default: return
    }
    var rest: [(Value, depth: Int)] = [(value, 0)]
    var deepest = 0
    while let (value, depth) = rest.popLast() {
      deepest = max(deepest, depth)
      switch value {
      case .array(let elements):
        for element in elements { rest.append((element, depth + 1)) }
      case .object(let members):
        for member in members { rest.append((member.value, depth + 1)) }
      default: break
      }
    }
    guard deepest <= NestedCoding.maximumDepth else {
      throw .limitExceeded("depth of a nested value", limit: NestedCoding.maximumDepth, actual: deepest)
    }
  }
}
