/// A write transaction that can take out rows that nobody can read: of a backend whose manifest offers ``Capability/repair``.
public protocol RepairingWriteTransaction: BackendWriteTransaction {
  /// Removes the rows of a model that cannot be read or lie under another key than their own. Their entries in indexes may
  /// stay: who calls this makes the indexes anew.
  ///
  /// - Parameter keep: Is given each of them before any is removed.
  /// - Returns: How many there were.
  /// - Throws: What the closure throws; `corrupt` where not even the rows can be walked. Nothing is removed then.
  func removeUnreadableRows(
    _ model: ModelID, _ keep: (UnreadableRow) throws(StorageError) -> Void
  ) throws(StorageError) -> Int

  /// Sets right what the engine keeps beside the values of rows and has made of them, such as a column by which they are
  /// ordered. Who calls this has dropped the indexes of the model, and makes them anew.
  ///
  /// - Returns: In how many rows it was wrong; 0 for an engine that keeps no such thing.
  func correctDerivedValues(_ model: ModelID) throws(StorageError) -> Int
}

extension RepairingWriteTransaction {
  /// 0: rows are all that there is.
  public func correctDerivedValues(_ model: ModelID) throws(StorageError) -> Int { 0 }
}

/// A row that cannot be read, as it lies in its store.
public struct UnreadableRow: Sendable, Hashable {
  /// What is there of it.
  public enum Content: Sendable, Hashable {
    /// Its bytes, which are no row of its model.
    case bytes([UInt8])
    /// What its columns have, in a database with tables.
    case columns([Value.Member])
  }

  /// The name of the model.
  public var model: String
  /// The key that it lies under, as people read it; bytes in hexadecimal digits where they are no key.
  public var key: String
  /// Why it cannot be read.
  public var reason: String
  /// What is there of it.
  public var content: Content

  public init(model: String, key: String, reason: String, content: Content) {
    self.model = model
    self.key = key
    self.reason = reason
    self.content = content
  }
}

extension BackendWriteTransaction {
  /// The transaction as one that takes unreadable rows out.
  ///
  /// - Parameter manifest: That of its backend.
  /// - Throws: `unsupported` when it is none.
  public func requireRepairing(_ manifest: BackendManifest) throws(StorageError) -> any RepairingWriteTransaction {
    if let transaction = self as? any RepairingWriteTransaction { return transaction }
    throw manifest.refusal(of: .repair)
  }
}
