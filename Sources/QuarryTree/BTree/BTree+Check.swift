import QuarryBackend
import QuarryKeyValue

extension BTree {
  /// Figures of a tree.
  package struct Statistics: Sendable, Hashable {
    package var entries = 0
    /// Levels, 0 for an empty tree.
    package var height = 0
    package var leaves = 0
    package var innerNodes = 0
    /// Bytes of memory.
    package var bytes = 0
    /// Bytes in nodes that hold nothing.
    package var freeBytes = 0
    /// Bytes of all keys and values.
    package var entryBytes = 0

    package init() {}

    /// Adds the statistics of another tree.
    package mutating func add(_ other: Statistics) {
      entries += other.entries
      height = max(height, other.height)
      leaves += other.leaves
      innerNodes += other.innerNodes
      bytes += other.bytes
      freeBytes += other.freeBytes
      entryBytes += other.entryBytes
    }
  }

  /// - Complexity: Visits every node.
  package func statistics() -> Statistics {
    var result = Statistics()
    result.entries = count
    guard let node else { return result }
    result.height = node.level + 1
    BTree.add(node, to: &result)
    return result
  }

  private static func add(_ node: BTreeNode, to result: inout Statistics) {
    let header = node.header.pointee
    result.bytes += node.allocatedBytes
    result.freeBytes += Int(header.capacity) - BTreeNode.fixedBytes(level: node.level) - Int(header.live)
    if node.isLeaf {
      result.leaves += 1
      result.entryBytes += Int(header.live)
      if header.hasLargeEntries {
        for index in 0..<node.count where node.slots[index].isLarge {
          // In the node it is an address.
          let large = node.large(node.slots[index])
          result.entryBytes += large.key.count + large.value.count - node.slots[index].size
        }
      }
      return
    }
    result.innerNodes += 1
    for index in 0..<node.count { add(node.children[index], to: &result) }
  }

  /// The defects in the structure of the tree; empty when it is sound.
  ///
  /// - Complexity: Visits every entry.
  package func defects() -> [String] {
    guard let node else { return [] }
    var check = Check()
    check.visit(node, level: node.level, lower: nil, upper: nil, isRoot: true, isLast: true)
    return check.defects
  }

  private struct Check {
    var defects: [String] = []

    mutating func visit(
      _ node: BTreeNode, level: Int, lower: UnsafeRawBufferPointer?, upper: UnsafeRawBufferPointer?, isRoot: Bool,
      isLast: Bool
    ) {
      let place = "level \(level)"
      if node.level != level { defects.append("\(place): a node of level \(node.level)") }
      let least = isRoot ? (node.isLeaf ? 1 : 2) : isLast ? 1 : BTreeNode.minimumEntries
      if node.count < least { defects.append("\(place): \(node.count) entries, at least \(least) are needed") }
      if node.count > BTreeNode.maximumEntries { defects.append("\(place): \(node.count) entries") }
      checkBytes(node, place)
      checkKeys(node, place, lower: lower, upper: upper)
      if node.isLeaf {
        if node.header.pointee.total != node.count { defects.append("\(place): the total is wrong") }
        return
      }
      var total = 0
      for index in 0..<node.count {
        let child = node.children[index]
        if child.header.pointee.total != node.totals[index] { defects.append("\(place): a child's total is wrong") }
        total += node.totals[index]
        visit(
          child, level: level - 1, lower: index == 0 ? lower : node.key(index),
          upper: index + 1 < node.count ? node.key(index + 1) : upper, isRoot: false,
          isLast: isLast && index + 1 == node.count)
      }
      if total != node.header.pointee.total { defects.append("\(place): the total is wrong") }
    }

    private mutating func checkBytes(_ node: BTreeNode, _ place: String) {
      let header = node.header.pointee
      let fixed = BTreeNode.fixedBytes(level: node.level)
      if node.bytes(0..<node.count) != Int(header.live) { defects.append("\(place): the live bytes are wrong") }
      if header.top > header.capacity { defects.append("\(place): the entries' bytes pass the end") }
      for index in 0..<node.count {
        let slot = node.slots[index]
        if Int(slot.offset) < fixed || Int(slot.offset) + slot.size > Int(header.top) {
          defects.append("\(place): entry \(index) lies outside")
        }
        if slot.isLarge && !header.hasLargeEntries { defects.append("\(place): a large entry is not declared") }
      }
    }

    private mutating func checkKeys(
      _ node: BTreeNode, _ place: String, lower: UnsafeRawBufferPointer?, upper: UnsafeRawBufferPointer?
    ) {
      let header = node.header.pointee
      let first = node.firstKey
      if first == 1 && (node.key(0).count != 0 || node.heads[0] != 0) {
        defects.append("\(place): the first child has a key")
      }
      if header.skip % 8 != 0 || (header.skip > 0 && node.count <= first) {
        defects.append("\(place): skips \(header.skip) bytes")
      }
      for index in stride(from: first, to: node.count, by: 1) {
        let key = node.key(index)
        if node.heads[index] != key.keyHead(skip: header.skip) { defects.append("\(place): a head is wrong") }
        if header.skip > 0 && key.commonPrefix(with: node.key(first)) < header.skip {
          defects.append("\(place): a key does not share what is skipped")
        }
        if index > first && !node.key(index - 1).precedes(key) { defects.append("\(place): keys are out of order") }
        if let lower, key.precedes(lower) { defects.append("\(place): a key is less than its node's") }
        if let upper, !key.precedes(upper) { defects.append("\(place): a key belongs to the next node") }
      }
      for index in node.count..<BTreeNode.maximumEntries where node.heads[index] != .max {
        defects.append("\(place): a head is left behind the last")
      }
    }
  }
}
