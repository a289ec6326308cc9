package import QuarryBackend

/// One state of a store whose trees are in memory. It never changes and is read by any threads.
package final class TreeState: Sendable {
  package let version: CommitVersion
  package let trees: TreeSet

  package init(version: CommitVersion, trees: TreeSet) {
    self.version = version
    self.trees = trees
  }

  /// The state before the first commit.
  package static var empty: TreeState { TreeState(version: CommitVersion(0), trees: TreeSet()) }

  /// The defects of the trees; empty when they are sound.
  ///
  /// - Complexity: Visits every entry.
  package func defects() -> [String] {
    trees.entries.flatMap { entry in entry.tree.defects().map { "tree \(entry.id), \($0)" } }
  }

  /// The figures of all trees together.
  ///
  /// - Complexity: Visits every node.
  package func statistics() -> BTree.Statistics {
    var sum = BTree.Statistics()
    for entry in trees.entries { sum.add(entry.tree.statistics()) }
    return sum
  }

  /// The figures as an engine's details.
  package func details(_ figures: BTree.Statistics) -> [String: String] {
    [
      "trees": String(trees.entries.count), "entries": String(figures.entries), "height": String(figures.height),
      "leaves": String(figures.leaves), "innerNodes": String(figures.innerNodes), "version": version.description,
    ]
  }
}
