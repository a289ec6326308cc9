package import QuarryBackend

/// The trees of an engine in which a sealed store keeps everything: `docs/formats/sealed-pages.md`. A plain store has no
/// trees of these numbers, so that neither kind is taken for the other.
package enum SealedTrees {
  /// The root record under ``rootKey`` and one slot of the key under ``slotKey``.
  package static let envelope: TreeID = 0x7FFF_FFFE
  /// Pages under their numbers, in eight bytes of big-endian order; the other slot of the key as number 0.
  package static let pages: TreeID = 0x7FFF_FFFD

  package static let rootKey: [UInt8] = [0x01]
  package static let slotKey: [UInt8] = [0x02]
  package static let otherSlotKey = [UInt8](repeating: 0, count: 8)
}

extension SealedTrees {
  /// The root record as it is stored, lent as by `get`; nil where nothing is in pages.
  package static func root(
    in transaction: some KeyValueReadTransaction
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try rootKey.withBytes { key throws(StorageError) in try transaction.get(envelope, key) }
  }
}
