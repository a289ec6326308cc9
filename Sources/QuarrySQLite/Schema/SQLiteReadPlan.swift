/// The columns that a statement reads for a row.
final class SQLiteReadPlan: Sendable {
  /// The columns as they stand after SELECT.
  let list: String
  let places: SQLitePlaces
  /// The column with the bits of NaNs, or -1.
  let nanIndex: Int32

  /// One value of a statement's own making.
  init(only place: SQLitePlace) {
    list = ""
    places = SQLitePlaces([place])
    nanIndex = -1
  }

  init(_ columns: [SQLiteColumn], hasNaN: Bool) {
    var names = columns.map(\.name)
    places = SQLitePlaces(columns.enumerated().map { SQLitePlace($1, index: Int32($0)) })
    if hasNaN, columns.contains(where: { $0.kind.isFloatingPoint }) {
      nanIndex = Int32(names.count)
      names.append(SQLiteName.nan)
    } else {
      nanIndex = -1
    }
    list = names.joined(separator: ", ")
  }
}
