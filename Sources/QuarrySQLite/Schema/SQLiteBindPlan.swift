/// The parameters that a statement takes for a row.
final class SQLiteBindPlan: Sendable {
  /// The columns in the order of the parameters.
  let names: [String]
  let places: SQLiteColumnPositions
  /// The parameter with the bits of NaNs, or -1.
  let nanIndex: Int32

  /// One parameter, and one for the bits of its NaN.
  init(_ place: SQLiteColumnPosition, nanIndex: Int32) {
    names = []
    places = SQLiteColumnPositions([place])
    self.nanIndex = nanIndex
  }

  /// - Parameter first: The number of the row's first parameter: others may be before it.
  init(_ columns: [SQLiteColumn], hasNaN: Bool, first: Int = 1) {
    var names: [String] = []
    var places: [SQLiteColumnPosition] = []
    for column in columns {
      let index = Int32(first + names.count)
      names.append(column.name)
      var orderIndex: Int32 = -1
      if column.kind == .decimal {
        orderIndex = Int32(first + names.count)
        names.append(column.ordered)
      }
      places.append(SQLiteColumnPosition(column, index: index, orderIndex: orderIndex))
    }
    if hasNaN {
      nanIndex = Int32(first + names.count)
      names.append(SQLiteName.nan)
    } else {
      nanIndex = -1
    }
    self.names = names
    self.places = SQLiteColumnPositions(places)
  }
}
