import QuarryBackend
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A node of the tree: the opened content of a page, with what makes searching in it quick.
///
/// ```
/// offset  bytes
///      0      1  level, 0 for a leaf
///      1      1  0
///      2      2  entries
///      4      2  where the first of the entries' bytes are
///      6      2  0
///      8      2  for each entry, in the order of the keys: where its bytes are
///      …         free
///      …         entries, to the end of the page
/// ```
/// In a branch entry *i* is child *i* with the least key that may be in it; the key of entry 0 is empty, because nothing is
/// ever compared with it. A child that was opened once is remembered in `links`, so that it is found by one read of
/// memory.
///
/// Sendable unchecked: a node is changed only while `generation` is not 0, when no other thread can reach it, because it
/// hangs on a write transaction alone; after that only links change, each of them once, from nothing to a child that the
/// node then keeps. All offsets are checked when a page is opened, and kept inside the page by edits.
final class SealedNode: @unchecked Sendable {
  let bytes: UnsafeMutableRawPointer
  /// Eight bytes of each key, after those that all keys share, as a number whose order is theirs.
  var heads: UnsafeMutablePointer<UInt64>
  /// Children that were opened, in a branch.
  var links: UnsafeMutablePointer<Atomic<UInt>>?
  /// How many entries heads and links have room for.
  var capacity: Int
  let level: Int
  @exclusivity(unchecked) var count = 0
  /// How many bytes all keys share.
  @exclusivity(unchecked) var skip = 0
  /// Where the entries' bytes begin.
  @exclusivity(unchecked) var high = SealedFormat.contentBytes
  /// Bytes of the entries that are there; the rest from `high` on is garbage.
  @exclusivity(unchecked) var live = 0
  /// Entries of all leaves below, or of this leaf.
  @exclusivity(unchecked) var total = 0
  let page: UInt64
  /// Of the content that the base has; none before it was stored.
  @exclusivity(unchecked) var tag: PageTag
  /// When it was made in its write transaction; 0 once it is as the base has it.
  @exclusivity(unchecked) var generation: UInt64
  /// Where its bytes are counted while it is kept.
  private var meter: CacheMeter?

  /// An empty node.
  init(level: Int, page: UInt64, generation: UInt64, capacity: Int = 64) {
    bytes = .allocate(byteCount: SealedFormat.contentBytes, alignment: 16)
    heads = .allocate(capacity: capacity)
    self.level = level
    self.page = page
    self.generation = generation
    self.capacity = capacity
    tag = .none
    if level > 0 { links = Self.allocateLinks(capacity) }
  }

  /// A copy that may be changed.
  init(copying other: SealedNode, generation: UInt64) {
    bytes = .allocate(byteCount: SealedFormat.contentBytes, alignment: 16)
    memcpy(bytes, other.bytes, SealedFormat.contentBytes)
    capacity = other.count + 16
    heads = .allocate(capacity: capacity)
    heads.update(from: other.heads, count: other.count)
    level = other.level
    count = other.count
    skip = other.skip
    high = other.high
    live = other.live
    total = other.total
    page = other.page
    tag = other.tag
    self.generation = generation
    guard let links = other.links else { return }
    let copies = Self.allocateLinks(capacity)
    for index in 0..<count {
      let bits = links[index].load(ordering: .acquiring)
      guard let child = Self.node(bits) else { continue }
      copies[index].store(Self.bits(retaining: child), ordering: .relaxed)
    }
    self.links = copies
  }

  /// The node of an opened page, whose bytes it takes.
  ///
  /// - Throws: `corrupt`. The bytes are still the caller's then.
  init(
    _ opened: UnsafeMutableRawPointer, page: UInt64, tag: PageTag
  ) throws(StorageError) {
    let level = Int(opened.load(as: UInt8.self))
    let count = Int(UInt16(littleEndian: opened.load(fromByteOffset: 2, as: UInt16.self)))
    let high = Int(UInt16(littleEndian: opened.load(fromByteOffset: 4, as: UInt16.self)))
    guard level < 32, count > 0, SealedFormat.headerBytes + 2 * count <= high, high <= SealedFormat.contentBytes,
      Self.hasEntries(opened, level: level, count: count, high: high)
    else { throw .damaged("page \(page) is no node") }
    bytes = opened
    heads = .allocate(capacity: count)
    self.level = level
    self.count = count
    self.high = high
    live = SealedFormat.contentBytes - high
    self.page = page
    self.tag = tag
    generation = 0
    capacity = count
    if level > 0 { links = Self.allocateLinks(count) }
    total = level == 0 ? count : (0..<count).reduce(0) { $0 &+ Int(truncatingIfNeeded: reference($1).count) }
    refreshHeads()
  }

  /// Whether the entries are in the stored form: side by side from `high` to the end of the page, each once and none larger than
  /// allowed.
  ///
  /// Changes of a node rely on that, and anyone who computes checksums for a page can write anything into it.
  private static func hasEntries(_ bytes: UnsafeMutableRawPointer, level: Int, count: Int, high: Int) -> Bool {
    // Where keys came in ascending order, and in every page that was put together, each lies before the one before it.
    var end = SealedFormat.contentBytes
    for index in 0..<count {
      let place = Int(UInt16(littleEndian: bytes.load(fromByteOffset: 8 &+ 2 &* index, as: UInt16.self)))
      guard place >= high, place &+ SealedFormat.leafEntryHead <= SealedFormat.contentBytes,
        let size = soundEntryBytes(bytes + place, level: level, room: SealedFormat.contentBytes &- place)
      else { return false }
      if place &+ size != end { return hasEntriesInAnyOrder(bytes, level: level, count: count, high: high) }
      end = place
    }
    return end == high
  }

  private static func hasEntriesInAnyOrder(
    _ bytes: UnsafeMutableRawPointer, level: Int, count: Int, high: Int
  ) -> Bool {
    let end = SealedFormat.contentBytes
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: (end + 63) / 64) { starts in
      starts.initialize(repeating: 0)
      for index in 0..<count {
        let place = Int(UInt16(littleEndian: bytes.load(fromByteOffset: 8 + 2 * index, as: UInt16.self)))
        guard place >= high, place + SealedFormat.leafEntryHead <= end else { return false }
        starts[place / 64] |= 1 << UInt64(place % 64)
      }
      // So many entries that end where the next one begins: no two places are the same.
      var place = high
      for _ in 0..<count {
        guard place + SealedFormat.leafEntryHead <= end, starts[place / 64] & 1 << UInt64(place % 64) != 0,
          let size = soundEntryBytes(bytes + place, level: level, room: end - place)
        else { return false }
        place += size
      }
      return place == end
    }
  }

  /// Bytes of an entry without its place; nil for one that is larger than may be, or refers to nothing.
  @inline(__always)
  private static func soundEntryBytes(_ entry: UnsafeMutableRawPointer, level: Int, room: Int) -> Int? {
    let size = entryBytes(entry, level: level)
    guard length(entry) <= SealedFormat.maximumKeyBytes, size <= room else { return nil }
    let value = UInt16(littleEndian: entry.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    if level == 0, value != SealedFormat.chained { return size + 2 <= SealedFormat.maximumEntryBytes ? size : nil }
    return PageReference(at: entry + size - SealedFormat.referenceBytes).hasSoundCount ? size : nil
  }

  deinit {
    if let links {
      for index in 0..<count { Self.release(links[index].load(ordering: .acquiring)) }
      links.deallocate()
    }
    heads.deallocate()
    bytes.deallocate()
    meter?.subtract(footprint)
  }

  /// Bytes of memory.
  var footprint: Int { SealedFormat.contentBytes + capacity * (level == 0 ? 8 : 16) + 192 }

  /// Counts the node as one that is kept.
  func count(by meter: CacheMeter) {
    guard self.meter == nil else { return }
    self.meter = meter
    meter.add(footprint)
  }

  @inline(__always) var isLeaf: Bool { level == 0 }
  /// The first entry whose key means something.
  @inline(__always) var firstKey: Int { level == 0 ? 0 : 1 }

  // MARK: Entries

  /// Where the bytes of an entry begin.
  @inline(__always)
  func place(_ index: Int) -> Int {
    Int(UInt16(littleEndian: bytes.load(fromByteOffset: 8 &+ 2 &* index, as: UInt16.self)))
  }

  @inline(__always)
  func setPlace(_ index: Int, _ place: Int) {
    bytes.storeBytes(of: UInt16(truncatingIfNeeded: place).littleEndian, toByteOffset: 8 + 2 * index, as: UInt16.self)
  }

  @inline(__always)
  private static func length(_ entry: UnsafeRawPointer) -> Int {
    Int(UInt16(littleEndian: entry.loadUnaligned(as: UInt16.self)))
  }

  /// Bytes of an entry without its place.
  static func entryBytes(_ entry: UnsafeRawPointer, level: Int) -> Int {
    let key = length(entry)
    if level > 0 { return SealedFormat.branchEntryHead + key + SealedFormat.referenceBytes }
    let value = UInt16(littleEndian: entry.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    return SealedFormat.leafEntryHead + key
      + (value == SealedFormat.chained ? SealedFormat.referenceBytes : Int(value))
  }

  /// Bytes of an entry without its place.
  func entryBytes(_ index: Int) -> Int { Self.entryBytes(bytes + place(index), level: level) }

  @inline(__always)
  func key(_ index: Int) -> UnsafeRawBufferPointer {
    let entry = UnsafeRawPointer(bytes) + place(index)
    let head = level == 0 ? SealedFormat.leafEntryHead : SealedFormat.branchEntryHead
    return UnsafeRawBufferPointer(start: entry + head, count: Self.length(entry))
  }

  /// The value of a leaf's entry; nil where it is in a chain.
  @inline(__always)
  func value(_ index: Int) -> UnsafeRawBufferPointer? {
    let entry = UnsafeRawPointer(bytes) + place(index)
    let count = UInt16(littleEndian: entry.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    if count == SealedFormat.chained { return nil }
    return UnsafeRawBufferPointer(start: entry + (SealedFormat.leafEntryHead &+ Self.length(entry)), count: Int(count))
  }

  /// Where the reference of an entry stands: of a branch, or of a leaf's entry whose value is in a chain.
  private func referencePlace(_ index: Int) -> UnsafeMutableRawPointer {
    let entry = bytes + place(index)
    return entry + Self.length(entry) + (level == 0 ? SealedFormat.leafEntryHead : SealedFormat.branchEntryHead)
  }

  /// The child of a branch, or the chain of a leaf's entry that has one.
  func reference(_ index: Int) -> PageReference { PageReference(at: referencePlace(index)) }

  func setReference(_ index: Int, _ reference: PageReference) { reference.store(at: referencePlace(index)) }

  // MARK: Children that were opened

  private static func allocateLinks(_ count: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
    let links = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: count)
    for index in 0..<count { (links + index).initialize(to: Atomic(0)) }
    return links
  }

  static func bits(retaining node: SealedNode) -> UInt {
    UInt(bitPattern: Unmanaged.passRetained(node).toOpaque())
  }

  static func release(_ bits: UInt) {
    guard let pointer = UnsafeRawPointer(bitPattern: bits) else { return }
    Unmanaged<SealedNode>.fromOpaque(pointer).release()
  }

  /// The node of a link.
  @inline(__always)
  static func node(_ bits: UInt) -> SealedNode? {
    guard let pointer = UnsafeRawPointer(bitPattern: bits) else { return nil }
    return Unmanaged<SealedNode>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// The child, if it was opened before.
  @inline(__always)
  func link(_ index: Int) -> SealedNode? {
    guard let links else { return nil }
    return Self.node(links[index].load(ordering: .acquiring))
  }

  /// Remembers a child that was opened.
  ///
  /// - Returns: The child that is remembered: another thread may have been first.
  func remember(_ index: Int, _ child: SealedNode) -> SealedNode {
    guard let links else { return child }
    let bits = Self.bits(retaining: child)
    let (isFirst, found) = links[index].compareExchange(
      expected: 0, desired: bits, ordering: .acquiringAndReleasing)
    if isFirst { return child }
    Self.release(bits)
    return Self.node(found) ?? child
  }

  /// Makes another node the child. Only in a node that may be changed.
  func setLink(_ index: Int, _ child: SealedNode?) {
    guard let links else { return }
    let old = links[index].load(ordering: .relaxed)
    links[index].store(child.map { Self.bits(retaining: $0) } ?? 0, ordering: .relaxed)
    Self.release(old)
  }

  /// Makes room for more entries in heads and links.
  func reserve(_ wanted: Int) {
    guard wanted > capacity else { return }
    let grown = max(wanted, capacity * 2)
    let moved = UnsafeMutablePointer<UInt64>.allocate(capacity: grown)
    moved.update(from: heads, count: count)
    heads.deallocate()
    heads = moved
    if let links {
      let more = Self.allocateLinks(grown)
      for index in 0..<count { more[index].store(links[index].load(ordering: .relaxed), ordering: .relaxed) }
      links.deallocate()
      self.links = more
    }
    capacity = grown
  }
}
