public import QuarryBackend

/// A condition on a row, by names.
public indirect enum PredicateTree: Sendable, Hashable {
  /// True or false for every object.
  case constant(Bool)
  /// Compares two operands.
  case compare(Operand, Comparison, Operand)
  /// Membership; a null among the values matches nil.
  case oneOf(Operand, [Value])
  /// An operator that has a name: a search for a text, whether an array has an element, and others.
  case function(FunctionCall)
  /// Whether an element of the array fulfils the condition, whose paths begin at ``PropertyPath/element``.
  case any(PropertyPath, PredicateTree)
  /// Whether every element does. True of an empty array and of nil.
  case all(PropertyPath, PredicateTree)
  /// True where the condition is false.
  case not(PredicateTree)
  /// True where all conditions are true; also where there are none.
  case and([PredicateTree])
  /// True where at least one condition is true.
  case or([PredicateTree])
}
