import CSQLite
import QuarryBackend

/// The function of SQL that takes a row's columns as its arguments and writes the row: `SELECT _quarry_row("id", "name")
/// FROM "Book"`. SQLite hands it all of them at once, where it looks up each column of a result that is asked for.
///
/// A statement calls it for the row that it gives next, unless it collects rows first, to sort them. Counting detects that: where
/// each step so far has called it once and has given one row, this is the row that the call was for. A second call in one step
/// ends the statement, and the caller continues with the columns of a result: see ``Step/calledAhead``.
///
/// The column with the bits of NaNs is not an argument, because nearly all rows have none. The caller adds them to a row with
/// NaNs: ``SQLiteConnection/addNaNs(to:_:_:_:)``.
///
/// One for each connection, which SQLite's part of it refers to as long as the connection is open. The target of the next call is
/// set before each step and used inside it alone, so that the unmanaged references outlive their use.
final class SQLiteRowFunction {
  static let name = "\"_quarry_row\""
  /// The number of function arguments that every SQLite takes, unless it was built otherwise.
  static let mostColumns = 100

  /// The result of a step.
  enum Step {
    /// A row, valid until the next use of its writer.
    case row(UnsafeRawBufferPointer)
    case end
    /// A row whose NaNs are the common one, whatever the bits of those that are stored.
    case rowWithNaN(UnsafeRawBufferPointer)
    /// The statement calls the function for other rows than those that it gives next. It was reset.
    case calledAhead
  }

  /// Whether the connection's SQLite accepts the required number of arguments.
  let isUsable: Bool
  @exclusivity(unchecked) private var plan: Unmanaged<SQLiteReadPlan>?
  @exclusivity(unchecked) private var writer: Unmanaged<RowWriter>?
  @exclusivity(unchecked) private var kept = 0
  /// How many calls the step has made.
  @exclusivity(unchecked) private var calls = 0
  @exclusivity(unchecked) private var row = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The outcome of the call in addition to its row.
  @exclusivity(unchecked) private var outcome = Outcome.row
  @exclusivity(unchecked) private var failure: StorageError?

  private enum Outcome: UInt8 { case row, rowWithNaN, failure }

  /// Adds the function to a connection, which keeps this object until the connection is closed.
  init(_ database: OpaquePointer) throws(StorageError) {
    isUsable = sqlite3_limit(database, SQLITE_LIMIT_FUNCTION_ARG, -1) >= Int32(Self.mostColumns)
    guard isUsable else { return }
    // Not for the schema: a foreign view or index cannot call it.
    let result = sqlite3_create_function_v2(
      database, "_quarry_row", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, Unmanaged.passUnretained(self).toOpaque(),
      { context, _, values in
        guard let context, let values, let object = sqlite3_user_data(context) else { return }
        Unmanaged<SQLiteRowFunction>.fromOpaque(object)._withUnsafeGuaranteedRef { $0.call(context, values) }
      }, nil, nil, nil)
    guard result == SQLITE_OK else { throw StorageError(sqlite: result, database) }
  }

  /// Runs a statement that selects the plan's ``SQLiteReadPlan/call`` to its next row.
  ///
  /// - Parameter kept: How many bytes of rows before it the writer keeps.
  /// - Throws: `corrupt` when a column holds what its property cannot hold; what SQLite throws.
  @inline(__always)
  func step(
    _ statement: SQLiteStatement, _ plan: SQLiteReadPlan, _ writer: RowWriter, after kept: Int = 0
  ) throws(StorageError) -> Step {
    self.plan = .passUnretained(plan)
    self.writer = .passUnretained(writer)
    self.kept = kept
    calls = 0
    outcome = .row
    let result = sqlite3_step(statement.handle)
    withExtendedLifetime(plan) {}
    withExtendedLifetime(writer) {}
    if calls == 1, result == SQLITE_ROW {
      if outcome == .row { return .row(row) }
      if outcome == .failure, let failure { throw failure }
      return .rowWithNaN(row)
    }
    if result == SQLITE_DONE { return .end }
    guard calls > 1 || result == SQLITE_ROW else { throw statement.failure(result) }
    statement.reset()
    return .calledAhead
  }

  @inline(__always)
  private func call(_ context: OpaquePointer, _ values: UnsafeMutablePointer<OpaquePointer?>) {
    calls &+= 1
    guard calls == 1, let plan, let writer else {
      sqlite3_result_error(context, "called ahead", -1)
      return
    }
    plan._withUnsafeGuaranteedRef { plan in
      writer._withUnsafeGuaranteedRef { writer in
        do throws(StorageError) {
          var hasNaN = false
          row = try SQLiteColumnCodec.read(
            SQLiteArguments(values: values), plan, writer, after: kept, hasNaN: &hasNaN)
          if hasNaN { outcome = .rowWithNaN }
        } catch {
          failure = error
          outcome = .failure
        }
      }
    }
  }
}

/// The arguments of a call.
struct SQLiteArguments: SQLiteColumns {
  let values: UnsafeMutablePointer<OpaquePointer?>

  /// - Parameter column: Less than the number of arguments in the plan that the statement was created for.
  @inline(__always)
  func field(_ column: Int32) -> SQLiteField { SQLiteField(value: values[Int(column)]) }
}
