import QuarryBackend

/// Memory that is reused from row to row.
final class RowScratch {
  /// The bits of the row's NaNs that are not the common one: two bytes for the slot, eight for the bits.
  @exclusivity(unchecked) var nanBits: [UInt8] = []
  /// Whether the row has a NaN.
  @exclusivity(unchecked) var hasNaN = false
  let keys = KeyWriter()
  @exclusivity(unchecked) private var texts: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var capacity: Int
  @exclusivity(unchecked) private var used = 0
  private var retired: [UnsafeMutableRawPointer] = []

  init() {
    capacity = 8
    texts = .allocate(byteCount: capacity * UUIDText.count, alignment: 8)
  }

  deinit {
    texts.deallocate()
    for old in retired { old.deallocate() }
  }

  /// Forgets the row before, whose statement was reset.
  @inline(__always)
  func begin() {
    used = 0
    if hasNaN {
      hasNaN = false
      nanBits.removeAll(keepingCapacity: true)
    }
  }

  /// The text of a UUID, which stays until the next row.
  func text(ofUUID bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    if used == capacity {
      // Lent memory is still bound: the old memory is freed with this object.
      retired.append(texts)
      capacity *= 2
      used = 0
      texts = .allocate(byteCount: capacity * UUIDText.count, alignment: 8)
    }
    let place = UnsafeMutableRawBufferPointer(start: texts + used * UUIDText.count, count: UUIDText.count)
    used += 1
    UUIDText.write(bytes, to: place)
    return UnsafeRawBufferPointer(place)
  }
}
