import QuarryBackend
import QuarryKeyValue

// Storing trees again, for compaction.
extension SealedWriteTransaction {
  /// Stores the entries of every tree side by side in new pages, and removes the old ones. Values that are in chains stay
  /// where they are: their pages are full.
  ///
  /// - Complexity: Every node is opened and stored. Memory is as for any large transaction.
  func repack() throws(StorageError) {
    var free = TreeID.max
    while state.place(free) != nil { free -= 1 }
    for place in state.record.trees.indices {
      let root = try reader.root(state, place)
      if root.isLeaf { continue }
      var pages: [UInt64] = []
      try copyEntries(of: root, to: free, &pages)
      for page in pages { try self.free(page) }
      replace(state.record.trees[place].tree, by: free)
    }
  }

  /// - Parameter pages: Gets the pages of the nodes.
  private func copyEntries(of node: SealedNode, to tree: TreeID, _ pages: inout [UInt64]) throws(StorageError) {
    pages.append(node.page)
    guard !node.isLeaf else {
      return try change(tree) { work throws(StorageError) in
        for index in 0..<node.count {
          let entry = UnsafeRawBufferPointer(start: node.bytes + node.place(index), count: node.entryBytes(index))
          try storeLast(&work, node.key(index), entry)
        }
        return ((), true)
      }
    }
    for index in 0..<node.count {
      // Not kept in memory: each is read once.
      try copyEntries(of: reader.load(node.reference(index), level: node.level - 1), to: tree, &pages)
    }
  }
}
