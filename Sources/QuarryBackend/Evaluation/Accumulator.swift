import Foundation

/// One column of an aggregate, for all groups.
class Accumulator {
  /// Makes room for another group.
  func addGroup() {}
  /// Takes a row into a group.
  func add(_ row: RowView, to group: Int) throws(StorageError) {}
  /// The group's result.
  func result(of group: Int) throws(StorageError) -> Value { .null }

  /// The accumulator of a column.
  ///
  /// - Throws: `invalidQuery` for a function that the slot's type does not have.
  static func make(
    _ column: BoundAggregate.Column, _ model: ModelSchema, _ layout: RowLayout, _ defaults: DefaultRow
  ) throws(StorageError) -> Accumulator {
    guard let index = column.slot else {
      guard column.function == .count else {
        throw StorageError(.invalidQuery, "\(column.function.rawValue) needs a property", model: model.name)
      }
      return RowCount()
    }
    guard layout.slots.indices.contains(index), model.properties.indices.contains(index) else {
      throw StorageError(.invalidQuery, "there is no slot \(index)", model: model.name)
    }
    let field = AggregateField(slot: layout.slots[index], property: model.properties[index].name, defaults: defaults)
    let type = field.slot.type
    switch column.function {
    case .count: return ValueCount(field)
    case .min, .max:
      guard type.isOrdered else { break }
      if type.fixedWidth <= 8, !type.isVariable { return BitsExtremum(field, isMaximum: column.function == .max) }
      return KeyExtremum(field, layout, isMaximum: column.function == .max)
    case .sum, .average:
      let isAverage = column.function == .average
      if type.isInteger { return IntegerTotal(field, isAverage: isAverage) }
      if type == .double || type == .float { return FloatingTotal(field, isAverage: isAverage) }
      if type == .decimal { return DecimalTotal(field, isAverage: isAverage) }
    }
    throw StorageError(
      .invalidQuery, "\(column.function.rawValue) is not for the type \(type.name)", model: model.name,
      property: field.property)
  }
}

/// The slot that an accumulator reads.
struct AggregateField {
  var slot: RowLayout.Slot
  let property: String
  let defaults: DefaultRow

  /// The row to read from; nil when the slot is null.
  @inline(__always)
  func present(_ row: RowView) -> RowView? {
    let row = defaults.row(for: slot, in: row)
    return row.isNull(slot) ? nil : row
  }
}

/// Counts rows.
final class RowCount: Accumulator {
  private var counts: ContiguousArray<Int> = []

  override func addGroup() { counts.append(0) }
  override func add(_ row: RowView, to group: Int) { counts[group] &+= 1 }
  override func result(of group: Int) -> Value { .int(Int64(counts[group])) }
}

/// Counts values that are not nil.
final class ValueCount: Accumulator {
  private let field: AggregateField
  private var counts: ContiguousArray<Int> = []

  init(_ field: AggregateField) {
    self.field = field
  }

  override func addGroup() { counts.append(0) }
  override func add(_ row: RowView, to group: Int) {
    if field.present(row) != nil { counts[group] &+= 1 }
  }
  override func result(of group: Int) -> Value { .int(Int64(counts[group])) }
}

/// The sum of integers, which must fit into 64 bits with the column's signedness, or their average as a Double.
final class IntegerTotal: Accumulator {
  private struct State {
    /// 2^63 rows of 64 bits fit.
    var total: Int128 = 0
    var count = 0
  }

  private let field: AggregateField
  private let isAverage: Bool
  private var states: ContiguousArray<State> = []

  init(_ field: AggregateField, isAverage: Bool) {
    self.field = field
    self.isAverage = isAverage
  }

  override func addGroup() { states.append(State()) }

  override func add(_ row: RowView, to group: Int) {
    guard let row = field.present(row), let integer = row.integer(field.slot) else { return }
    states[group].total &+= integer
    states[group].count &+= 1
  }

  override func result(of group: Int) throws(StorageError) -> Value {
    let state = states[group]
    if state.count == 0 { return .null }
    if isAverage { return .double(Self.average(state.total, state.count)) }
    let isUnsigned = field.slot.type.integerRange?.lowerBound == 0
    if isUnsigned, let sum = UInt64(exactly: state.total) { return Value(integer: sum) }
    if !isUnsigned, let sum = Int64(exactly: state.total) { return .int(sum) }
    throw StorageError(
      .invalidValue, "the sum \(state.total) does not fit into \(isUnsigned ? "UInt64" : "Int64")",
      property: field.property)
  }

  /// The exact quotient rounded once.
  static func average(_ total: Int128, _ count: Int) -> Double {
    let exact: UInt128 = 1 << 53
    if total.magnitude <= exact, count <= 1 << 53 { return Double(total) / Double(count) }
    var magnitude = BigMagnitude(total.magnitude)
    magnitude.shiftLeft(192)
    let remainder = magnitude.divide(by: UInt64(max(1, count)))
    let result: Double = magnitude.rounded(exponent: -192, isInexact: remainder != 0)
    return total < 0 ? -result : result
  }
}

/// The exact sum of a Float or Double column rounded once to the column's type, or the average rounded once to Double.
final class FloatingTotal: Accumulator {
  private struct State {
    var sum = ExactSum()
    var count = 0
  }

  private let field: AggregateField
  private let isAverage: Bool
  private var states: ContiguousArray<State> = []

  init(_ field: AggregateField, isAverage: Bool) {
    self.field = field
    self.isAverage = isAverage
  }

  override func addGroup() { states.append(State()) }

  override func add(_ row: RowView, to group: Int) {
    guard let row = field.present(row) else { return }
    let value =
      field.slot.type == .double ? row.double(field.slot) : Double(Float.load(row.base + Int(field.slot.offset)))
    states[group].sum.add(value)
    states[group].count &+= 1
  }

  override func result(of group: Int) -> Value {
    let state = states[group]
    if state.count == 0 { return .null }
    if isAverage { return .double(state.sum.average(count: state.count)) }
    return field.slot.type == .double ? .double(state.sum.rounded()) : .float(state.sum.rounded())
  }
}

/// The exact sum of decimals, which must be a decimal, or their average rounded once.
final class DecimalTotal: Accumulator {
  private struct State {
    var sum = DecimalSum()
    var count = 0
  }

  private let field: AggregateField
  private let isAverage: Bool
  private var states: ContiguousArray<State> = []

  init(_ field: AggregateField, isAverage: Bool) {
    self.field = field
    self.isAverage = isAverage
  }

  override func addGroup() { states.append(State()) }

  override func add(_ row: RowView, to group: Int) throws(StorageError) {
    guard let row = field.present(row) else { return }
    states[group].sum.add(try row.decimal(field.slot))
    states[group].count &+= 1
  }

  override func result(of group: Int) throws(StorageError) -> Value {
    let state = states[group]
    if state.count == 0 { return .null }
    guard let result = isAverage ? state.sum.average(count: state.count) : state.sum.decimal else {
      throw StorageError(.invalidValue, "the sum does not fit into a Decimal", property: field.property)
    }
    return .decimal(result)
  }
}
