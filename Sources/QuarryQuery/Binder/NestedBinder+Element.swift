import QuarryBackend

/// Conditions on an element, inside ANY and ALL.
extension NestedBinder {
  func bound(_ condition: PredicateTree) throws(StorageError) -> NestedTest {
    switch condition {
    case .constant(let value): return .constant(value)
    case .not(let condition): return .negation(of: try bound(condition))
    case .and(let conditions): return .allOf(try bound(conditions))
    case .or(let conditions): return .anyOf(try bound(conditions))
    case .compare(.value(let left), let comparison, .value(let right)):
      return .constant(try ConstantFolding.holds(left, comparison, right))
    case .compare(.property(let path), let comparison, .value(let value)):
      return try compare(path, comparison, value)
    case .compare(.value(let value), let comparison, .property(let path)):
      return try compare(path, comparison.mirrored, value)
    case .compare(.count(let path), let comparison, .value(let value)):
      return try count(path, comparison, value)
    case .compare(.value(let value), let comparison, .count(let path)):
      return try count(path, comparison.mirrored, value)
    case .compare:
      throw invalid("a part of an element of \(name) can be compared with a constant only")
    case .oneOf(.property(let path), let values): return try oneOf(path, values)
    case .oneOf(.count(let path), let values):
      var tests: [NestedTest] = []
      for value in values { tests.append(try count(path, .equal, value)) }
      return .anyOf(tests)
    case .oneOf(.value(let value), let values):
      for other in values where try ConstantFolding.holds(value, .equal, other) { return .constant(true) }
      return .constant(false)
    case .oneOf(.arithmetic, _): throw invalid("a part of an element of \(name) cannot be used in a calculation")
    case .function(let call): return try bound(call)
    case .any(let path, let condition): return try quantified(path, condition, isAll: false)
    case .all(let path, let condition): return try quantified(path, condition, isAll: true)
    }
  }

  private func bound(_ call: FunctionCall) throws(StorageError) -> NestedTest {
    let function = try PredicateFunctions.function(of: call)
    if let expansion = function.expansion(call) { return try bound(expansion) }
    switch call.operands[0] {
    case .property(let path): return try bound(function, call, path)
    case .value(let value): return .constant(try function.holds(call, of: value))
    case .count, .arithmetic:
      throw invalid("\(function.name) is not defined for counts and calculations")
    }
  }

  private func bound(_ conditions: [PredicateTree]) throws(StorageError) -> [NestedTest] {
    var result: [NestedTest] = []
    for condition in conditions { result.append(try bound(condition)) }
    return result
  }
}
