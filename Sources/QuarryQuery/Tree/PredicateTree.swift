public import QuarryBackend

/// A condition on a row, by names.
public indirect enum PredicateTree: Sendable, Hashable {
  case constant(Bool)
  case compare(Operand, Comparison, Operand)
  /// Membership; a null among the values matches nil.
  case oneOf(Operand, [Value])
  /// An operator that has a name: a search for a text, whether an array has an element, and others.
  case function(FunctionCall)
  /// Whether an element of the array fulfils the condition, whose paths begin at ``PropertyPath/element``.
  case any(PropertyPath, PredicateTree)
  /// Whether every element does. True of an empty array and of nil.
  case all(PropertyPath, PredicateTree)
  case not(PredicateTree)
  case and([PredicateTree])
  case or([PredicateTree])
}
