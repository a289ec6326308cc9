/// A condition on a row, by slots. Two-valued: nil is never less or greater than anything, nil equals only nil, and
/// `not` is plain negation.
public indirect enum BoundPredicate: Sendable, Hashable {
  /// True or false for every row.
  case constant(Bool)
  /// Whether the slot is nil.
  case isNull(slot: Int)
  /// Compares a slot with a constant that is not null and has exactly the slot's type.
  ///
  /// A null slot fulfils only `notEqual`. Floating point by IEEE 754: NaN equals nothing.
  case compare(slot: Int, Comparison, Value)
  /// Compares two slots of one or two types; numbers by their exact values. Nil equals nil.
  case compareSlots(Int, Comparison, Int)
  /// Compares two numbers that are calculated from slots, by their exact values. One without a value is nil.
  case calculated(BoundNumber, Comparison, BoundNumber)
  /// Membership in constants that are not null and have exactly the slot's type, sorted by ``ValueOrder`` and each
  /// once. A null slot is no member.
  case oneOf(slot: Int, [Value])
  /// Membership in values of another model's rows.
  ///
  /// A null slot is no member. Only engines that have declared that they decide it receive it: ``SubqueryTransaction``.
  case oneOfRows(slot: Int, BoundSubquery)
  /// A call of a function. A null slot fulfils none.
  case function(slot: Int, BoundFunction)
  /// A test inside a nested value or an array.
  case nested(slot: Int, NestedTest)
  /// The row comes after the position in this order, by ``ValueOrder`` (null first ascending), for paging.
  case after([BoundSortKey], [Value])
  /// True where the condition is false.
  case not(BoundPredicate)
  /// True where all conditions are true; also where there are none.
  case and([BoundPredicate])
  /// True where at least one condition is true.
  case or([BoundPredicate])

  /// The most predicates inside each other. Binding refuses more, so that a backend may recurse.
  public static let maximumDepth = 200
}

/// A test of a value tree. The paths inside are member names from the slot's value (or the element) on.
public indirect enum NestedTest: Sendable, Hashable {
  /// True or false for every row.
  case constant(Bool)
  /// Compares the value at the path with a constant, which may be null.
  ///
  /// A missing member is nil. Values of different kinds are unequal and have no order; numbers compare by their exact values.
  case compare(path: [ByteString], Comparison, Value)
  /// Compares the number of elements of an array, characters of a string or bytes of data at the path.
  ///
  /// Nil has no number to compare and fulfils only `notEqual`.
  case count(path: [ByteString], Comparison, Int64)
  /// Whether the value at the path is one of the values.
  case oneOf(path: [ByteString], [Value])
  /// A call of a function on the value at the path. Nil fulfils none.
  case function(path: [ByteString], BoundFunction)
  /// Whether the test is true for an element of the array at the path.
  case any(path: [ByteString], NestedTest)
  /// Whether the test is true for every element of the array at the path.
  case all(path: [ByteString], NestedTest)
  /// The test of the value with the defaults of the members that it lacks.
  case completing(NestedForm, NestedTest)
  /// True where the test is false.
  case not(NestedTest)
  /// True where all tests are true; also where there are none.
  case and([NestedTest])
  /// True where at least one test is true.
  case or([NestedTest])
}
