import QuarryKeyValue
import Synchronization

/// Where a tree has its root in a state, by its record in the main database.
struct LMDBTreeRoot: Sendable {
  var tree: TreeID
  /// LMDB's number of the state.
  var state: Int
  var page: UInt64
  var depth: Int
}

/// The roots of a few trees in the states that were read last, so that not each transaction looks a record up, which is as
/// much work as finding a key.
///
/// The content of a state never changes, and no other state has its number: LMDB gives readers the number of a commit when the
/// commit has succeeded, and not before.
final class LMDBTreeRoots: Sendable {
  /// A place for each of a few trees, by its number. No state has the number -1.
  private let roots = Mutex([LMDBTreeRoot](repeating: LMDBTreeRoot(tree: 0, state: -1, page: 0, depth: 0), count: 8))

  /// Never blocks: a caller that finds a lookup in progress reads the record itself.
  @inline(__always)
  func find(_ tree: TreeID, _ state: Int) -> LMDBTreeRoot? {
    guard let root = roots.withLockIfAvailable({ $0[Int(tree % 8)] }), root.tree == tree, root.state == state else {
      return nil
    }
    return root
  }

  /// Keeps a root, unless the root of a newer state is known: snapshots of older ones do not push it out.
  func keep(_ root: LMDBTreeRoot) {
    _ = roots.withLockIfAvailable { roots in
      let place = Int(root.tree % 8)
      if roots[place].tree != root.tree || roots[place].state < root.state { roots[place] = root }
    }
  }
}
