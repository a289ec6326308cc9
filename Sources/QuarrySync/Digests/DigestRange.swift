package import QuarryBackend

/// The objects of one model behind one key, up to another.
package struct DigestRange: Sendable, Hashable {
  package var model: SyncName
  /// The key before the range; nil from the model's beginning.
  package var after: Value?
  /// The last key of the range; nil to the model's end.
  package var through: Value?

  package init(_ model: SyncName, after: Value? = nil, through: Value? = nil) {
    self.model = model
    self.after = after
    self.through = through
  }

  func contains(_ key: Value) -> Bool {
    (after?.precedes(key) ?? true) && !(through?.precedes(key) ?? false)
  }
}
