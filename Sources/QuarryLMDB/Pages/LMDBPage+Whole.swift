import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How the keys of a tree are ordered.
enum LMDBKeyOrder {
  case bytes
  /// The numbers of transactions, 8 bytes as the processor has them.
  case numbers

  func isLess(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .bytes: LMDBKey.isLess(left, right)
    case .numbers: left.loadUnaligned(as: UInt64.self) < right.loadUnaligned(as: UInt64.self)
    }
  }

  func allows(_ key: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .bytes: !key.isEmpty && key.count <= 511
    case .numbers: key.count == 8
    }
  }
}

/// The keys that a page may have, by the keys of its parents.
struct LMDBKeyBounds {
  /// The least key; nil for any.
  var lower: UnsafeRawBufferPointer?
  /// The key that comes after all of them; nil for none.
  var upper: UnsafeRawBufferPointer?
}

extension LMDBPage {
  /// The most bytes of a node; a larger value has pages of its own (`me_nodemax` in LMDB's source).
  private static func largestNode(_ size: Int) -> Int { (size - head) / 2 & ~1 - 2 }

  /// Checks everything in the page that LMDB relies on.
  ///
  /// It must be the expected page. Its nodes must lie side by side up to its end, be of a kind that stores have, and have keys in
  /// order.
  ///
  /// - Parameters:
  ///   - valuesShrink: Whether a value that has pages of its own may have become short in them.
  ///   - places: Room for ``size`` / 2 numbers, all zero, as they are at the end, too, unless there is a defect.
  /// - Returns: The defect; nil when there is none.
  func defect(
    _ number: UInt64, _ order: LMDBKeyOrder, _ bounds: LMDBKeyBounds, valuesShrink: Bool,
    _ places: UnsafeMutablePointer<UInt16>
  ) throws(StorageError) -> String? {
    guard Self.number(at: start) == number else { return "it has the number \(Self.number(at: start))" }
    guard Self.flags(at: start) == (isLeaf ? 2 : 1) else { return "it is of no kind" }
    let (lower, upper) = (head(12), head(14))
    guard lower % 2 == 0, upper >= lower, upper <= size else { return "its free room has no sense" }
    var last = bounds.lower
    for index in 0..<count {
      let place = place(index)
      guard place >= upper, place % 2 == 0 else { return "node \(index) is outside of the room for nodes" }
      let key = try key(index)
      // The first key of a branch stands for all keys before the second.
      let hasKey = isLeaf || index > 0
      if hasKey {
        guard order.allows(key) else { return "key \(index) has a wrong length" }
        if let last, index == 0 || !isLeaf && index == 1 ? order.isLess(key, last) : !order.isLess(last, key) {
          return "key \(index) is out of order"
        }
        last = key
      }
      guard let bytes = nodeBytes(place, key.count, valuesShrink) else { return "node \(index) has a wrong size" }
      guard places[place / 2] == 0 else { return "node \(index) is there twice" }
      places[place / 2] = UInt16(truncatingIfNeeded: bytes)
    }
    if let last, let bound = bounds.upper, !order.isLess(last, bound) { return "its last key is out of order" }
    return areSideBySide(from: upper, places) ? nil : "its nodes do not lie side by side"
  }

  private func head(_ offset: Int) -> Int {
    Int(UInt16(littleEndian: start.load(fromByteOffset: offset, as: UInt16.self)))
  }

  /// Bytes of a node that lies in the page; nil for one that no store has.
  private func nodeBytes(_ place: Int, _ key: Int, _ valuesShrink: Bool) -> Int? {
    var bytes = Self.nodeHead + key
    if isLeaf {
      let value = valueCount(place)
      switch nodeFlags(place) {
      // A value, or the record of a database.
      case 0, 2: bytes += value
      // Pages of its own.
      case 1 where bytes + value > Self.largestNode(size) || valuesShrink: bytes += 8
      default: return nil
      }
      guard bytes <= Self.largestNode(size) else { return nil }
    }
    bytes += bytes % 2
    return place + bytes <= size ? bytes : nil
  }

  /// Goes from node to node to the end of the page, and clears what is noted of them.
  private func areSideBySide(from first: Int, _ places: UnsafeMutablePointer<UInt16>) -> Bool {
    var (place, nodes) = (first, 0)
    while place < size {
      let bytes = Int(places[place / 2])
      guard bytes > 0 else { return false }
      places[place / 2] = 0
      place += bytes
      nodes += 1
    }
    return nodes == count
  }
}
