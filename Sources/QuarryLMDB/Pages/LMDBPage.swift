import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A branch or leaf page of a committed state, read where LMDB has mapped it: entries in the order of their keys.
///
/// The layout is LMDB 0.9's (`MDB_page` and `MDB_node` in its source), data version 1, which is checked when a store is opened. A
/// page has a head of 16 bytes (number, room, flags, and the end of the places), the places of the nodes in two bytes each, and
/// nodes. A node has the length of the value in four bytes, flags, the length of the key, the key, the value. In a branch the
/// number of the page below replaces length and flags. Every offset is checked against the page before it is followed.
struct LMDBPage {
  static let head = 16
  static let nodeHead = 8
  private static let branch: UInt16 = 0x01
  private static let leaf: UInt16 = 0x02
  private static let overflow: UInt16 = 0x04
  /// Branch, leaf, overflow, meta page; leaf of keys alone, page of duplicates.
  private static let kinds: UInt16 = 0x6F

  private static let systemSize = sysconf(Int32(_SC_PAGESIZE))

  /// Whether a map begins at a multiple of the size of its pages, so that a key's address gives its page: not so for a
  /// file of larger pages than this system has.
  static func areAligned(size: Int) -> Bool { size <= systemSize }

  let start: UnsafeRawPointer
  let size: Int
  /// The number of entries, one or more.
  let count: Int
  let isLeaf: Bool

  /// - Parameters:
  ///   - start: Where the page begins, in a map that has all of it.
  ///   - size: Bytes of a page.
  /// - Throws: `corrupt`.
  @inline(__always)
  init(at start: UnsafeRawPointer, size: Int) throws(StorageError) {
    let end = Int(UInt16(littleEndian: start.load(fromByteOffset: 12, as: UInt16.self)))
    let kind = Self.kind(start)
    guard kind == Self.leaf || kind == Self.branch, end >= Self.head + 2, end <= size else { throw Self.damaged() }
    self.start = start
    self.size = size
    count = (end - Self.head) / 2
    isLeaf = kind == Self.leaf
  }

  /// The leaf in which a key lies.
  ///
  /// - Parameter size: Bytes of a page, a power of two that the map's address is a multiple of.
  /// - Throws: `corrupt`.
  init(holding key: UnsafeRawPointer, size: Int) throws(StorageError) {
    try self.init(at: Self.start(holding: key, size: size), size: size)
    guard isLeaf else { throw Self.damaged() }
  }

  static func start(holding key: UnsafeRawPointer, size: Int) -> UnsafeRawPointer {
    key - (Int(bitPattern: key) & (size - 1))
  }

  /// The number of entries of a leaf, by its head alone; nil when the page is none.
  @inline(__always)
  static func leafCount(at start: UnsafeRawPointer, size: Int) -> Int? {
    let end = Int(UInt16(littleEndian: start.load(fromByteOffset: 12, as: UInt16.self)))
    let firstNode = Int(UInt16(littleEndian: start.load(fromByteOffset: 14, as: UInt16.self)))
    guard kind(start) == leaf, end >= head + 2, end & 1 == 0, end <= firstNode, firstNode <= size else { return nil }
    return (end - head) / 2
  }

  /// The number that a page has for itself.
  static func number(at start: UnsafeRawPointer) -> UInt64 { UInt64(littleEndian: start.load(as: UInt64.self)) }

  @inline(__always)
  private static func kind(_ start: UnsafeRawPointer) -> UInt16 {
    flags(at: start) & kinds
  }

  /// The flags that a page has for itself.
  static func flags(at start: UnsafeRawPointer) -> UInt16 {
    UInt16(littleEndian: start.load(fromByteOffset: 10, as: UInt16.self))
  }

  /// The number of pages of a value that has its own, from their head on; nil when the page is none of these.
  static func overflowPages(at start: UnsafeRawPointer) -> Int? {
    guard kind(start) == overflow else { return nil }
    return Int(UInt32(littleEndian: start.load(fromByteOffset: 12, as: UInt32.self)))
  }

  /// Whether the head of the pages of a value says just what LMDB writes there: their own number, their kind, and as
  /// many as the value needs.
  static func isHead(at start: UnsafeRawPointer, number: UInt64, of count: Int, size: Int) -> Bool {
    self.number(at: start) == number && flags(at: start) == overflow
      && overflowPages(at: start) == pages(for: count, size: size)
  }

  /// The number of pages of a value that has its own.
  static func pages(for count: Int, size: Int) -> Int { (head + count + size - 1) / size }

  @inline(never)
  static func damaged() -> StorageError { StorageError(.corrupt, "a page of an LMDB store is damaged") }

  /// Where the node of an entry lies in the page.
  @inline(__always)
  func place(_ index: Int) -> Int {
    Int(UInt16(littleEndian: start.load(fromByteOffset: Self.head + index * 2, as: UInt16.self)))
  }

  /// The key of an entry, and where its node begins in the page.
  @inline(__always)
  private func keyAndPlace(_ index: Int) throws(StorageError) -> (key: UnsafeRawBufferPointer, place: Int) {
    let place = place(index)
    guard place <= size - Self.nodeHead else { throw Self.damaged() }
    let count = Int(UInt16(littleEndian: start.loadUnaligned(fromByteOffset: place + 6, as: UInt16.self)))
    guard place + Self.nodeHead + count <= size else { throw Self.damaged() }
    return (UnsafeRawBufferPointer(start: start + place + Self.nodeHead, count: count), place)
  }

  /// - Parameter index: Less than `count`.
  @inline(__always)
  func key(_ index: Int) throws(StorageError) -> UnsafeRawBufferPointer { try keyAndPlace(index).key }

  /// The value of an entry of a leaf; nil when it is too large for the page and has pages of its own.
  ///
  /// - Parameter index: Less than `count`.
  @inline(__always)
  func value(_ index: Int) throws(StorageError) -> UnsafeRawBufferPointer? {
    let (key, place) = try keyAndPlace(index)
    let end = place + Self.nodeHead + key.count
    let count = valueCount(place)
    guard start.loadUnaligned(fromByteOffset: place + 4, as: UInt16.self) == 0 else { return nil }
    guard count <= size - end else { throw Self.damaged() }
    return UnsafeRawBufferPointer(start: start + end, count: count)
  }

  @inline(__always)
  func valueCount(_ place: Int) -> Int {
    Int(UInt32(littleEndian: start.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
  }

  /// The record of a database, in an entry whose flags say that it is one; nil when it has another size.
  func record(_ index: Int) throws(StorageError) -> UnsafeRawBufferPointer? {
    let (key, place) = try keyAndPlace(index)
    let end = place + Self.nodeHead + key.count
    guard valueCount(place) == LMDBTreeRecord.byteCount, end + LMDBTreeRecord.byteCount <= size else { return nil }
    return UnsafeRawBufferPointer(start: start + end, count: LMDBTreeRecord.byteCount)
  }

  /// The first page of a value that has its own, and the value's bytes; nil for an entry of another kind.
  func largeValue(_ index: Int) throws(StorageError) -> (page: UInt64, count: Int)? {
    let (key, place) = try keyAndPlace(index)
    let end = place + Self.nodeHead + key.count
    guard UInt16(littleEndian: start.loadUnaligned(fromByteOffset: place + 4, as: UInt16.self)) == 1, end <= size - 8
    else { return nil }
    return (UInt64(littleEndian: start.loadUnaligned(fromByteOffset: end, as: UInt64.self)), valueCount(place))
  }

  /// The flags of an entry's node, which lies at a place of the page.
  func nodeFlags(_ place: Int) -> UInt16 {
    UInt16(littleEndian: start.loadUnaligned(fromByteOffset: place + 4, as: UInt16.self))
  }

  /// The number of the page below an entry of a branch.
  @inline(__always)
  func child(_ index: Int) throws(StorageError) -> UInt64 {
    let place = place(index)
    guard place <= size - Self.nodeHead else { throw Self.damaged() }
    return UInt64(littleEndian: start.loadUnaligned(fromByteOffset: place, as: UInt64.self)) & 0xFFFF_FFFF_FFFF
  }

  /// The entry whose key lies at a place.
  ///
  /// - Throws: `corrupt` when there is none.
  func index(ofKeyAt key: UnsafeRawPointer) throws(StorageError) -> Int {
    let wanted = key - start - Self.nodeHead
    for index in 0..<count where place(index) == wanted { return index }
    throw Self.damaged()
  }

  // MARK: Searching

  /// The first entry of a leaf whose key is not before the bytes; `count` when all are.
  @inline(__always)
  func firstIndex(notBefore bytes: UnsafeRawBufferPointer) throws(StorageError) -> Int {
    try firstIndex(from: 0, bytes, passesEqual: false)
  }

  /// The entry of a branch below which a key is, if it is anywhere. The first entry stands for all keys before the second.
  @inline(__always)
  func index(above bytes: UnsafeRawBufferPointer) throws(StorageError) -> Int {
    try firstIndex(from: 1, bytes, passesEqual: true) &- 1
  }

  /// The first entry from `low` on that comes after the key that is looked for, or is not before it; `count` when none is.
  @inline(__always)
  private func firstIndex(
    from low: Int, _ wanted: UnsafeRawBufferPointer, passesEqual: Bool
  ) throws(StorageError) -> Int {
    let (low, high) = narrowed(low, count, wanted, passesEqual)
    return low < high ? try firstIndexByBytes(low, high, wanted, passesEqual) : low
  }

  /// The same by whole keys, each compared by itself.
  @inline(never)
  private func firstIndexByBytes(
    _ low: Int, _ high: Int, _ wanted: UnsafeRawBufferPointer, _ passesEqual: Bool
  ) throws(StorageError) -> Int {
    var (low, high) = (low, high)
    while low < high {
      let middle = (low &+ high) &>> 1
      let key = try key(middle)
      let goesOn = passesEqual ? !LMDBKey.isLess(wanted, key) : LMDBKey.isLess(key, wanted)
      if goesOn { low = middle &+ 1 } else { high = middle }
      if low < high { (low, high) = narrowed(low, high, wanted, passesEqual) }
    }
    return low
  }

  /// The ends between which an entry lies, as far as the first eight bytes of keys tell, compared as numbers: mostly they tell
  /// all, and the ends are the same.
  ///
  /// A loop by itself, without a call, so that all that a step needs is in the processor's registers.
  @inline(never)
  private func narrowed(
    _ low: Int, _ high: Int, _ wanted: UnsafeRawBufferPointer, _ passesEqual: Bool
  ) -> (low: Int, high: Int) {
    guard wanted.count >= 8 else { return (low, high) }
    var (low, high) = (low, high)
    let head = UInt64(bigEndian: wanted.loadUnaligned(as: UInt64.self))
    let isWhole = wanted.count == 8
    let (start, last) = (start, size &- Self.nodeHead &- 8)
    while low < high {
      let middle = (low &+ high) &>> 1
      let place = Int(UInt16(littleEndian: start.load(fromByteOffset: Self.head &+ middle &* 2, as: UInt16.self)))
      // A key of eight bytes or more that lies in the page; of any other it is said elsewhere what is wrong.
      guard place <= last else { break }
      let length = Int(UInt16(littleEndian: start.loadUnaligned(fromByteOffset: place &+ 6, as: UInt16.self)))
      guard UInt(bitPattern: length &- 8) <= UInt(bitPattern: last &- place) else { break }
      let other = UInt64(bigEndian: start.loadUnaligned(fromByteOffset: place &+ Self.nodeHead, as: UInt64.self))
      var goesOn = other < head
      if other == head {
        guard isWhole, length == 8 else { break }
        goesOn = passesEqual
      }
      if goesOn { low = middle &+ 1 } else { high = middle }
    }
    return (low, high)
  }
}
