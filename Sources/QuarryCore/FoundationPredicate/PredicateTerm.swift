import Foundation
import QuarryBackend
import QuarryQuery

/// The values that an expression can have, each with the condition under which it has it. The conditions exclude each
/// other and one of them is always true.
struct PredicateTerm {
  indirect enum Value {
    /// The object that the predicate is about.
    case object
    /// A property, a part of one, or the element of `any` and `all`.
    case path(PropertyPath, isOptional: Bool)
    case count(PropertyPath)
    /// The largest or the smallest element of an array property, nil for an array without elements.
    case extreme(PropertyPath, isMaximum: Bool)
    /// The elements of an array property that fulfil a condition.
    case filtered(PropertyPath, PredicateTree)
    case filteredCount(PropertyPath, PredicateTree)
    /// A value calculated from properties.
    case calculation(Operand)
    /// A value of the predicate's own, never nil.
    case constant(Any)
    case null
    case condition(PredicateTree)
    /// A range of values; a bound that is nil is open.
    case range(lower: Value?, upper: Value?, isClosed: Bool)
  }

  struct Case {
    var when: PredicateTree
    var value: Value
  }

  var cases: [Case]

  init(_ value: Value) {
    cases = [Case(when: .constant(true), value: value)]
  }

  init(condition tree: PredicateTree) {
    let value: Value = if case .constant(let constant) = tree { .constant(constant) } else { .condition(tree) }
    self.init(value)
  }

  /// Drops the impossible cases.
  ///
  /// - Throws: `limitExceeded` when there are too many.
  init(_ cases: [Case]) throws(StorageError) {
    self.cases = cases.filter { $0.when != .constant(false) }
    guard self.cases.count <= PredicateTranslator.maximumCases else {
      throw .limitExceeded(
        "values that one expression of a predicate can have", limit: PredicateTranslator.maximumCases,
        actual: self.cases.count)
    }
  }

  /// The term that combines the transformed terms of all values.
  func flatMap(_ transform: (Value) throws(StorageError) -> PredicateTerm) throws(StorageError) -> PredicateTerm {
    if cases.count == 1, cases[0].when == .constant(true) { return try transform(cases[0].value) }
    var result: [Case] = []
    for outer in cases {
      for inner in try transform(outer.value).cases {
        result.append(Case(when: .all(of: [outer.when, inner.when]), value: inner.value))
      }
    }
    return try PredicateTerm(result)
  }

  /// The condition that is true when a case applies and the transformed condition of its value is true.
  func condition(_ transform: (Value) throws(StorageError) -> PredicateTree) throws(StorageError) -> PredicateTree {
    var parts: [PredicateTree] = []
    for one in cases { parts.append(.all(of: [one.when, try transform(one.value)])) }
    return .either(parts)
  }

  /// The condition over the values of two expressions.
  func condition(
    with other: PredicateTerm, _ transform: (Value, Value) throws(StorageError) -> PredicateTree
  ) throws(StorageError) -> PredicateTree {
    guard cases.count * other.cases.count <= PredicateTranslator.maximumCases else {
      throw .limitExceeded(
        "pairs of values in one comparison of a predicate", limit: PredicateTranslator.maximumCases,
        actual: cases.count * other.cases.count)
    }
    return try condition { (left) throws(StorageError) in
      try other.condition { (right) throws(StorageError) in try transform(left, right) }
    }
  }

  /// The condition under which this, the term of an expression of type `Bool`, is true.
  func condition(of expression: Any) throws(StorageError) -> PredicateTree {
    try condition { (value) throws(StorageError) in
      guard let condition = value.condition else { throw PredicateTranslator.unsupported(expression) }
      return condition
    }
  }
}

extension PredicateTerm.Value {
  /// A constant of the predicate, whose nils are taken apart.
  init(constant: Any) {
    if let optional = constant as? any OptionalValue {
      self = optional.wrappedValue.map { .init(constant: $0) } ?? .null
    } else if let range = constant as? any ConstantRange {
      self = range.bounds
    } else {
      self = .constant(constant)
    }
  }

  var isConstant: Bool {
    switch self {
    case .constant, .null: true
    case .range(let lower, let upper, _): (lower?.isConstant ?? true) && (upper?.isConstant ?? true)
    case .object, .path, .count, .extreme, .filtered, .filteredCount, .calculation, .condition: false
    }
  }

  /// The constant as the expression's type; nil for a term that is not constant.
  func constant<T>(as type: T.Type) -> T? {
    switch self {
    case .constant(let value): value as? T
    case .null: (type as? any OptionalValue.Type).flatMap { $0.noValue as? T }
    case .range(let lower, let upper, let isClosed):
      (type as? any ConstantRange.Type)?.make(lower, upper, isClosed) as? T
    case .object, .path, .count, .extreme, .filtered, .filteredCount, .calculation, .condition: nil
    }
  }

  /// The value as a condition, when it is a Bool. Nil is not true.
  var condition: PredicateTree? {
    switch self {
    case .constant(let value): (value as? Bool).map { .constant($0) }
    case .null: .constant(false)
    case .condition(let tree): tree
    case .path(let path, _): .compare(.property(path), .equal, .value(.bool(true)))
    case .object, .count, .extreme, .filtered, .filteredCount, .calculation, .range: nil
    }
  }

  /// The condition under which the value is nil.
  var isNull: PredicateTree {
    switch self {
    case .null: .constant(true)
    case .path(let path, isOptional: true): .compare(.property(path), .equal, .value(.null))
    case .extreme(let path, _): .compare(.count(path), .equal, .value(.int(0)))
    case .object, .path, .count, .filtered, .filteredCount, .calculation, .constant, .condition, .range:
      .constant(false)
    }
  }

  /// The value where it is known not to be nil.
  var unwrapped: Self {
    if case .path(let path, _) = self { return .path(path, isOptional: false) }
    return self
  }

  /// The value as a side of a comparison.
  ///
  /// - Throws: `unsupported` for a constant of a type that is not stored.
  func operand(_ expression: Any) throws(StorageError) -> Operand {
    switch self {
    case .path(let path, _): return .property(path)
    case .count(let path): return .count(path)
    case .calculation(let operand): return operand
    case .null: return .value(.null)
    case .constant(let value):
      guard let stored = storedConstant(value) else {
        throw PredicateTranslator.unsupported(expression, "no stored value is a \(type(of: value))")
      }
      return .value(stored)
    case .object, .extreme, .filtered, .filteredCount, .condition, .range:
      throw PredicateTranslator.unsupported(expression)
    }
  }
}

/// `Optional` for code that does not know the wrapped type.
protocol OptionalValue {
  var wrappedValue: Any? { get }
  static var noValue: Self { get }
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalValue {
  var wrappedValue: Any? { self }
  static var noValue: Self { .none }
  static var wrappedType: Any.Type { Wrapped.self }
}

/// The ranges of the standard library, to code that does not know of what.
protocol ConstantRange {
  var bounds: PredicateTerm.Value { get }
  static func make(_ lower: PredicateTerm.Value?, _ upper: PredicateTerm.Value?, _ isClosed: Bool) -> Self?
}

extension Range: ConstantRange {
  var bounds: PredicateTerm.Value {
    .range(lower: .init(constant: lowerBound), upper: .init(constant: upperBound), isClosed: false)
  }

  static func make(_ lower: PredicateTerm.Value?, _ upper: PredicateTerm.Value?, _ isClosed: Bool) -> Self? {
    guard let lower = lower?.constant(as: Bound.self), let upper = upper?.constant(as: Bound.self), !isClosed,
      lower <= upper
    else { return nil }
    return lower..<upper
  }
}

extension ClosedRange: ConstantRange {
  var bounds: PredicateTerm.Value {
    .range(lower: .init(constant: lowerBound), upper: .init(constant: upperBound), isClosed: true)
  }

  static func make(_ lower: PredicateTerm.Value?, _ upper: PredicateTerm.Value?, _ isClosed: Bool) -> Self? {
    guard let lower = lower?.constant(as: Bound.self), let upper = upper?.constant(as: Bound.self), isClosed,
      lower <= upper
    else { return nil }
    return lower...upper
  }
}

extension PartialRangeFrom: ConstantRange {
  var bounds: PredicateTerm.Value { .range(lower: .init(constant: lowerBound), upper: nil, isClosed: true) }

  static func make(_ lower: PredicateTerm.Value?, _ upper: PredicateTerm.Value?, _ isClosed: Bool) -> Self? {
    guard let lower = lower?.constant(as: Bound.self), upper == nil else { return nil }
    return lower...
  }
}

extension PartialRangeUpTo: ConstantRange {
  var bounds: PredicateTerm.Value { .range(lower: nil, upper: .init(constant: upperBound), isClosed: false) }

  static func make(_ lower: PredicateTerm.Value?, _ upper: PredicateTerm.Value?, _ isClosed: Bool) -> Self? {
    guard lower == nil, let upper = upper?.constant(as: Bound.self), !isClosed else { return nil }
    return ..<upper
  }
}

extension PartialRangeThrough: ConstantRange {
  var bounds: PredicateTerm.Value { .range(lower: nil, upper: .init(constant: upperBound), isClosed: true) }

  static func make(_ lower: PredicateTerm.Value?, _ upper: PredicateTerm.Value?, _ isClosed: Bool) -> Self? {
    guard lower == nil, let upper = upper?.constant(as: Bound.self), isClosed else { return nil }
    return ...upper
  }
}
