import QuarryBackend
import QuarrySQL

/// A query's SQL and its statement, kept for the queries that differ from it only in constants.
///
/// Writing the text and finding the statement by it costs as much as some ten rows.
///
/// It belongs to one connection, as the ``SQLiteModel`` that keeps it.
final class SQLiteKeptSelect {
  /// The first query of the shape.
  private let query: BoundQuery
  private let select: SQLiteSelect
  /// The same by ``SQLiteRowFunction``; nil where it is of no use.
  let call: String?
  /// The statement while it is not in use.
  @exclusivity(unchecked) private var statement: SQLiteStatement?
  /// Whether the statement will not be requested any more.
  @exclusivity(unchecked) private var isRetired = false

  /// - Returns: Nil where the text may depend on the constants, or a part of the query is not SQLite's.
  init?(_ query: BoundQuery, _ select: SQLiteSelect, _ function: SQLiteRowFunction) {
    self.query = query
    self.select = select
    call = select.callSQL(function)
    // The values found for the query itself are the written ones, or its shape is none of the known ones.
    guard select.selection.residual.isEmpty, select.selection.lists.isEmpty, values(of: query) == select.values,
      select.values.allSatisfy(Self.isSmall)
    else { return nil }
  }

  /// Whether a constant of the first query may stay in memory.
  private static func isSmall(_ value: SQLConstant) -> Bool {
    switch value {
    case .text(let bytes), .blob(let bytes): bytes.count <= 256
    default: true
    }
  }

  /// The statement's text and constants for a query of the same shape; nil for any other.
  func select(for query: BoundQuery, counts: Bool) -> SQLiteSelect? {
    guard counts == select.counts, let values = values(of: query) else { return nil }
    return SQLiteSelect(select, values)
  }

  // MARK: The statement

  /// Takes the statement, or prepares one.
  func take(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let statement {
      self.statement = nil
      return statement
    }
    return try connection.prepare(call ?? select.sql)
  }

  /// Gives the statement back, which was reset.
  ///
  /// - Returns: Whether it is kept here.
  func put(_ statement: SQLiteStatement) -> Bool {
    guard !isRetired, self.statement == nil else { return false }
    self.statement = statement
    return true
  }

  /// Lets the statement go, and keeps none from now on.
  func retire() {
    isRetired = true
    statement = nil
  }

  // MARK: The shape

  /// The constants of a query in the order of the statement's parameters; nil where it has another shape.
  private func values(of other: BoundQuery) -> [SQLConstant]? {
    guard other.order == query.order, other.projection == query.projection, other.offset >= 0,
      (other.offset > 0) == (query.offset > 0), (other.limit == nil) == (query.limit == nil)
    else { return nil }
    var values: [SQLConstant] = []
    guard add(other.predicate, query.predicate, &values) else { return nil }
    if let limit = other.limit {
      guard limit >= 0 else { return nil }
      values.append(.integer(Int64(limit)))
    } else if other.offset > 0 {
      values.append(.integer(-1))
    }
    if other.offset > 0 { values.append(.integer(Int64(other.offset))) }
    return values
  }

  /// Adds the constants of a condition.
  ///
  /// - Returns: Whether it has the shape of the other one. Only conditions have one here whose text depends on their form
  ///   alone.
  private func add(_ predicate: BoundPredicate, _ shape: BoundPredicate, _ values: inout [SQLConstant]) -> Bool {
    switch (predicate, shape) {
    case (.constant(let value), .constant(let other)): return value == other
    case (.isNull(let slot), .isNull(let other)): return slot == other
    case (.compare(let slot, let comparison, let value), .compare(let other, let otherComparison, _)):
      guard slot == other, comparison == otherComparison else { return false }
      return add(value, slot, &values)
    case (.not(let inner), .not(let other)): return add(inner, other, &values)
    case (.and(let parts), .and(let others)), (.or(let parts), .or(let others)):
      guard parts.count == others.count else { return false }
      for place in parts.indices {
        guard add(parts[place], others[place], &values) else { return false }
      }
      return true
    default: return false
    }
  }

  /// Adds a constant, unless it is one that is compared in another way: NaN, or none at all.
  private func add(_ value: Value, _ slot: Int, _ values: inout [SQLConstant]) -> Bool {
    do throws(StorageError) {
      let column = try select.table.column(slot)
      let constant = try SQLConstant(comparable: value, column.slot.type)
      switch constant {
      case .null, .list: return false
      case .blob where column.kind.isFloatingPoint: return false
      default:
        values.append(constant)
        return true
      }
    } catch {
      // Its defect is reported where the text is written.
      return false
    }
  }
}
