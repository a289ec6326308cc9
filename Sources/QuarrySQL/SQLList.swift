/// A long list of constants, which is kept outside the text of a statement.
public struct SQLList: Sendable {
  /// The constants, without those that equal nothing.
  public let values: [SQLConstant]
}
