import Foundation

// The states are moved into a local variable for each batch: the compiler then knows that no other code accesses them, and checks
// neither access nor uniqueness for every row.

/// The sum of integers, which must fit into 64 bits with the column's signedness, or their average as a Double.
final class IntegerTotal: SlotAccumulator {
  private struct State {
    /// 2^63 rows of 64 bits fit.
    var total: Int128 = 0
    var count = 0
  }

  private let isAverage: Bool
  private var states: ContiguousArray<State> = []

  init(_ slot: RowLayout.Slot, _ property: String, _ defaults: DefaultRow, isAverage: Bool) {
    self.isAverage = isAverage
    super.init(slot, property, defaults)
  }

  override func addGroup() { states.append(State()) }

  override var bytes: Int { states.count * MemoryLayout<State>.stride }

  override func add(_ rows: GroupedRows) throws(StorageError) {
    switch slot.type {
    case .int8: try add(rows, Int8.self)
    case .int16: try add(rows, Int16.self)
    case .int32: try add(rows, Int32.self)
    case .int64: try add(rows, Int64.self)
    case .uint8: try add(rows, UInt8.self)
    case .uint16: try add(rows, UInt16.self)
    case .uint32: try add(rows, UInt32.self)
    case .uint64: try add(rows, UInt64.self)
    default: break
    }
  }

  @inline(__always)
  private func add<T: FieldType & FixedWidthInteger>(_ rows: GroupedRows, _ type: T.Type) throws(StorageError) {
    var states: ContiguousArray<State> = []
    swap(&states, &self.states)
    defer { swap(&states, &self.states) }
    let offset = Int(slot.offset)
    try forEach(rows) { row, group in
      states[group].total &+= Int128(T.load(row.base + offset))
      states[group].count &+= 1
    }
  }

  override func result(of group: Int) throws(StorageError) -> Value {
    let state = states[group]
    if state.count == 0 { return .null }
    if isAverage { return .double(Self.average(state.total, state.count)) }
    let isUnsigned = slot.type.integerRange?.lowerBound == 0
    if isUnsigned, let sum = UInt64(exactly: state.total) { return Value(integer: sum) }
    if !isUnsigned, let sum = Int64(exactly: state.total) { return .int(sum) }
    throw .sumDoesNotFit(isUnsigned ? .uint64 : .int64, property: property)
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
final class FloatingTotal: SlotAccumulator {
  private struct State {
    var sum = ExactSum()
    var count = 0
  }

  private let isAverage: Bool
  private var states: ContiguousArray<State> = []
  /// Sums that have left their two Doubles.
  private var wideSums = 0

  init(_ slot: RowLayout.Slot, _ property: String, _ defaults: DefaultRow, isAverage: Bool) {
    self.isAverage = isAverage
    super.init(slot, property, defaults)
  }

  override func addGroup() { states.append(State()) }

  override var bytes: Int { states.count * MemoryLayout<State>.stride + wideSums * ExactSum.wideBytes }

  override func add(_ rows: GroupedRows) throws(StorageError) {
    var states: ContiguousArray<State> = []
    swap(&states, &self.states)
    var widened = 0
    defer {
      swap(&states, &self.states)
      wideSums += widened
    }
    let address = Int(slot.offset)
    if slot.type == .double {
      try forEach(rows) { row, group in
        states[group].sum.add(Double.load(row.base + address), &widened)
        states[group].count &+= 1
      }
    } else {
      try forEach(rows) { row, group in
        states[group].sum.add(Double(Float.load(row.base + address)), &widened)
        states[group].count &+= 1
      }
    }
  }

  override func result(of group: Int) -> Value {
    let state = states[group]
    if state.count == 0 { return .null }
    if isAverage { return .double(state.sum.average(count: state.count)) }
    return slot.type == .double ? .double(state.sum.rounded()) : .float(state.sum.rounded())
  }
}

/// The exact sum of decimals, which must be a decimal, or their average rounded once.
final class DecimalTotal: SlotAccumulator {
  private struct State {
    var sum = DecimalSum()
    var count = 0
  }

  private let isAverage: Bool
  private var states: ContiguousArray<State> = []

  init(_ slot: RowLayout.Slot, _ property: String, _ defaults: DefaultRow, isAverage: Bool) {
    self.isAverage = isAverage
    super.init(slot, property, defaults)
  }

  override func addGroup() { states.append(State()) }

  override var bytes: Int { states.count * (MemoryLayout<State>.stride + DecimalSum.leastBytes) }

  override func add(_ rows: GroupedRows) throws(StorageError) {
    var states: ContiguousArray<State> = []
    swap(&states, &self.states)
    defer { swap(&states, &self.states) }
    try forEach(rows) { row, group throws(StorageError) in
      states[group].sum.add(try row.decimal(slot))
      states[group].count &+= 1
    }
  }

  override func result(of group: Int) throws(StorageError) -> Value {
    let state = states[group]
    if state.count == 0 { return .null }
    guard let result = isAverage ? state.sum.average(count: state.count) : state.sum.decimal else {
      throw .sumDoesNotFit(.decimal, property: property)
    }
    return .decimal(result)
  }
}
