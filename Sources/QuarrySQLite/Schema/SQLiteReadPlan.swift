import QuarryBackend

/// The columns that a statement reads for a row.
final class SQLiteReadPlan: Sendable {
  /// The columns as they stand after SELECT.
  let list: String
  /// The text for that place where ``SQLiteRowFunction`` takes them, without the bits of NaNs; nil where there are too many.
  let call: String?
  let places: SQLiteColumnPositions
  /// The column with the bits of NaNs, or -1.
  let nanIndex: Int32
  let template: RowTemplate
  /// The model of the rows, for errors; nil for one value of a statement's own making.
  let model: ModelSchema?

  /// One value of a statement's own making.
  init(only place: SQLiteColumnPosition, _ layout: RowLayout) {
    list = ""
    call = nil
    places = SQLiteColumnPositions([place])
    nanIndex = -1
    template = RowTemplate(layout, setting: [place.slot])
    model = nil
  }

  /// - Parameter columns: In the order of their slots.
  init(_ columns: [SQLiteColumn], _ layout: RowLayout, _ model: ModelSchema, hasNaN: Bool) {
    self.model = model
    var names = columns.map(\.name)
    let arguments = names.joined(separator: ", ")
    call = names.count <= SQLiteRowFunction.mostColumns ? "\(SQLiteRowFunction.name)(\(arguments))" : nil
    places = SQLiteColumnPositions(columns.enumerated().map { SQLiteColumnPosition($1, index: Int32($0)) })
    if hasNaN, columns.contains(where: { $0.kind.isFloatingPoint }) {
      nanIndex = Int32(names.count)
      names.append(SQLiteName.nan)
    } else {
      nanIndex = -1
    }
    list = names.joined(separator: ", ")
    template = RowTemplate(layout, setting: columns.map(\.slot))
  }
}
