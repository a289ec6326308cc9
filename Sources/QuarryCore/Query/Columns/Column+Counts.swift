import QuarryQuery

// Lengths compared with integers. The generic operators of results would do, but in a set of operators without one that is not
// generic the compiler tries all combinations where a closure's types are not known yet, as in #Predicate.

/// Whether the length is this number; nil has none.
public func == (column: CountColumn, count: Int) -> Condition { column.compare(.equal, CountColumn(constant: count)) }
/// Whether the length is another number; nil, which has none, fulfils it.
public func != (column: CountColumn, count: Int) -> Condition {
  column.compare(.notEqual, CountColumn(constant: count))
}
/// Whether the length is less than this number; false of nil, which has none.
public func < (column: CountColumn, count: Int) -> Condition { column.compare(.less, CountColumn(constant: count)) }
/// Whether the length is at most this number; false of nil, which has none.
public func <= (column: CountColumn, count: Int) -> Condition {
  column.compare(.lessOrEqual, CountColumn(constant: count))
}
/// Whether the length is greater than this number; false of nil, which has none.
public func > (column: CountColumn, count: Int) -> Condition { column.compare(.greater, CountColumn(constant: count)) }
/// Whether the length is at least this number; false of nil, which has none.
public func >= (column: CountColumn, count: Int) -> Condition {
  column.compare(.greaterOrEqual, CountColumn(constant: count))
}
