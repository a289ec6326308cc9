/// The names that are used in SQL.
enum SQLiteName {
  /// The column for the bits of NaNs that are not ``SQLConstant/nan``.
  static let nan = "\"_quarry_nan\""

  /// Puts a name in quotes, so that it is a name whatever is in it.
  static func quoted(_ name: String) -> String {
    var result = "\""
    for scalar in name.unicodeScalars {
      if scalar == "\"" { result += "\"\"" } else { result.unicodeScalars.append(scalar) }
    }
    return result + "\""
  }

  /// The quoted name of the column with the order of a decimal.
  static func order(of property: String) -> String { quoted("_quarry_order_\(property)") }
}
