import QuarryBackend
import QuarryQuery

// `ids.contains($0.id)`, for what the program holds: an array, a set, a range. Nil is in no range.

extension Sequence where Element: Storable {
  /// Whether the column's value is one of these: `ids.contains($0.id)`.
  @_disfavoredOverload
  public func contains(_ column: Column<Element>) -> Condition { .oneOf(column.operand, self) }

  /// Whether the column's value is one of these; nil is none.
  @_disfavoredOverload
  public func contains(_ column: Column<Element?>) -> Condition { .oneOf(column.operand, self) }
}

/// A range of any kind, as a condition on the value that it may contain.
protocol ColumnRange<Bound> {
  associatedtype Bound: Storable
  func condition(on operand: Operand) -> Condition
}

extension ColumnRange {
  func condition(on column: some NumericColumn<Bound>) -> Condition {
    let column = column.calculated
    var condition = condition(on: column.operand)
    condition.failure = column.failure ?? condition.failure
    return condition
  }
}

extension ClosedRange: ColumnRange where Bound: Storable {
  /// Whether the column's value is in the range.
  @_disfavoredOverload
  public func contains(_ column: Column<Bound>) -> Condition { condition(on: column.operand) }

  /// Whether the column's value is in the range; nil is not.
  @_disfavoredOverload
  public func contains(_ column: Column<Bound?>) -> Condition { condition(on: column.operand) }

  /// Whether the number is in the range.
  @_disfavoredOverload
  public func contains<C: NumericColumn>(_ column: C) -> Condition where C.Number == Bound { condition(on: column) }

  func condition(on operand: Operand) -> Condition {
    Condition(lowerBound) { .compare(operand, .greaterOrEqual, .value($0)) }
      && Condition(upperBound) { .compare(operand, .lessOrEqual, .value($0)) }
  }
}

extension Range: ColumnRange where Bound: Storable {
  /// Whether the column's value is in the range.
  @_disfavoredOverload
  public func contains(_ column: Column<Bound>) -> Condition { condition(on: column.operand) }

  /// Whether the column's value is in the range; nil is not.
  @_disfavoredOverload
  public func contains(_ column: Column<Bound?>) -> Condition { condition(on: column.operand) }

  /// Whether the number is in the range.
  @_disfavoredOverload
  public func contains<C: NumericColumn>(_ column: C) -> Condition where C.Number == Bound { condition(on: column) }

  func condition(on operand: Operand) -> Condition {
    Condition(lowerBound) { .compare(operand, .greaterOrEqual, .value($0)) }
      && Condition(upperBound) { .compare(operand, .less, .value($0)) }
  }
}

extension PartialRangeFrom: ColumnRange where Bound: Storable {
  /// Whether the column's value is in the range.
  @_disfavoredOverload
  public func contains(_ column: Column<Bound>) -> Condition { condition(on: column.operand) }

  /// Whether the column's value is in the range; nil is not.
  @_disfavoredOverload
  public func contains(_ column: Column<Bound?>) -> Condition { condition(on: column.operand) }

  /// Whether the number is in the range.
  @_disfavoredOverload
  public func contains<C: NumericColumn>(_ column: C) -> Condition where C.Number == Bound { condition(on: column) }

  func condition(on operand: Operand) -> Condition {
    Condition(lowerBound) { .compare(operand, .greaterOrEqual, .value($0)) }
  }
}

extension PartialRangeThrough: ColumnRange where Bound: Storable {
  /// Whether the column's value is in the range.
  @_disfavoredOverload
  public func contains(_ column: Column<Bound>) -> Condition { condition(on: column.operand) }

  /// Whether the column's value is in the range; nil is not.
  @_disfavoredOverload
  public func contains(_ column: Column<Bound?>) -> Condition { condition(on: column.operand) }

  /// Whether the number is in the range.
  @_disfavoredOverload
  public func contains<C: NumericColumn>(_ column: C) -> Condition where C.Number == Bound { condition(on: column) }

  func condition(on operand: Operand) -> Condition {
    Condition(upperBound) { .compare(operand, .lessOrEqual, .value($0)) }
  }
}

extension PartialRangeUpTo: ColumnRange where Bound: Storable {
  /// Whether the column's value is in the range.
  @_disfavoredOverload
  public func contains(_ column: Column<Bound>) -> Condition { condition(on: column.operand) }

  /// Whether the column's value is in the range; nil is not.
  @_disfavoredOverload
  public func contains(_ column: Column<Bound?>) -> Condition { condition(on: column.operand) }

  /// Whether the number is in the range.
  @_disfavoredOverload
  public func contains<C: NumericColumn>(_ column: C) -> Condition where C.Number == Bound { condition(on: column) }

  func condition(on operand: Operand) -> Condition {
    Condition(upperBound) { .compare(operand, .less, .value($0)) }
  }
}
