/// Numbers groups by the bytes of their keys: a hash table with open addressing over keys that lie one after the other.
struct GroupTable {
  private var keys: ContiguousArray<UInt8> = []
  /// Where each group's key ends.
  private var ends: ContiguousArray<Int> = []
  private var hashes: ContiguousArray<Int> = []
  /// Group numbers, or -1; a power of two of them.
  private var places = ContiguousArray<Int32>(repeating: -1, count: 16)
  private var last = -1

  var count: Int { ends.count }
  /// Bytes of the table, and those of the keys.
  var bytes: Int { keyBytes + count * 2 * MemoryLayout<Int>.stride + places.count * MemoryLayout<Int32>.stride }
  var keyBytes: Int { keys.count }

  /// The group with that key, and whether it is new.
  ///
  /// - Parameter mayAdd: Whether a key without a group gets one; otherwise the result is nil for it.
  /// - Throws: `limitExceeded` past 2^31 groups.
  mutating func group(
    _ key: UnsafeRawBufferPointer, mayAdd: Bool
  ) throws(StorageError) -> (index: Int, isNew: Bool)? {
    // Rows of one group often come one after the other.
    if last >= 0, isEqual(last, key) { return (last, false) }
    let hash = self.hash(key)
    var place = hash & (places.count - 1)
    while places[place] >= 0 {
      let group = Int(places[place])
      if hashes[group] == hash, isEqual(group, key) {
        last = group
        return (group, false)
      }
      place = (place + 1) & (places.count - 1)
    }
    guard mayAdd else { return nil }
    guard count < Int(Int32.max) else {
      throw .limitExceeded("groups of an aggregate", limit: Int(Int32.max), actual: count + 1)
    }
    let group = count
    places[place] = Int32(group)
    keys.append(contentsOf: key)
    ends.append(keys.count)
    hashes.append(hash)
    if count * 2 > places.count { grow() }
    last = group
    return (group, true)
  }

  private mutating func grow() {
    places = ContiguousArray(repeating: -1, count: places.count * 2)
    for (group, hash) in hashes.enumerated() {
      var place = hash & (places.count - 1)
      while places[place] >= 0 { place = (place + 1) & (places.count - 1) }
      places[place] = Int32(group)
    }
  }

  /// Chosen at random, so that keys cannot be chosen to collide.
  private let seed = UInt64.random(in: 0...UInt64.max)
  private let factor = UInt64.random(in: 0...UInt64.max) | 1

  /// Folded products of eight bytes at a time.
  private func hash(_ key: UnsafeRawBufferPointer) -> Int {
    var hash = seed ^ UInt64(truncatingIfNeeded: key.count)
    var rest = key.count
    if var base = key.baseAddress {
      while rest >= 8 {
        hash = Self.mixed(hash ^ base.loadUnaligned(as: UInt64.self), factor)
        base += 8
        rest &-= 8
      }
      var tail: UInt64 = 0
      for index in 0..<rest { tail = tail &<< 8 | UInt64(base.load(fromByteOffset: index, as: UInt8.self)) }
      hash = Self.mixed(hash ^ tail, factor)
    }
    return Int(truncatingIfNeeded: Self.mixed(hash, 0x9E37_79B9_7F4A_7C15))
  }

  @inline(__always)
  private static func mixed(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let (high, low) = a.multipliedFullWidth(by: b)
    return high ^ low
  }

  private func range(_ group: Int) -> Range<Int> {
    (group == 0 ? 0 : ends[group - 1])..<ends[group]
  }

  private func isEqual(_ group: Int, _ key: UnsafeRawBufferPointer) -> Bool {
    let range = range(group)
    guard range.count == key.count else { return false }
    return keys.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[range]).compare(key) == 0 }
  }

  /// Whether a group comes before a group of another table.
  func precedes(_ group: Int, _ other: GroupTable, _ otherGroup: Int) -> Bool {
    keys.withUnsafeBytes { bytes in
      other.keys.withUnsafeBytes { others in
        UnsafeRawBufferPointer(rebasing: bytes[range(group)])
          .precedes(UnsafeRawBufferPointer(rebasing: others[other.range(otherGroup)]))
      }
    }
  }

  /// The groups in the order of their keys.
  func sorted() -> [Int] {
    keys.withUnsafeBytes { bytes in
      (0..<count).sorted {
        UnsafeRawBufferPointer(rebasing: bytes[range($0)])
          .precedes(UnsafeRawBufferPointer(rebasing: bytes[range($1)]))
      }
    }
  }
}
