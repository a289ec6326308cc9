import Foundation
import QuarryBackend
import QuarryQuery

/// The condition of a `#Predicate`, by names.
///
/// The tree that the macro wrote is walked node by node. Every subexpression becomes its possible values and the condition of
/// each (``PredicateTerm``), so that `??`, optional chaining and `if` need no counterpart in the tree. Two things differ from
/// `Predicate.evaluate`. Strings are compared and searched by their UTF-8 bytes. A nil that is unwrapped with `!` is nil, where
/// evaluating would throw.
///
/// - Parameters:
///   - predicate: The predicate.
///   - name: The name of the stored property of a key path; nil when no stored property has it.
/// - Throws: `unsupported`, naming the expression, for an expression without a counterpart; `invalidQuery` for a property that is
///   not stored. `invalidValue` for arithmetic with constants whose result does not fit; `limitExceeded`.
func predicateTree<M>(
  _ predicate: Predicate<M>, name: @escaping (PartialKeyPath<M>) -> String?
) throws(StorageError) -> PredicateTree {
  // With one type the variables are a tuple of one.
  let variable: PredicateExpressions.Variable<M> = predicate.variable
  let translator = PredicateTranslator(root: variable.key) { path in
    guard let path = path as? PartialKeyPath<M> else { return nil }
    return name(path)
  }
  return try translator.condition(predicate.expression)
}

/// The order that Foundation's sort descriptors ask for. Strings are ordered by their UTF-8 bytes, by the comparator
/// `.lexical` and where a descriptor has none.
///
/// - Throws: `unsupported` for a descriptor without a key path, one whose comparator is of a language, and one of a type
///   that orders its values itself; `invalidQuery` for a property that is not stored.
func sortKeys<M>(
  _ descriptors: [SortDescriptor<M>], name: (PartialKeyPath<M>) -> String?
) throws(StorageError) -> [QueryTree.SortKey] {
  var keys: [QueryTree.SortKey] = []
  keys.reserveCapacity(descriptors.count)
  for descriptor in descriptors {
    guard let path = descriptor.keyPath else {
      throw .unsupported(.querySort, "a SortDescriptor without a key path")
    }
    guard let property = name(path) else {
      throw StorageError(.invalidQuery, "\(path) is not a stored property")
    }
    // On Apple's platforms a descriptor of strings has a comparator of the user's language where none is written.
    if let comparator = descriptor.stringComparator, !comparator.isLexical {
      throw .unsupported(
        .querySort,
        "\(property) has a comparator that Quarry does not support; write SortDescriptor(…, comparator: .lexical)")
    }
    let type = Swift.type(of: path).valueType
    guard isOrderedAsStored((type as? any OptionalValue.Type)?.wrappedType ?? type) else {
      throw .unsupported(
        .querySort,
        "\(property) is a \(type), which defines its own order; sorted(by: \\.\(property)) has the order of "
          + "the stored values")
    }
    keys.append(QueryTree.SortKey(property, isDescending: descriptor.order == .reverse))
  }
  return keys
}

extension String.StandardComparator {
  /// Whether this is the order of the characters' numbers, in either direction.
  fileprivate var isLexical: Bool {
    var forward = self
    forward.order = .forward
    return forward == .lexical
  }
}
