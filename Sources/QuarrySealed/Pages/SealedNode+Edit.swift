import QuarryBackend
import QuarryKeyValue

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// Changes of a node that may be changed.
extension SealedNode {
  /// Bytes that entries and their places take.
  var usedBytes: Int { live + 2 * count }

  /// Whether an entry of the given number of bytes fits, without its place.
  func fits(_ entryBytes: Int) -> Bool { usedBytes + entryBytes + 2 <= SealedFormat.roomBytes }

  /// Puts the entries side by side, and zeros where nothing is.
  func compact() {
    // Without garbage they are.
    if high + live < SealedFormat.contentBytes { moveTogether() }
    let low = SealedFormat.headerBytes + 2 * count
    memset(bytes + low, 0, high - low)
  }

  private func moveTogether() {
    withUnsafeTemporaryAllocation(byteCount: SealedFormat.contentBytes, alignment: 16) { copy in
      guard let old = copy.baseAddress else { return }
      memcpy(old, bytes, SealedFormat.contentBytes)
      var top = SealedFormat.contentBytes
      for index in 0..<count {
        let entry = old + place(index)
        let size = Self.entryBytes(entry, level: level)
        top -= size
        memcpy(bytes + top, entry, size)
        setPlace(index, top)
      }
      high = top
    }
  }

  /// Writes what stands at the beginning of the page.
  func writeHeader() {
    bytes.storeBytes(of: UInt8(truncatingIfNeeded: level), as: UInt8.self)
    bytes.storeBytes(of: 0, toByteOffset: 1, as: UInt8.self)
    bytes.storeBytes(of: UInt16(truncatingIfNeeded: count).littleEndian, toByteOffset: 2, as: UInt16.self)
    bytes.storeBytes(of: UInt16(truncatingIfNeeded: high).littleEndian, toByteOffset: 4, as: UInt16.self)
    bytes.storeBytes(of: 0, toByteOffset: 6, as: UInt16.self)
  }

  /// Puts an entry at a place in the order. The caller knows that it fits.
  ///
  /// - Parameter entry: Its bytes, from outside of the node.
  func insert(at index: Int, _ entry: UnsafeRawBufferPointer, child: SealedNode? = nil) {
    reserve(count + 1)
    if SealedFormat.headerBytes + 2 * (count + 1) + entry.count > high { compact() }
    high -= entry.count
    if let start = entry.baseAddress { memcpy(bytes + high, start, entry.count) }
    let places = bytes + 8 + 2 * index
    memmove(places + 2, places, 2 * (count - index))
    setPlace(index, high)
    memmove(heads + index + 1, heads + index, 8 * (count - index))
    if let links {
      for place in stride(from: count, to: index, by: -1) {
        links[place].store(links[place - 1].load(ordering: .relaxed), ordering: .relaxed)
      }
      links[index].store(child.map { Self.bits(retaining: $0) } ?? 0, ordering: .relaxed)
    }
    count += 1
    live += entry.count
    if level == 0 { total += 1 }
    setHead(index)
  }

  /// The head of a new key, where it shares what all keys do.
  private func setHead(_ index: Int) {
    let key = key(index)
    // A neighbour has what all keys shared before.
    let neighbour = index + 1 < count ? index + 1 : index - 1
    guard index >= firstKey, neighbour >= firstKey else { return refreshHeads() }
    if skip > 0 {
      let other = self.key(neighbour)
      guard key.count >= skip, other.count >= skip, let a = key.baseAddress, let b = other.baseAddress,
        memcmp(a, b, skip) == 0
      else { return refreshHeads() }
    }
    heads[index] = key.keyHead(skip: skip)
  }

  /// Removes entries.
  func remove(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    for index in range { live -= entryBytes(index) }
    let rest = count - range.upperBound
    memmove(bytes + 8 + 2 * range.lowerBound, bytes + 8 + 2 * range.upperBound, 2 * rest)
    memmove(heads + range.lowerBound, heads + range.upperBound, 8 * rest)
    if let links {
      for index in range { Self.release(links[index].load(ordering: .relaxed)) }
      for index in 0..<rest {
        let bits = links[range.upperBound + index].load(ordering: .relaxed)
        links[range.lowerBound + index].store(bits, ordering: .relaxed)
      }
      for index in count - range.count..<count { links[index].store(0, ordering: .relaxed) }
    }
    count -= range.count
    if level == 0 { total -= range.count }
    if level > 0, range.lowerBound == 0, count > 0 { clearFirstKey() }
    if count <= firstKey { skip = 0 }
  }

  /// Leaves the first child of a branch without a key.
  func clearFirstKey() {
    let entry = bytes + place(0)
    let size = Int(UInt16(littleEndian: entry.loadUnaligned(as: UInt16.self)))
    heads[0] = 0
    guard size > 0 else { return }
    let reference = entry + SealedFormat.branchEntryHead
    memmove(reference, reference + size, SealedFormat.referenceBytes)
    entry.storeBytes(of: 0, as: UInt16.self)
    live -= size
  }

  /// Moves the entries from one on to the end of another node of the same level.
  ///
  /// - Parameter key: The key that the first of them gets there; nil for its own.
  func moveEntries(from index: Int, to other: SealedNode, firstKey key: UnsafeRawBufferPointer? = nil) {
    other.reserve(other.count + count - index)
    for place in index..<count {
      let entry = UnsafeRawBufferPointer(start: bytes + self.place(place), count: entryBytes(place))
      if let key, place == index {
        Self.withBranchEntry(key, reference(place)) { other.append($0, link(place)) }
      } else {
        other.append(entry, link(place))
      }
    }
    for place in index..<count { live -= entryBytes(place) }
    if let links {
      for place in index..<count {
        Self.release(links[place].load(ordering: .relaxed))
        links[place].store(0, ordering: .relaxed)
      }
    }
    if level == 0 {
      total -= count - index
    } else {
      let moved = (index..<count).reduce(0) { $0 + Int(truncatingIfNeeded: reference($1).count) }
      total -= moved
      other.total += moved
    }
    count = index
    compact()
    refreshHeads()
    other.refreshHeads()
  }

  /// Puts an entry behind all others, without its head.
  private func append(_ entry: UnsafeRawBufferPointer, _ child: SealedNode?) {
    if SealedFormat.headerBytes + 2 * (count + 1) + entry.count > high { compact() }
    high -= entry.count
    if let start = entry.baseAddress { memcpy(bytes + high, start, entry.count) }
    setPlace(count, high)
    heads[count] = 0
    links?[count].store(child.map { Self.bits(retaining: $0) } ?? 0, ordering: .relaxed)
    count += 1
    live += entry.count
    if level == 0 { total += 1 }
  }

  /// Lends the bytes of an entry of a branch.
  static func withBranchEntry(
    _ key: UnsafeRawBufferPointer, _ reference: PageReference, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    let size = SealedFormat.branchEntryHead + key.count + SealedFormat.referenceBytes
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { entry in
      guard let start = entry.baseAddress else { return }
      start.storeBytes(of: UInt16(truncatingIfNeeded: key.count).littleEndian, as: UInt16.self)
      if let bytes = key.baseAddress { memcpy(start + SealedFormat.branchEntryHead, bytes, key.count) }
      reference.store(at: start + SealedFormat.branchEntryHead + key.count)
      body(UnsafeRawBufferPointer(entry))
    }
  }

  /// Where a full node is split so that an entry can go to an index: how many entries the left one has, the new one
  /// counted with them.
  ///
  /// Keys that come in ascending order leave full nodes behind at the end of the tree.
  func splitPlace(for index: Int, _ size: Int, isLast: Bool) -> Int {
    if isLast, index == count { return count }
    let total = usedBytes + size + 2
    var (left, best, bestSize) = (0, 1, Int.max)
    for place in 0..<count {
      left += 2 + (place == index ? size : entryBytes(place < index ? place : place - 1))
      let larger = max(left, total - left)
      if larger < bestSize { (best, bestSize) = (place + 1, larger) }
    }
    return best
  }
}
