import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A node of the copy-on-write B+tree: one block of memory with everything that belongs to it.
///
/// ```
/// offset  bytes
///      0      8  how many parents and roots refer to the node
///      8     32  ``Header``
///     40      8  the first of a leaf's columns (``BTreeColumn``), or 0
///     48     16  the fields that were asked for, and those of which there can be no column, as bits
///     64    512  heads: 8 bytes of each key as a number, UInt64.max after the last
///    576    512  slots: where each entry's bytes are
///   1088    512  children    of inner nodes only
///   1600    512  the number of entries below each child
///      …         entries' bytes, in the order in which they came: the key, then the value
/// ```
/// In a leaf an entry is a key and its value. In an inner node entry *i* is child *i* with the least key that may be in
/// it; the key of entry 0 is left empty, because nothing is ever compared with it.
///
/// Heads make the search one pass over adjacent numbers. They begin after the `skip` bytes that all keys of the node share (a
/// multiple of 8), so that keys with long common beginnings are distinguished as well.
///
/// Entries of more than ``inlineBytes`` are out of line, in a ``BTreeLargeEntry``. Nothing in a node but children and
/// large entries refers to memory outside of it, so that a node can become a page by putting page numbers there.
///
/// This file, its extensions and the tree's own files hold all unsafe code of the tree. Why it is sound: every block is
/// made by ``allocate(level:capacity:)`` with the sizes that the offsets above assume; slots, heads and children below
/// `count` are always initialised, and offsets in slots lie within the block because entries are appended only where
/// room was made. A node is written to only when its reference count is 1 and it was reached from a root that one
/// owner holds through nodes with count 1, so that no other thread can see it; all other nodes never change but for
/// the count, which is atomic. A block is freed when its count reaches 0, after which nothing refers to it.
struct BTreeNode {
  let base: UnsafeMutableRawPointer

  static let maximumEntries = 64
  /// Fewer entries than this may only be in the root and in the last node of each level.
  static let minimumEntries = 16
  /// Two neighbours are merged when they have no more entries than this together, else they share what they have.
  static let mergedEntries = 48
  /// Bytes of the largest key and value together that are stored in the node.
  static let inlineBytes = 512

  struct Header {
    var count: UInt16 = 0
    /// 0 for a leaf.
    var level: UInt8
    /// Whether an entry is, or was, out of line.
    var hasLargeEntries = false
    /// Bytes of the whole block.
    var capacity: UInt32
    /// Where the next entry's bytes go.
    var top: UInt32
    /// Bytes of the entries that are there; the rest below `top` is garbage.
    var live: UInt32 = 0
    /// How many bytes all keys share, rounded down to a multiple of 8.
    var skip = 0
    /// Entries of all leaves below, or of this leaf.
    var total = 0
  }

  /// Where an entry's bytes are, from the beginning of the block.
  struct Slot {
    var offset: UInt32
    /// `UInt16.max` when the bytes are the address of a ``BTreeLargeEntry``.
    var keyLength: UInt16
    var valueLength: UInt16

    @inline(__always) var isLarge: Bool { keyLength == .max }
    /// Bytes inside the node.
    @inline(__always) var size: Int { isLarge ? 8 : Int(keyLength) &+ Int(valueLength) }
  }

  @inline(__always) init(_ base: UnsafeMutableRawPointer) {
    self.base = base
  }

  /// Bytes before the entries' bytes.
  @inline(__always) static func fixedBytes(level: Int) -> Int { level == 0 ? 1088 : 2112 }

  @inline(__always) private var references: UnsafeMutablePointer<Atomic<Int>> {
    base.assumingMemoryBound(to: Atomic<Int>.self)
  }
  @inline(__always) var header: UnsafeMutablePointer<Header> { (base + 8).assumingMemoryBound(to: Header.self) }
  @inline(__always) var firstColumn: UnsafeMutablePointer<Atomic<UInt>> {
    (base + 40).assumingMemoryBound(to: Atomic<UInt>.self)
  }
  @inline(__always) var askedFields: UnsafeMutablePointer<Atomic<UInt64>> {
    (base + 48).assumingMemoryBound(to: Atomic<UInt64>.self)
  }
  @inline(__always) var refusedFields: UnsafeMutablePointer<Atomic<UInt64>> {
    (base + 56).assumingMemoryBound(to: Atomic<UInt64>.self)
  }
  @inline(__always) var heads: UnsafeMutablePointer<UInt64> { (base + 64).assumingMemoryBound(to: UInt64.self) }
  @inline(__always) var slots: UnsafeMutablePointer<Slot> { (base + 576).assumingMemoryBound(to: Slot.self) }
  @inline(__always) var children: UnsafeMutablePointer<BTreeNode> {
    (base + 1088).assumingMemoryBound(to: BTreeNode.self)
  }
  @inline(__always) var totals: UnsafeMutablePointer<Int> { (base + 1600).assumingMemoryBound(to: Int.self) }

  @inline(__always) var count: Int {
    get { Int(header.pointee.count) }
    nonmutating set { header.pointee.count = UInt16(truncatingIfNeeded: newValue) }
  }
  @inline(__always) var level: Int { Int(header.pointee.level) }
  @inline(__always) var isLeaf: Bool { header.pointee.level == 0 }
  /// The first entry whose key means something.
  @inline(__always) var firstKey: Int { isLeaf ? 0 : 1 }

  // MARK: Entries

  @inline(__always) func large(_ slot: Slot) -> BTreeLargeEntry {
    BTreeLargeEntry((base + Int(slot.offset)).loadUnaligned(as: UnsafeMutableRawPointer.self))
  }

  @inline(__always) func key(_ index: Int) -> UnsafeRawBufferPointer {
    let slot = slots[index]
    if slot.isLarge { return large(slot).key }
    return UnsafeRawBufferPointer(start: base + Int(slot.offset), count: Int(slot.keyLength))
  }

  @inline(__always) func value(_ index: Int) -> UnsafeRawBufferPointer {
    let slot = slots[index]
    if slot.isLarge { return large(slot).value }
    return UnsafeRawBufferPointer(
      start: base + (Int(slot.offset) &+ Int(slot.keyLength)), count: Int(slot.valueLength))
  }

  // MARK: Memory

  /// An empty node with one reference.
  ///
  /// - Parameter capacity: Bytes for the entries.
  static func allocate(level: Int, capacity: Int) -> BTreeNode {
    let fixed = fixedBytes(level: level)
    let size = (fixed + capacity + 63) & ~63
    let node = BTreeNode(.allocate(byteCount: size, alignment: 64))
    node.references.initialize(to: Atomic(1))
    node.header.initialize(
      to: Header(
        level: UInt8(truncatingIfNeeded: level), capacity: UInt32(truncatingIfNeeded: size),
        top: UInt32(truncatingIfNeeded: fixed)))
    node.firstColumn.initialize(to: Atomic(0))
    node.askedFields.initialize(to: Atomic(0))
    node.refusedFields.initialize(to: Atomic(0))
    memset(node.heads, 0xFF, maximumEntries * 8)
    return node
  }

  /// Bytes of the block, and of the columns and large entries that it refers to.
  var allocatedBytes: Int {
    var bytes = Int(header.pointee.capacity) + columnBytes
    if header.pointee.hasLargeEntries {
      for index in 0..<count where slots[index].isLarge { bytes += large(slots[index]).allocatedBytes }
    }
    return bytes
  }

  /// Whether the node has no other references.
  @inline(__always) var isUnique: Bool { references.pointee.load(ordering: .acquiring) == 1 }

  func retain() {
    references.pointee.add(1, ordering: .relaxed)
  }

  /// Gives one reference up; with the last one the node goes, and its references to others with it.
  ///
  /// The recursion is as deep as the tree is high.
  func release() {
    if references.pointee.subtract(1, ordering: .acquiringAndReleasing).newValue > 0 { return }
    if header.pointee.hasLargeEntries {
      for index in 0..<count where slots[index].isLarge { large(slots[index]).release() }
    }
    if !isLeaf {
      for index in 0..<count { children[index].release() }
    }
    dropColumns()
    base.deallocate()
  }

  /// A copy with one reference and without garbage.
  ///
  /// - Parameters:
  ///   - capacity: Bytes for the entries, at least as many as there are live ones.
  ///   - isMoving: Takes the references to children and large entries from this node, which is left with no entries
  ///     (but with its bytes, which may be lent), instead of counting them once more.
  func copy(capacity: Int, isMoving: Bool) -> BTreeNode {
    let result = BTreeNode.allocate(level: level, capacity: capacity)
    let fixed = BTreeNode.fixedBytes(level: level)
    var head = header.pointee
    head.capacity = result.header.pointee.capacity
    head.top = UInt32(truncatingIfNeeded: fixed) &+ head.live
    result.header.pointee = head
    memcpy(result.base + 64, base + 64, fixed - 64)
    if header.pointee.top == head.top {
      memcpy(result.base + fixed, base + fixed, Int(head.live))
    } else {
      var top = fixed
      for index in 0..<count {
        let slot = slots[index]
        let size = slot.size
        memcpy(result.base + top, base + Int(slot.offset), size)
        result.slots[index].offset = UInt32(truncatingIfNeeded: top)
        top += size
      }
    }
    if isMoving {
      count = 0
      return result
    }
    if head.hasLargeEntries {
      for index in 0..<count where slots[index].isLarge { large(slots[index]).retain() }
    }
    if !isLeaf {
      for index in 0..<count { children[index].retain() }
    }
    return result
  }
}
