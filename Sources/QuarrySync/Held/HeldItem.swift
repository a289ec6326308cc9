public import QuarryBackend

/// Something that was written, and that the tables do not show: SYNC-21.
public struct HeldItem: Sendable, Hashable {
  /// An object by its model and its primary key.
  public struct Object: Sendable, Hashable, CustomStringConvertible {
    /// The name of the model.
    public var model: String
    /// The primary key.
    public var key: Value

    /// The object as people read it.
    public var description: String { "\(model) \(KeyText.text(key) ?? "?")" }
  }

  /// 16 hexadecimal digits that name the item in this store.
  public var id: String
  /// Why it is held.
  public var reason: HeldReason
  /// The object that was written.
  public var object: Object
  /// Whether the object is in the tables, with nil in place of the held values.
  public var isShown: Bool
  /// The values that the tables do not show, by the names of properties.
  public var values: [String: Value]
  /// The objects that it waits for: those that have its unique values, or those that are missing or held themselves.
  public var waitsFor: [Object]
  /// Whether a delete was refused; it has no values.
  public var isDeletion = false
  /// Why the hub refused it, in the hub's words; nil for other reasons.
  public var message: String?
}
