import QuarryBackend
import QuarryKeyValue

/// One committed state of a memory store: its trees. It never changes and is read by any threads.
final class MemoryState: Sendable {
  let version: CommitVersion
  let trees: MemoryTrees

  init(version: CommitVersion, trees: MemoryTrees) {
    self.version = version
    self.trees = trees
  }
}

/// Trees by number. A tree that is not there is empty.
struct MemoryTrees: Sendable {
  struct Entry: Sendable {
    var id: TreeID
    /// Changes with each change of the tree; 0 for a tree that is not there.
    var stamp: UInt64
    var tree: BTree
  }

  /// In the order of their numbers.
  private(set) var entries: [Entry] = []

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
  func get(_ id: TreeID, _ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let index = index(id)
    return index < entries.count && entries[index].id == id ? entries[index].tree.get(key) : nil
  }

  /// The tree, empty if it is not there.
  func tree(_ id: TreeID) -> BTree {
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
}
