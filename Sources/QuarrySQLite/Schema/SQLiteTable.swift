import QuarryBackend

/// A model as a table: its columns, and the statements that are the same for every call.
final class SQLiteTable: Sendable {
  let model: ModelSchema
  let layout: RowLayout
  /// The quoted name.
  let name: String
  /// The column of each slot; nil for dropped properties.
  let columns: [SQLiteColumn?]
  let key: SQLiteColumn
  /// The primary key as the first parameter of a statement.
  let keyPlace: SQLiteColumnPosition
  /// Whether a property can be NaN, so that there is a column for its bits.
  let hasNaN: Bool

  /// Every column of a row.
  let all: SQLiteReadPlan
  let insertPlan: SQLiteBindPlan
  let insertSQL: String
  let getSQL: String
  /// The same by ``SQLiteRowFunction``.
  let getCallSQL: String?
  let existsSQL: String
  let deleteSQL: String
  /// Inserts a row or replaces all of one with its key.
  let addSQL: String
  let replacePlan: SQLiteBindPlan
  let replaceSQL: String

  init(_ model: ModelSchema) throws(StorageError) {
    self.model = model
    let layout = RowLayout(model)
    self.layout = layout
    name = SQLiteName.quoted(model.name)
    var columns: [SQLiteColumn?] = []
    for (index, property) in model.properties.enumerated() {
      guard !property.isDropped else {
        columns.append(nil)
        continue
      }
      let kind = SQLiteColumnKind(property.type)
      let name = SQLiteName.quoted(property.name)
      columns.append(
        SQLiteColumn(
          slot: layout.slots[index], kind: kind, elementType: property.elementType, name: name,
          ordered: kind == .decimal ? SQLiteName.order(of: property.name) : name))
    }
    guard columns.indices.contains(model.primaryKey), let key = columns[model.primaryKey] else {
      throw StorageError(.corrupt, "the stored schema has a model without a primary key", model: model.name)
    }
    self.columns = columns
    self.key = key
    keyPlace = SQLiteColumnPosition(key, index: 1)
    // The column stays when the last property that needed it is dropped.
    hasNaN = model.properties.contains { $0.type == .double || $0.type == .float || $0.type == .date }
    let live = columns.compactMap(\.self)
    let all = SQLiteReadPlan(live, layout, model, hasNaN: hasNaN)
    self.all = all
    insertPlan = SQLiteBindPlan(live, hasNaN: hasNaN)
    let names = insertPlan.names.joined(separator: ", ")
    let parameters = insertPlan.names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    insertSQL = "INSERT INTO \(name) (\(names)) VALUES (\(parameters))"
    addSQL = insertSQL + " ON CONFLICT (\(key.ordered)) DO NOTHING"
    getSQL = Self.getSQL(all.list, name, key)
    if let call = all.call { getCallSQL = Self.getSQL(call, name, key) } else { getCallSQL = nil }
    existsSQL = "SELECT 1 FROM \(name) WHERE \(key.ordered) = ?1"
    deleteSQL = "DELETE FROM \(name) WHERE \(key.ordered) = ?1"
    // A key is among what is replaced where it has more than one spelling, as 0.0 and -0.0.
    replacePlan = SQLiteBindPlan(
      live.filter { $0.slot.index != key.slot.index || key.kind.isFloatingPoint }, hasNaN: hasNaN, first: 2)
    replaceSQL = Self.updateSQL(name, key, replacePlan)
  }

  private static func getSQL(_ list: String, _ name: String, _ key: SQLiteColumn) -> String {
    "SELECT \(list) FROM \(name) WHERE \(key.ordered) = ?1"
  }

  static func updateSQL(_ name: String, _ key: SQLiteColumn, _ plan: SQLiteBindPlan) -> String {
    // Parameter 1 is the key, the others follow.
    guard !plan.names.isEmpty else { return "UPDATE \(name) SET \(key.name) = \(key.name) WHERE \(key.ordered) = ?1" }
    let assignments = plan.names.enumerated().map { "\($1) = ?\($0 + 2)" }.joined(separator: ", ")
    return "UPDATE \(name) SET \(assignments) WHERE \(key.ordered) = ?1"
  }

  /// The column of a slot.
  ///
  /// - Throws: `invalidQuery` when there is none.
  func column(_ slot: Int) throws(StorageError) -> SQLiteColumn {
    guard columns.indices.contains(slot), let column = columns[slot] else {
      throw StorageError(.invalidQuery, "the model has no property in slot \(slot)", model: model.name)
    }
    return column
  }

  /// The read plan for these slots; nil for all. The primary key is always among them.
  func readPlan(_ slots: [Int]?) throws(StorageError) -> SQLiteReadPlan {
    guard let slots else { return all }
    var chosen: [SQLiteColumn] = []
    for slot in Set(slots).union([model.primaryKey]).sorted() { chosen.append(try column(slot)) }
    return SQLiteReadPlan(chosen, layout, model, hasNaN: hasNaN)
  }

  /// The statement that writes these slots of the row with a key.
  func update(_ slots: [Int]) throws(StorageError) -> (sql: String, plan: SQLiteBindPlan) {
    var chosen: [SQLiteColumn] = []
    for slot in Set(slots).sorted() where slot != model.primaryKey { chosen.append(try column(slot)) }
    let plan = SQLiteBindPlan(chosen, hasNaN: false, first: 2)
    return (Self.updateSQL(name, key, plan), plan)
  }
}
