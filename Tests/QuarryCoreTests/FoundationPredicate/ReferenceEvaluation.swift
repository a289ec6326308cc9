import Foundation
import QuarryBackend
import QuarryQuery

/// The plainest evaluation of a predicate tree over the values of one row, to compare translations with
/// `Predicate.evaluate`. Only for strings that are ASCII, where both agree.
struct ReferenceEvaluation {
  /// The values by property name; inside `any` and `all` the element under the empty name.
  var row: [String: Value]

  func matches(_ tree: PredicateTree) -> Bool {
    switch tree {
    case .constant(let value): value
    case .compare(let left, let comparison, let right): compare(value(left), comparison, value(right))
    case .oneOf(let operand, let values): values.contains { compare(value(operand), .equal, $0) }
    case .function(let call): matches(call)
    case .any(let path, let test): elements(path).contains { ReferenceEvaluation(row: ["": $0]).matches(test) }
    case .all(let path, let test): elements(path).allSatisfy { ReferenceEvaluation(row: ["": $0]).matches(test) }
    case .not(let inner): !matches(inner)
    case .and(let parts): parts.allSatisfy { matches($0) }
    case .or(let parts): parts.contains { matches($0) }
    }
  }

  private func matches(_ call: FunctionCall) -> Bool {
    switch call.form {
    case .text(let operand, let operation, let part, _): text(value(operand), operation, part)
    case .containsElement(let path, let element): elements(path).contains { compare($0, .equal, element) }
    case .call: call.expansion.map { matches($0) } ?? false
    }
  }

  private func value(_ operand: Operand) -> Value {
    switch operand {
    case .value(let value): return value
    case .property(let path): return value(path)
    case .count(let path):
      switch value(path) {
      case .array(let elements): return .int(Int64(elements.count))
      case .string(let text): return .int(Int64(text.count))
      case .data(let data): return .int(Int64(data.count))
      default: return .null
      }
    case .arithmetic(let left, let operation, let right):
      if case .double(let a) = value(left), case .double(let b) = value(right) {
        return .double(
          operation == .add ? a + b : operation == .subtract ? a - b : operation == .divide ? a / b : a * b)
      }
      guard let a = value(left).integer, let b = value(right).integer else { return .null }
      switch operation {
      case .add: return Value(integer: a + b)
      case .subtract: return Value(integer: a - b)
      case .multiply: return Value(integer: a * b)
      case .divide: return b == 0 ? .null : Value(integer: a / b)
      case .remainder: return b == 0 ? .null : Value(integer: a % b)
      }
    }
  }

  private func value(_ path: PropertyPath) -> Value {
    var value = row[path.property]!
    for name in path.members {
      guard case .object(let members) = value else { return .null }
      value = members.first { $0.name == name }?.value ?? .null
    }
    return value
  }

  private func elements(_ path: PropertyPath) -> [Value] {
    guard case .array(let elements) = value(path) else { return [] }
    return elements
  }

  private func text(_ value: Value, _ operation: TextOperator, _ part: String) -> Bool {
    guard case .string(let text) = value else { return false }
    return operation == .hasPrefix ? text.hasPrefix(part) : part.isEmpty || text.contains(part)
  }

  private func compare(_ left: Value, _ comparison: QuarryBackend.Comparison, _ right: Value) -> Bool {
    switch comparison {
    case .equal: isEqual(left, right)
    case .notEqual: !isEqual(left, right)
    case .less: isLess(left, right)
    case .lessOrEqual: isLess(left, right) || !left.isNull && isEqual(left, right)
    case .greater: isLess(right, left)
    case .greaterOrEqual: isLess(right, left) || !left.isNull && isEqual(left, right)
    }
  }

  private func isEqual(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.double(let a), .double(let b)): a == b
    case (.float(let a), .float(let b)): a == b
    default: left == right
    }
  }

  private func isLess(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.double(let a), .double(let b)): a < b
    case (.float(let a), .float(let b)): a < b
    case (.string(let a), .string(let b)): a < b
    case (.date(let a), .date(let b)): a < b
    case (.decimal(let a), .decimal(let b)): a < b
    default:
      if let a = left.integer, let b = right.integer { a < b } else { false }
    }
  }
}
