import QuarryBackend
import QuarryKeyValue

// Removing entries from the tree.
extension SealedWriteTransaction {
  /// Bytes of a node below which it is joined with a neighbour, if both fit into `joinedBytes`.
  private static let leastBytes = SealedFormat.roomBytes / 4
  private static let joinedBytes = SealedFormat.roomBytes * 3 / 4

  /// Removes the pages of a value.
  func freeChain(_ chain: PageReference) throws(StorageError) {
    for page in try reader.visit(chain, { _, _, _ in }) { try free(page) }
  }

  /// Removes a key.
  func remove(_ work: inout WorkTree, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    guard let root = work.root else { return false }
    var node = root
    while !node.isLeaf { node = try reader.child(node, node.childIndex(key)).node }
    guard node.search(key).isFound else { return false }
    let top = writable(root)
    work.root = top
    work.reference = nil
    let (leaf, _) = try descend(top, key)
    let (index, isFound) = leaf.search(key)
    guard isFound else { throw .damaged("page \(leaf.page) changed while it was read") }
    if leaf.value(index) == nil { try freeChain(leaf.reference(index)) }
    leaf.remove(index..<(index + 1))
    addToCounts(-1)
    try mend(leaf)
    try shorten(&work)
    return true
  }

  /// Removes nodes of the path that are empty, and joins those that are nearly so with a neighbour.
  private func mend(_ leaf: SealedNode) throws(StorageError) {
    var node = leaf
    while let (parent, index) = path.popLast() {
      if node.count == 0 {
        if node.tag != .none { try free(node.page) }
        parent.remove(index..<(index + 1))
      } else if node.usedBytes < Self.leastBytes, parent.count > 1 {
        try join(parent, index == 0 ? 0 : index - 1)
      } else {
        return
      }
      node = parent
    }
  }

  /// Joins a child with the one behind it, if one page has room for both.
  private func join(_ parent: SealedNode, _ index: Int) throws(StorageError) {
    let (first, second) = (try reader.child(parent, index).node, try reader.child(parent, index + 1).node)
    let separator = Array(parent.key(index + 1))
    guard first.usedBytes + second.usedBytes + separator.count <= Self.joinedBytes else { return }
    let left = try writableChild(parent, index)
    let right = try writableChild(parent, index + 1)
    if right.isLeaf {
      right.moveEntries(from: 0, to: left)
    } else {
      separator.withUnsafeBytes { right.moveEntries(from: 0, to: left, firstKey: $0) }
    }
    if right.tag != .none { try free(right.page) }
    var reference = parent.reference(index)
    reference.count = UInt64(left.total)
    parent.setReference(index, reference)
    parent.remove((index + 1)..<(index + 2))
  }

  /// Lets the root go where it has nothing, or one child alone.
  private func shorten(_ work: inout WorkTree) throws(StorageError) {
    while let root = work.root, root.count == 0 || root.level > 0 && root.count == 1 {
      work.root = root.count == 0 ? nil : try reader.child(root, 0).node
      if root.tag != .none { try free(root.page) }
    }
  }

  /// Removes the keys of a range, of which there are some.
  func remove(_ work: inout WorkTree, in range: KeyRange) throws(StorageError) {
    guard let root = work.root else { return }
    let top = writable(root)
    work.root = top
    work.reference = nil
    try cut(top, from: range.lower, to: range.upper)
    try shorten(&work)
  }

  /// Removes a range without regard to how full nodes are left. Children that are left with nothing go.
  private func cut(_ node: SealedNode, from lower: [UInt8]?, to upper: [UInt8]?) throws(StorageError) {
    if node.isLeaf {
      let begin = lower.map { $0.withUnsafeBytes { node.search($0).index } } ?? 0
      let end = upper.map { $0.withUnsafeBytes { node.search($0).index } } ?? node.count
      guard begin < end else { return }
      for index in begin..<end where node.value(index) == nil { try freeChain(node.reference(index)) }
      node.remove(begin..<end)
      return
    }
    let first = lower.map { $0.withUnsafeBytes { node.childIndex($0) } } ?? 0
    let last = upper.map { $0.withUnsafeBytes { node.childIndex($0) } } ?? node.count - 1
    guard first <= last else { return }
    for index in stride(from: last, through: first, by: -1) {
      let isCut = index == first && lower != nil || index == last && upper != nil
      if isCut {
        let child = try writableChild(node, index)
        let before = child.total
        try cut(child, from: index == first ? lower : nil, to: index == last ? upper : nil)
        node.total -= before - child.total
        var reference = node.reference(index)
        reference.count = UInt64(child.total)
        node.setReference(index, reference)
        if child.count > 0 { continue }
        if child.tag != .none { try free(child.page) }
      } else {
        let reference = node.reference(index)
        // Nodes that go are opened for their chains and for the pages below them, and not kept.
        try freeAll(opened(node, index))
        node.total -= Int(truncatingIfNeeded: reference.count)
      }
      node.remove(index..<(index + 1))
    }
  }

  private func opened(_ node: SealedNode, _ index: Int) throws(StorageError) -> SealedNode {
    if let child = node.link(index) { return child }
    return try reader.load(node.reference(index), level: node.level - 1)
  }

  private func freeAll(_ node: SealedNode) throws(StorageError) {
    for index in 0..<node.count {
      if node.level > 0 {
        try freeAll(opened(node, index))
      } else if node.value(index) == nil {
        try freeChain(node.reference(index))
      }
    }
    if node.tag != .none { try free(node.page) }
  }
}
