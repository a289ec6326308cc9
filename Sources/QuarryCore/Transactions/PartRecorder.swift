import QuarryBackend

/// Records the changes of a long transaction in parts, while it goes on.
protocol PartRecorder: AnyObject, Sendable {
  /// The captured bytes after which the changes so far are recorded.
  var partBytes: Int { get }

  /// Records changes that are not the last ones of their write.
  func recordPart(
    _ changes: CapturedChanges, author: String?, in transaction: any BackendWriteTransaction
  ) throws(StorageError)
}

extension CapturedChanges {
  /// The changes that a transaction has captured since it was asked last.
  static func taken(from transaction: any BackendWriteTransaction) throws(StorageError) -> CapturedChanges {
    if let layer = transaction as? WriterLayer, let changes = try layer.capturedChanges() { return changes }
    return CapturedChanges(try transaction.changes())
  }
}
