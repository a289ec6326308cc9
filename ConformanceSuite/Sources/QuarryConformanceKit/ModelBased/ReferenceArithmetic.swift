import Foundation
import QuarryBackend
import QuarryQuery

/// What assignments make of a row, as STMT-6 says.
enum ReferenceArithmetic {
  /// The row after the assignments; nil when a result does not fit.
  static func assigned(_ row: [Value], _ assignments: [AssignmentTree]) -> [Value]? {
    var row = row
    for assignment in assignments {
      guard let place = QueryGenerator.properties.firstIndex(where: { $0.name == assignment.property }) else {
        return nil
      }
      guard let value = result(row[place], assignment, QueryGenerator.properties[place].type) else { return nil }
      row[place] = value
    }
    return row
  }

  private static func result(_ value: Value, _ assignment: AssignmentTree, _ type: PropertyType) -> Value? {
    if assignment.operation == .set { return assignment.value }
    switch (value, assignment.value) {
    case (.null, _): return .null
    case (.float(let left), .float(let right)): return .float(calculate(left, assignment.operation, right))
    case (.double(let left), .double(let right)): return .double(calculate(left, assignment.operation, right))
    default:
      guard let left = value.integer, let right = assignment.value.integer, let range = type.integerRange else {
        return nil
      }
      let (result, overflow) =
        switch assignment.operation {
        case .add: left.addingReportingOverflow(right)
        case .subtract: left.subtractingReportingOverflow(right)
        default: left.multipliedReportingOverflow(by: right)
        }
      return overflow || !range.contains(result) ? nil : Value(integer: result)
    }
  }

  private static func calculate<F: FloatingPoint>(_ left: F, _ operation: AssignmentOperation, _ right: F) -> F {
    switch operation {
    case .add: left + right
    case .subtract: left - right
    default: left * right
    }
  }
}
