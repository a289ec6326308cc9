import QuarryBackend

/// Sorts index entries with the primary keys of their rows by their bytes.
///
/// Equal entries stay in the order in which they came.
///
/// The unsafe parts are the two arenas, whose bytes are lent until the next `append`, and the arrays of heads, which are
/// only ever accessed below their counts.
final class EntrySorter {
  /// Bytes of entries and keys that are sorted at once. More come in several orders, one behind the other.
  static let limit = 64 << 20

  private let entries = ByteArena(capacity: 1 << 16)
  private let keys = ByteArena(capacity: 1 << 16)
  private var bytes = 0
  /// How many bytes all entries begin with.
  private var shared = Int.max

  /// The eight bytes of an entry behind those that all share, as a number of the same order, and its place.
  private struct Head {
    var bits: UInt64
    var place: UInt32
  }

  /// Whether it is time to take the entries out.
  var isFull: Bool { bytes >= Self.limit || entries.count >= Int(UInt32.max) }

  func append(_ entry: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer) {
    if entries.count > 0 {
      if shared > 0 { shared = min(shared, entries[0].commonPrefix(with: entry)) }
    } else {
      shared = entry.count
    }
    entries.append(entry)
    keys.append(key)
    bytes += entry.count + key.count + 2 * MemoryLayout<Head>.stride
  }

  func removeAll() {
    entries.removeAll()
    keys.removeAll()
    bytes = 0
  }

  /// Calls the body with each entry and its key, in the order of the entries.
  func forEach(
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    var heads = sortedHeads()
    var start = 0
    while start < heads.count {
      var end = start + 1
      while end < heads.count, heads[end].bits == heads[start].bits { end += 1 }
      if end > start + 1 { sort(&heads, start..<end) }
      for head in heads[start..<end] { try body(entries[Int(head.place)], keys[Int(head.place)]) }
      start = end
    }
  }

  /// Puts entries with equal heads into their order. Rows come in the order of their keys, with which the entries of equal
  /// values end, so that most are in order.
  private func sort(_ heads: inout [Head], _ range: Range<Int>) {
    for index in range.dropFirst()
    where entries[Int(heads[index].place)].compare(entries[Int(heads[index - 1].place)]) < 0 {
      heads[range].sort { left, right in
        let order = entries[Int(left.place)].compare(entries[Int(right.place)])
        return order == 0 ? left.place < right.place : order < 0
      }
      return
    }
  }

  // MARK: Heads

  private func head(_ place: Int) -> Head {
    let entry = entries[place]
    let rest = UnsafeRawBufferPointer(rebasing: entry[min(shared, entry.count)...])
    return Head(bits: rest.keyHead(skip: 0), place: UInt32(truncatingIfNeeded: place))
  }

  /// The heads in order, equal ones in the order of their places.
  ///
  /// Sorts by one byte after the other, the last first, and only by bytes in which heads differ.
  private func sortedHeads() -> [Head] {
    var heads = (0..<entries.count).map { head($0) }
    guard heads.count > 1 else { return heads }
    var counts = [Int](repeating: 0, count: 8 * 256)
    for head in heads {
      for byte in 0..<8 { counts[byte * 256 + Self.digit(head, byte)] += 1 }
    }
    var other = heads
    for byte in 0..<8 {
      let first = Self.digit(heads[0], byte)
      if counts[byte * 256 + first] == heads.count { continue }
      var next = 0
      for value in 0..<256 {
        let count = counts[byte * 256 + value]
        counts[byte * 256 + value] = next
        next += count
      }
      for head in heads {
        let slot = byte * 256 + Self.digit(head, byte)
        other[counts[slot]] = head
        counts[slot] += 1
      }
      swap(&heads, &other)
    }
    return heads
  }

  @inline(__always)
  private static func digit(_ head: Head, _ byte: Int) -> Int {
    Int(truncatingIfNeeded: head.bits >> UInt64(8 * byte) & 0xFF)
  }
}
