import QuarryBackend

/// How keys are stored that are longer than an engine takes; see `docs/formats/key.md`.
///
/// Keys up to the limit are in their tree as they are. A longer one is in a companion tree, under a prefix of it, its
/// hash and a probe byte that tells keys with one prefix and hash apart; the value begins with the whole key. So short
/// keys cost one comparison of lengths, and nothing has to tell a short key from a long one.
final class LongKeyFormat: Sendable {
  typealias Hash = @Sendable (UnsafeRawBufferPointer) -> UInt64

  /// An engine must take keys of at least this many bytes.
  static let minimumLimit = 16
  /// The bytes after the prefix: a hash and a probe.
  static let tailBytes = 9
  /// The bit that is set in an id of a companion tree and in no id of a schema.
  static let companionBit: TreeID = 0x8000_0000
  /// Bytes before the key in a value: its length.
  static let lengthBytes = 4

  /// Bytes of the longest key that is stored as it is.
  let limit: Int
  let prefixBytes: Int
  private let hash: Hash

  init(limit: Int, hash: @escaping Hash = { SipHash.hash($0) }) {
    self.limit = limit
    prefixBytes = limit - Self.tailBytes
    self.hash = hash
  }

  /// Whether the tree can have keys that are longer than the limit.
  func concerns(_ tree: Tree) -> Bool {
    guard let bytes = tree.maximumKeyBytes else { return true }
    return bytes > limit
  }

  /// The tree with the long keys of a tree.
  static func companion(of tree: TreeID) -> TreeID { tree | companionBit }

  // MARK: Entries

  /// The entry of a long key with the first probe.
  func entry(_ key: UnsafeRawBufferPointer) -> [UInt8] {
    var entry: [UInt8] = []
    entry.reserveCapacity(limit)
    entry.append(contentsOf: key[..<prefixBytes])
    withUnsafeBytes(of: hash(key).bigEndian) { entry.append(contentsOf: $0) }
    entry.append(0)
    return entry
  }

  /// Goes on to the next probe.
  ///
  /// - Returns: Whether there is one.
  static func advance(_ entry: inout [UInt8]) -> Bool {
    guard let probe = entry.last, probe < .max else { return false }
    entry[entry.count - 1] = probe + 1
    return true
  }

  /// The value stored under the entry of a long key: the length of the key, the key, the value.
  static func stored(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> [UInt8] {
    guard let length = UInt32(exactly: key.count) else {
      throw .limitExceeded("bytes of a key", limit: Int(UInt32.max), actual: key.count)
    }
    var stored: [UInt8] = []
    stored.reserveCapacity(lengthBytes + key.count + value.count)
    withUnsafeBytes(of: length.littleEndian) { stored.append(contentsOf: $0) }
    stored.append(contentsOf: key)
    stored.append(contentsOf: value)
    return stored
  }

  /// The key and the value in what is stored under an entry.
  ///
  /// - Throws: `corrupt`.
  static func split(
    _ stored: UnsafeRawBufferPointer
  ) throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    guard stored.count >= lengthBytes else {
      throw StorageError(.corrupt, "the entry of a long key is too short")
    }
    let length = Int(UInt32(littleEndian: stored.loadUnaligned(as: UInt32.self)))
    guard length <= stored.count - lengthBytes else {
      throw StorageError(.corrupt, "the entry of a long key ends inside the key")
    }
    let end = lengthBytes + length
    return (
      UnsafeRawBufferPointer(rebasing: stored[lengthBytes..<end]), UnsafeRawBufferPointer(rebasing: stored[end...])
    )
  }

  /// Whether such a key belongs under that entry, whatever its probe.
  func belongs(_ key: UnsafeRawBufferPointer, under entry: UnsafeRawBufferPointer) -> Bool {
    guard key.count > limit, entry.count == limit else { return false }
    return self.entry(key).withUnsafeBytes { expected in
      UnsafeRawBufferPointer(rebasing: expected[..<(limit - 1)])
        .compare(UnsafeRawBufferPointer(rebasing: entry[..<(limit - 1)])) == 0
    }
  }

  // MARK: Ranges

  /// The range of the keys in the tree itself, with bounds that the engine takes; nil when none can be in it.
  ///
  /// No key up to the limit lies between a longer bound and the least key after the bound's beginning.
  func short(_ range: KeyRange) -> KeyRange? {
    var range = range
    if let lower = range.lower, lower.count > limit {
      guard let bound = KeyRange.successor(ofPrefix: Array(lower[..<limit])) else { return nil }
      range.lower = bound
    }
    if let upper = range.upper, upper.count > limit {
      range.upper = KeyRange.successor(ofPrefix: Array(upper[..<limit]))
    }
    return range.isEmpty ? nil : range
  }

  /// The range of the entries in the companion tree.
  ///
  /// Where a bound is longer than a prefix, the entries with the bound's prefix are all inside, including entries of keys beyond
  /// the bound.
  func companion(_ range: KeyRange) -> KeyRange {
    var range = range
    if let lower = range.lower, lower.count > prefixBytes { range.lower = Array(lower[..<prefixBytes]) }
    if let upper = range.upper, upper.count > prefixBytes {
      range.upper = KeyRange.successor(ofPrefix: Array(upper[..<prefixBytes]))
    }
    return range
  }

  /// The prefixes of long bounds, whose entries are not all of keys in the range.
  func boundaries(of range: KeyRange) -> [[UInt8]] {
    var prefixes: [[UInt8]] = []
    for bound in [range.lower, range.upper] {
      guard let bound, bound.count > prefixBytes else { continue }
      let prefix = Array(bound[..<prefixBytes])
      if prefixes.last != prefix { prefixes.append(prefix) }
    }
    return prefixes
  }
}

extension KeyRange {
  /// Whether the key lies in the range.
  func contains(_ key: UnsafeRawBufferPointer) -> Bool {
    if let lower, lower.withUnsafeBytes({ key.precedes($0) }) { return false }
    if let upper, !upper.withUnsafeBytes({ key.precedes($0) }) { return false }
    return true
  }
}
