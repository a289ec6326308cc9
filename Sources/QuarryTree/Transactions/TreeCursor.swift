package import QuarryBackend
import QuarryKeyValue

/// A cursor over a tree of a transaction.
package struct TreeCursor: ProbingCursor {
  private let transaction: TreeTransaction
  private let tree: TreeID
  private let stamp: UInt64
  private var cursor: BTreeCursor

  init(_ transaction: TreeTransaction, _ tree: TreeID, stamp: UInt64, _ cursor: BTreeCursor) {
    self.transaction = transaction
    self.tree = tree
    self.stamp = stamp
    self.cursor = cursor
  }

  package mutating func next() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    try transaction.checkCursor(of: tree, stamp: stamp)
    return cursor.next()
  }

  package mutating func fill(
    _ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
  ) throws(StorageError) -> Int {
    try transaction.checkCursor(of: tree, stamp: stamp)
    return cursor.fill(values)
  }

  package mutating func fill(
    _ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>, passing probe: FieldProbe
  ) throws(StorageError) -> Int {
    try transaction.checkCursor(of: tree, stamp: stamp)
    return cursor.fill(values, passing: probe)
  }
}
