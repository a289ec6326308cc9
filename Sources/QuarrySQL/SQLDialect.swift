public import QuarryBackend

/// The SQL of one database: how constants, parameters, tests of NaN, texts, lists and orders are written in it.
///
/// The compiler of this module has the common rules: it is two-valued, and `NOT` is at the leaves only. A dialect returns nil for
/// a test that it cannot express, and the common evaluator decides the test row by row.
///
/// Returned texts have ``SQLParameters/mark`` in place of each parameter, and their constants in that order.
public protocol SQLDialect: Sendable {
  /// How parameters are written.
  var parameters: SQLParameters { get }
  /// How much of a predicate the database is given.
  var limits: SQLLimits { get }
  /// The operator that is equality where NULL equals NULL: `IS`, `IS NOT DISTINCT FROM`.
  var same: String { get }
  /// Its opposite.
  var different: String { get }

  /// True or false as a condition.
  func literal(_ value: Bool) -> String

  /// A constant of a type, in the form in which columns of the type are compared and sorted.
  ///
  /// - Parameters:
  ///   - value: A value that is not null.
  ///   - type: The type of the column that it is compared with.
  /// - Throws: `invalidQuery` for a value of another type.
  func constant(_ value: Value, _ type: PropertyType) throws(StorageError) -> SQLConstant

  /// Whether the constant is what NaN is in a column. In the order of columns NaN comes after every number.
  func isNaN(_ constant: SQLConstant) -> Bool

  /// The condition that a column of floating point has a number, and not NaN.
  ///
  /// - Parameters:
  ///   - column: The quoted name of the column, or an expression over it.
  ///   - isBound: Whether an index may be searched for it; not advisable alongside a bound of the caller.
  func isNumber(_ column: String, isBound: Bool) -> String

  /// The condition that a column of floating point has NaN.
  ///
  /// - Parameter column: The quoted name of the column, or an expression over it.
  func isNaN(_ column: String) -> String

  /// The condition that a call of a function is true of a column. It may be NULL.
  ///
  /// Nil for a function that the database does not have with Quarry's meaning, to the last byte and for every text.
  ///
  /// - Parameters:
  ///   - call: The call, without its operand.
  ///   - column: The operand.
  func function(_ call: BoundFunction, _ column: SQLColumn) -> SQLTerm?

  /// The least constant that comes after every text with the prefix, which is not empty.
  ///
  /// - Parameter prefix: Bytes of UTF-8, at least one.
  /// - Returns: The constant; nil where the dialect cannot express it.
  func end(ofPrefix prefix: [UInt8]) -> SQLConstant?

  /// The condition that a column's value is in a long list, or that it is not.
  ///
  /// - Parameters:
  ///   - column: The column of the condition.
  ///   - list: The number of the list among the long lists of the statement, from 0.
  ///   - isNegated: Whether the condition is that the value is not in the list.
  func membership(_ column: SQLColumn, list: Int, isNegated: Bool) -> SQLTerm

  /// A column as a key of an order in which NULL comes before every value, and after them where it is descending.
  ///
  /// - Parameters:
  ///   - column: The column, which has an order.
  ///   - isDescending: Whether the greatest value comes first.
  func sortKey(_ column: SQLColumn, isDescending: Bool) -> String
}

extension SQLDialect {
  /// Returns nil: the evaluator decides every call.
  public func function(_ call: BoundFunction, _ column: SQLColumn) -> SQLTerm? { nil }
}

extension BoundFunction {
  /// The operator and the bytes of a search for a text that is not folded; nil for other calls.
  public var plainSearch: (operation: TextOperator, needle: [UInt8])? {
    guard options.isEmpty, let search else { return nil }
    return (search.operation, Array(search.needle.utf8))
  }
}
