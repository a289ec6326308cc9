import QuarryBackend

// Numbers of different types, calculated ones and counts, with the meaning of their exact values: `$0.price > minimum`
// where `minimum` is an Int. Not favoured, so that conditions of one type cost the compiler nothing more.

/// Whether two numbers of any types have the same exact value; two that are nil do.
@_disfavoredOverload
public func == <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> Condition {
  left.calculated.compare(.equal, right.calculated)
}

/// Whether the number has exactly this value, whatever their types; nil equals nil alone.
@_disfavoredOverload
public func == <L: NumericColumn, N: NumericStorable>(column: L, value: N) -> Condition {
  column.calculated.compare(.equal, CalculatedColumn<N.Number>(constant: value))
}

/// Whether the number has exactly this value, whatever their types; nil equals nil alone.
@_disfavoredOverload
public func == <R: NumericColumn, N: NumericStorable>(value: N, column: R) -> Condition {
  CalculatedColumn<N.Number>(constant: value).compare(.equal, column.calculated)
}

/// Whether two numbers of any types differ in their exact value; two that are nil do not.
@_disfavoredOverload
public func != <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> Condition {
  left.calculated.compare(.notEqual, right.calculated)
}

/// Whether the number's exact value is another one, whatever their types; nil differs from all but nil.
@_disfavoredOverload
public func != <L: NumericColumn, N: NumericStorable>(column: L, value: N) -> Condition {
  column.calculated.compare(.notEqual, CalculatedColumn<N.Number>(constant: value))
}

/// Whether the number's exact value is another one, whatever their types; nil differs from all but nil.
@_disfavoredOverload
public func != <R: NumericColumn, N: NumericStorable>(value: N, column: R) -> Condition {
  CalculatedColumn<N.Number>(constant: value).compare(.notEqual, column.calculated)
}

/// Whether the left number is less than the right one, compared by exact value; false where one is nil.
@_disfavoredOverload
public func < <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> Condition {
  left.calculated.compare(.less, right.calculated)
}

/// Whether the number is less than this value, compared by exact value; false where one is nil.
@_disfavoredOverload
public func < <L: NumericColumn, N: NumericStorable>(column: L, value: N) -> Condition {
  column.calculated.compare(.less, CalculatedColumn<N.Number>(constant: value))
}

/// Whether this value is less than the number, compared by exact value; false where one is nil.
@_disfavoredOverload
public func < <R: NumericColumn, N: NumericStorable>(value: N, column: R) -> Condition {
  CalculatedColumn<N.Number>(constant: value).compare(.less, column.calculated)
}

/// Whether the left number is at most the right one, compared by exact value; false where one is nil.
@_disfavoredOverload
public func <= <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> Condition {
  left.calculated.compare(.lessOrEqual, right.calculated)
}

/// Whether the number is at most this value, compared by exact value; false where one is nil.
@_disfavoredOverload
public func <= <L: NumericColumn, N: NumericStorable>(column: L, value: N) -> Condition {
  column.calculated.compare(.lessOrEqual, CalculatedColumn<N.Number>(constant: value))
}

/// Whether this value is at most the number, compared by exact value; false where one is nil.
@_disfavoredOverload
public func <= <R: NumericColumn, N: NumericStorable>(value: N, column: R) -> Condition {
  CalculatedColumn<N.Number>(constant: value).compare(.lessOrEqual, column.calculated)
}

/// Whether the left number is greater than the right one, compared by exact value; false where one is nil.
@_disfavoredOverload
public func > <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> Condition {
  left.calculated.compare(.greater, right.calculated)
}

/// Whether the number is greater than this value, compared by exact value; false where one is nil.
@_disfavoredOverload
public func > <L: NumericColumn, N: NumericStorable>(column: L, value: N) -> Condition {
  column.calculated.compare(.greater, CalculatedColumn<N.Number>(constant: value))
}

/// Whether this value is greater than the number, compared by exact value; false where one is nil.
@_disfavoredOverload
public func > <R: NumericColumn, N: NumericStorable>(value: N, column: R) -> Condition {
  CalculatedColumn<N.Number>(constant: value).compare(.greater, column.calculated)
}

/// Whether the left number is at least the right one, compared by exact value; false where one is nil.
@_disfavoredOverload
public func >= <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> Condition {
  left.calculated.compare(.greaterOrEqual, right.calculated)
}

/// Whether the number is at least this value, compared by exact value; false where one is nil.
@_disfavoredOverload
public func >= <L: NumericColumn, N: NumericStorable>(column: L, value: N) -> Condition {
  column.calculated.compare(.greaterOrEqual, CalculatedColumn<N.Number>(constant: value))
}

/// Whether this value is at least the number, compared by exact value; false where one is nil.
@_disfavoredOverload
public func >= <R: NumericColumn, N: NumericStorable>(value: N, column: R) -> Condition {
  CalculatedColumn<N.Number>(constant: value).compare(.greaterOrEqual, column.calculated)
}

// One of two columns is optional.

/// Whether the left column is less than the right one; false where one is nil.
public func < <V: Storable & Comparable>(left: Column<V?>, right: Column<V>) -> Condition {
  left.compare(.less, column: right)
}

/// Whether the left column is less than the right one; false where one is nil.
public func < <V: Storable & Comparable>(left: Column<V>, right: Column<V?>) -> Condition {
  left.compare(.less, column: right)
}

/// Whether the left column is at most the right one; false where one is nil.
public func <= <V: Storable & Comparable>(left: Column<V?>, right: Column<V>) -> Condition {
  left.compare(.lessOrEqual, column: right)
}

/// Whether the left column is at most the right one; false where one is nil.
public func <= <V: Storable & Comparable>(left: Column<V>, right: Column<V?>) -> Condition {
  left.compare(.lessOrEqual, column: right)
}

/// Whether the left column is greater than the right one; false where one is nil.
public func > <V: Storable & Comparable>(left: Column<V?>, right: Column<V>) -> Condition {
  left.compare(.greater, column: right)
}

/// Whether the left column is greater than the right one; false where one is nil.
public func > <V: Storable & Comparable>(left: Column<V>, right: Column<V?>) -> Condition {
  left.compare(.greater, column: right)
}

/// Whether the left column is at least the right one; false where one is nil.
public func >= <V: Storable & Comparable>(left: Column<V?>, right: Column<V>) -> Condition {
  left.compare(.greaterOrEqual, column: right)
}

/// Whether the left column is at least the right one; false where one is nil.
public func >= <V: Storable & Comparable>(left: Column<V>, right: Column<V?>) -> Condition {
  left.compare(.greaterOrEqual, column: right)
}

// A literal next to a calculation has the calculation's type, so these are favoured over the ones above.

/// Whether the result is this number; a result of nil is not.
public func == <N>(column: CalculatedColumn<N>, value: N) -> Condition {
  column.compare(.equal, CalculatedColumn<N>(constant: value))
}

/// Whether the result is this number; a result of nil is not.
public func == <N>(value: N, column: CalculatedColumn<N>) -> Condition {
  CalculatedColumn<N>(constant: value).compare(.equal, column)
}

/// Whether the result is another number; a result of nil is.
public func != <N>(column: CalculatedColumn<N>, value: N) -> Condition {
  column.compare(.notEqual, CalculatedColumn<N>(constant: value))
}

/// Whether the result is another number; a result of nil is.
public func != <N>(value: N, column: CalculatedColumn<N>) -> Condition {
  CalculatedColumn<N>(constant: value).compare(.notEqual, column)
}

/// Whether the result is less than this number; false of a result of nil.
public func < <N>(column: CalculatedColumn<N>, value: N) -> Condition {
  column.compare(.less, CalculatedColumn<N>(constant: value))
}

/// Whether this number is less than the result; false of a result of nil.
public func < <N>(value: N, column: CalculatedColumn<N>) -> Condition {
  CalculatedColumn<N>(constant: value).compare(.less, column)
}

/// Whether the result is at most this number; false of a result of nil.
public func <= <N>(column: CalculatedColumn<N>, value: N) -> Condition {
  column.compare(.lessOrEqual, CalculatedColumn<N>(constant: value))
}

/// Whether this number is at most the result; false of a result of nil.
public func <= <N>(value: N, column: CalculatedColumn<N>) -> Condition {
  CalculatedColumn<N>(constant: value).compare(.lessOrEqual, column)
}

/// Whether the result is greater than this number; false of a result of nil.
public func > <N>(column: CalculatedColumn<N>, value: N) -> Condition {
  column.compare(.greater, CalculatedColumn<N>(constant: value))
}

/// Whether this number is greater than the result; false of a result of nil.
public func > <N>(value: N, column: CalculatedColumn<N>) -> Condition {
  CalculatedColumn<N>(constant: value).compare(.greater, column)
}

/// Whether the result is at least this number; false of a result of nil.
public func >= <N>(column: CalculatedColumn<N>, value: N) -> Condition {
  column.compare(.greaterOrEqual, CalculatedColumn<N>(constant: value))
}

/// Whether this number is at least the result; false of a result of nil.
public func >= <N>(value: N, column: CalculatedColumn<N>) -> Condition {
  CalculatedColumn<N>(constant: value).compare(.greaterOrEqual, column)
}

// A calculation is nil where a side is, and so is the length of a nil value.

/// Whether the result is nil.
@_disfavoredOverload
public func == <N>(column: CalculatedColumn<N>, value: _OptionalNilComparisonType) -> Condition { column.isNil }

/// Whether the result is not nil.
@_disfavoredOverload
public func != <N>(column: CalculatedColumn<N>, value: _OptionalNilComparisonType) -> Condition { !column.isNil }

extension CalculatedColumn {
  /// Whether the result is nil.
  public var isNil: Condition { Condition(.compare(operand, .equal, .value(.null)), failure: failure) }
}
