public import QuarryBackend

/// A condition on a row, by names.
public indirect enum PredicateTree: Sendable, Hashable {
  case constant(Bool)
  case compare(Operand, Comparison, Operand)
  /// Membership; a null among the values matches nil.
  case oneOf(Operand, [Value])
  case text(Operand, TextOperator, String, TextOptions)
  /// Whether an array has an element that is equal to the value.
  case containsElement(PropertyPath, Value)
  /// Whether an element of the array fulfils the condition, whose paths begin at ``PropertyPath/element``.
  case any(PropertyPath, PredicateTree)
  /// Whether every element does. True of an empty array and of nil.
  case all(PropertyPath, PredicateTree)
  case not(PredicateTree)
  case and([PredicateTree])
  case or([PredicateTree])
}
