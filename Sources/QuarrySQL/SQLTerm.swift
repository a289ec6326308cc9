/// A condition as text with the constants of its parameters.
package struct SQLTerm {
  package let sql: String
  package let constants: [SQLConstant]

  package init(_ sql: String, _ constants: [SQLConstant]) {
    self.sql = sql
    self.constants = constants
  }
}
