import QuarryBackend
import QuarryKeyValue

/// The numbers of the format: `docs/formats/sealed-pages.md`.
enum SealedFormat {
  /// The version of the root record, and so of the pages.
  static let version: UInt16 = 1
  /// Bytes of a page as the base has it: with the 16 bytes of LMDB's head, one of its pages of 4,096.
  static let pageBytes = 4_080
  /// Bytes of a page before its epoch, nonce and tag.
  static let contentBytes = pageBytes - 4 - StoreCipherFormat.trailerBytes
  /// Bytes of the beginning of a node.
  static let headerBytes = 8
  /// Bytes of a node for entries and their places.
  static let roomBytes = contentBytes - headerBytes
  /// Bytes of the longest key: four keys of that length fit into a page.
  static let maximumKeyBytes = 960
  /// Bytes that an entry of a leaf may take; a larger value goes into a chain. Two fit into a page, so that every full one
  /// can be split.
  static let maximumEntryBytes = roomBytes / 2
  /// Bytes before the key of an entry of a leaf: the length of the key and of the value.
  static let leafEntryHead = 4
  /// Bytes before the key of an entry of a branch: the length of the key.
  static let branchEntryHead = 2
  /// Entries of a leaf without keys and values, which no leaf has more of.
  static let mostLeafEntries = roomBytes / (2 + leafEntryHead)
  /// Entries of a tree, bytes of a value and pages, more than any disk has room for.
  static let greatestCount: UInt64 = 1 << 48
  /// Bytes of a reference: page, tag and a number of entries or bytes.
  static let referenceBytes = 32
  /// The length of a value that says that a reference to a chain stands in its place.
  static let chained: UInt16 = .max
  /// Bytes of a chain's page before its part of the value: the next page and its tag.
  static let chainHead = 24
  /// Bytes of a value in one page of a chain.
  static let chainRoom = contentBytes - chainHead
  /// Pieces that are sealed with one key.
  ///
  /// Half of the allowed number: pieces of transactions that were never committed are not counted.
  static let sealsInEpoch = StoreCipherFormat.sealLimit / 2

  /// The kind of a page.
  enum Kind: UInt32 {
    case node = 1
    case chain = 2
  }

  /// Bytes that a leaf's entry takes with its place.
  @inline(__always)
  static func leafEntryBytes(key: Int, value: Int) -> Int { 2 + leafEntryHead + key + value }
}

/// The tag of a sealed page, which names its content.
struct PageTag: Hashable {
  var first: UInt64
  var second: UInt64

  static let none = PageTag(first: 0, second: 0)

  init(first: UInt64, second: UInt64) {
    self.first = first
    self.second = second
  }

  /// Reads 16 bytes.
  @inline(__always)
  init(at place: UnsafeRawPointer) {
    first = place.loadUnaligned(as: UInt64.self)
    second = place.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
  }

  @inline(__always)
  func store(at place: UnsafeMutableRawPointer) {
    place.storeBytes(of: first, as: UInt64.self)
    place.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
  }
}

/// The reference in a branch to a child, in an entry to its chain, and in a root record to a tree.
///
/// It says where the page is, and which content it must have.
struct PageReference: Hashable {
  var page: UInt64
  var tag: PageTag
  /// Entries below, or bytes of the value.
  var count: UInt64

  init(page: UInt64, tag: PageTag, count: UInt64) {
    self.page = page
    self.tag = tag
    self.count = count
  }

  /// Whether it says that there are entries or bytes, and not more than can be added up.
  @inline(__always) var hasSoundCount: Bool { count > 0 && count <= SealedFormat.greatestCount }

  /// Reads ``SealedFormat/referenceBytes`` bytes.
  @inline(__always)
  init(at place: UnsafeRawPointer) {
    page = UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
    tag = PageTag(at: place + 8)
    count = UInt64(littleEndian: place.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
  }

  func store(at place: UnsafeMutableRawPointer) {
    place.storeBytes(of: page.littleEndian, as: UInt64.self)
    tag.store(at: place + 8)
    place.storeBytes(of: count.littleEndian, toByteOffset: 24, as: UInt64.self)
  }
}

extension StorageError {
  @inline(never)
  static func damaged(_ what: String) -> StorageError {
    StorageError(.corrupt, "a sealed store is damaged: \(what)")
  }
}
