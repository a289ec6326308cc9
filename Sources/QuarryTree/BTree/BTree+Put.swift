import QuarryBackend
import QuarryKeyValue

extension BTree {
  private enum Outcome { case inserted, replaced, unchanged }

  /// Stores an entry below the root.
  ///
  /// - Returns: Whether the key was new.
  static func put(
    _ root: inout BTreeNode?, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
    large: BTreeLargeEntry?, replaces: Bool, _ edit: inout BTreeEdit
  ) -> Bool {
    let entry = Entry(
      key: key, head: key.keyHead(skip: 0), value: value, large: large, replaces: replaces,
      size: BTreeNode.size(key, value))
    var node = root ?? BTreeNode.allocate(level: 0, capacity: 960)
    let outcome = put(&node, entry, isLast: true, &edit)
    if let right = edit.right {
      edit.right = nil
      let separator = edit.separator
      let size = BTreeNode.size(separator, none)
      let top = BTreeNode.allocate(level: node.level + 1, capacity: max(256, size))
      top.insert(at: 0, none, none, large: nil, child: node)
      top.insert(at: 1, separator, none, large: largeSeparator(separator), child: right)
      node = top
    }
    root = node
    return outcome == .inserted
  }

  /// The entry to store.
  private struct Entry {
    var key: UnsafeRawBufferPointer
    var head: UInt64
    var value: UnsafeRawBufferPointer
    var large: BTreeLargeEntry?
    /// Whether a value that is there is replaced.
    var replaces: Bool
    /// Bytes in a node.
    var size: Int
  }

  private static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  private static func largeSeparator(_ separator: UnsafeRawBufferPointer) -> BTreeLargeEntry? {
    separator.count > BTreeNode.inlineBytes ? BTreeLargeEntry(key: separator, value: none) : nil
  }

  /// - Parameter isLast: Whether the node is the last one of its level.
  private static func put(
    _ place: UnsafeMutablePointer<BTreeNode>, _ entry: Entry, isLast: Bool, _ edit: inout BTreeEdit
  ) -> Outcome {
    let node = place.pointee
    if node.isLeaf { return putInLeaf(place, entry, isLast: isLast, &edit) }
    BTreeNode.makeWritable(place, room: 0, &edit)
    let writable = place.pointee
    let index = writable.childIndex(entry.key, head: entry.head)
    let isLastChild = isLast && index == writable.count - 1
    let outcome = put(writable.children + index, entry, isLast: isLastChild, &edit)
    if outcome == .inserted {
      writable.header.pointee.total &+= 1
      writable.totals[index] &+= 1
      if edit.right != nil { putChild(place, after: index, isLast: isLast, &edit) }
    }
    return outcome
  }

  private static func putInLeaf(
    _ place: UnsafeMutablePointer<BTreeNode>, _ entry: Entry, isLast: Bool, _ edit: inout BTreeEdit
  ) -> Outcome {
    let (index, isFound) = place.pointee.search(entry.key, head: entry.head)
    if isFound {
      if !entry.replaces { return .unchanged }
      let old = place.pointee.slots[index]
      let fits = entry.large == nil && !old.isLarge && entry.value.count <= Int(old.valueLength)
      BTreeNode.makeWritable(place, room: fits ? 0 : entry.size, &edit)
      place.pointee.replace(at: index, entry.key, entry.value, large: entry.large, &edit)
      return .replaced
    }
    if place.pointee.count < BTreeNode.maximumEntries {
      BTreeNode.makeWritable(place, room: entry.size, &edit)
      place.pointee.insert(at: index, entry.key, entry.value, large: entry.large)
      return .inserted
    }

    BTreeNode.makeWritable(place, room: 0, &edit)
    let middle = splitIndex(for: index, isLast: isLast)
    var right = place.pointee.split(at: middle, &edit)
    if index >= middle {
      BTreeNode.makeWritable(&right, room: entry.size, &edit)
      right.insert(at: index - middle, entry.key, entry.value, large: entry.large)
    } else {
      BTreeNode.makeWritable(place, room: entry.size, &edit)
      place.pointee.insert(at: index, entry.key, entry.value, large: entry.large)
    }
    edit.right = right
    edit.separator = separator(place.pointee, right)
    return .inserted
  }

  /// Where a full node is split so that an entry can go to the index.
  ///
  /// Keys that come in ascending order leave full nodes behind at the end of the tree, and nodes that are three
  /// quarters full elsewhere; a node in the middle must not fall below the least number of entries.
  private static func splitIndex(for index: Int, isLast: Bool) -> Int {
    if index < BTreeNode.maximumEntries { return BTreeNode.maximumEntries / 2 }
    return isLast ? BTreeNode.maximumEntries : BTreeNode.maximumEntries - BTreeNode.minimumEntries
  }

  /// Puts the new neighbour of a child behind it, and splits the node if it is full.
  private static func putChild(
    _ place: UnsafeMutablePointer<BTreeNode>, after child: Int, isLast: Bool, _ edit: inout BTreeEdit
  ) {
    guard let new = edit.right else { return }
    edit.right = nil
    let node = place.pointee
    node.totals[child] -= new.header.pointee.total
    node.header.pointee.total -= new.header.pointee.total
    let separator = edit.separator
    let size = BTreeNode.size(separator, none)
    let index = child + 1
    if node.count < BTreeNode.maximumEntries {
      BTreeNode.makeWritable(place, room: size, &edit)
      place.pointee.insert(at: index, separator, none, large: largeSeparator(separator), child: new)
      return
    }
    let middle = splitIndex(for: index, isLast: isLast)
    if index == middle, middle == BTreeNode.maximumEntries {
      let right = BTreeNode.allocate(level: node.level, capacity: 256)
      right.insert(at: 0, none, none, large: nil, child: new)
      node.refreshSkip()
      edit.right = right
      return
    }
    // The key at which the node is split moves up; its bytes stay where they are until the change has ended.
    let promoted = node.key(middle)
    var right = node.split(at: middle, &edit)
    if index > middle {
      BTreeNode.makeWritable(&right, room: size, &edit)
      right.insert(at: index - middle, separator, none, large: largeSeparator(separator), child: new)
    } else {
      BTreeNode.makeWritable(place, room: size, &edit)
      place.pointee.insert(at: index, separator, none, large: largeSeparator(separator), child: new)
    }
    edit.right = right
    edit.separator = promoted
  }

  /// The shortest key that is greater than all of the left leaf and not greater than any of the right one.
  static func separator(_ left: BTreeNode, _ right: BTreeNode) -> UnsafeRawBufferPointer {
    let first = right.key(0)
    let shared = left.key(left.count - 1).commonPrefix(with: first)
    return UnsafeRawBufferPointer(rebasing: first.prefix(shared + 1))
  }
}
