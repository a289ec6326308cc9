/// A long list of constants, which is kept outside the text of a statement.
package struct SQLList: Sendable {
  package let values: [SQLConstant]
}
