public import QuarryBackend
public import QuarryKeyValue

/// Moves over a range of a tree of a ``SealedEngine``.
public struct SealedCursor: KeyValueCursor {
  private let transaction: SealedTransaction
  private let tree: TreeID
  private let stamp: UInt64
  private let isDescending: Bool
  /// The bound at which the cursor ends.
  private let bound: [UInt8]?
  /// The branches from the root on, and the child that was taken.
  private var path: [(node: SealedNode, index: Int)] = []
  private var leaf: SealedNode?
  /// The rest of the leaf is `index..<end` ascending and `end..<index` descending.
  private var index = 0
  private var end = 0
  /// The objects lent since the cursor moved last, in addition to the leaf.
  private var held: [AnyObject] = []

  init(
    _ transaction: SealedTransaction, _ tree: TreeID, stamp: UInt64, _ root: SealedNode?, _ range: KeyRange,
    descending: Bool
  ) throws(StorageError) {
    self.transaction = transaction
    self.tree = tree
    self.stamp = stamp
    isDescending = descending
    bound = descending ? range.lower : range.upper
    guard var node = root else { return }
    let start = descending ? range.upper : range.lower
    while !node.isLeaf {
      let index = start.map { $0.withUnsafeBytes { node.childIndex($0) } } ?? (descending ? node.count - 1 : 0)
      path.append((node, index))
      node = try transaction.reader.child(node, index).node
    }
    index = start.map { $0.withUnsafeBytes { node.search($0).index } } ?? (descending ? node.count : 0)
    leaf = node
    findEnd(node)
  }

  /// Looks where the range ends in the leaf.
  private mutating func findEnd(_ leaf: SealedNode) {
    if let bound {
      end = bound.withUnsafeBytes { leaf.search($0).index }
    } else {
      end = isDescending ? 0 : leaf.count
    }
  }

  /// Goes to the next leaf that has entries of the range.
  ///
  /// - Returns: Nil at the end of the range.
  private mutating func nextLeaf() throws(StorageError) -> SealedNode? {
    while let current = leaf {
      if isDescending ? index > end : index < end { return current }
      // The range continues only where it did not end inside this leaf.
      held.append(current)
      leaf = nil
      if isDescending ? end > 0 : end < current.count { return nil }
      guard let next = try neighbour() else { return nil }
      leaf = next
      index = isDescending ? next.count : 0
      findEnd(next)
      // Every leaf has entries, so a range that takes none of this one has ended.
      if index == end { leaf = nil }
    }
    return nil
  }

  private mutating func neighbour() throws(StorageError) -> SealedNode? {
    while let (node, index) = path.popLast() {
      let next = isDescending ? index - 1 : index + 1
      if next < 0 || next >= node.count { continue }
      path.append((node, next))
      var child = try transaction.reader.child(node, next).node
      while !child.isLeaf {
        let index = isDescending ? child.count - 1 : 0
        path.append((child, index))
        child = try transaction.reader.child(child, index).node
      }
      return child
    }
    return nil
  }

  private mutating func value(_ leaf: SealedNode, _ index: Int) throws(StorageError) -> UnsafeRawBufferPointer {
    if let value = leaf.value(index) { return value }
    let joined = try transaction.reader.value(leaf.reference(index))
    held.append(joined)
    return UnsafeRawBufferPointer(joined.bytes)
  }

  public mutating func next() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    try transaction.checkCursor(of: tree, stamp: stamp)
    if !held.isEmpty { held.removeAll(keepingCapacity: true) }
    guard let leaf = try nextLeaf() else { return nil }
    let entry: Int
    if isDescending {
      index -= 1
      entry = index
    } else {
      entry = index
      index += 1
    }
    return (leaf.key(entry), try value(leaf, entry))
  }

  public mutating func fill(
    _ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
  ) throws(StorageError) -> Int {
    try transaction.checkCursor(of: tree, stamp: stamp)
    if !held.isEmpty { held.removeAll(keepingCapacity: true) }
    var filled = 0
    while filled < values.count, let leaf = try nextLeaf() {
      let count = min(values.count - filled, abs(end - index))
      for offset in 0..<count {
        let entry = isDescending ? index - 1 - offset : index + offset
        if let value = leaf.value(entry) {
          values[filled + offset] = value
        } else {
          values[filled + offset] = try value(leaf, entry)
        }
      }
      index += isDescending ? -count : count
      filled += count
    }
    return filled
  }
}
