public import QuarryBackend
import QuarryQuery

// Each operator takes a column and a constant, a constant and a column, or two columns. Those that order take columns
// of optionals too; nil is then neither less nor greater than anything.

extension Column {
  var operand: Operand { .property(PropertyPath(name)) }

  @usableFromInline
  func compare(_ comparison: Comparison, _ value: some Storable) -> Condition {
    Condition(value) { .compare(operand, comparison, .value($0)) }
  }

  @usableFromInline
  func compare<Other>(_ comparison: Comparison, column other: Column<Other>) -> Condition {
    Condition(.compare(operand, comparison, other.operand))
  }
}

/// Whether the column's value is this one; nil equals nil alone.
public func == <V: Storable>(column: Column<V>, value: V) -> Condition { column.compare(.equal, value) }

/// Whether the column's value is this one; nil equals nil alone.
public func == <V: Storable>(value: V, column: Column<V>) -> Condition { column.compare(.equal, value) }

/// Whether the two columns are equal; two that are nil are.
public func == <V: Storable>(left: Column<V>, right: Column<V>) -> Condition { left.compare(.equal, column: right) }

/// Whether the two columns are equal; nil in the left one equals nothing.
public func == <V: Storable>(left: Column<V?>, right: Column<V>) -> Condition {
  left.compare(.equal, column: right)
}

/// Whether the two columns are equal; nil in the right one equals nothing.
public func == <V: Storable>(left: Column<V>, right: Column<V?>) -> Condition {
  left.compare(.equal, column: right)
}

/// Whether the column's value is another one; nil differs from all but nil.
public func != <V: Storable>(column: Column<V>, value: V) -> Condition { column.compare(.notEqual, value) }

/// Whether the column's value is another one; nil differs from all but nil.
public func != <V: Storable>(value: V, column: Column<V>) -> Condition { column.compare(.notEqual, value) }

/// Whether the two columns differ; two that are nil do not.
public func != <V: Storable>(left: Column<V>, right: Column<V>) -> Condition { left.compare(.notEqual, column: right) }

/// Whether the two columns differ; nil in the left one differs from everything.
public func != <V: Storable>(left: Column<V?>, right: Column<V>) -> Condition {
  left.compare(.notEqual, column: right)
}

/// Whether the two columns differ; nil in the right one differs from everything.
public func != <V: Storable>(left: Column<V>, right: Column<V?>) -> Condition {
  left.compare(.notEqual, column: right)
}

/// Whether the column's value is less than this one.
public func < <V: Storable & Comparable>(column: Column<V>, value: V) -> Condition {
  column.compare(.less, value)
}

/// Whether the column's value is less than this one; false of nil.
public func < <V: Storable & Comparable>(column: Column<V?>, value: V) -> Condition {
  column.compare(.less, value)
}

/// Whether this value is less than the column's.
public func < <V: Storable & Comparable>(value: V, column: Column<V>) -> Condition {
  column.compare(.greater, value)
}

/// Whether this value is less than the column's; false of nil.
public func < <V: Storable & Comparable>(value: V, column: Column<V?>) -> Condition {
  column.compare(.greater, value)
}

/// Whether the left column is less than the right one.
public func < <V: Storable & Comparable>(left: Column<V>, right: Column<V>) -> Condition {
  left.compare(.less, column: right)
}

/// Whether the left column is less than the right one; false where one is nil.
public func < <V: Storable & Comparable>(left: Column<V?>, right: Column<V?>) -> Condition {
  left.compare(.less, column: right)
}

/// Whether the column's value is at most this one.
public func <= <V: Storable & Comparable>(column: Column<V>, value: V) -> Condition {
  column.compare(.lessOrEqual, value)
}

/// Whether the column's value is at most this one; false of nil.
public func <= <V: Storable & Comparable>(column: Column<V?>, value: V) -> Condition {
  column.compare(.lessOrEqual, value)
}

/// Whether this value is at most the column's.
public func <= <V: Storable & Comparable>(value: V, column: Column<V>) -> Condition {
  column.compare(.greaterOrEqual, value)
}

/// Whether this value is at most the column's; false of nil.
public func <= <V: Storable & Comparable>(value: V, column: Column<V?>) -> Condition {
  column.compare(.greaterOrEqual, value)
}

/// Whether the left column is at most the right one.
public func <= <V: Storable & Comparable>(left: Column<V>, right: Column<V>) -> Condition {
  left.compare(.lessOrEqual, column: right)
}

/// Whether the left column is at most the right one; false where one is nil.
public func <= <V: Storable & Comparable>(left: Column<V?>, right: Column<V?>) -> Condition {
  left.compare(.lessOrEqual, column: right)
}

/// Whether the column's value is greater than this one.
public func > <V: Storable & Comparable>(column: Column<V>, value: V) -> Condition {
  column.compare(.greater, value)
}

/// Whether the column's value is greater than this one; false of nil.
public func > <V: Storable & Comparable>(column: Column<V?>, value: V) -> Condition {
  column.compare(.greater, value)
}

/// Whether this value is greater than the column's.
public func > <V: Storable & Comparable>(value: V, column: Column<V>) -> Condition {
  column.compare(.less, value)
}

/// Whether this value is greater than the column's; false of nil.
public func > <V: Storable & Comparable>(value: V, column: Column<V?>) -> Condition {
  column.compare(.less, value)
}

/// Whether the left column is greater than the right one.
public func > <V: Storable & Comparable>(left: Column<V>, right: Column<V>) -> Condition {
  left.compare(.greater, column: right)
}

/// Whether the left column is greater than the right one; false where one is nil.
public func > <V: Storable & Comparable>(left: Column<V?>, right: Column<V?>) -> Condition {
  left.compare(.greater, column: right)
}

/// Whether the column's value is at least this one.
public func >= <V: Storable & Comparable>(column: Column<V>, value: V) -> Condition {
  column.compare(.greaterOrEqual, value)
}

/// Whether the column's value is at least this one; false of nil.
public func >= <V: Storable & Comparable>(column: Column<V?>, value: V) -> Condition {
  column.compare(.greaterOrEqual, value)
}

/// Whether this value is at least the column's.
public func >= <V: Storable & Comparable>(value: V, column: Column<V>) -> Condition {
  column.compare(.lessOrEqual, value)
}

/// Whether this value is at least the column's; false of nil.
public func >= <V: Storable & Comparable>(value: V, column: Column<V?>) -> Condition {
  column.compare(.lessOrEqual, value)
}

/// Whether the left column is at least the right one.
public func >= <V: Storable & Comparable>(left: Column<V>, right: Column<V>) -> Condition {
  left.compare(.greaterOrEqual, column: right)
}

/// Whether the left column is at least the right one; false where one is nil.
public func >= <V: Storable & Comparable>(left: Column<V?>, right: Column<V?>) -> Condition {
  left.compare(.greaterOrEqual, column: right)
}
