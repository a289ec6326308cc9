import QuarryBackend
package import QuarryKeyValue

extension BTree {
  /// How many entries the range has.
  ///
  /// - Complexity: O(log n), by the counts in the nodes.
  package func count(in range: KeyRange) -> Int {
    BTree.withBounds(of: range) { lower, upper in
      let end = upper.map { rank($0) } ?? count
      let begin = lower.map { rank($0) } ?? 0
      return max(0, end - begin)
    }
  }

  /// How many keys are less than the key.
  package func rank(_ key: UnsafeRawBufferPointer) -> Int {
    guard var node = node else { return 0 }
    let head = key.keyHead(skip: 0)
    var rank = 0
    while !node.isLeaf {
      let index = node.childIndex(key, head: head)
      for before in 0..<index { rank &+= node.totals[before] }
      node = node.children[index]
    }
    return rank &+ node.search(key, head: head).index
  }
}
