/// A constant of a query as a database holds it: what is bound to a parameter of a statement.
public enum SQLConstant: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])
  /// A long list, by its number among ``SQLSelection/lists``: its dialect says how a statement finds it.
  case list(Int)
}
