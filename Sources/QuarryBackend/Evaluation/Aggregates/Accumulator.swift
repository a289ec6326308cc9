import Foundation

/// Rows of a batch with the group of each, as accumulators take them.
///
/// The pointers are lent for one call of ``Accumulator/add(_:)``.
struct GroupedRows {
  let rows: UnsafePointer<RowView>
  let groups: UnsafePointer<Int32>
  let count: Int
}

/// One column of an aggregate, for all groups.
class Accumulator {
  /// Makes room for another group.
  func addGroup() {}
  /// Takes rows into their groups.
  func add(_ rows: GroupedRows) throws(StorageError) {}
  /// The group's result.
  func result(of group: Int) throws(StorageError) -> Value { .null }
  /// Bytes of memory that all groups take, about.
  var bytes: Int { 0 }

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
      throw .noSlot(index, model)
    }
    let slot = layout.slots[index]
    let name = model.properties[index].name
    let type = slot.type
    guard column.function.isDefined(for: type) else {
      throw StorageError(
        .invalidQuery, "\(column.function.rawValue) is not defined for the type \(type.name)", model: model.name,
        property: name
      )
    }
    switch column.function {
    case .count: return ValueCount(slot, name, defaults)
    case .min, .max:
      let isMaximum = column.function == .max
      if type.fixedWidth <= 8, !type.isVariable { return BitsExtremum(slot, name, defaults, isMaximum: isMaximum) }
      return KeyExtremum(slot, name, defaults, layout, isMaximum: isMaximum)
    case .sum, .average:
      let isAverage = column.function == .average
      if type.isInteger { return IntegerTotal(slot, name, defaults, isAverage: isAverage) }
      if type == .double || type == .float { return FloatingTotal(slot, name, defaults, isAverage: isAverage) }
      return DecimalTotal(slot, name, defaults, isAverage: isAverage)
    }
  }
}

/// A column over one slot.
class SlotAccumulator: Accumulator {
  final let slot: RowLayout.Slot
  final let property: String
  /// The view into `defaults`, here so that a row costs no counting of references.
  private final let defaultView: RowView
  private final let defaults: DefaultRow

  init(_ slot: RowLayout.Slot, _ property: String, _ defaults: DefaultRow) {
    self.slot = slot
    self.property = property
    self.defaults = defaults
    defaultView = defaults.view
  }

  /// Calls the body with each row whose slot is not null, and its group.
  @inline(__always)
  final func forEach(_ rows: GroupedRows, _ body: (RowView, Int) throws(StorageError) -> Void) throws(StorageError) {
    for index in 0..<rows.count {
      let row = rows.rows[index].isAbsent(slot) ? defaultView : rows.rows[index]
      if !row.isNull(slot) { try body(row, Int(rows.groups[index])) }
    }
  }
}

/// Counts rows.
final class RowCount: Accumulator {
  private var counts: ContiguousArray<Int> = []

  override func addGroup() { counts.append(0) }

  override var bytes: Int { counts.count * MemoryLayout<Int>.stride }

  override func add(_ rows: GroupedRows) {
    counts.withUnsafeMutableBufferPointer { counts in
      for index in 0..<rows.count { counts[Int(rows.groups[index])] &+= 1 }
    }
  }

  override func result(of group: Int) -> Value { .int(Int64(counts[group])) }
}

/// Counts values that are not nil.
final class ValueCount: SlotAccumulator {
  private var counts: ContiguousArray<Int> = []

  override func addGroup() { counts.append(0) }

  override var bytes: Int { counts.count * MemoryLayout<Int>.stride }

  override func add(_ rows: GroupedRows) throws(StorageError) {
    var counts: ContiguousArray<Int> = []
    swap(&counts, &self.counts)
    defer { swap(&counts, &self.counts) }
    try forEach(rows) { _, group in counts[group] &+= 1 }
  }

  override func result(of group: Int) -> Value { .int(Int64(counts[group])) }
}
