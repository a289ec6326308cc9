import QuarryBackend

/// Different keys, each with its place, distinguished by their bytes as the store does it.
///
/// A table of hashes next to the keys, so that a known key is neither copied nor allocated.
@usableFromInline
struct DistinctKeys {
  /// The keys in the order in which they came.
  @usableFromInline private(set) var keys: [Key] = []
  private var hashes: [Int] = []
  /// Places by the lower bits of hashes, -1 where there is none: of a power of two, at most half full.
  private var table: [Int32] = Array(repeating: -1, count: 64)
  private let seed = UInt64.random(in: .min ... .max)

  @usableFromInline init() {}

  /// The place of a key, which is added when it was not there.
  @usableFromInline
  mutating func place(of bytes: UnsafeRawBufferPointer) -> Int {
    let isWord = bytes.count == 8
    let hash = isWord ? hash(ofWord: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))) : Self.hash(of: bytes)
    let mask = table.count - 1
    var slot = hash & mask
    while table[slot] >= 0 {
      let place = Int(table[slot])
      if hashes[place] == hash {
        let known = keys[place].bytes
        // For eight bytes the hash is sufficient.
        if isWord ? known.count == 8 : known.withUnsafeBytes({ $0.compare(bytes) == 0 }) { return place }
      }
      slot = (slot + 1) & mask
    }
    let place = keys.count
    keys.append(Key(copying: bytes))
    hashes.append(hash)
    table[slot] = Int32(truncatingIfNeeded: place)
    if keys.count * 2 > table.count { grow() }
    return place
  }

  private static func hash(of bytes: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    return hasher.finalize()
  }

  /// A permutation of all words, a different one in each table, so that no caller can choose keys that collide.
  private func hash(ofWord word: UInt64) -> Int {
    var mixed = (word ^ seed) &* 0x9E37_79B9_7F4A_7C15
    mixed ^= mixed >> 32
    return Int(truncatingIfNeeded: mixed)
  }

  private mutating func grow() {
    table = Array(repeating: -1, count: table.count * 2)
    let mask = table.count - 1
    for (place, hash) in hashes.enumerated() {
      var slot = hash & mask
      while table[slot] >= 0 { slot = (slot + 1) & mask }
      table[slot] = Int32(truncatingIfNeeded: place)
    }
  }
}
