import CLMDB
import QuarryKeyValue

/// The handles of trees that are open: a hash table of numbers that never changes once it is published.
///
/// Sendable unchecked: the memory is written in `init` only, and freed with the environment, when nothing reads any more.
struct LMDBTreeTable: @unchecked Sendable {
  private static let header = 2
  private let words: UnsafeMutablePointer<UInt64>

  /// The records of the main database when the table was made: when a state has as many, the table has all its trees.
  var records: Int { Int(words[1]) }

  init(_ handles: [(tree: TreeID, handle: MDB_dbi)], records: Int) {
    var capacity = 16
    while capacity < handles.count * 2 { capacity *= 2 }
    words = .allocate(capacity: capacity + Self.header)
    words.initialize(repeating: 0, count: capacity + Self.header)
    words[0] = UInt64(capacity - 1)
    words[1] = UInt64(records)
    for (tree, handle) in handles {
      var place = Self.hash(tree)
      while words[Self.header + Int(place & words[0])] != 0 { place &+= 1 }
      // No handle is 0: that is LMDB's own list of free pages.
      words[Self.header + Int(place & words[0])] = UInt64(tree) << 32 | UInt64(handle)
    }
  }

  /// A table that was stored as a number.
  @inline(__always)
  init?(bits: UInt) {
    guard let words = UnsafeMutablePointer<UInt64>(bitPattern: bits) else { return nil }
    self.words = words
  }

  var bits: UInt { UInt(bitPattern: words) }

  func free() { words.deallocate() }

  @inline(__always)
  private static func hash(_ tree: TreeID) -> UInt64 { UInt64(tree &* 0x9E37_79B1) >> 7 }

  /// The handle of a tree, or nil when it is not there.
  @inline(__always)
  func handle(_ tree: TreeID) -> MDB_dbi? {
    var place = Self.hash(tree)
    while true {
      let word = words[Self.header + Int(place & words[0])]
      if word == 0 { return nil }
      if word >> 32 == UInt64(tree) { return MDB_dbi(truncatingIfNeeded: word) }
      place &+= 1
    }
  }

  /// All trees with their handles.
  var all: [(tree: TreeID, handle: MDB_dbi)] {
    (0...Int(words[0])).compactMap { place in
      let word = words[Self.header + place]
      return word == 0 ? nil : (TreeID(word >> 32), MDB_dbi(truncatingIfNeeded: word))
    }
  }
}
