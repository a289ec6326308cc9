import QuarryBackend

// Numbers of different types, calculated ones and counts, with the meaning of their exact values: `$0.price > minimum`
// where `minimum` is an Int. Not favoured, so that conditions of one type cost the compiler nothing more.

@_disfavoredOverload
public func == <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> Condition {
  left.calculated.compare(.equal, right.calculated)
}

@_disfavoredOverload
public func == <L: NumericColumn, N: NumericStorable>(column: L, value: N) -> Condition {
  column.calculated.compare(.equal, CalculatedColumn<N.Number>(constant: value))
}

@_disfavoredOverload
public func == <R: NumericColumn, N: NumericStorable>(value: N, column: R) -> Condition {
  CalculatedColumn<N.Number>(constant: value).compare(.equal, column.calculated)
}

@_disfavoredOverload
public func != <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> Condition {
  left.calculated.compare(.notEqual, right.calculated)
}

@_disfavoredOverload
public func != <L: NumericColumn, N: NumericStorable>(column: L, value: N) -> Condition {
  column.calculated.compare(.notEqual, CalculatedColumn<N.Number>(constant: value))
}

@_disfavoredOverload
public func != <R: NumericColumn, N: NumericStorable>(value: N, column: R) -> Condition {
  CalculatedColumn<N.Number>(constant: value).compare(.notEqual, column.calculated)
}

@_disfavoredOverload
public func < <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> Condition {
  left.calculated.compare(.less, right.calculated)
}

@_disfavoredOverload
public func < <L: NumericColumn, N: NumericStorable>(column: L, value: N) -> Condition {
  column.calculated.compare(.less, CalculatedColumn<N.Number>(constant: value))
}

@_disfavoredOverload
public func < <R: NumericColumn, N: NumericStorable>(value: N, column: R) -> Condition {
  CalculatedColumn<N.Number>(constant: value).compare(.less, column.calculated)
}

@_disfavoredOverload
public func <= <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> Condition {
  left.calculated.compare(.lessOrEqual, right.calculated)
}

@_disfavoredOverload
public func <= <L: NumericColumn, N: NumericStorable>(column: L, value: N) -> Condition {
  column.calculated.compare(.lessOrEqual, CalculatedColumn<N.Number>(constant: value))
}

@_disfavoredOverload
public func <= <R: NumericColumn, N: NumericStorable>(value: N, column: R) -> Condition {
  CalculatedColumn<N.Number>(constant: value).compare(.lessOrEqual, column.calculated)
}

@_disfavoredOverload
public func > <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> Condition {
  left.calculated.compare(.greater, right.calculated)
}

@_disfavoredOverload
public func > <L: NumericColumn, N: NumericStorable>(column: L, value: N) -> Condition {
  column.calculated.compare(.greater, CalculatedColumn<N.Number>(constant: value))
}

@_disfavoredOverload
public func > <R: NumericColumn, N: NumericStorable>(value: N, column: R) -> Condition {
  CalculatedColumn<N.Number>(constant: value).compare(.greater, column.calculated)
}

@_disfavoredOverload
public func >= <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> Condition {
  left.calculated.compare(.greaterOrEqual, right.calculated)
}

@_disfavoredOverload
public func >= <L: NumericColumn, N: NumericStorable>(column: L, value: N) -> Condition {
  column.calculated.compare(.greaterOrEqual, CalculatedColumn<N.Number>(constant: value))
}

@_disfavoredOverload
public func >= <R: NumericColumn, N: NumericStorable>(value: N, column: R) -> Condition {
  CalculatedColumn<N.Number>(constant: value).compare(.greaterOrEqual, column.calculated)
}

// One of two columns is optional.

public func < <V: Storable & Comparable>(left: Column<V?>, right: Column<V>) -> Condition {
  left.compare(.less, column: right)
}

public func < <V: Storable & Comparable>(left: Column<V>, right: Column<V?>) -> Condition {
  left.compare(.less, column: right)
}

public func <= <V: Storable & Comparable>(left: Column<V?>, right: Column<V>) -> Condition {
  left.compare(.lessOrEqual, column: right)
}

public func <= <V: Storable & Comparable>(left: Column<V>, right: Column<V?>) -> Condition {
  left.compare(.lessOrEqual, column: right)
}

public func > <V: Storable & Comparable>(left: Column<V?>, right: Column<V>) -> Condition {
  left.compare(.greater, column: right)
}

public func > <V: Storable & Comparable>(left: Column<V>, right: Column<V?>) -> Condition {
  left.compare(.greater, column: right)
}

public func >= <V: Storable & Comparable>(left: Column<V?>, right: Column<V>) -> Condition {
  left.compare(.greaterOrEqual, column: right)
}

public func >= <V: Storable & Comparable>(left: Column<V>, right: Column<V?>) -> Condition {
  left.compare(.greaterOrEqual, column: right)
}

// A literal beside a calculation is of the calculation's type, so these are favoured over the ones above.

public func == <N>(column: CalculatedColumn<N>, value: N) -> Condition {
  column.compare(.equal, CalculatedColumn<N>(constant: value))
}

public func == <N>(value: N, column: CalculatedColumn<N>) -> Condition {
  CalculatedColumn<N>(constant: value).compare(.equal, column)
}

public func != <N>(column: CalculatedColumn<N>, value: N) -> Condition {
  column.compare(.notEqual, CalculatedColumn<N>(constant: value))
}

public func != <N>(value: N, column: CalculatedColumn<N>) -> Condition {
  CalculatedColumn<N>(constant: value).compare(.notEqual, column)
}

public func < <N>(column: CalculatedColumn<N>, value: N) -> Condition {
  column.compare(.less, CalculatedColumn<N>(constant: value))
}

public func < <N>(value: N, column: CalculatedColumn<N>) -> Condition {
  CalculatedColumn<N>(constant: value).compare(.less, column)
}

public func <= <N>(column: CalculatedColumn<N>, value: N) -> Condition {
  column.compare(.lessOrEqual, CalculatedColumn<N>(constant: value))
}

public func <= <N>(value: N, column: CalculatedColumn<N>) -> Condition {
  CalculatedColumn<N>(constant: value).compare(.lessOrEqual, column)
}

public func > <N>(column: CalculatedColumn<N>, value: N) -> Condition {
  column.compare(.greater, CalculatedColumn<N>(constant: value))
}

public func > <N>(value: N, column: CalculatedColumn<N>) -> Condition {
  CalculatedColumn<N>(constant: value).compare(.greater, column)
}

public func >= <N>(column: CalculatedColumn<N>, value: N) -> Condition {
  column.compare(.greaterOrEqual, CalculatedColumn<N>(constant: value))
}

public func >= <N>(value: N, column: CalculatedColumn<N>) -> Condition {
  CalculatedColumn<N>(constant: value).compare(.greaterOrEqual, column)
}

// What is calculated is nil where a side is, and so is the length of what is nil.

@_disfavoredOverload
public func == <N>(column: CalculatedColumn<N>, value: _OptionalNilComparisonType) -> Condition { column.isNil }

@_disfavoredOverload
public func != <N>(column: CalculatedColumn<N>, value: _OptionalNilComparisonType) -> Condition { !column.isNil }

@_disfavoredOverload
public func == (column: CountColumn, value: _OptionalNilComparisonType) -> Condition { column.calculated.isNil }

@_disfavoredOverload
public func != (column: CountColumn, value: _OptionalNilComparisonType) -> Condition { !column.calculated.isNil }

extension CalculatedColumn {
  /// Whether the result is nil.
  public var isNil: Condition { Condition(.compare(operand, .equal, .value(.null)), failure: failure) }
}
