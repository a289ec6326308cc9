package import QuarryBackend
package import QuarryKeyValue

/// The steps of an engine at the end of a write transaction.
///
/// A transaction has the writer's turn from its beginning; one of these calls ends it and gives the turn back.
package protocol TreeCommitter: AnyObject, Sendable {
  /// Makes the state durable, at the level of the engine, and visible. The turn may be given back before that is done.
  ///
  /// - Parameter changes: The changes that the transaction recorded, if it did.
  func commit(_ state: TreeState, _ changes: (any TreeRecorder)?) throws(StorageError)
  /// Ends a transaction that changed nothing.
  ///
  /// - Parameter state: The state that it read.
  /// - Throws: When that state never came to be.
  func commitUnchanged(_ state: TreeState) throws(StorageError)
  /// Ends a transaction that is given up.
  func rollBack()
}

/// Takes down what a write transaction changes, in the order in which it happens.
package protocol TreeRecorder: AnyObject {
  func put(_ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer)
  func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer)
  func delete(_ tree: TreeID, in range: KeyRange)
  /// How much is recorded.
  var mark: Int { get }
  /// Drops what was recorded after the mark.
  func rollBack(to mark: Int)
}

/// Changes are visible as soon as they are committed, and kept nowhere else.
extension TreeStore: TreeCommitter {
  package func commit(_ state: TreeState, _ changes: (any TreeRecorder)?) {
    publish(state)
    leave()
  }

  package func commitUnchanged(_ state: TreeState) {
    leave()
  }

  package func rollBack() {
    leave()
  }
}
