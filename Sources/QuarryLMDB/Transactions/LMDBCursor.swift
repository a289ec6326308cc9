import CLMDB
package import QuarryBackend
import QuarryKeyValue

/// A cursor over a range of a tree of a transaction.
package struct LMDBCursor: KeyValueCursor {
  /// Gives LMDB's cursor back to the transaction with the last copy of the value.
  private final class Lease {
    let transaction: LMDBTransaction
    let walk: LMDBWalk

    init(_ transaction: LMDBTransaction, _ walk: LMDBWalk) {
      self.transaction = transaction
      self.walk = walk
    }

    deinit {
      transaction.giveBack(walk.cursor)
    }
  }

  private let transaction: LMDBTransaction
  private let tree: TreeID
  private let stamp: UInt64
  /// Nil for a tree that is not there.
  private let lease: Lease?

  init(_ transaction: LMDBTransaction, _ tree: TreeID, stamp: UInt64, _ walk: LMDBWalk?) {
    self.transaction = transaction
    self.tree = tree
    self.stamp = stamp
    lease = walk.map { Lease(transaction, $0) }
  }

  package mutating func next() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    try transaction.checkCursor(of: tree, stamp: stamp)
    guard let walk = lease?.walk, try walk.advance() else { return nil }
    return (walk.keyBytes, walk.valueBytes)
  }

  package mutating func fill(
    _ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
  ) throws(StorageError) -> Int {
    try transaction.checkCursor(of: tree, stamp: stamp)
    guard let walk = lease?.walk else { return 0 }
    return try walk.fill(values)
  }
}
