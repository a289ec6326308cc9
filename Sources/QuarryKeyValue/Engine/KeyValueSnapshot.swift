public import QuarryBackend

public protocol KeyValueSnapshot: AnyObject, Sendable {
  associatedtype ReadTransaction: KeyValueReadTransaction
  var version: CommitVersion { get }
  func beginRead() throws(StorageError) -> ReadTransaction
  func close()
}
