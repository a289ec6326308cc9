import QuarryBackend

/// Where a value is among the columns of a statement's result or among its parameters. Without references, so that
/// rows are moved without counting.
struct SQLiteColumnPosition: Sendable {
  let slot: RowLayout.Slot
  let kind: SQLiteColumnKind
  /// The number of the column or parameter.
  let index: Int32
  /// The parameter of a decimal's order column, or -1.
  let orderIndex: Int32
  let elementType: PropertyType?

  init(_ column: SQLiteColumn, index: Int32, orderIndex: Int32 = -1) {
    self.init(
      slot: column.slot, kind: column.kind, index: index, orderIndex: orderIndex, elementType: column.elementType)
  }

  init(slot: RowLayout.Slot, kind: SQLiteColumnKind, index: Int32, orderIndex: Int32, elementType: PropertyType?) {
    self.slot = slot
    self.kind = kind
    self.index = index
    self.orderIndex = orderIndex
    self.elementType = elementType
  }
}

/// The places of a row's values, in the order of the slots.
///
/// Sendable unchecked for the table, which is written in the init, read only after it and freed with the object. It is
/// memory of its own because reading an array counts references.
final class SQLiteColumnPositions: @unchecked Sendable, RandomAccessCollection {
  /// The places, to be read while the object lives.
  let table: UnsafePointer<SQLiteColumnPosition>
  let count: Int

  init(_ places: [SQLiteColumnPosition]) {
    let table = UnsafeMutablePointer<SQLiteColumnPosition>.allocate(capacity: Swift.max(1, places.count))
    table.initialize(from: places, count: places.count)
    self.table = UnsafePointer(table)
    count = places.count
  }

  deinit {
    UnsafeMutablePointer(mutating: table).deallocate()
  }

  var startIndex: Int { 0 }
  var endIndex: Int { count }
  // Indices come from this collection alone. A build for debugging checks them.
  subscript(index: Int) -> SQLiteColumnPosition { UnsafeBufferPointer(start: table, count: count)[index] }
}
