/// A write transaction that can remove unreadable rows.
///
/// Its backend's manifest offers ``Capability/repair``.
public protocol RepairingWriteTransaction: BackendWriteTransaction {
  /// Removes the rows of a model that cannot be read or are stored under another key than their own.
  ///
  /// Their index entries may stay: the caller rebuilds the indexes.
  ///
  /// - Parameters:
  ///   - model: The id of a model of the transaction's schema.
  ///   - keep: Receives each of these rows before any is removed.
  /// - Returns: The number of rows removed.
  /// - Throws: The errors of the closure; `corrupt` where not even the rows can be walked; `closed`, `transactionEnded`, `full`,
  ///   `io`. Nothing is removed then.
  /// - Complexity: Reads every row of the model.
  func removeUnreadableRows(
    _ model: ModelID, _ keep: (UnreadableRow) throws(StorageError) -> Void
  ) throws(StorageError) -> Int

  /// Corrects the values that the engine derives from rows and stores with them, such as a column by which rows are ordered.
  ///
  /// The caller has dropped the indexes of the model, and rebuilds them.
  ///
  /// - Parameter model: The id of a model of the transaction's schema.
  /// - Returns: The number of rows in which a derived value was wrong; 0 for an engine without derived values.
  /// - Throws: `closed`, `transactionEnded`, `corrupt`, `full`, `io`. Nothing is corrected then.
  /// - Complexity: Reads every row of the model.
  func correctDerivedValues(_ model: ModelID) throws(StorageError) -> Int

  /// Makes the engine's own structure of a model what the schema says, such as the constraints of a table.
  ///
  /// The caller has removed the rows that cannot be read, has dropped the indexes of the model, and rebuilds them.
  ///
  /// - Parameter model: The id of a model of the transaction's schema.
  /// - Returns: A sentence for each action; none for an engine without such a structure.
  /// - Throws: `uniqueViolation` for rows of which the structure allows one; `inUse` where another program's objects depend on the
  ///   structure; `closed`, `transactionEnded`, `corrupt`, `full`, `io`. Nothing is corrected then.
  func correctDefinition(_ model: ModelID) throws(StorageError) -> [String]
}

extension RepairingWriteTransaction {
  /// Returns 0 and throws nothing: the engine stores only rows.
  public func correctDerivedValues(_ model: ModelID) throws(StorageError) -> Int { 0 }

  /// Returns nothing and throws nothing: the engine has no structure of its own for a model.
  public func correctDefinition(_ model: ModelID) throws(StorageError) -> [String] { [] }
}

/// A row that cannot be read, as it lies in its store.
public struct UnreadableRow: Sendable, Hashable {
  /// The content that can still be read.
  public enum Content: Sendable, Hashable {
    /// Its bytes, which are no row of its model.
    case bytes([UInt8])
    /// The values of its columns, in a database with tables.
    case columns([Value.Member])
  }

  /// The name of the model.
  public var model: String
  /// The key that it lies under, as people read it; bytes in hexadecimal digits where they are no key.
  public var key: String
  /// Why it cannot be read.
  public var reason: String
  /// The content of the row that can still be read.
  public var content: Content

  /// Creates the description of a row that cannot be read.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - key: The key that the row is stored under, as people read it.
  ///   - reason: Why the row cannot be read.
  ///   - content: The part of the row that can still be read.
  public init(model: String, key: String, reason: String, content: Content) {
    self.model = model
    self.key = key
    self.reason = reason
    self.content = content
  }
}

extension BackendWriteTransaction {
  /// Returns the transaction as one that removes unreadable rows.
  ///
  /// - Parameter manifest: The manifest of the transaction's backend.
  /// - Throws: `unsupported` when it is none.
  public func requireRepairing(_ manifest: BackendManifest) throws(StorageError) -> any RepairingWriteTransaction {
    if let transaction = self as? any RepairingWriteTransaction { return transaction }
    throw manifest.refusal(of: .repair)
  }
}
