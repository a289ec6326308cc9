import QuarryBackend
import QuarrySQL

/// A set-based update that SQLite makes alone.
struct SQLiteUpdate {
  /// Statements that find a row whose result would not fit.
  private(set) var checks: [(sql: String, values: [SQLConstant])] = []
  /// The text after UPDATE.
  private(set) var change: String
  private(set) var values: [SQLConstant] = []
  let lists: [SQLList]

  /// - Returns: nil when SQLite would not give Quarry's result: for a limit or a residual, for columns in unique
  ///   indexes, which SQLite checks row by row, for arithmetic on other than integers and Doubles, and for nil where it must
  ///   not be.
  init?(
    _ query: BoundQuery, _ assignments: [BoundAssignment], _ table: SQLiteTable, in tables: SQLiteSchemaState
  ) throws(StorageError) {
    guard query.limit == nil, query.offset == 0, !assignments.isEmpty else { return nil }
    let slots = assignments.map(\.slot)
    guard Set(slots).count == slots.count else { return nil }
    let unique = table.model.indexes.filter(\.isUnique).flatMap { $0.columns.map(\.slot) }
    guard !slots.contains(where: unique.contains), !slots.contains(table.model.primaryKey) else { return nil }
    let selection = try SQLSelection(query.predicate, table, in: tables)
    guard selection.residual.isEmpty else { return nil }
    lists = selection.lists
    var setters: [String] = []
    var arithmetic: [Arithmetic] = []
    for assignment in assignments {
      let column = try table.column(assignment.slot)
      if assignment.operation == .set {
        guard !assignment.value.isNull || column.slot.isOptional else { return nil }
        guard assignment.value.conforms(to: table.model.properties[assignment.slot]), column.kind != .tree else {
          return nil
        }
        let constant = try SQLConstant(comparable: assignment.value, column.slot.type)
        if column.kind.isFloatingPoint, constant == .blob(SQLConstant.nan) { return nil }
        if column.kind == .decimal {
          setters += ["\(column.name) = ?", "\(column.ordered) = ?"]
          if case .decimal(let decimal) = assignment.value {
            values.append(.text(try DecimalParts(decimal).text))
          } else {
            values.append(.null)
          }
        } else {
          setters.append("\(column.name) = ?")
        }
        values.append(constant)
        continue
      }
      guard let calculation = Arithmetic(assignment, column) else { return nil }
      setters.append("\(column.name) = \(calculation.expression)")
      values.append(calculation.operand)
      arithmetic.append(calculation)
    }
    change = "\(table.name) SET \(setters.joined(separator: ", "))"
    change += selection.whereClause(&values)
    for calculation in arithmetic {
      guard let misfit = calculation.misfit else { return nil }
      var values: [SQLConstant] = []
      let condition = selection.whereClause(&values)
      let start = "SELECT 1 FROM \(table.name)" + (condition.isEmpty ? " WHERE " : condition + " AND ")
      checks.append((start + misfit.condition + " LIMIT 1", values + misfit.values))
    }
  }

  /// An assignment that calculates as SQLite does.
  private struct Arithmetic {
    let column: SQLiteColumn
    let expression: String
    let operand: SQLConstant

    init?(_ assignment: BoundAssignment, _ column: SQLiteColumn) {
      switch (column.kind, assignment.value) {
      case (.double, .double(let operand)) where column.slot.type == .double && !operand.isNaN:
        self.operand = .real(operand)
      case (_, .int(let operand)) where column.slot.type.isInteger && column.kind != .uint64:
        self.operand = .integer(operand)
      default: return nil
      }
      let sign = assignment.operation == .add ? "+" : assignment.operation == .subtract ? "-" : "*"
      expression = "\(column.name) \(sign) ?"
      self.column = column
    }

    /// The condition for rows whose result would not be Quarry's.
    var misfit: (condition: String, values: [SQLConstant])? {
      if case .real = operand {
        // NaN is a BLOB, with which SQLite calculates as with 0, and as a result it is NULL.
        let condition =
          "CASE typeof(\(column.name)) WHEN 'real' THEN (\(expression)) IS NULL WHEN 'null' THEN "
          + "\(column.slot.isOptional ? 0 : 1) ELSE 1 END"
        return (condition, [operand])
      }
      guard let range = column.slot.type.integerRange, let low = Int64(exactly: range.lowerBound),
        let high = Int64(exactly: range.upperBound)
      else { return nil }
      // A result beyond 64 bits becomes a REAL.
      let condition =
        "\(column.name) IS NOT NULL AND (typeof(\(expression)) <> 'integer' OR \(expression) NOT BETWEEN ? AND ?)"
      return (condition, [operand, operand, .integer(low), .integer(high)])
    }
  }
}
