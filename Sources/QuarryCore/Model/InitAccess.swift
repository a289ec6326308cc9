/// The access level of the memberwise init that `@Model(init: .public)` writes.
public enum InitAccess: Sendable {
  case `public`, `package`, `internal`
}
