package import QuarryBackend
package import QuarryKeyValue

/// Trees by number. A tree that is not there is empty.
package struct TreeSet: Sendable {
  package struct Entry: Sendable {
    package var id: TreeID
    /// Changes with each change of the tree; 0 for a tree that is not there.
    package var stamp: UInt64
    package var tree: BTree
  }

  /// In the order of their numbers.
  package private(set) var entries: [Entry] = []

  package init() {}

  /// Where the tree is, or belongs.
  @inline(__always)
  private func index(_ id: TreeID) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low &+ high) / 2
      if entries[middle].id < id { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  @inline(__always)
  package func get(_ id: TreeID, _ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let index = index(id)
    return index < entries.count && entries[index].id == id ? entries[index].tree.get(key) : nil
  }

  /// The tree, empty if it is not there.
  package func tree(_ id: TreeID) -> BTree {
    let index = index(id)
    return index < entries.count && entries[index].id == id ? entries[index].tree : BTree()
  }

  func stamp(_ id: TreeID) -> UInt64 {
    let index = index(id)
    return index < entries.count && entries[index].id == id ? entries[index].stamp : 0
  }

  /// Changes a tree in place, making it first if it is not there.
  @inline(__always)
  mutating func change<R>(
    _ id: TreeID, _ body: (inout Entry) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    let index = index(id)
    if index == entries.count || entries[index].id != id {
      entries.insert(Entry(id: id, stamp: 0, tree: BTree()), at: index)
    }
    return try body(&entries[index])
  }

  /// Gives the trees that differ from the other set a new stamp, so that no cursor over one of them continues.
  mutating func restamp(differingFrom other: TreeSet, _ stamp: UInt64) {
    for place in entries.indices where other.stamp(entries[place].id) != entries[place].stamp {
      entries[place].stamp = stamp
    }
  }

  // MARK: Changes outside of transactions

  /// Stores the value, replacing one that is there.
  package mutating func put(
    _ id: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) {
    _ = try change(id) { entry throws(StorageError) in try entry.tree.put(key, value) }
  }

  /// Removes the key, if it is there.
  package mutating func remove(_ id: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) {
    _ = try change(id) { entry throws(StorageError) in entry.tree.remove(key) }
  }

  /// Removes every entry of the range.
  package mutating func remove(_ id: TreeID, in range: KeyRange) throws(StorageError) {
    _ = try change(id) { entry throws(StorageError) in entry.tree.remove(in: range) }
  }
}
