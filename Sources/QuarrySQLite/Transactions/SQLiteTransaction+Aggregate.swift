import CSQLite
import Foundation
import QuarryBackend
import QuarrySQL

extension SQLiteReadTransaction {
  /// SQLite computes counts of rows, the least and the greatest.
  ///
  /// Sums, averages and groups go through the common aggregator over a cursor that reads only the columns in question. SQLite's
  /// `sum` fails on an overflow on the way, and adds Doubles in the order in which they come.
  final func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    gate?.lock()
    defer { gate?.unlock() }
    try check()
    do throws(StorageError) {
      let table = try models.model(aggregate.rows.model).table
      if let row = try pushed(aggregate, table) { return [row] }
      let aggregator = try RowAggregator(aggregate, table.model, table.layout)
      var rows = aggregate.rows
      rows.projection = aggregate.groups + aggregate.columns.compactMap(\.slot)
      if rows.limit == nil, rows.offset == 0 { rows.order = [] }
      try forEachRow(rows) { (row) throws(StorageError) in try aggregator.add(row) }
      return try aggregator.finish()
    } catch {
      throw noted(error)
    }
  }

  /// One row of counts, least and greatest values of all rows of a condition that SQLite decides; else nil.
  private func pushed(_ aggregate: BoundAggregate, _ table: SQLiteTable) throws(StorageError) -> AggregateRow? {
    let query = aggregate.rows
    guard aggregate.groups.isEmpty, !aggregate.columns.isEmpty, query.limit == nil, query.offset == 0 else {
      return nil
    }
    var columns: [String] = []
    for column in aggregate.columns {
      switch (column.function, column.slot) {
      case (.count, nil): columns.append("count(*)")
      case (.count, .some(let slot)): columns.append("count(\(try table.column(slot).ordered))")
      case (.min, .some(let slot)), (.max, .some(let slot)):
        // A decimal is found by its order, which is not the value.
        let found = try table.column(slot)
        guard found.slot.type.isOrdered, found.kind != .decimal else { return nil }
        columns.append("\(column.function.rawValue)(\(found.name))")
      default: return nil
      }
    }
    let selection = try SQLSelection(query.predicate, table, in: models.state)
    guard selection.residual.isEmpty else { return nil }
    var values: [SQLConstant] = []
    // A single least or greatest value is found at one end of an index.
    let sql = "SELECT \(columns.joined(separator: ", ")) FROM \(table.name)\(selection.whereClause(&values))"
    let lease = try connection.lease(sql, values, selection.lists)
    defer { lease.end() }
    guard let statement = lease.statement, try statement.step() else { return nil }
    var results: [Value] = []
    for (index, column) in aggregate.columns.enumerated() {
      let place = Int32(index)
      if column.function == .count {
        results.append(.int(statement.integer(place)))
      } else if let slot = column.slot {
        results.append(try value(statement, place, try table.column(slot), table))
      }
    }
    try checkFile()
    return AggregateRow(groups: [], values: results)
  }

  /// A value of a column that need not be from one row: NULL is nil whatever the property.
  private func value(
    _ statement: SQLiteStatement, _ index: Int32, _ column: SQLiteColumn, _ table: SQLiteTable
  ) throws(StorageError) -> Value {
    guard statement.type(index) != SQLITE_NULL else { return .null }
    let plan = SQLiteReadPlan(only: SQLiteColumnPosition(column, index: index), table.layout)
    let writer = RowWriter(table.layout)
    defer { withExtendedLifetime(writer) {} }
    let row = try RowView(try SQLiteColumnCodec.read(statement, plan, writer), table.layout)
    return try row.value(column.slot, table.layout).withOneZero
  }
}

extension Value {
  /// The value with 0.0 for -0.0, which are one value in aggregates.
  fileprivate var withOneZero: Value {
    switch self {
    case .double(let value) where value == 0: .double(0)
    case .float(let value) where value == 0: .float(0)
    case .date(let value) where value.timeIntervalSinceReferenceDate == 0:
      .date(Date(timeIntervalSinceReferenceDate: 0))
    default: self
    }
  }
}
