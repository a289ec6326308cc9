import QuarryKeyValue

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The work that one change of a tree leaves for its end, and the result that a split node hands to its parent.
///
/// Blocks that a change replaces are kept until it has ended, because its arguments may be bytes that the tree has lent.
struct BTreeEdit {
  private var nodes: [BTreeNode] = []
  private var entries: [BTreeLargeEntry] = []
  /// The new neighbour to the right of the node that was split, and the least key that belongs to it.
  var right: BTreeNode?
  var separator = UnsafeRawBufferPointer(start: nil, count: 0)

  mutating func retire(_ node: BTreeNode) {
    nodes.append(node)
  }

  mutating func retire(_ entry: BTreeLargeEntry) {
    entries.append(entry)
  }

  mutating func finish() {
    for node in nodes { node.release() }
    for entry in entries { entry.release() }
    nodes.removeAll()
    entries.removeAll()
  }
}

/// Changes of a node that has no other references.
extension BTreeNode {
  /// Makes the node at that place writable, with room for the given number of further bytes of entries.
  static func makeWritable(
    _ place: UnsafeMutablePointer<BTreeNode>, room: Int, _ edit: inout BTreeEdit
  ) {
    let node = place.pointee
    let isUnique = node.isUnique
    let header = node.header.pointee
    if isUnique && Int(header.top) + room <= Int(header.capacity) {
      node.dropColumns()
      return
    }
    let capacity = Int(header.capacity) - fixedBytes(level: node.level)
    let needed = Int(header.live) + room
    // Half as much again for the next changes; a copy of a shared node needs no more than that had.
    let roomy = needed + needed / 2
    let copy = node.copy(
      capacity: !isUnique && needed <= capacity ? min(capacity, roomy) : roomy, isMoving: isUnique)
    edit.retire(node)
    place.pointee = copy
  }

  /// Bytes inside the node of an entry with this key and value.
  static func size(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Int {
    let size = key.count &+ value.count
    return size > inlineBytes ? 8 : size
  }

  /// Appends an entry's bytes; there must be room.
  private func append(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, large: BTreeLargeEntry?
  ) -> Slot {
    let top = header.pointee.top
    let place = base + Int(top)
    let slot: Slot
    if let large {
      place.storeBytes(of: large.base, as: UnsafeMutableRawPointer.self)
      slot = Slot(offset: top, keyLength: .max, valueLength: 0)
      header.pointee.hasLargeEntries = true
    } else {
      if let start = key.baseAddress { memcpy(place, start, key.count) }
      if let start = value.baseAddress { memcpy(place + key.count, start, value.count) }
      slot = Slot(
        offset: top, keyLength: UInt16(truncatingIfNeeded: key.count),
        valueLength: UInt16(truncatingIfNeeded: value.count))
    }
    let size = UInt32(truncatingIfNeeded: slot.size)
    header.pointee.top = top &+ size
    header.pointee.live &+= size
    return slot
  }

  /// Puts a new entry at the index. There must be room for its bytes and fewer entries than fit.
  ///
  /// - Parameters:
  ///   - large: The entry when it is out of line.
  ///   - child: The child of an inner node, which takes over the caller's reference.
  func insert(
    at index: Int, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, large: BTreeLargeEntry?,
    child: BTreeNode? = nil
  ) {
    let skip = header.pointee.skip
    if skip > 0 {
      let shared = key.commonPrefix(with: self.key(firstKey))
      if shared < skip { setSkip(shared & ~7) }
    }
    let slot = append(key, value, large: large)
    let behind = count - index
    if behind > 0 {
      memmove(heads + index + 1, heads + index, behind * 8)
      memmove(slots + index + 1, slots + index, behind * 8)
    }
    slots[index] = slot
    heads[index] = !isLeaf && index == 0 ? 0 : key.keyHead(skip: header.pointee.skip)
    if let child {
      if behind > 0 {
        memmove(children + index + 1, children + index, behind * 8)
        memmove(totals + index + 1, totals + index, behind * 8)
      }
      children[index] = child
      totals[index] = child.header.pointee.total
      header.pointee.total += child.header.pointee.total
    } else {
      header.pointee.total += 1
    }
    count += 1
  }

  /// Stores another value in an entry of a leaf. There must be room unless the value fits in the place of the old one.
  func replace(
    at index: Int, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, large: BTreeLargeEntry?,
    _ edit: inout BTreeEdit
  ) {
    let old = slots[index]
    if large == nil && !old.isLarge && value.count <= Int(old.valueLength) {
      if let start = value.baseAddress {
        memmove(base + (Int(old.offset) + Int(old.keyLength)), start, value.count)
      }
      slots[index].valueLength = UInt16(truncatingIfNeeded: value.count)
      header.pointee.live &-= UInt32(truncatingIfNeeded: Int(old.valueLength) - value.count)
      return
    }
    if old.isLarge { edit.retire(self.large(old)) }
    header.pointee.live &-= UInt32(truncatingIfNeeded: old.size)
    slots[index] = append(key, value, large: large)
  }

  /// Gives an entry of an inner node another key. There must be room.
  func setKey(at index: Int, _ key: UnsafeRawBufferPointer, _ edit: inout BTreeEdit) {
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    let old = slots[index]
    let large = BTreeNode.size(key, none) < key.count ? BTreeLargeEntry(key: key, value: none) : nil
    if old.isLarge { edit.retire(self.large(old)) }
    header.pointee.live &-= UInt32(truncatingIfNeeded: old.size)
    slots[index] = append(key, none, large: large)
    rebuildHeads()
  }

  /// Removes entries, and the references that they hold.
  func remove(_ range: Range<Int>, _ edit: inout BTreeEdit) {
    if range.isEmpty { return }
    for index in range {
      let slot = slots[index]
      if slot.isLarge { edit.retire(large(slot)) }
      header.pointee.live &-= UInt32(truncatingIfNeeded: slot.size)
      if !isLeaf {
        header.pointee.total -= totals[index]
        edit.retire(children[index])
      }
    }
    if isLeaf { header.pointee.total -= range.count }
    close(range)
    if !isLeaf && range.lowerBound == 0 && count > 0 { clearFirstKey(&edit) }
    if count <= firstKey { header.pointee.skip = 0 }
  }

  /// Moves the entries behind the range to its beginning.
  private func close(_ range: Range<Int>) {
    let behind = count - range.upperBound
    if behind > 0 {
      memmove(heads + range.lowerBound, heads + range.upperBound, behind * 8)
      memmove(slots + range.lowerBound, slots + range.upperBound, behind * 8)
      if !isLeaf {
        memmove(children + range.lowerBound, children + range.upperBound, behind * 8)
        memmove(totals + range.lowerBound, totals + range.upperBound, behind * 8)
      }
    }
    count -= range.count
    memset(heads + count, 0xFF, range.count * 8)
  }

  /// Drops the key of an inner node's first entry.
  private func clearFirstKey(_ edit: inout BTreeEdit) {
    let slot = slots[0]
    if slot.isLarge { edit.retire(large(slot)) }
    header.pointee.live &-= UInt32(truncatingIfNeeded: slot.size)
    slots[0] = Slot(offset: slot.offset, keyLength: 0, valueLength: 0)
    heads[0] = 0
  }

  // MARK: Heads

  private func setSkip(_ skip: Int) {
    header.pointee.skip = skip
    let first = firstKey
    if first == 1 { heads[0] = 0 }
    for index in stride(from: first, to: count, by: 1) { heads[index] = key(index).keyHead(skip: skip) }
  }

  /// Bytes that all keys share, rounded down to a multiple of 8; 0 for fewer than two keys.
  var sharedBytes: Int {
    let first = firstKey
    if count - first < 2 { return 0 }
    return key(first).commonPrefix(with: key(count - 1)) & ~7
  }

  func rebuildHeads() {
    setSkip(sharedBytes)
  }

  /// Makes heads tell more apart where the keys that are left share more bytes than they did.
  func refreshSkip() {
    let shared = sharedBytes
    if shared > header.pointee.skip { setSkip(shared) }
  }

  // MARK: Many entries

  /// Appends entries of another node of the same level; their references are counted once more. There must be room.
  /// Heads are stale until ``rebuildHeads()``.
  ///
  /// - Parameter separator: The key of an inner node's entry 0, which is not in the node itself.
  func append(
    _ range: Range<Int>, of other: BTreeNode, separator: UnsafeRawBufferPointer
  ) {
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    for index in range {
      let slot = other.slots[index]
      if isLeaf {
        if slot.isLarge { other.large(slot).retain() }
        slots[count] = append(
          other.key(index), other.value(index), large: slot.isLarge ? other.large(slot) : nil)
        header.pointee.total += 1
      } else {
        if count == 0 {
          slots[count] = append(none, none, large: nil)
        } else if index == 0 {
          let isLarge = separator.count > BTreeNode.inlineBytes
          slots[count] = append(separator, none, large: isLarge ? BTreeLargeEntry(key: separator, value: none) : nil)
        } else {
          if slot.isLarge { other.large(slot).retain() }
          slots[count] = append(other.key(index), none, large: slot.isLarge ? other.large(slot) : nil)
        }
        let child = other.children[index]
        child.retain()
        children[count] = child
        totals[count] = other.totals[index]
        header.pointee.total += other.totals[index]
      }
      count += 1
    }
  }

  /// Bytes that entries of the range take in a node.
  func bytes(_ range: Range<Int>) -> Int {
    var bytes = 0
    for index in range { bytes += slots[index].size }
    return bytes
  }

  /// Moves the entries from the index on into a new node.
  func split(at index: Int, _ edit: inout BTreeEdit) -> BTreeNode {
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    let bytes = bytes(index..<count)
    // A node that is begun behind a full one will most likely become as large.
    let capacity = index == count ? Int(header.pointee.live) : bytes + bytes / 2
    let right = BTreeNode.allocate(level: level, capacity: capacity)
    right.append(index..<count, of: self, separator: none)
    right.rebuildHeads()
    remove(index..<count, &edit)
    refreshSkip()
    return right
  }
}
