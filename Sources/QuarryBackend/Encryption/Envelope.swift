/// The two slots of an encrypted store, each in its own sector.
///
/// One slot stays whole whatever happens to the other while it is written.
///
/// Both slots are the same except while the key is changed. A change overwrites the older slot with the new slot, whose
/// generation is one more, and syncs it; then it writes the other slot. Of two whole slots, the slot with the greater generation
/// is valid, so a crash leaves one key or the other. A writer that finds different slots finishes the change: see ``stale``.
public struct Envelope: Sendable, Hashable {
  /// The two slots in the order of their places; nil for one that is damaged.
  public private(set) var slots: [EnvelopeSlot?]

  /// The envelope of a new store.
  ///
  /// - Parameter slot: The slot for both places.
  public init(_ slot: EnvelopeSlot) { slots = [slot, slot] }

  /// Reads the two slots.
  ///
  /// - Parameters:
  ///   - first: ``EnvelopeSlot/byteCount`` bytes from the first place.
  ///   - second: As many from the second.
  ///   - name: The store's name in errors.
  /// - Throws: `corrupt` when both are damaged; `schemaTooNew`.
  public init(first: [UInt8], second: [UInt8], of name: String) throws(StorageError) {
    slots = [try EnvelopeSlot(first), try EnvelopeSlot(second)]
    guard slots.contains(where: { $0 != nil }) else {
      throw .keySlotsDamaged(name)
    }
  }

  /// The slot that holds.
  public var slot: EnvelopeSlot? {
    slots.compactMap { $0 }.max { $0.generation < $1.generation }
  }

  /// The indices of slots that are damaged or older than the valid slot.
  ///
  /// The next writer overwrites them with the valid slot.
  public var stale: [Int] { slots.indices.filter { slots[$0] != slot } }

  /// The data key of the store.
  ///
  /// - Parameter encryption: The key that the program keeps.
  /// - Throws: `wrongKey`; `schemaTooNew` for a suite that this version does not know; `limitExceeded` for a slot that asks for
  ///   more memory or time than any slot may; `corrupt` when both slots are damaged.
  /// - Complexity: One derivation of the wrapping key: for a passphrase the cost of scrypt, as the slot says.
  public func unlock(with encryption: Encryption) throws(StorageError) -> any DataKey {
    guard let slot else {
      throw .keySlotsDamaged()
    }
    return try encryption.key.unwrap(slot)
  }

  /// In which order the places are overwritten when the key changes: first the one that does not hold.
  public var order: [Int] {
    let holding = slots.firstIndex { $0 == slot } ?? 0
    return [1 - holding, holding]
  }

  /// The defects of the slots; empty when both are whole and the same.
  public var defects: [String] {
    slots.indices.compactMap { place in
      guard let found = slots[place] else { return "key slot \(place + 1) is damaged; the other slot is used" }
      return found == slot ? nil : "key slot \(place + 1) is older: a change of the key was interrupted"
    }
  }
}
