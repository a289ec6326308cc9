/// Aggregates of rows in groups.
///
/// - `count` counts rows, or values that are not nil.
/// - `sum` has the column's type: Int64 for signed and UInt64 for unsigned integers of any width, with `invalidValue` only when
///   the exact total does not fit. For Float and Double it is the exact sum rounded once. For Decimal it is the exact sum, or
///   `invalidValue` when no Decimal equals it exactly.
/// - `average` is a Double, the exact quotient rounded once; a Decimal for Decimal.
/// - `min` and `max` are by ``ValueOrder``.
/// - Nil is left out, and all but `count` are nil when nothing is left.
///
/// Zero and NaN come in one form each (0.0, and one NaN) in groups, sums, minima and maxima.
public final class RowAggregator {
  private let model: ModelSchema
  private let layout: RowLayout
  private let groupSlots: [RowLayout.Slot]
  private let accumulators: [Accumulator]
  private let writer = KeyWriter()
  @exclusivity(unchecked) private var table = GroupTable()
  private var groupValues: [[Value]] = []
  /// The batch that is taken in: memory of this object's own for `batch` rows, freed in deinit.
  private let views: UnsafeMutablePointer<RowView>
  private let groups: UnsafeMutablePointer<Int32>

  private static let batch = 64

  /// Creates an aggregator for rows of a layout.
  ///
  /// - Parameters:
  ///   - aggregate: The slots to group by and the columns. Its query is not evaluated: the caller adds the rows.
  ///   - model: The model of the rows, for messages.
  ///   - layout: The layout of the rows.
  /// - Throws: `invalidQuery` for a slot that the layout lacks, for a function that the slot's type does not support, and for
  ///   grouping by a type without an order. `invalidValue` for a default of another type than its slot.
  public init(_ aggregate: BoundAggregate, _ model: ModelSchema, _ layout: RowLayout) throws(StorageError) {
    self.model = model
    self.layout = layout
    let defaults = try DefaultRow(layout)
    var slots: [RowLayout.Slot] = []
    for index in aggregate.groups {
      guard layout.slots.indices.contains(index) else {
        throw .noSlot(index, model)
      }
      guard layout.slots[index].type.isOrdered else {
        throw StorageError(
          .invalidQuery, "values of the type \(layout.slots[index].type.name) cannot be grouped", model: model.name)
      }
      slots.append(layout.slots[index])
    }
    groupSlots = slots
    var accumulators: [Accumulator] = []
    for column in aggregate.columns {
      accumulators.append(try Accumulator.make(column, model, layout, defaults))
    }
    self.accumulators = accumulators
    views = .allocate(capacity: Self.batch)
    groups = .allocate(capacity: Self.batch)
    if slots.isEmpty { addGroup([]) }
  }

  deinit {
    views.deallocate()
    groups.deallocate()
  }

  private func addGroup(_ values: [Value]) {
    groupValues.append(values)
    for accumulator in accumulators { accumulator.addGroup() }
  }

  /// Takes in a row. Many at once cost less: ``add(_:count:)``.
  ///
  /// - Parameter row: A row of the layout, in the row format; it is not kept.
  /// - Throws: `corrupt`.
  public func add(_ row: UnsafeRawBufferPointer) throws(StorageError) {
    views[0] = try RowView(row, layout)
    groups[0] = try group(views[0])
    try accumulate(1)
  }

  /// Takes in rows.
  ///
  /// - Parameter count: How many rows there are in the buffer, from its beginning.
  /// - Throws: `corrupt`. Some of the rows may then have been taken in.
  public func add(
    _ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>, count: Int
  ) throws(StorageError) {
    let count = min(count, rows.count)
    var start = 0
    while start < count {
      let length = min(Self.batch, count &- start)
      for index in 0..<length {
        views[index] = try RowView(rows[start &+ index], layout)
        groups[index] = try group(views[index])
      }
      try accumulate(length)
      start &+= length
    }
  }

  private func accumulate(_ count: Int) throws(StorageError) {
    let rows = GroupedRows(rows: views, groups: groups, count: count)
    for accumulator in accumulators { try accumulator.add(rows) }
  }

  /// The number of the row's group, which is made if the row is its first.
  @inline(__always)
  private func group(_ row: RowView) throws(StorageError) -> Int32 {
    if groupSlots.isEmpty { return 0 }
    writer.removeAll()
    for slot in groupSlots {
      try writer.append(row, slot, layout, isDescending: false, isLast: false)
    }
    let found = try table.group(writer.bytes)
    if found.isNew {
      var values: [Value] = []
      for slot in groupSlots { values.append(try row.value(slot, layout).inGroupForm) }
      addGroup(values)
    }
    return Int32(truncatingIfNeeded: found.index)
  }

  /// The groups in the order of their keys. One group of all rows exists even without rows.
  ///
  /// - Throws: `invalidValue` for a sum that does not fit.
  public func finish() throws(StorageError) -> [AggregateRow] {
    var rows: [AggregateRow] = []
    for group in groupSlots.isEmpty ? [0] : table.sorted() {
      var values: [Value] = []
      for accumulator in accumulators {
        do throws(StorageError) {
          values.append(try accumulator.result(of: group))
        } catch {
          throw error.with(model: model.name)
        }
      }
      rows.append(AggregateRow(groups: groupValues[group], values: values))
    }
    return rows
  }
}
