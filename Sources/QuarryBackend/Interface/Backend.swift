/// A store of records in tables with a schema: what an engine implements to carry Quarry.
///
/// Access pattern: many read transactions at once on any threads, one write transaction at a time. Calls are
/// synchronous and may block. A transaction is used by one thread at a time; the layer above checks threads, ends and
/// limits of nesting, so that an implementation need not, but it must not crash when a closed backend is used: every
/// call then throws `closed`.
///
/// What a backend does not offer it declares as unsupported in its manifest and refuses with
/// ``BackendManifest/require(_:)`` before any effect.
///
/// Meanings of queries, order, uniqueness and errors are fixed by `docs/contract.md`; a backend decides only which part
/// of a query the engine does and which part the common evaluator does.
public protocol Backend: AnyObject, Sendable {
  /// What the backend offers. Constant from open to close.
  var manifest: BackendManifest { get }

  /// What was found and done when the store was opened. Constant from open to close.
  var openingReport: OpeningReport { get }

  /// Begins a read transaction, which sees one committed state until it ends. Does not wait for writers.
  func beginRead() throws(StorageError) -> any BackendReadTransaction

  /// Begins the write transaction, waiting for another writer.
  ///
  /// The writers of one store wait in a line above, in which each gives its turn on before it commits. So one of them at
  /// most waits here: for a commit that ends, or for writers of other stores and processes.
  ///
  /// - Parameter options: What is captured for observation, and how long to wait.
  /// - Throws: `readOnly`; `busy` when the wait took longer than the timeout; `unsupported` for a capture.
  func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction

  /// Reads one row in a transaction of its own: the fast form of begin, ``BackendReadTransaction/row(_:_:)``, end.
  ///
  /// - Parameter body: Is called once with the row if there is one; the bytes are valid only inside.
  /// - Returns: Whether the row was there.
  func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool

  /// Pins the newest committed state. The snapshot may be read by many threads until it is closed.
  func snapshot() throws(StorageError) -> any BackendSnapshot

  /// Gives free space back.
  func compact() throws(StorageError)
  /// Writes a copy of the newest committed state.
  func backup(to path: String) throws(StorageError)
  /// Verifies the store and gives back what is wrong with it, nothing when it is sound.
  func check() throws(StorageError) -> [String]
  func statistics() throws(StorageError) -> BackendStatistics
  /// Closes the store and removes all its files.
  func destroy() throws(StorageError)
  /// Closes the store. Open transactions and snapshots throw `closed` from then on. A second call does nothing.
  func close() throws(StorageError)
}

extension Backend {
  /// Nothing that anybody should know.
  public var openingReport: OpeningReport { OpeningReport() }
}

/// Makes backends of one kind: the value that names an engine, a place and the engine's own options, such as
/// `.sqlite(at: "library.db")`.
public protocol BackendProvider: Sendable {
  /// Opens the store, and makes it if it is not there and the options allow.
  ///
  /// - Throws: `notFound`, `io`, `corrupt`, `schemaTooNew`, `inUse`, `busy`, `wrongKey`; `unsupported` for an option
  ///   that the backend does not offer, before any effect.
  func open(_ options: OpenOptions) throws(StorageError) -> any Backend
}

/// Options of opening that mean the same on every backend.
public struct OpenOptions: Sendable {
  /// Opens for reading only: every write throws `readOnly`, the store must exist, and no file is written.
  public var isReadOnly: Bool = false
  /// Makes the store when it is not there.
  public var createsIfMissing: Bool = true
  /// What commits survive; nil for the backend's default.
  public var durability: BackendManifest.Durability?
  /// Gives the key of an encrypted store. Reserved: every backend of this version refuses it.
  public var encryptionKey: (any EncryptionKeyProvider)?
  /// A name that separates stores at one place. Reserved: every backend of this version refuses it.
  public var namespace: String?
  /// How long a write transaction waits for another writer, in seconds.
  public var busyTimeout: Double = 5

  public init() {}
}

/// Gives encryption keys to a backend.
public protocol EncryptionKeyProvider: Sendable {
  /// The bytes of the key for the store with that identity.
  func key(forStore identity: [UInt8]) throws -> [UInt8]
}

/// How a write transaction is begun.
public struct WriteOptions: Sendable {
  /// What a commit tells observers.
  public enum Capture: Sendable { case none, keys, rows }

  public var capture: Capture = .none
  /// Seconds to wait for another writer; nil for the store's own timeout.
  public var timeout: Double?

  public init(capture: Capture = .none, timeout: Double? = nil) {
    self.capture = capture
    self.timeout = timeout
  }
}

/// The place of a committed state in the order of commits of one store.
public struct CommitVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  public let rawValue: UInt64

  public init(_ rawValue: UInt64) {
    self.rawValue = rawValue
  }

  public static func < (left: CommitVersion, right: CommitVersion) -> Bool { left.rawValue < right.rawValue }
  public var description: String { String(rawValue) }
}

/// What one commit changed.
public enum ChangeSet: Sendable {
  public struct Change: Sendable {
    public var model: ModelID
    public var key: Key
    /// The rows before and after, when rows were captured.
    public var old: Row?
    public var new: Row?

    public init(model: ModelID, key: Key, old: Row? = nil, new: Row? = nil) {
      self.model = model
      self.key = key
      self.old = old
      self.new = new
    }
  }

  case changes([Change])
  /// Something changed, but not known what: another process wrote, or nothing was captured.
  case unknown
}

/// What a commit gives back.
public struct CommitResult: Sendable {
  public var version: CommitVersion
  public var changes: ChangeSet

  public init(version: CommitVersion, changes: ChangeSet = .unknown) {
    self.version = version
    self.changes = changes
  }
}

/// Sizes and counts of a store.
public struct BackendStatistics: Sendable, Hashable, Codable {
  public struct ModelStatistics: Sendable, Hashable, Codable {
    public var name: String
    public var rows: Int
    /// Bytes of the pages or nodes that hold the rows; nil where it is not known.
    public var bytes: Int?
    public var indexes: [IndexStatistics]

    public init(name: String, rows: Int, bytes: Int? = nil, indexes: [IndexStatistics]) {
      self.name = name
      self.rows = rows
      self.bytes = bytes
      self.indexes = indexes
    }
  }

  public struct IndexStatistics: Sendable, Hashable, Codable {
    public var name: String
    /// Entries of the index; nil where it is not known.
    public var entries: Int?
    /// Bytes of the pages or nodes that hold the entries; nil where it is not known.
    public var bytes: Int?

    public init(name: String, entries: Int? = nil, bytes: Int? = nil) {
      self.name = name
      self.entries = entries
      self.bytes = bytes
    }
  }

  public var models: [ModelStatistics]
  /// Bytes of all files of the store, or of memory for a store without files; nil where it is not known.
  public var bytes: Int?
  /// Bytes inside the files that hold nothing; nil where it is not known.
  public var freeBytes: Int?
  /// Figures of the engine's own, by name.
  public var details: [String: String]

  public init(models: [ModelStatistics], bytes: Int? = nil, freeBytes: Int? = nil, details: [String: String] = [:]) {
    self.models = models
    self.bytes = bytes
    self.freeBytes = freeBytes
    self.details = details
  }
}
