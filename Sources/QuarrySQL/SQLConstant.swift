/// A constant of a query as a database holds it: what is bound to a parameter of a statement.
public enum SQLConstant: Hashable, Sendable {
  /// NULL.
  case null
  /// An integer.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// A text, in UTF-8.
  case text([UInt8])
  /// Bytes.
  case blob([UInt8])
  /// A long list, by its number among ``SQLSelection/lists``: its dialect says how a statement finds it.
  case list(Int)
}
