import QuarryBackend
import QuarryKeyValue

extension BTree {
  /// Removes a key below the root.
  static func remove(
    _ root: inout BTreeNode?, _ key: UnsafeRawBufferPointer, head: UInt64, _ edit: inout BTreeEdit
  ) -> Bool {
    guard var node = root else { return false }
    let isRemoved = remove(&node, key, head: head, &edit)
    root = shortened(node, &edit)
    return isRemoved
  }

  /// Removes the keys from `lower` on and before `upper` below the root; nil for no bound.
  ///
  /// Whole subtrees are removed without being visited. The two nodes of each level through which the cut passes may be left with
  /// too few entries; they are mended afterwards.
  static func remove(
    _ root: inout BTreeNode?, from lower: UnsafeRawBufferPointer?, to upper: UnsafeRawBufferPointer?,
    _ edit: inout BTreeEdit
  ) -> Int {
    guard var node = root else { return 0 }
    let removed = cut(&node, from: lower, to: upper, &edit)
    guard var rest = shortened(node, &edit) else {
      root = nil
      return removed
    }
    let key = lower ?? UnsafeRawBufferPointer(start: nil, count: 0)
    if removed > 0 && !rest.isLeaf {
      mend(&rest, at: key, head: key.keyHead(skip: 0), &edit)
    }
    root = shortened(rest, &edit)
    return removed
  }

  private static func remove(
    _ place: UnsafeMutablePointer<BTreeNode>, _ key: UnsafeRawBufferPointer, head: UInt64, _ edit: inout BTreeEdit
  ) -> Bool {
    if place.pointee.isLeaf {
      let (index, isFound) = place.pointee.search(key, head: head)
      if !isFound { return false }
      BTreeNode.makeWritable(place, room: 0, &edit)
      place.pointee.remove(index..<(index + 1), &edit)
      return true
    }
    BTreeNode.makeWritable(place, room: 0, &edit)
    let node = place.pointee
    let index = node.childIndex(key, head: head)
    if !remove(node.children + index, key, head: head, &edit) { return false }
    node.header.pointee.total &-= 1
    node.totals[index] &-= 1
    if node.children[index].count < BTreeNode.minimumEntries { refill(place, index, &edit) }
    return true
  }

  /// Removes a range without regard to how full nodes are left. Children that are left with nothing go.
  private static func cut(
    _ place: UnsafeMutablePointer<BTreeNode>, from lower: UnsafeRawBufferPointer?,
    to upper: UnsafeRawBufferPointer?, _ edit: inout BTreeEdit
  ) -> Int {
    if place.pointee.isLeaf {
      let begin = lower.map { place.pointee.lowerBound($0) } ?? 0
      let end = upper.map { place.pointee.lowerBound($0) } ?? place.pointee.count
      if begin >= end { return 0 }
      BTreeNode.makeWritable(place, room: 0, &edit)
      place.pointee.remove(begin..<end, &edit)
      return end - begin
    }
    BTreeNode.makeWritable(place, room: 0, &edit)
    let node = place.pointee
    let before = node.header.pointee.total
    let first = lower.map { node.childIndex($0, head: $0.keyHead(skip: 0)) } ?? 0
    let last = upper.map { node.childIndex($0, head: $0.keyHead(skip: 0)) } ?? node.count - 1
    if first > last { return 0 }
    // Children from `whole` on and before `end` lie in the range as they are.
    var whole = first
    var end = last + 1
    if first == last {
      if lower != nil || upper != nil {
        cutChild(node, first, from: lower, to: upper, &edit)
        if node.children[first].count > 0 { end = whole }
      }
    } else {
      if lower != nil {
        cutChild(node, first, from: lower, to: nil, &edit)
        if node.children[first].count > 0 { whole += 1 }
      }
      if upper != nil {
        cutChild(node, last, from: nil, to: upper, &edit)
        if node.children[last].count > 0 { end -= 1 }
      }
    }
    if whole < end { node.remove(whole..<end, &edit) }
    return before - node.header.pointee.total
  }

  private static func cutChild(
    _ node: BTreeNode, _ index: Int, from lower: UnsafeRawBufferPointer?, to upper: UnsafeRawBufferPointer?,
    _ edit: inout BTreeEdit
  ) {
    let removed = cut(node.children + index, from: lower, to: upper, &edit)
    node.totals[index] -= removed
    node.header.pointee.total -= removed
  }

  /// Gives the nodes on both sides of a cut at the key enough entries again: first this node's children, so that each
  /// has neighbours for its own children, then theirs, then this node's once more, because that may have merged some.
  private static func mend(
    _ place: UnsafeMutablePointer<BTreeNode>, at key: UnsafeRawBufferPointer, head: UInt64, _ edit: inout BTreeEdit
  ) {
    refillBeside(place, key, head: head, &edit)
    if place.pointee.level > 1 {
      BTreeNode.makeWritable(place, room: 0, &edit)
      let node = place.pointee
      let index = node.childIndex(key, head: head)
      mend(node.children + index, at: key, head: head, &edit)
      if index + 1 < node.count { mend(node.children + (index + 1), at: key, head: head, &edit) }
      refillBeside(place, key, head: head, &edit)
    }
  }

  /// Refills the child that the key belongs to, and the next one.
  private static func refillBeside(
    _ place: UnsafeMutablePointer<BTreeNode>, _ key: UnsafeRawBufferPointer, head: UInt64, _ edit: inout BTreeEdit
  ) {
    for offset in 0...1 {
      while place.pointee.count > 1 {
        let index = place.pointee.childIndex(key, head: head) + offset
        if index >= place.pointee.count { break }
        if place.pointee.children[index].count >= BTreeNode.minimumEntries { break }
        refill(place, index, &edit)
      }
    }
  }

  /// Gives a child that has too few entries the entries of a neighbour: all where they fit into one node, else half.
  private static func refill(_ place: UnsafeMutablePointer<BTreeNode>, _ index: Int, _ edit: inout BTreeEdit) {
    BTreeNode.makeWritable(place, room: 0, &edit)
    let node = place.pointee
    if node.children[index].count == 0 {
      node.remove(index..<(index + 1), &edit)
      return
    }
    if node.count < 2 { return }
    let first = max(0, index - 1)
    let left = node.children[first]
    let right = node.children[first + 1]
    let separator = node.key(first + 1)
    if left.count + right.count <= BTreeNode.mergedEntries {
      let merged = joined(left, 0..<left.count, right, 0..<right.count, separator)
      node.totals[first] += right.header.pointee.total
      node.header.pointee.total += right.header.pointee.total
      edit.retire(left)
      node.children[first] = merged
      node.remove((first + 1)..<(first + 2), &edit)
      return
    }

    let half = (left.count + right.count) / 2
    let newLeft: BTreeNode
    let newRight: BTreeNode
    var newSeparator: UnsafeRawBufferPointer
    if half < left.count {
      newSeparator = left.key(half)
      newLeft = joined(left, 0..<half, right, 0..<0, separator)
      newRight = joined(left, half..<left.count, right, 0..<right.count, separator)
    } else {
      let moved = half - left.count
      newSeparator = right.key(moved)
      newLeft = joined(left, 0..<left.count, right, 0..<moved, separator)
      newRight = joined(left, 0..<0, right, moved..<right.count, separator)
    }
    if left.isLeaf { newSeparator = BTree.separator(newLeft, newRight) }
    edit.retire(left)
    edit.retire(right)
    node.children[first] = newLeft
    node.children[first + 1] = newRight
    node.totals[first] = newLeft.header.pointee.total
    node.totals[first + 1] = newRight.header.pointee.total
    let size = BTreeNode.size(newSeparator, UnsafeRawBufferPointer(start: nil, count: 0))
    BTreeNode.makeWritable(place, room: size, &edit)
    place.pointee.setKey(at: first + 1, newSeparator, &edit)
  }

  /// A new node of entries of two neighbours.
  private static func joined(
    _ left: BTreeNode, _ leftRange: Range<Int>, _ right: BTreeNode, _ rightRange: Range<Int>,
    _ separator: UnsafeRawBufferPointer
  ) -> BTreeNode {
    let size = BTreeNode.size(separator, UnsafeRawBufferPointer(start: nil, count: 0))
    let bytes = left.bytes(leftRange) + right.bytes(rightRange) + size
    let node = BTreeNode.allocate(level: left.level, capacity: bytes)
    node.append(leftRange, of: left, separator: separator)
    node.append(rightRange, of: right, separator: separator)
    node.rebuildHeads()
    return node
  }

  /// The root without levels that have a single node, or nil when nothing is left.
  private static func shortened(_ root: BTreeNode, _ edit: inout BTreeEdit) -> BTreeNode? {
    var node = root
    while node.count < 2 {
      if node.count == 0 {
        edit.retire(node)
        return nil
      }
      if node.isLeaf { break }
      let child = node.children[0]
      child.retain()
      edit.retire(node)
      node = child
    }
    return node
  }
}
