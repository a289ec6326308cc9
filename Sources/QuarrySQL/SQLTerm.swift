/// A condition as text with the constants of its parameters.
public struct SQLTerm {
  /// The text, with ``SQLParameters/mark`` in place of each parameter.
  public let sql: String
  /// The constants of the parameters, in the order of the marks.
  public let constants: [SQLConstant]

  /// Makes a condition.
  ///
  /// - Parameters:
  ///   - sql: The text, with a mark for each parameter.
  ///   - constants: The constants, in the order of the marks.
  public init(_ sql: String, _ constants: [SQLConstant]) {
    self.sql = sql
    self.constants = constants
  }
}
