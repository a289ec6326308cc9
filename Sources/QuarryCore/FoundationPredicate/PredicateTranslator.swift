import Foundation
import QuarryBackend
import QuarryQuery

/// A node of Foundation's predicate expressions that has a counterpart in a query.
protocol TranslatableExpression {
  /// The values that the expression can have.
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm
}

/// The position of the translation in a predicate: the meaning of each variable.
struct PredicateTranslator {
  private struct Binding {
    var value: PredicateTerm.Value
    var level: Int
  }

  /// Expressions nested deeper than this are refused before the stack ends.
  static let maximumDepth = 500
  /// The number of values that one expression is followed through.
  static let maximumCases = 1000
  /// The number of constants that a closure is written out for.
  static let maximumUnrolled = 10_000

  private let name: (AnyKeyPath) -> String?
  private var bindings: [PredicateExpressions.VariableID: Binding]
  /// The number of surrounding `any` and `all`. A path inside means their element, so only variables of this level can be named.
  private(set) var level = 0
  private var depth = 0

  init(root: PredicateExpressions.VariableID, name: @escaping (AnyKeyPath) -> String?) {
    self.name = name
    self.bindings = [root: Binding(value: .object, level: 0)]
  }

  /// The values of a subexpression.
  func term(_ expression: some PredicateExpression) throws(StorageError) -> PredicateTerm {
    guard let node = expression as? any TranslatableExpression else { throw Self.unsupported(expression) }
    guard depth < Self.maximumDepth else {
      throw .limitExceeded("depth of a predicate", limit: Self.maximumDepth, actual: depth + 1)
    }
    var inner = self
    inner.depth += 1
    return try node.term(inner)
  }

  /// The condition under which a subexpression is true.
  func condition(_ expression: some PredicateExpression) throws(StorageError) -> PredicateTree {
    try term(expression).condition(of: expression)
  }

  /// The translation in which a variable means a value.
  func binding(
    _ variable: PredicateExpressions.VariableID, to value: PredicateTerm.Value
  ) -> PredicateTranslator {
    var inner = self
    inner.bindings[variable] = Binding(value: value, level: level)
    return inner
  }

  /// The translation inside `any` and `all`, in which a variable means the element.
  func element(_ variable: PredicateExpressions.VariableID, isOptional: Bool) -> PredicateTranslator {
    var inner = self
    inner.level += 1
    inner.bindings[variable] = Binding(value: .path(.element, isOptional: isOptional), level: inner.level)
    return inner
  }

  func value(
    of variable: PredicateExpressions.VariableID, _ expression: some PredicateExpression
  ) throws(StorageError) -> PredicateTerm.Value {
    guard let binding = bindings[variable] else {
      throw StorageError(.invalidQuery, "a predicate uses a variable that is not its own")
    }
    guard binding.level == level || binding.value.isConstant else {
      throw .unsupported(.queryNested, "a closure over elements that uses more than its element")
    }
    return binding.value
  }

  /// The stored property of a key path from the object itself.
  func property(_ path: AnyKeyPath) -> PropertyPath? {
    name(path).map { PropertyPath($0) }
  }

  /// The refusal of an expression, by its name without its generic arguments.
  static func unsupported(_ expression: Any, _ reason: String = "") -> StorageError {
    let type = String(describing: Swift.type(of: expression))
    let node = type.prefix { $0 != "<" }
    let reason = reason.isEmpty ? advice(String(node)) : reason
    return .unsupported(
      .queryCompare, "\(node) has no counterpart in a query\(reason.isEmpty ? "" : ": \(reason)")")
  }

  /// The replacement for an expression that Foundation has on some platforms only.
  private static func advice(_ node: String) -> String {
    switch node {
    case "StringLocalizedStandardContains":
      "a query has no locale; write where { $0.text.contains(…, options: .caseAndDiacriticInsensitive) }"
    case "StringCaseInsensitiveCompare", "StringLocalizedCompare":
      "a query has no locale; write where { $0.text.equals(…, options: .caseInsensitive) }"
    default: ""
    }
  }
}
