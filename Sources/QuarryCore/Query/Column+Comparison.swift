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

public func == <V: Storable>(column: Column<V>, value: V) -> Condition { column.compare(.equal, value) }

public func == <V: Storable>(value: V, column: Column<V>) -> Condition { column.compare(.equal, value) }

public func == <V: Storable>(left: Column<V>, right: Column<V>) -> Condition { left.compare(.equal, column: right) }

public func == <V: Storable>(left: Column<V?>, right: Column<V>) -> Condition {
  left.compare(.equal, column: right)
}

public func == <V: Storable>(left: Column<V>, right: Column<V?>) -> Condition {
  left.compare(.equal, column: right)
}

public func != <V: Storable>(column: Column<V>, value: V) -> Condition { column.compare(.notEqual, value) }

public func != <V: Storable>(value: V, column: Column<V>) -> Condition { column.compare(.notEqual, value) }

public func != <V: Storable>(left: Column<V>, right: Column<V>) -> Condition { left.compare(.notEqual, column: right) }

public func != <V: Storable>(left: Column<V?>, right: Column<V>) -> Condition {
  left.compare(.notEqual, column: right)
}

public func != <V: Storable>(left: Column<V>, right: Column<V?>) -> Condition {
  left.compare(.notEqual, column: right)
}

public func < <V: Storable & Comparable>(column: Column<V>, value: V) -> Condition {
  column.compare(.less, value)
}

public func < <V: Storable & Comparable>(column: Column<V?>, value: V) -> Condition {
  column.compare(.less, value)
}

public func < <V: Storable & Comparable>(value: V, column: Column<V>) -> Condition {
  column.compare(.greater, value)
}

public func < <V: Storable & Comparable>(value: V, column: Column<V?>) -> Condition {
  column.compare(.greater, value)
}

public func < <V: Storable & Comparable>(left: Column<V>, right: Column<V>) -> Condition {
  left.compare(.less, column: right)
}

public func < <V: Storable & Comparable>(left: Column<V?>, right: Column<V?>) -> Condition {
  left.compare(.less, column: right)
}

public func <= <V: Storable & Comparable>(column: Column<V>, value: V) -> Condition {
  column.compare(.lessOrEqual, value)
}

public func <= <V: Storable & Comparable>(column: Column<V?>, value: V) -> Condition {
  column.compare(.lessOrEqual, value)
}

public func <= <V: Storable & Comparable>(value: V, column: Column<V>) -> Condition {
  column.compare(.greaterOrEqual, value)
}

public func <= <V: Storable & Comparable>(value: V, column: Column<V?>) -> Condition {
  column.compare(.greaterOrEqual, value)
}

public func <= <V: Storable & Comparable>(left: Column<V>, right: Column<V>) -> Condition {
  left.compare(.lessOrEqual, column: right)
}

public func <= <V: Storable & Comparable>(left: Column<V?>, right: Column<V?>) -> Condition {
  left.compare(.lessOrEqual, column: right)
}

public func > <V: Storable & Comparable>(column: Column<V>, value: V) -> Condition {
  column.compare(.greater, value)
}

public func > <V: Storable & Comparable>(column: Column<V?>, value: V) -> Condition {
  column.compare(.greater, value)
}

public func > <V: Storable & Comparable>(value: V, column: Column<V>) -> Condition {
  column.compare(.less, value)
}

public func > <V: Storable & Comparable>(value: V, column: Column<V?>) -> Condition {
  column.compare(.less, value)
}

public func > <V: Storable & Comparable>(left: Column<V>, right: Column<V>) -> Condition {
  left.compare(.greater, column: right)
}

public func > <V: Storable & Comparable>(left: Column<V?>, right: Column<V?>) -> Condition {
  left.compare(.greater, column: right)
}

public func >= <V: Storable & Comparable>(column: Column<V>, value: V) -> Condition {
  column.compare(.greaterOrEqual, value)
}

public func >= <V: Storable & Comparable>(column: Column<V?>, value: V) -> Condition {
  column.compare(.greaterOrEqual, value)
}

public func >= <V: Storable & Comparable>(value: V, column: Column<V>) -> Condition {
  column.compare(.lessOrEqual, value)
}

public func >= <V: Storable & Comparable>(value: V, column: Column<V?>) -> Condition {
  column.compare(.lessOrEqual, value)
}

public func >= <V: Storable & Comparable>(left: Column<V>, right: Column<V>) -> Condition {
  left.compare(.greaterOrEqual, column: right)
}

public func >= <V: Storable & Comparable>(left: Column<V?>, right: Column<V?>) -> Condition {
  left.compare(.greaterOrEqual, column: right)
}
