import QuarryBackend

extension Value {
  /// The stored form of the value, by which ties are decided and digests are made. Values without a stored form have
  /// none: local transactions and decoders refuse them.
  var syncBytes: [UInt8] { (try? NestedCoding.encode(self)) ?? [] }

  /// The order of elements of a set and of keys: as values are ordered, then by their bytes.
  func precedes(_ other: Value) -> Bool {
    let order = ValueOrder.compare(self, other)
    return order != 0 ? order < 0 : self != other && syncBytes.lexicographicallyPrecedes(other.syncBytes)
  }
}
