import QuarryBackend
import QuarrySQL

/// A table of a database that numbers its parameters, has truth values of its own and no words for the end of a text.
struct NumberedTable: SQLTable, SQLTables {
  let model = ModelSchema(
    id: ModelID(1), name: "Book",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "title", type: .string, isOptional: true),
      PropertySchema(name: "price", type: .double), PropertySchema(name: "tags", type: .array, elementType: .string),
    ], primaryKey: 0)

  var name: String { "Book" }
  var dialect: any SQLDialect { NumberedDialect() }

  func table(of model: ModelID) -> (any SQLTable)? { model == self.model.id ? self : nil }

  func named(_ slot: Int) throws(StorageError) -> SQLColumn {
    let property = model.properties[slot]
    return SQLColumn(
      slot: RowLayout(model).slots[slot], name: property.name, ordered: property.name,
      isFloatingPoint: property.type == .double, isText: property.type == .string)
  }

  /// A statement, the constants that are bound to it, and what is left to the evaluator.
  struct Statement {
    var sql: String
    var constants: [SQLConstant] = []
    var rest: BoundPredicate?
  }

  func statement(_ query: BoundQuery) throws(StorageError) -> Statement {
    let selection = try SQLSelection(query.predicate, self, in: self)
    var statement = Statement(sql: "SELECT * FROM \(name)", rest: selection.residualPredicate)
    statement.sql += selection.whereClause(&statement.constants)
    statement.sql += try SQLSelection.orderClause(query.order, self)
    // Rows that the evaluator filters afterwards cannot be limited before.
    if selection.residual.isEmpty, let limit = query.limit {
      statement.sql += " LIMIT \(limit) OFFSET \(query.offset)"
    }
    return statement
  }

  /// The text that decides a predicate, its constants, and how many conditions are left over.
  func condition(
    _ predicate: BoundPredicate, after constants: [SQLConstant] = []
  ) throws -> (sql: String, constants: [SQLConstant], residual: Int) {
    let selection = try SQLSelection(predicate, self, in: self)
    var constants = constants
    let sql = selection.whereClause(&constants)
    return (sql, constants, selection.residual.count)
  }
}

struct NumberedDialect: SQLDialect {
  var parameters: SQLParameters { .numbered }
  var limits: SQLLimits { SQLLimits(depth: 100, stack: 100, nodes: 100, parameters: 100, inlineList: 2) }
  var same: String { "IS NOT DISTINCT FROM" }
  var different: String { "IS DISTINCT FROM" }

  func literal(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }

  func constant(_ value: Value, _ type: PropertyType) throws(StorageError) -> SQLConstant {
    switch value {
    case .null: .null
    case .int(let value): .integer(value)
    case .double(let value): .real(value)
    case .string(let value): .text(Array(value.utf8))
    default: throw StorageError(.invalidQuery, "no constant")
    }
  }

  func isNaN(_ constant: SQLConstant) -> Bool {
    if case .real(let value) = constant { return value.isNaN }
    return false
  }

  func isNumber(_ column: String, isBound: Bool) -> String { "\(column) < 'NaN'" }
  func isNaN(_ column: String) -> String { "\(column) = 'NaN'" }

  func function(_ call: BoundFunction, _ column: SQLColumn) -> SQLTerm? {
    guard let (operation, needle) = call.plainSearch, operation == .contains else { return nil }
    return SQLTerm("strpos(\(column.name), \(parameters.mark)) > 0", [.text(needle)])
  }

  func end(ofPrefix prefix: [UInt8]) -> SQLConstant? { nil }

  func membership(_ column: SQLColumn, list: Int, isNegated: Bool) -> SQLTerm {
    SQLTerm("\(column.ordered) \(isNegated ? "<> ALL" : "= ANY")(\(parameters.mark))", [.list(list)])
  }

  func sortKey(_ column: SQLColumn, isDescending: Bool) -> String {
    "\(column.ordered) \(isDescending ? "DESC NULLS LAST" : "ASC NULLS FIRST")"
  }
}
