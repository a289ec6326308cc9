package import QuarryBackend

/// An object of any replica: the model's name and the primary key. The key of a link has both sides: SYNC-20.
package struct ObjectID: Sendable, Hashable {
  package var model: SyncName
  package var key: Value

  package init(_ model: SyncName, _ key: Value) {
    self.model = model
    self.key = key
  }
}

extension ObjectID: Comparable {
  /// By the model's name, then by the key as values are ordered, then by the key's bytes.
  package static func < (left: ObjectID, right: ObjectID) -> Bool {
    if left.model != right.model { return left.model < right.model }
    let order = ValueOrder.compare(left.key, right.key)
    if order != 0 { return order < 0 }
    return left.key != right.key && left.key.syncBytes.lexicographicallyPrecedes(right.key.syncBytes)
  }
}
