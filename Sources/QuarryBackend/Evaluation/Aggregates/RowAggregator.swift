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
///
/// Once the groups take half of ``BoundAggregate/memory``, rows of further groups are sorted by their groups, in temporary files where
/// they take more than a quarter of it, and aggregated when the first groups are complete. Rows of the first groups go on as before.
public final class RowAggregator {
  private let aggregate: BoundAggregate
  private let model: ModelSchema
  private let layout: RowLayout
  private let groupSlots: [RowLayout.Slot]
  private let accumulators: [Accumulator]
  private let writer = KeyWriter()
  @exclusivity(unchecked) private var table = GroupTable()
  /// The values of the first group, then those of the second one, and so on.
  private var groupValues: ContiguousArray<Value> = []
  /// The rows of groups for which there is no memory.
  @exclusivity(unchecked) private var waiting: WaitingRows?
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
    self.aggregate = aggregate
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
    if slots.isEmpty { addGroup() }
  }

  deinit {
    views.deallocate()
    groups.deallocate()
  }

  private func addGroup() {
    for accumulator in accumulators { accumulator.addGroup() }
  }

  /// Takes in a row. Many at once cost less: ``add(_:count:)``.
  ///
  /// - Parameter row: A row of the layout, in the row format; it is not kept.
  /// - Throws: `corrupt`; `full` and `io` of a temporary file.
  public func add(_ row: UnsafeRawBufferPointer) throws(StorageError) {
    views[0] = try RowView(row, layout)
    guard let group = try group(views[0], row) else { return }
    groups[0] = group
    try accumulate(1)
  }

  /// Takes in rows.
  ///
  /// - Parameter count: How many rows there are in the buffer, from its beginning.
  /// - Throws: `corrupt`; `full` and `io` of a temporary file. Some of the rows may then have been taken in.
  public func add(
    _ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>, count: Int
  ) throws(StorageError) {
    let count = min(count, rows.count)
    var start = 0
    while start < count {
      let length = min(Self.batch, count &- start)
      var taken = 0
      for row in rows[start..<(start &+ length)] {
        views[taken] = try RowView(row, layout)
        guard let group = try group(views[taken], row) else { continue }
        groups[taken] = group
        taken &+= 1
      }
      try accumulate(taken)
      start &+= length
    }
  }

  private func accumulate(_ count: Int) throws(StorageError) {
    let rows = GroupedRows(rows: views, groups: groups, count: count)
    for accumulator in accumulators { try accumulator.add(rows) }
  }

  /// The number of the row's group, which is made if the row is its first; nil for a row that waits.
  @inline(__always)
  private func group(_ row: RowView, _ bytes: UnsafeRawBufferPointer) throws(StorageError) -> Int32? {
    if groupSlots.isEmpty { return 0 }
    writer.removeAll()
    for slot in groupSlots {
      try writer.append(row, slot, layout, isDescending: false, isLast: false)
    }
    guard let found = try table.group(writer.bytes, mayAdd: waiting == nil) else {
      try waiting?.append(bytes, group: writer.bytes)
      return nil
    }
    if found.isNew {
      for slot in groupSlots { groupValues.append(try row.value(slot, layout).inGroupForm) }
      addGroup()
      if aggregate.memory < .max, memoryBytes >= aggregate.memory / 2 {
        waiting = WaitingRows(memory: aggregate.memory / 4)
      }
    }
    return Int32(truncatingIfNeeded: found.index)
  }

  /// Bytes of memory that the groups take, about.
  private var memoryBytes: Int {
    // Texts and bytes are apart from their values, and about as long as their keys.
    var bytes = table.bytes + table.keyBytes + groupValues.count * MemoryLayout<Value>.stride
    for accumulator in accumulators { bytes += accumulator.bytes }
    return bytes
  }

  /// Whether a row of another group would need more memory than that.
  func isFull(_ memory: Int, for group: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try table.group(group, mayAdd: false) == nil && memoryBytes >= memory
  }

  /// The groups in the order of their keys. One group of all rows exists even without rows.
  ///
  /// - Throws: `invalidValue` for a sum that does not fit; `corrupt`, `full` and `io` of a temporary file.
  public func finish() throws(StorageError) -> [AggregateRow] {
    guard !groupSlots.isEmpty else { return [try row(of: 0)] }
    var order = table.sorted()[...]
    var rows: [AggregateRow] = []
    try waiting?.forEachPart(of: aggregate, model, layout) { part throws(StorageError) in
      for other in part.table.sorted() {
        while let group = order.first, table.precedes(group, part.table, other) {
          rows.append(try row(of: group))
          order.removeFirst()
        }
        rows.append(try part.row(of: other))
      }
    }
    for group in order { rows.append(try row(of: group)) }
    return rows
  }

  private func row(of group: Int) throws(StorageError) -> AggregateRow {
    let width = groupSlots.count
    var all: [Value] = []
    all.reserveCapacity(width + accumulators.count)
    all.append(contentsOf: groupValues[(group * width)..<((group + 1) * width)])
    for accumulator in accumulators {
      do throws(StorageError) {
        all.append(try accumulator.result(of: group))
      } catch {
        throw error.with(model: model.name)
      }
    }
    return AggregateRow(all: all, groupCount: width)
  }
}
