/// The access level of the memberwise init that `@Model(init: .public)` writes.
public enum InitAccess: Sendable {
  /// The access level of the written initializer.
  case `public`, `package`, `internal`
}
