import QuarryKeyValue

/// The trees that a write transaction knows, and its memory. The next transaction of the environment reuses them, because
/// allocating them costs as many instructions as storing a small value.
///
/// Unchecked: one transaction has it at a time, and the environment hands it on.
final class LMDBWriteRoom: @unchecked Sendable {
  let log = LMDBUndoLog()
  /// Cursors of the transaction that are open, of walks and of trees.
  @exclusivity(unchecked) var cursors: [OpaquePointer] = []
  /// A list, because most stores have few trees, and a transaction changes from one to another of them seldom.
  @exclusivity(unchecked) private var trees: [LMDBWriteTree] = []
  /// The number of the transaction that has the room.
  @exclusivity(unchecked) private var transaction = 0

  /// Of more trees a room is not kept.
  private static let mostTrees = 64

  /// Whether it takes little memory.
  var isSmall: Bool { trees.count <= Self.mostTrees }

  /// Begins the use by another transaction.
  func begin() {
    transaction += 1
    log.removeAll()
    cursors.removeAll(keepingCapacity: true)
  }

  /// The tree as the transaction has left it; as the transaction finds it where it has not used it yet.
  func tree(_ id: TreeID, _ table: LMDBTreeTable) -> LMDBWriteTree {
    for tree in trees where tree.id == id {
      if tree.transaction != transaction { tree.begin(transaction, table.handle(id)) }
      return tree
    }
    let tree = LMDBWriteTree(id)
    tree.begin(transaction, table.handle(id))
    trees.append(tree)
    return tree
  }
}
