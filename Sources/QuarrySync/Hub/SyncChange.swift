public import QuarryBackend
public import QuarryCore

/// What one transaction of a client changes, as the program of a hub judges it: SYNC-17.
public struct SyncChange: Sendable, Hashable {
  /// One object before and after the transaction.
  public struct Object: Sendable, Hashable {
    /// The name of the model.
    public var model: String
    /// The primary key.
    public var key: Value
    /// The values before, by the names of properties; nil where the object did not exist.
    public var before: [String: Value]?
    /// The values afterwards; nil where the transaction deletes the object.
    public var after: [String: Value]?
  }

  /// The replica that wrote it.
  public var origin: ReplicaID
  /// The objects that differ afterwards.
  public var objects: [Object]

  /// Whether an object of the model differs afterwards.
  public func touches<M: Model>(_ type: M.Type) -> Bool { !objects(of: type).isEmpty }

  /// The objects of a model that differ afterwards.
  public func objects<M: Model>(of type: M.Type) -> [Object] { objects.filter { $0.model == M.storedName } }
}

/// What the program of a hub decides about a transaction of a client.
public enum SyncDecision: Sendable, Hashable {
  /// The hub takes it.
  case accept
  /// The hub refuses all of it. The client holds it, with these words.
  case refuse(String)
}

extension SyncChange {
  /// The change by the names that the hub's program has for models and properties.
  init(
    _ entry: SyncEntry, _ schema: StoredSchema, _ before: (ObjectID) -> SyncRow?, _ after: (ObjectID) -> SyncRow?
  ) {
    origin = entry.origin
    objects = entry.changes.compactMap { change in
      let (old, new) = (before(change.object), after(change.object))
      guard old != new else { return nil }
      let shown = schema.shown(change.object)
      return Object(
        model: shown.model, key: shown.key, before: old.map { schema.shown($0, of: change.object) },
        after: new.map { schema.shown($0, of: change.object) })
    }
  }
}
