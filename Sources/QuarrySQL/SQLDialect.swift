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
  /// - Throws: `invalidQuery` for a value of another type.
  func constant(_ value: Value, _ type: PropertyType) throws(StorageError) -> SQLConstant

  /// Whether the constant is what NaN is in a column. In the order of columns NaN comes after every number.
  func isNaN(_ constant: SQLConstant) -> Bool

  /// The condition that a column of floating point has a number, and not NaN.
  ///
  /// - Parameter isBound: Whether an index may be searched for it; not advisable alongside a bound of the caller.
  func isNumber(_ column: String, isBound: Bool) -> String

  /// The condition that a column of floating point has NaN.
  func isNaN(_ column: String) -> String

  /// The condition that a call of a function is true of a column. It may be NULL.
  ///
  /// Nil for a function that the database does not have with Quarry's meaning, to the last byte and for every text.
  func function(_ call: BoundFunction, _ column: SQLColumn) -> SQLTerm?

  /// The least constant that comes after every text with the prefix, which is not empty.
  func end(ofPrefix prefix: [UInt8]) -> SQLConstant?

  /// The condition that a column's value is in a long list, or that it is not.
  func membership(_ column: SQLColumn, list: Int, isNegated: Bool) -> SQLTerm

  /// A column as a key of an order in which NULL comes before every value, and after them where it is descending.
  func sortKey(_ column: SQLColumn, isDescending: Bool) -> String
}

extension SQLDialect {
  /// No function: the evaluator decides every call.
  public func function(_ call: BoundFunction, _ column: SQLColumn) -> SQLTerm? { nil }
}

extension BoundFunction {
  /// The operator and the bytes of a search for a text that is not folded; nil for other calls.
  public var plainSearch: (operation: TextOperator, needle: [UInt8])? {
    guard options.isEmpty, let search else { return nil }
    return (search.operation, Array(search.needle.utf8))
  }
}
