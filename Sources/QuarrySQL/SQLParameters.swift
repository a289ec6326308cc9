/// How the parameters of a statement are written.
public enum SQLParameters: Sendable {
  /// Each as a question mark.
  case anonymous
  /// As `$1`, `$2` and so on.
  case numbered

  /// The placeholder of a parameter until the statement is complete.
  ///
  /// No name and no text of a statement has a NUL.
  public var mark: String {
    switch self {
    case .anonymous: "?"
    case .numbered: "\0"
    }
  }

  /// The text with its parameters as the database reads them.
  ///
  /// - Parameter count: The number of parameters before the text.
  public func written(_ sql: String, after count: Int) -> String {
    guard case .numbered = self else { return sql }
    var number = count
    var result: [UInt8] = []
    for byte in sql.utf8 {
      if byte == 0 {
        number += 1
        result += Array("$\(number)".utf8)
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
