/// Which slots of an existing row an upsert replaces.
public enum UpsertPolicy: Sendable, Hashable {
  /// All of them.
  case replace
  /// Only these; a row that is new is stored whole.
  case merge(slots: [Int])
}
