import QuarryBackend
import QuarryKeyValue

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// Storing entries in the tree.
extension SealedWriteTransaction {
  enum Outcome { case inserted, replaced, unchanged }

  /// A new node.
  func makeNode(level: Int) -> SealedNode {
    defer { nextPage += 1 }
    madeNodes += 1
    return SealedNode(level: level, page: nextPage, generation: generation)
  }

  /// The node, or a copy of it, as one that may be changed.
  func writable(_ node: SealedNode) -> SealedNode {
    if node.generation >= floor { return node }
    madeNodes += 1
    return SealedNode(copying: node, generation: generation)
  }

  /// A child as one that may be changed, of a node that may be.
  func writableChild(_ node: SealedNode, _ index: Int) throws(StorageError) -> SealedNode {
    let child = try reader.child(node, index).node
    let changed = writable(child)
    if changed !== child || node.link(index) == nil { node.setLink(index, changed) }
    return changed
  }

  /// Opens the way from the root to the leaf that a key belongs to, all nodes of which may be changed then. The branches
  /// are in `path`.
  ///
  /// - Returns: The leaf, and whether it is the last one of the tree.
  func descend(_ root: SealedNode, _ key: UnsafeRawBufferPointer) throws(StorageError) -> (SealedNode, isLast: Bool) {
    path.removeAll(keepingCapacity: true)
    var node = root
    var isLast = true
    while !node.isLeaf {
      let index = node.childIndex(key)
      isLast = isLast && index == node.count - 1
      path.append((node, index))
      node = try writableChild(node, index)
    }
    return (node, isLast)
  }

  /// Notes the way from the root to the leaf that a key belongs to in `path`, without changing a node.
  ///
  /// - Returns: Whether the key is there.
  private func look(_ root: SealedNode, for key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    path.removeAll(keepingCapacity: true)
    var node = root
    while !node.isLeaf {
      let index = node.childIndex(key)
      path.append((node, index))
      node = try reader.child(node, index).node
    }
    return node.search(key).isFound
  }

  /// Opens the way that was looked for, all nodes of which may be changed then.
  ///
  /// - Parameter root: May be changed.
  /// - Returns: The result of ``descend(_:_:)``.
  private func descendAgain(_ root: SealedNode) throws(StorageError) -> (SealedNode, isLast: Bool) {
    var node = root
    var isLast = true
    for depth in path.indices {
      let index = path[depth].index
      isLast = isLast && index == node.count - 1
      path[depth].node = node
      node = try writableChild(node, index)
    }
    return (node, isLast)
  }

  /// Stores an entry.
  func store(
    _ work: inout WorkTree, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, replaces: Bool
  ) throws(StorageError) -> Outcome {
    if !replaces, let root = work.root, try look(root, for: key) { return .unchanged }
    let isChained = SealedFormat.leafEntryBytes(key: key.count, value: value.count) > SealedFormat.maximumEntryBytes
    let chain = isChained ? try storeChain(value) : nil
    return try withLeafEntry(key, value, chain) { entry throws(StorageError) in
      try store(&work, key, entry, wasLookedFor: !replaces)
    }
  }

  /// Lends the bytes of an entry of a leaf, which may have been lent from the leaf itself before.
  private func withLeafEntry<R>(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ chain: PageReference?,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    let valueBytes = chain == nil ? value.count : SealedFormat.referenceBytes
    let head = SealedFormat.leafEntryHead
    let size = head + key.count + valueBytes
    let entry = scratch
    entry.storeBytes(of: UInt16(truncatingIfNeeded: key.count).littleEndian, as: UInt16.self)
    let length = chain == nil ? UInt16(truncatingIfNeeded: value.count) : SealedFormat.chained
    entry.storeBytes(of: length.littleEndian, toByteOffset: 2, as: UInt16.self)
    if let start = key.baseAddress { memcpy(entry + head, start, key.count) }
    if let chain {
      chain.store(at: entry + head + key.count)
    } else if let start = value.baseAddress {
      memcpy(entry + head + key.count, start, value.count)
    }
    return try body(UnsafeRawBufferPointer(start: entry, count: size))
  }

  /// Stores an entry of another node as it is, with the reference to its chain where it has one. Its key is not there yet.
  func storeLast(
    _ work: inout WorkTree, _ key: UnsafeRawBufferPointer, _ entry: UnsafeRawBufferPointer
  ) throws(StorageError) {
    _ = try store(&work, key, entry, wasLookedFor: false)
  }

  /// - Parameters:
  ///   - key: May be lent from the leaf: it is looked for before the leaf is changed, and in the entry after that.
  ///   - wasLookedFor: Whether `path` is the way to its leaf.
  private func store(
    _ work: inout WorkTree, _ key: UnsafeRawBufferPointer, _ entry: UnsafeRawBufferPointer, wasLookedFor: Bool
  ) throws(StorageError) -> Outcome {
    let head = SealedFormat.leafEntryHead
    let key = UnsafeRawBufferPointer(rebasing: entry[head..<head + key.count])
    guard let root = work.root else {
      let leaf = makeNode(level: 0)
      leaf.insert(at: 0, entry)
      work = WorkTree(root: leaf, stamp: work.stamp)
      return .inserted
    }
    let top = writable(root)
    work.root = top
    work.reference = nil
    let (leaf, isLast) = wasLookedFor ? try descendAgain(top) : try descend(top, key)
    let (index, isFound) = leaf.search(key)
    if isFound {
      if leaf.value(index) == nil { try freeChain(leaf.reference(index)) }
      if leaf.entryBytes(index) == entry.count, let start = entry.baseAddress {
        memcpy(leaf.bytes + leaf.place(index), start, entry.count)
        return .replaced
      }
      leaf.remove(index..<(index + 1))
    } else {
      addToCounts(1)
    }
    if leaf.fits(entry.count) {
      leaf.insert(at: index, entry)
    } else {
      work.root = split(leaf, at: index, entry, isLast: isLast)
    }
    return isFound ? .replaced : .inserted
  }

  /// Counts entries in the branches of the path.
  func addToCounts(_ count: Int) {
    for (node, index) in path {
      node.total += count
      var reference = node.reference(index)
      reference.count = UInt64(Int(truncatingIfNeeded: reference.count) + count)
      node.setReference(index, reference)
    }
  }

  /// Splits a leaf that has no room for an entry, and the branches above that have none for another child.
  ///
  /// - Returns: The root.
  private func split(
    _ leaf: SealedNode, at index: Int, _ entry: UnsafeRawBufferPointer, isLast: Bool
  ) -> SealedNode {
    let place = leaf.splitPlace(for: index, entry.count, isLast: isLast)
    var right = makeNode(level: 0)
    if place > index {
      leaf.moveEntries(from: place - 1, to: right)
      leaf.insert(at: index, entry)
    } else {
      leaf.moveEntries(from: place, to: right)
      right.insert(at: index - place, entry)
    }
    // The shortest key that is greater than all of the left leaf and not greater than any of the right one.
    let first = right.key(0)
    let shared = leaf.key(leaf.count - 1).commonPrefix(with: first)
    var separator = Array(first.prefix(shared + 1))
    var left = leaf
    for depth in stride(from: path.count - 1, through: 0, by: -1) {
      let (node, index) = path[depth]
      var reference = node.reference(index)
      reference.count = UInt64(left.total)
      node.setReference(index, reference)
      guard let next = add(right, separator, to: node, at: index + 1, isLast: isLast) else { return path[0].node }
      (left, right, separator) = (node, next.node, next.separator)
    }
    let root = makeNode(level: left.level + 1)
    for (child, key) in [(left, []), (right, separator)] { append(child, key, to: root) }
    return root
  }

  private func append(_ child: SealedNode, _ key: [UInt8], to node: SealedNode) {
    key.withUnsafeBytes { key in
      SealedNode.withBranchEntry(key, unstored(child)) { node.insert(at: node.count, $0, child: child) }
    }
    node.total += child.total
  }

  /// The branch entry of a node that is not stored yet.
  private func unstored(_ node: SealedNode) -> PageReference {
    PageReference(page: node.page, tag: node.tag, count: UInt64(node.total))
  }

  /// Puts a new neighbour of a child behind it, and splits the branch if it is full. The entries of the neighbour are
  /// counted in the branch already.
  ///
  /// - Returns: The new neighbour of the branch and the least key that may be in it.
  private func add(
    _ child: SealedNode, _ separator: [UInt8], to node: SealedNode, at index: Int, isLast: Bool
  ) -> (node: SealedNode, separator: [UInt8])? {
    let size = SealedFormat.branchEntryHead + separator.count + SealedFormat.referenceBytes
    func insert(into node: SealedNode, at index: Int) {
      separator.withUnsafeBytes { key in
        SealedNode.withBranchEntry(key, unstored(child)) { node.insert(at: index, $0, child: child) }
      }
    }
    if node.fits(size) {
      insert(into: node, at: index)
      return nil
    }
    let place = node.splitPlace(for: index, size, isLast: isLast)
    let right = makeNode(level: node.level)
    let promoted: [UInt8]
    if place > index {
      node.moveEntries(from: place - 1, to: right)
      insert(into: node, at: index)
      promoted = Array(right.key(0))
    } else {
      node.moveEntries(from: place, to: right)
      insert(into: right, at: index - place)
      // Counted in the branch that is on the left now.
      node.total -= child.total
      right.total += child.total
      promoted = Array(right.key(0))
    }
    right.clearFirstKey()
    right.refreshHeads()
    return (right, promoted)
  }
}
