import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A key and a value that are too large for a node, in a block of their own that nodes of several states share.
///
/// The block never changes after it was filled, except for its reference count, which is atomic; it is freed when the count
/// reaches 0. So any thread that holds a node referring to it may read it.
struct BTreeLargeEntry {
  let base: UnsafeMutableRawPointer

  @inline(__always) init(_ base: UnsafeMutableRawPointer) {
    self.base = base
  }

  /// A block with one reference.
  init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    base = .allocate(byteCount: BTreeLargeEntry.headerBytes + key.count + value.count, alignment: 16)
    references.initialize(to: Atomic(1))
    (base + 8).storeBytes(of: key.count, as: Int.self)
    (base + 16).storeBytes(of: value.count, as: Int.self)
    if let start = key.baseAddress { memcpy(base + BTreeLargeEntry.headerBytes, start, key.count) }
    if let start = value.baseAddress { memcpy(base + (BTreeLargeEntry.headerBytes + key.count), start, value.count) }
  }

  /// The entry's block, or nil when there is no memory for so much.
  static func make(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> BTreeLargeEntry? {
    let (bytes, overflows) = key.count.addingReportingOverflow(value.count)
    if overflows || bytes > Int.max - headerBytes { return nil }
    if bytes > 1 << 20 {
      // Swift's own allocation ends the process when it fails, so something large is tried first.
      guard let probe = malloc(headerBytes + bytes) else { return nil }
      free(probe)
    }
    return BTreeLargeEntry(key: key, value: value)
  }

  private static let headerBytes = 24

  private var references: UnsafeMutablePointer<Atomic<Int>> { base.assumingMemoryBound(to: Atomic<Int>.self) }
  private var keyLength: Int { (base + 8).load(as: Int.self) }
  private var valueLength: Int { (base + 16).load(as: Int.self) }

  var key: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + BTreeLargeEntry.headerBytes, count: keyLength)
  }
  var value: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + (BTreeLargeEntry.headerBytes + keyLength), count: valueLength)
  }
  var allocatedBytes: Int { BTreeLargeEntry.headerBytes + keyLength + valueLength }

  func retain() {
    references.pointee.add(1, ordering: .relaxed)
  }

  func release() {
    if references.pointee.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { base.deallocate() }
  }
}
