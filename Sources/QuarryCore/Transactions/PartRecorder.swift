import QuarryBackend

/// Records the changes of a long transaction in parts, while it goes on.
protocol PartRecorder: AnyObject, Sendable {
  /// The captured bytes after which the changes so far are recorded.
  var partBytes: Int { get }

  /// Records changes that are not the last ones of their write.
  func recordPart(
    _ changes: ChangeSet, author: String?, in transaction: any BackendWriteTransaction
  ) throws(StorageError)
}
