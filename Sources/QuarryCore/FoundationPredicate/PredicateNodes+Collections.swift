import Foundation
import QuarryBackend
import QuarryQuery

// MARK: - Text

extension PredicateTranslator {
  /// A text operator on a property of type String with a constant.
  fileprivate func text<Base, Other>(
    _ base: PredicateTerm.Value, _ baseType: Base.Type, _ operation: TextOperator, _ other: PredicateTerm.Value,
    _ otherType: Other.Type, _ expression: Any
  ) throws(StorageError) -> PredicateTree {
    if case .null = base { return .constant(false) }
    guard Base.self == String.self, let needle = other.constant(as: Other.self).flatMap(Self.string) else {
      throw Self.unsupported(expression, "only of a String property with a constant")
    }
    switch base {
    case .path(let path, _): return .text(.property(path), operation, needle, [])
    case .constant(let text as String):
      let (bytes, part) = (Array(text.utf8), Array(needle.utf8))
      return .constant(operation == .hasPrefix ? bytes.starts(with: part) : bytes.contains(part))
    default: throw Self.unsupported(expression)
    }
  }

  private static func string(_ any: Any) -> String? {
    any as? String ?? (any as? Substring).map { String($0) }
  }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    let (text, part) = (try translator.term(base), try translator.term(other))
    return PredicateTerm(
      condition: try text.condition(with: part) { (text, part) throws(StorageError) in
        try translator.text(text, Base.Output.self, .contains, part, Other.Output.self, self)
      })
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    let (text, part) = (try translator.term(base), try translator.term(prefix))
    return PredicateTerm(
      condition: try text.condition(with: part) { (text, part) throws(StorageError) in
        try translator.text(text, Base.Output.self, .hasPrefix, part, Prefix.Output.self, self)
      })
  }
}

// MARK: - Ranges

extension PredicateTerm {
  /// The ranges between the values of two expressions.
  fileprivate static func range(
    _ lower: PredicateTerm, _ upper: PredicateTerm, isClosed: Bool
  ) throws(StorageError) -> PredicateTerm {
    try lower.flatMap { (lower) throws(StorageError) in
      try upper.flatMap { (upper) throws(StorageError) in
        PredicateTerm(.range(lower: lower, upper: upper, isClosed: isClosed))
      }
    }
  }
}

extension PredicateExpressions.Range: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    try .range(try translator.term(lower), try translator.term(upper), isClosed: false)
  }
}

extension PredicateExpressions.ClosedRange: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    try .range(try translator.term(lower), try translator.term(upper), isClosed: true)
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    let (range, element) = (try translator.term(range), try translator.term(element))
    return PredicateTerm(
      condition: try range.condition(with: element) { (range, element) throws(StorageError) in
        try translator.contains(range, element, as: Element.Output.self, self)
      })
  }
}

// MARK: - Elements

extension PredicateExpressions.SequenceContains: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    let (sequence, element) = (try translator.term(sequence), try translator.term(element))
    return PredicateTerm(
      condition: try sequence.condition(with: element) { (sequence, element) throws(StorageError) in
        try contains(sequence, element, translator)
      })
  }

  private func contains(
    _ sequence: PredicateTerm.Value, _ element: PredicateTerm.Value, _ translator: PredicateTranslator
  ) throws(StorageError) -> PredicateTree {
    switch sequence {
    case .null: return .constant(false)
    case .range:
      guard let type = LHS.Output.Element.self as? any Comparable.Type else {
        throw PredicateTranslator.unsupported(self)
      }
      return try translator.contains(sequence, element, as: type, self)
    case .constant:
      guard let constants = sequence.constant(as: LHS.Output.self) else { throw PredicateTranslator.unsupported(self) }
      return try translator.contains(constants: constants, element, self)
    case .path(let path, _):
      guard LHS.Output.self is any StoredArray.Type, element.isConstant,
        case .value(let value) = try element.operand(self)
      else { throw PredicateTranslator.unsupported(self, "only of an array property with a constant") }
      return value.isNotANumber ? .constant(false) : .containsElement(path, value)
    case .object, .count, .extreme, .filtered, .filteredCount, .calculation, .condition:
      throw PredicateTranslator.unsupported(self)
    }
  }
}

extension PredicateTranslator {
  /// The conditions of a closure over the elements of constants, or over the elements of an array property.
  fileprivate func elements<S: PredicateExpression, Test: PredicateExpression>(
    of sequence: S, _ variable: PredicateExpressions.VariableID, _ test: Test,
    overProperty: (PropertyPath, PredicateTree) -> PredicateTree, overConstants: ([PredicateTree]) -> PredicateTree,
    _ expression: Any
  ) throws(StorageError) -> PredicateTerm where S.Output: Sequence {
    let tree = try term(sequence).condition { (value) throws(StorageError) in
      switch value {
      case .path(let path, _):
        guard S.Output.self is any StoredArray.Type else { throw Self.unsupported(expression) }
        let inner = element(variable, isOptional: S.Output.Element.self is any OptionalValue.Type)
        return overProperty(path, try inner.condition(test))
      case .constant, .range:
        guard let constants = value.constant(as: S.Output.self) else { throw Self.unsupported(expression) }
        var parts: [PredicateTree] = []
        for constant in constants {
          guard parts.count < Self.maximumUnrolled else {
            throw .limitExceeded(
              "constants that a predicate evaluates one by one", limit: Self.maximumUnrolled, actual: parts.count + 1)
          }
          parts.append(try binding(variable, to: .init(constant: constant)).condition(test))
        }
        return overConstants(parts)
      case .object, .count, .extreme, .filtered, .filteredCount, .calculation, .null, .condition:
        throw Self.unsupported(expression)
      }
    }
    return PredicateTerm(condition: tree)
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    try translator.elements(
      of: sequence, variable.key, test, overProperty: { .any($0, $1) }, overConstants: { .either($0) }, self)
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    try translator.elements(
      of: sequence, variable.key, test, overProperty: { .all($0, $1) }, overConstants: { .all(of: $0) }, self)
  }
}

extension PredicateExpressions.Filter: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    try translator.term(sequence).flatMap { (value) throws(StorageError) in
      guard case .path(let path, _) = value, LHS.Output.self is any StoredArray.Type else {
        throw PredicateTranslator.unsupported(self, "only of an array property")
      }
      let inner = translator.element(variable.key, isOptional: LHS.Output.Element.self is any OptionalValue.Type)
      return PredicateTerm(.filtered(path, try inner.condition(filter)))
    }
  }
}

// MARK: - Subscripts

extension PredicateTranslator {
  /// The value under a key of a dictionary: of a stored one with String keys a member of the nested value.
  fileprivate func member<Key, Element>(
    _ dictionary: PredicateTerm.Value, _ key: PredicateTerm.Value, of type: [Key: Element].Type, _ expression: Any
  ) throws(StorageError) -> PredicateTerm.Value {
    guard let key = key.constant(as: Key.self) else { throw Self.unsupported(expression) }
    switch dictionary {
    case .path(var path, _):
      guard let name = key as? String else { throw Self.unsupported(expression, "only with String keys") }
      path.members.append(name)
      return .path(path, isOptional: true)
    default:
      guard let constants = dictionary.constant(as: type) else { throw Self.unsupported(expression) }
      return constants[key].map { .init(constant: $0) } ?? .null
    }
  }
}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    let key = try translator.term(key)
    return try translator.term(wrapped).flatMap { (wrapped) throws(StorageError) in
      try key.flatMap { (key) throws(StorageError) in
        PredicateTerm(try translator.member(wrapped, key, of: Wrapped.Output.self, self))
      }
    }
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    let (key, fallback) = (try translator.term(key), try translator.term(`default`))
    return try translator.term(wrapped).flatMap { (wrapped) throws(StorageError) in
      try key.flatMap { (key) throws(StorageError) in
        try translator.coalesce(try translator.member(wrapped, key, of: Wrapped.Output.self, self), fallback)
      }
    }
  }
}

extension PredicateExpressions.CollectionIndexSubscript: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    let index = try translator.term(index)
    return try translator.term(wrapped).flatMap { (wrapped) throws(StorageError) in
      try index.flatMap { (index) throws(StorageError) in
        guard let collection = wrapped.constant(as: Wrapped.Output.self),
          let place = index.constant(as: Wrapped.Output.Index.self)
        else { throw PredicateTranslator.unsupported(self) }
        guard place >= collection.startIndex, place < collection.endIndex else {
          throw StorageError(.invalidQuery, "a predicate reads past the end of a constant")
        }
        return PredicateTerm(.init(constant: collection[place]))
      }
    }
  }
}

// MARK: - Minimum and maximum

extension PredicateTranslator {
  /// The largest or the smallest of constants, or of the elements of an array property.
  fileprivate func extreme<Elements: PredicateExpression>(
    of elements: Elements, isMaximum: Bool, _ expression: Any
  ) throws(StorageError) -> PredicateTerm where Elements.Output: Sequence, Elements.Output.Element: Comparable {
    try term(elements).flatMap { (value) throws(StorageError) in
      if case .path(let path, _) = value, Elements.Output.self is any StoredArray.Type {
        guard isOrderedAsStored(Elements.Output.Element.self) else {
          throw Self.unsupported(expression, "\(Elements.Output.Element.self) defines its own order")
        }
        return PredicateTerm(.extreme(path, isMaximum: isMaximum))
      }
      guard let constants = value.constant(as: Elements.Output.self) else { throw Self.unsupported(expression) }
      return PredicateTerm((isMaximum ? constants.max() : constants.min()).map { .init(constant: $0) } ?? .null)
    }
  }
}

extension PredicateExpressions.SequenceMinimum: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    try translator.extreme(of: elements, isMaximum: false, self)
  }
}

extension PredicateExpressions.SequenceMaximum: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    try translator.extreme(of: elements, isMaximum: true, self)
  }
}
