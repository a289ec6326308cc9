package import QuarryBackend
package import QuarryKeyValue

/// Moves over a range of a ``BTree`` in either direction. It keeps the state of the tree that it was made on, and what
/// it lends is valid as long as it is there.
package struct BTreeCursor {
  /// Keeps the nodes.
  private let tree: BTree
  private let isDescending: Bool
  /// The bound at which the cursor ends.
  private let bound: [UInt8]?
  /// The inner nodes from the root on, and the child that was taken.
  private var path: [(node: BTreeNode, index: Int)] = []
  private var leaf: BTreeNode?
  /// The rest of the leaf is `index..<end` ascending and `end..<index` descending.
  private var index = 0
  private var end = 0

  init(_ tree: BTree, _ range: KeyRange, descending: Bool) {
    self.tree = tree
    isDescending = descending
    bound = descending ? range.lower : range.upper
    guard var node = tree.node else { return }
    let start = descending ? range.upper : range.lower
    if !node.isLeaf { path.reserveCapacity(node.level) }
    let leaf = BTree.withBounds(of: KeyRange(lower: start)) { start, _ in
      let head = start.map { $0.keyHead(skip: 0) } ?? 0
      while !node.isLeaf {
        let index = start.map { node.childIndex($0, head: head) } ?? (descending ? node.count - 1 : 0)
        path.append((node, index))
        node = node.children[index]
      }
      index = start.map { node.search($0, head: head).index } ?? (descending ? node.count : 0)
      return node
    }
    self.leaf = leaf
    findEnd(leaf)
  }

  /// Looks where the range ends in the leaf.
  private mutating func findEnd(_ leaf: BTreeNode) {
    if let bound {
      end = bound.withUnsafeBytes { leaf.lowerBound($0) }
    } else {
      end = isDescending ? 0 : leaf.count
    }
  }

  /// Goes to the next leaf that has entries of the range.
  ///
  /// - Returns: Nil at the end of the range.
  private mutating func nextLeaf() -> BTreeNode? {
    while let current = leaf {
      if isDescending ? index > end : index < end { return current }
      // The range continues only where it did not end inside this leaf.
      leaf = (isDescending ? end > 0 : end < current.count) ? nil : neighbour()
      guard let leaf else { return nil }
      index = isDescending ? leaf.count : 0
      findEnd(leaf)
      // Every leaf but a root has entries, so a range that takes none of this one has ended.
      if index == end { self.leaf = nil }
    }
    return nil
  }

  private mutating func neighbour() -> BTreeNode? {
    while let (node, index) = path.popLast() {
      let next = isDescending ? index - 1 : index + 1
      if next < 0 || next >= node.count { continue }
      path.append((node, next))
      var child = node.children[next]
      while !child.isLeaf {
        let index = isDescending ? child.count - 1 : 0
        path.append((child, index))
        child = child.children[index]
      }
      return child
    }
    return nil
  }

  /// The next entry, or nil at the end.
  package mutating func next() -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    guard let leaf = nextLeaf() else { return nil }
    let entry: Int
    if isDescending {
      index -= 1
      entry = index
    } else {
      entry = index
      index += 1
    }
    return (leaf.key(entry), leaf.value(entry))
  }

  /// Lends the values of the next entries.
  ///
  /// - Returns: How many were filled; 0 at the end, and in every call after it.
  package mutating func fill(_ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) -> Int {
    guard let start = values.baseAddress else { return 0 }
    let capacity = values.count
    var filled = 0
    while filled < capacity, let leaf = nextLeaf() { filled += take(leaf, start + filled, atMost: capacity - filled) }
    return filled
  }

  /// Lends what is left of the leaf, or as much of it as there is room for.
  @inline(__always)
  private mutating func take(
    _ leaf: BTreeNode, _ start: UnsafeMutablePointer<UnsafeRawBufferPointer>, atMost room: Int
  ) -> Int {
    let count = min(room, abs(end - index))
    if isDescending {
      for offset in 0..<count { start[offset] = leaf.value(index - 1 - offset) }
      index -= count
    } else {
      for offset in 0..<count { start[offset] = leaf.value(index + offset) }
      index += count
    }
    return count
  }

  /// Lends the values of the next entries but for those that a column of their leaf leaves out.
  ///
  /// - Returns: How many were filled; 0 at the end, and in every call after it.
  package mutating func fill(
    _ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>, passing probe: FieldProbe
  ) -> Int {
    guard let start = values.baseAddress else { return 0 }
    var filled = 0
    while filled < values.count, let leaf = nextLeaf() {
      guard let column = leaf.column(probe) else {
        filled += take(leaf, start + filled, atMost: values.count - filled)
        continue
      }
      let isIn = isDescending ? BTreeCursor.bits(end..<index) : BTreeCursor.bits(index..<end)
      var mask = column.mask(probe, count: leaf.count) & isIn
      while mask != 0, filled < values.count {
        let entry = isDescending ? 63 - mask.leadingZeroBitCount : mask.trailingZeroBitCount
        mask &= ~(1 &<< UInt64(truncatingIfNeeded: entry))
        start[filled] = leaf.value(entry)
        filled += 1
        index = isDescending ? entry : entry + 1
      }
      if mask == 0 { index = end }
    }
    return filled
  }

  private static func bits(_ range: Range<Int>) -> UInt64 {
    guard !range.isEmpty else { return 0 }
    let bits = ~0 as UInt64 &>> UInt64(truncatingIfNeeded: 64 - range.count)
    return bits &<< UInt64(truncatingIfNeeded: range.lowerBound)
  }
}

extension BTree {
  /// A cursor that stands before the first entry of the range in its direction.
  package func cursor(in range: KeyRange, descending: Bool) -> BTreeCursor {
    BTreeCursor(self, range, descending: descending)
  }
}
