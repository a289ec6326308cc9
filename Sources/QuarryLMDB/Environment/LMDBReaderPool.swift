import Synchronization

/// Idle read transactions, in slots that are taken and filled by one atomic exchange each.
///
/// Sendable unchecked: the slots are atomics, and their memory is freed with the pool.
final class LMDBReaderPool: @unchecked Sendable {
  private static let count = 32
  /// Slots are a cache line apart, so that threads which use different ones do not disturb each other.
  private static let stride = 8
  private let slots: UnsafeMutablePointer<Atomic<UInt>>

  init() {
    slots = .allocate(capacity: Self.count * Self.stride)
    for place in 0..<Self.count * Self.stride { (slots + place).initialize(to: Atomic(0)) }
  }

  deinit {
    for place in 0..<Self.count * Self.stride { (slots + place).deinitialize(count: 1) }
    slots.deallocate()
  }

  /// Takes a transaction, which is then the caller's alone.
  @inline(__always)
  func take() -> OpaquePointer? {
    for place in 0..<Self.count {
      let slot = slots + place * Self.stride
      if slot.pointee.load(ordering: .relaxed) == 0 { continue }
      let bits = slot.pointee.exchange(0, ordering: .sequentiallyConsistent)
      if bits != 0 { return OpaquePointer(bitPattern: bits) }
    }
    return nil
  }

  /// Keeps a transaction.
  ///
  /// - Returns: Whether there was room.
  @inline(__always)
  func give(_ transaction: OpaquePointer) -> Bool {
    let bits = UInt(bitPattern: transaction)
    for place in 0..<Self.count {
      let slot = slots + place * Self.stride
      if slot.pointee.load(ordering: .relaxed) != 0 { continue }
      if slot.pointee.compareExchange(expected: 0, desired: bits, ordering: .sequentiallyConsistent).exchanged {
        return true
      }
    }
    return false
  }
}
