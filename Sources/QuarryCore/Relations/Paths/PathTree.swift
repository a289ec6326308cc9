import QuarryBackend
import QuarryQuery

// Conditions seen by the paths that they are about.

extension Operand {
  /// Calls the body with each path, and whether it is counted.
  func forEachPath(_ body: (PropertyPath, Bool) throws(StorageError) -> Void) throws(StorageError) {
    switch self {
    case .property(let path): try body(path, false)
    case .count(let path): try body(path, true)
    case .value: break
    case .arithmetic(let left, _, let right):
      try left.forEachPath(body)
      try right.forEachPath(body)
    }
  }

  func mapPaths(_ change: (PropertyPath) throws(StorageError) -> PropertyPath) throws(StorageError) -> Operand {
    switch self {
    case .property(let path): .property(try change(path))
    case .count(let path): .count(try change(path))
    case .value: self
    case .arithmetic(let left, let operation, let right):
      .arithmetic(try left.mapPaths(change), operation, try right.mapPaths(change))
    }
  }

  /// The operand where all of its paths are nil.
  var ofNil: Operand {
    switch self {
    case .property, .count: return .value(.null)
    case .value: return self
    case .arithmetic(let left, let operation, let right):
      let (left, right) = (left.ofNil, right.ofNil)
      return left == .value(.null) || right == .value(.null) ? .value(.null) : .arithmetic(left, operation, right)
    }
  }

  /// The operand where that many objects are counted on the path.
  func counting(_ path: PropertyPath, _ count: Int) -> Operand {
    switch self {
    case .count(path): .value(.int(Int64(count)))
    case .property, .count, .value: self
    case .arithmetic(let left, let operation, let right):
      .arithmetic(left.counting(path, count), operation, right.counting(path, count))
    }
  }
}

extension PredicateTree {
  /// Calls the body with each path, whether it is counted and whether its elements are tested. Conditions on elements are not
  /// visited: their paths begin elsewhere.
  func forEachPath(
    _ body: (PropertyPath, _ isCount: Bool, _ hasElements: Bool) throws(StorageError) -> Void
  ) throws(StorageError) {
    func visit(_ operand: Operand) throws(StorageError) {
      try operand.forEachPath { path, isCount throws(StorageError) in try body(path, isCount, false) }
    }
    switch self {
    case .constant: break
    case .compare(let left, _, let right):
      try visit(left)
      try visit(right)
    case .oneOf(let operand, _): try visit(operand)
    case .function(let call):
      let hasElements = call.elementCondition != nil
      for operand in call.operands {
        try operand.forEachPath { path, isCount throws(StorageError) in try body(path, isCount, hasElements) }
      }
    case .any(let path, _), .all(let path, _): try body(path, false, true)
    case .not(let condition): try condition.forEachPath(body)
    case .and(let conditions), .or(let conditions):
      for condition in conditions { try condition.forEachPath(body) }
    }
  }

  /// The condition with other paths; the paths of elements stay.
  func mapPaths(_ change: (PropertyPath) throws(StorageError) -> PropertyPath) throws(StorageError) -> PredicateTree {
    switch self {
    case .constant: return self
    case .compare(let left, let comparison, let right):
      return .compare(try left.mapPaths(change), comparison, try right.mapPaths(change))
    case .oneOf(let operand, let values): return .oneOf(try operand.mapPaths(change), values)
    case .function(let call):
      return .function(try call.mapOperands { operand throws(StorageError) in try operand.mapPaths(change) })
    case .any(let path, let condition): return .any(try change(path), condition)
    case .all(let path, let condition): return .all(try change(path), condition)
    case .not, .and, .or:
      return try mapParts { part throws(StorageError) in try part.mapPaths(change) }
    }
  }

  /// A negation, conjunction or disjunction with other parts; anything else as it is.
  func mapParts(_ change: (PredicateTree) throws(StorageError) -> PredicateTree) throws(StorageError) -> PredicateTree {
    func all(_ conditions: [PredicateTree]) throws(StorageError) -> [PredicateTree] {
      var changed: [PredicateTree] = []
      changed.reserveCapacity(conditions.count)
      for condition in conditions { changed.append(try change(condition)) }
      return changed
    }
    return switch self {
    case .not(let condition): .not(try change(condition))
    case .and(let conditions): .and(try all(conditions))
    case .or(let conditions): .or(try all(conditions))
    default: self
    }
  }

  /// The condition where all of its paths are nil: a constant, but for arithmetic with constants.
  var ofNil: PredicateTree {
    switch self {
    case .constant: self
    case .compare(let left, let comparison, let right): .compare(left.ofNil, comparison, right.ofNil)
    case .oneOf(let operand, let values): .oneOf(operand.ofNil, values)
    // A call is false where its operand is nil.
    case .function(let call): call.ofNil
    case .any: .constant(false)
    case .all: .constant(true)
    case .not(let condition): .not(condition.ofNil)
    case .and(let conditions): .and(conditions.map(\.ofNil))
    case .or(let conditions): .or(conditions.map(\.ofNil))
    }
  }

  /// The comparison where that many objects are counted on the path.
  func counting(_ path: PropertyPath, _ count: Int) -> PredicateTree {
    switch self {
    case .compare(let left, let comparison, let right):
      .compare(left.counting(path, count), comparison, right.counting(path, count))
    case .oneOf(let operand, let values): .oneOf(operand.counting(path, count), values)
    case .function(let call): .function(call.mapOperands { $0.counting(path, count) })
    default: self
    }
  }
}

extension FunctionCall {
  /// The condition with nil in place of what its operands lead to.
  fileprivate var ofNil: PredicateTree {
    if let expansion { return expansion.ofNil }
    return operands.first?.ofNil == .value(.null) ? .constant(false) : .function(mapOperands(\.ofNil))
  }

  /// The call with other operands.
  fileprivate func mapOperands<Failure: Error>(
    _ change: (Operand) throws(Failure) -> Operand
  ) throws(Failure) -> FunctionCall {
    var call = self
    for place in call.operands.indices { call.operands[place] = try change(call.operands[place]) }
    return call
  }
}

extension PropertyPath {
  /// The path without its first step; nil where that is all.
  var rest: PropertyPath? {
    members.first.map { PropertyPath($0, members: Array(members.dropFirst())) }
  }
}
