import Foundation
import QuarryBackend
import QuarryQuery

extension PredicateExpressions.Value: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    PredicateTerm(.init(constant: value))
  }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    PredicateTerm(.null)
  }
}

extension PredicateExpressions.Variable: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    PredicateTerm(try translator.value(of: key, self))
  }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    try translator.term(root).flatMap { (value) throws(StorageError) in try term(of: value, translator) }
  }

  private func term(
    of value: PredicateTerm.Value, _ translator: PredicateTranslator
  ) throws(StorageError) -> PredicateTerm {
    switch value {
    case .object:
      guard let path = translator.property(keyPath) else {
        throw StorageError(.invalidQuery, "\(keyPath) is not a stored property")
      }
      return PredicateTerm(.path(path, isOptional: Output.self is any OptionalValue.Type))
    case .constant, .range:
      guard let constant = value.constant(as: Root.Output.self) else { throw PredicateTranslator.unsupported(self) }
      return PredicateTerm(.init(constant: constant[keyPath: keyPath]))
    case .path(let path, _):
      return PredicateTerm(try part(of: path))
    case .filtered(let path, let test):
      switch kind {
      case .collectionCount: return PredicateTerm(.filteredCount(path, test))
      case .collectionIsEmpty: return PredicateTerm(condition: PredicateTree.any(path, test).negated)
      default: throw PredicateTranslator.unsupported(self)
      }
    case .null, .condition, .count, .extreme, .filteredCount, .calculation:
      throw PredicateTranslator.unsupported(self)
    }
  }

  /// The property that a key path names. In nested values it names the members that their type declares; a key path alone does
  /// not tell under which name Codable writes a member.
  private func part(of path: PropertyPath) throws(StorageError) -> PredicateTerm.Value {
    if let nested = Root.Output.self as? any NestedModel.Type {
      guard let member = nested.memberName(of: keyPath) else {
        throw StorageError(.invalidQuery, "\(keyPath) is not a stored member of \(nested)")
      }
      return .path(path.appending(member), isOptional: Output.self is any OptionalValue.Type)
    }
    // The key is all that a reference has.
    if let reference = Root.Output.self as? any KeyedReference.Type, keyPath == reference.pathOfKey {
      return .path(path, isOptional: false)
    }
    if let raw = Root.Output.self as? any (CaseIterable & RawRepresentable & Storable).Type {
      guard isRawValue(keyPath, of: raw) else { throw PredicateTranslator.unsupported(self, "\(keyPath)") }
      return .path(path, isOptional: false)
    }
    if Root.Output.self is any RawRepresentable.Type {
      throw PredicateTranslator.unsupported(
        self, "of \(Root.Output.self), which is not CaseIterable, compare the value itself with a constant of its type")
    }
    let isArray = Root.Output.self is any StoredArray.Type
    let isCounted = isArray || Root.Output.self == String.self || Root.Output.self == Data.self
    if kind == .collectionCount, isCounted { return .count(path) }
    if kind == .collectionIsEmpty, isArray {
      return .condition(.compare(.count(path), .equal, .value(.int(0))))
    }
    if kind == .collectionIsEmpty, Root.Output.self == String.self {
      return .condition(.compare(.property(path), .equal, .value(.string(""))))
    }
    if keyPath == \Data.isEmpty {
      return .condition(.compare(.property(path), .equal, .value(.data(Data()))))
    }
    if keyPath == \Data.count { return .count(path) }
    throw PredicateTranslator.unsupported(self, "\(keyPath)")
  }
}

/// Whether a key path returns the stored form of each case of an enum. Two key paths to a raw value are not always equal, and
/// nothing else tells which property one leads to.
private func isRawValue<T: CaseIterable & RawRepresentable & Storable>(_ keyPath: AnyKeyPath, of type: T.Type) -> Bool {
  guard let keyPath = keyPath as? KeyPath<T, T.RawValue> else { return false }
  return T.allCases.allSatisfy { value in
    guard let raw = value[keyPath: keyPath] as? any Storable, let stored = try? value.storedValue() else {
      return false
    }
    return (try? raw.storedValue()) == stored
  }
}

/// A reference as key paths see it.
private protocol KeyedReference {
  static var pathOfKey: AnyKeyPath { get }
}

extension Ref: KeyedReference {
  fileprivate static var pathOfKey: AnyKeyPath { \Ref.key }
}

extension PredicateExpressions.Conjunction: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    PredicateTerm(condition: .all(of: [try translator.condition(lhs), try translator.condition(rhs)]))
  }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    PredicateTerm(condition: .either([try translator.condition(lhs), try translator.condition(rhs)]))
  }
}

extension PredicateExpressions.Negation: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    PredicateTerm(condition: try translator.condition(wrapped).negated)
  }
}

extension PredicateExpressions.Equal: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    let (left, right) = (try translator.term(lhs), try translator.term(rhs))
    return PredicateTerm(
      condition: try left.condition(with: right) { (left, right) throws(StorageError) in
        try translator.equal(left, right, as: LHS.Output.self, self)
      })
  }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    let (left, right) = (try translator.term(lhs), try translator.term(rhs))
    return PredicateTerm(
      condition: try left.condition(with: right) { (left, right) throws(StorageError) in
        try translator.equal(left, right, as: LHS.Output.self, self).negated
      })
  }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    let (left, right) = (try translator.term(lhs), try translator.term(rhs))
    let comparison: QuarryBackend.Comparison
    switch op {
    case .lessThan: comparison = .less
    case .lessThanOrEqual: comparison = .lessOrEqual
    case .greaterThan: comparison = .greater
    case .greaterThanOrEqual: comparison = .greaterOrEqual
    @unknown default: throw PredicateTranslator.unsupported(self)
    }
    return PredicateTerm(
      condition: try left.condition(with: right) { (left, right) throws(StorageError) in
        try translator.ordered(left, comparison, right, as: LHS.Output.self, self)
      })
  }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    let condition = try translator.condition(test)
    return try PredicateTerm([
      .init(when: condition, value: .constant(true)), .init(when: condition.negated, value: .constant(false)),
    ]).flatMap { (value) throws(StorageError) in
      if case .constant(let isTrue as Bool) = value, isTrue { return try translator.term(trueBranch) }
      return try translator.term(falseBranch)
    }
  }
}

// MARK: - Optionals

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    try translator.term(wrapped).flatMap { (value) throws(StorageError) in
      let isNull = value.isNull
      let transformed =
        isNull == .constant(true)
        ? PredicateTerm(.null) : try translator.binding(variable.key, to: value.unwrapped).term(transform)
      guard isNull != .constant(true), isNull != .constant(false) else { return transformed }
      return try PredicateTerm([
        .init(when: isNull.negated, value: .constant(true)), .init(when: isNull, value: .null),
      ]).flatMap { (choice) throws(StorageError) in
        if case .null = choice { return PredicateTerm(.null) }
        return transformed
      }
    }
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    let fallback = try translator.term(rhs)
    return try translator.term(lhs).flatMap { (value) throws(StorageError) in
      try translator.coalesce(value, fallback)
    }
  }
}

extension PredicateTranslator {
  /// The value, or where it is nil the other.
  func coalesce(_ value: PredicateTerm.Value, _ other: PredicateTerm) throws(StorageError) -> PredicateTerm {
    let isNull = value.isNull
    return try PredicateTerm([
      .init(when: isNull.negated, value: value.unwrapped), .init(when: isNull, value: .null),
    ]).flatMap { (value) throws(StorageError) in
      if case .null = value { return other }
      return PredicateTerm(value)
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    let term = try translator.term(inner)
    if term.cases.count == 1, case .null = term.cases[0].value {
      throw StorageError(.invalidQuery, "a predicate unwraps a nil")
    }
    // A property that is nil stays nil, which fulfils no comparison but `!=`.
    return try term.flatMap { (value) throws(StorageError) in PredicateTerm(value.unwrapped) }
  }
}

// MARK: - Casts

extension PredicateTranslator {
  /// A cast of a constant, or one that changes nothing.
  fileprivate func cast<Input: PredicateExpression, Desired>(
    _ input: Input, to type: Desired.Type, orNull: Bool, _ expression: Any
  ) throws(StorageError) -> PredicateTerm {
    try term(input).flatMap { (value) throws(StorageError) in
      if Input.Output.self == Desired.self || Input.Output.self == Desired?.self, orNull || !value.isConstant {
        return PredicateTerm(value)
      }
      guard value.isConstant, let constant = value.constant(as: Input.Output.self) else {
        throw Self.unsupported(expression)
      }
      if let result = constant as? Desired { return PredicateTerm(.init(constant: result)) }
      guard orNull else {
        throw StorageError(.invalidQuery, "a predicate casts a constant to \(type), but the constant has another type")
      }
      return PredicateTerm(.null)
    }
  }
}

extension PredicateExpressions.ConditionalCast: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    try translator.cast(input, to: Desired.self, orNull: true, self)
  }
}

extension PredicateExpressions.ForceCast: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    try translator.cast(input, to: Desired.self, orNull: false, self)
  }
}
