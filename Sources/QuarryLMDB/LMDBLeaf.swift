import QuarryBackend

/// A leaf page of a committed state, read where LMDB has mapped it: entries in the order of their keys.
///
/// The layout is that of LMDB 0.9 (`MDB_page` and `MDB_node` in its source), data version 1, which is looked at when a
/// store is opened: a head of 16 bytes (number, room, flags, and the end of the places), the places of the nodes in two
/// bytes each, and nodes of the length of the value in four bytes, flags, the length of the key, the key, the value.
/// Every offset is checked against the page before it is followed.
struct LMDBLeaf {
  private static let head = 16
  private static let nodeHead = 8
  private static let isLeaf: UInt16 = 0x02
  /// Branch, leaf, overflow, meta page; leaf of keys alone, page of duplicates.
  private static let kinds: UInt16 = 0x6F

  private let start: UnsafeRawPointer
  private let size: Int
  /// The number of entries.
  let count: Int

  /// - Parameters:
  ///   - key: Where a key of the page lies.
  ///   - size: Bytes of a page, a power of two that the map's address is a multiple of.
  /// - Throws: `corrupt`.
  @inline(__always)
  init(holding key: UnsafeRawPointer, size: Int) throws(StorageError) {
    let start = key - (Int(bitPattern: key) & (size - 1))
    let end = Int(UInt16(littleEndian: start.load(fromByteOffset: 12, as: UInt16.self)))
    guard UInt16(littleEndian: start.load(fromByteOffset: 10, as: UInt16.self)) & Self.kinds == Self.isLeaf,
      end > Self.head, end <= size
    else { throw Self.damaged() }
    self.start = start
    self.size = size
    count = (end - Self.head) / 2
  }

  @inline(never)
  private static func damaged() -> StorageError { StorageError(.corrupt, "a page of an LMDB store is damaged") }

  /// Where the node of an entry lies in the page.
  @inline(__always)
  private func place(_ index: Int) -> Int {
    Int(UInt16(littleEndian: start.load(fromByteOffset: Self.head + index * 2, as: UInt16.self)))
  }

  /// The key of an entry, and where it ends in the page.
  @inline(__always)
  private func keyAndEnd(_ index: Int) throws(StorageError) -> (key: UnsafeRawBufferPointer, place: Int, end: Int) {
    let place = place(index)
    guard place <= size - Self.nodeHead else { throw Self.damaged() }
    let count = Int(UInt16(littleEndian: start.loadUnaligned(fromByteOffset: place + 6, as: UInt16.self)))
    let end = place + Self.nodeHead + count
    guard end <= size else { throw Self.damaged() }
    return (UnsafeRawBufferPointer(start: start + place + Self.nodeHead, count: count), place, end)
  }

  /// - Parameter index: Less than `count`.
  @inline(__always)
  func key(_ index: Int) throws(StorageError) -> UnsafeRawBufferPointer { try keyAndEnd(index).key }

  /// The value of an entry; nil when it is too large for the page and lies elsewhere.
  ///
  /// - Parameter index: Less than `count`.
  @inline(__always)
  func value(_ index: Int) throws(StorageError) -> UnsafeRawBufferPointer? {
    let (_, place, end) = try keyAndEnd(index)
    let count = Int(UInt32(littleEndian: start.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
    guard start.loadUnaligned(fromByteOffset: place + 4, as: UInt16.self) == 0 else { return nil }
    guard count <= size - end else { throw Self.damaged() }
    return UnsafeRawBufferPointer(start: start + end, count: count)
  }

  /// The entry whose key lies at a place.
  ///
  /// - Throws: `corrupt` when there is none.
  func index(ofKeyAt key: UnsafeRawPointer) throws(StorageError) -> Int {
    let wanted = key - start - Self.nodeHead
    for index in 0..<count where place(index) == wanted { return index }
    throw Self.damaged()
  }

  /// The first entry whose key is not before the bytes; `count` when all are.
  func firstIndex(notBefore bytes: UnsafeRawBufferPointer) throws(StorageError) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if LMDBKey.isLess(try key(middle), bytes) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
