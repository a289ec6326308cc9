import Foundation

extension BoundPredicate {
  /// The predicate as people write it, with long constants cut short: `year >= 1970 and title hasPrefix "The"`.
  ///
  /// - Parameter schema: Names the other models that the predicate leads to.
  public func describe(_ model: ModelSchema, in schema: Schema? = nil) -> String {
    let names = PropertyNames(model)
    switch self {
    case .constant(let value): return value ? "true" : "false"
    case .isNull(let slot): return "\(names[slot]) == nil"
    case .compare(let slot, let comparison, let value):
      return "\(names[slot]) \(comparison.symbol) \(value.short)"
    case .compareSlots(let left, let comparison, let right):
      return "\(names[left]) \(comparison.symbol) \(names[right])"
    case .calculated(let left, let comparison, let right):
      return "\(left.describe(names)) \(comparison.symbol) \(right.describe(names))"
    case .oneOf(let slot, let values): return "\(names[slot]) in \(Value.shortList(values))"
    case .oneOfRows(let slot, let rows): return "\(names[slot]) in \(rows.describe(schema))"
    case .function(let slot, let call): return "\(names[slot]) \(call.description)"
    case .nested(let slot, let test): return test.describe(names[slot])
    case .after(let keys, let values):
      let order = keys.map { names[$0.slot] + ($0.isDescending ? " descending" : "") }.joined(separator: ", ")
      return "(\(order)) after (\(values.map(\.short).joined(separator: ", ")))"
    case .not(let part): return "not (\(part.describe(model, in: schema)))"
    case .and(let parts):
      return Self.join(parts.map { ($0.describe(model, in: schema), $0.isJunction) }, " and ", empty: "true")
    case .or(let parts):
      return Self.join(parts.map { ($0.describe(model, in: schema), $0.isJunction) }, " or ", empty: "false")
    }
  }

  fileprivate static func join(_ parts: [(text: String, isJunction: Bool)], _ word: String, empty: String) -> String {
    if parts.isEmpty { return empty }
    if parts.count == 1 { return parts[0].text }
    return parts.map { $0.isJunction ? "(\($0.text))" : $0.text }.joined(separator: word)
  }

  private var isJunction: Bool {
    switch self {
    case .and(let parts), .or(let parts): parts.count > 1
    default: false
    }
  }
}

extension BoundSubquery {
  fileprivate func describe(_ schema: Schema?) -> String {
    guard let schema, let model = schema.model(id: model) else { return "rows of model \(model)" }
    let column = "\(model.name).\(PropertyNames(model)[slot])"
    let found = count.map { " @count \($0.comparison.symbol) \($0.number)" } ?? ""
    if case .constant(true) = predicate { return column + found }
    return "\(column)\(found) where (\(predicate.describe(model, in: schema)))"
  }
}

/// The names of slots.
private struct PropertyNames {
  private let model: ModelSchema

  init(_ model: ModelSchema) {
    self.model = model
  }

  subscript(slot: Int) -> String {
    model.properties.indices.contains(slot) ? model.properties[slot].name : "slot \(slot)"
  }
}

extension BoundNumber {
  fileprivate func describe(_ names: PropertyNames) -> String {
    switch self {
    case .slot(let slot): return names[slot]
    case .count(let slot): return "\(names[slot]).count"
    case .constant(let value): return value.short
    case .arithmetic(let left, let operation, let right, _):
      let sides = [left, right].map { side in
        if case .arithmetic = side { return "(\(side.describe(names)))" }
        return side.describe(names)
      }
      return "\(sides[0]) \(operation.symbol) \(sides[1])"
    }
  }
}

extension NestedTest {
  /// The test of the value with that name.
  fileprivate func describe(_ name: String) -> String {
    func at(_ path: [ByteString]) -> String {
      ([name] + path.map(\.string)).filter { !$0.isEmpty }.joined(separator: ".")
    }
    switch self {
    case .constant(let value): return value ? "true" : "false"
    case .compare(let path, let comparison, let value): return "\(at(path)) \(comparison.symbol) \(value.short)"
    case .count(let path, let comparison, let count): return "\(at(path)).count \(comparison.symbol) \(count)"
    case .oneOf(let path, let values): return "\(at(path)) in \(Value.shortList(values))"
    case .function(let path, let call): return "\(at(path)) \(call.description)"
    case .any(let path, let test): return "any \(at(path)) (\(test.describe("element")))"
    case .all(let path, let test): return "all \(at(path)) (\(test.describe("element")))"
    case .completing(_, let test): return test.describe(name)
    case .not(let test): return "not (\(test.describe(name)))"
    case .and(let tests):
      return BoundPredicate.join(tests.map { ($0.describe(name), $0.isJunction) }, " and ", empty: "true")
    case .or(let tests):
      return BoundPredicate.join(tests.map { ($0.describe(name), $0.isJunction) }, " or ", empty: "false")
    }
  }

  private var isJunction: Bool {
    switch self {
    case .and(let tests), .or(let tests): tests.count > 1
    case .completing(_, let test): test.isJunction
    default: false
    }
  }
}

extension BoundFunction {
  /// The call as it is written behind its operand.
  fileprivate var description: String {
    "\(function.word)\(options.symbol) \(arguments.map(\.short).joined(separator: ", "))"
  }
}

extension Comparison {
  /// The comparison as it is written.
  package var symbol: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}

extension ArithmeticOperator {
  /// The operator as it is written.
  package var symbol: String {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .remainder: "%"
    }
  }
}

extension TextOptions {
  /// The options as they are written behind an operator; empty without one.
  package var symbol: String {
    let letters = (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}

extension Value {
  /// The value on one short line.
  fileprivate var short: String {
    switch self {
    case .null: "nil"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .uint(let value): String(value)
    case .float(let value): String(describing: value)
    case .double(let value): String(describing: value)
    case .string(let value): Self.quoted(value)
    case .date(let value): ISO8601Text.exactText(value)
    case .data(let value): "data of \(value.count) bytes"
    case .uuid(let value): value.uuidString
    case .decimal(let value): value.description
    case .url(let value): Self.quoted(value.absoluteString)
    case .array(let values): "[\(values.count) elements]"
    case .object(let members): "{\(members.count) members}"
    }
  }

  private static func quoted(_ text: String) -> String {
    let most = 40
    let beginning = text.unicodeScalars.prefix(most).map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      default: scalar.value < 0x20 || scalar.value == 0x7F ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
      }
    }
    let isLong = text.unicodeScalars.dropFirst(most).first != nil
    return "\"\(beginning.joined())\(isLong ? "…" : "")\""
  }

  fileprivate static func shortList(_ values: [Value]) -> String {
    let first = values.prefix(3).map(\.short).joined(separator: ", ")
    return values.count > 3 ? "{\(first), … \(values.count - 3) more}" : "{\(first)}"
  }
}
