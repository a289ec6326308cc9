public import QuarryBackend

/// A store of ordered trees of bytes with transactions: the smaller of the two interfaces that an engine can implement.
/// ``KeyValueBackend`` makes a `Backend` of it: tables, indexes, unique constraints, planner, execution.
///
/// Keys are ordered by their bytes (`memcmp`, a prefix first). Trees are addressed by number; a tree that was never
/// written to is empty, so that there is nothing to create. Many read transactions may be open on any threads; there is
/// one write transaction at a time, and readers and the writer do not wait for each other.
///
/// Bytes that a call lends are valid until the next call on the same transaction that writes, or its end; those of a
/// cursor also until the cursor moves.
public protocol KeyValueEngine: AnyObject, Sendable {
  associatedtype ReadTransaction: KeyValueReadTransaction
  associatedtype WriteTransaction: KeyValueWriteTransaction
  associatedtype Snapshot: KeyValueSnapshot where Snapshot.ReadTransaction == ReadTransaction

  /// What the engine says of itself.
  var properties: KeyValueEngineProperties { get }

  /// What was found and done when the store was opened.
  var openingReport: OpeningReport { get }

  /// Begins a read transaction on the newest committed state.
  func beginRead() throws(StorageError) -> ReadTransaction
  /// Reads one value of the newest committed state: begin, get and end in one call.
  ///
  /// This is the hot path of reading one object. The backend is generic code that is not specialised behind
  /// `any Backend`; here the engine's own code does all three at once, and may leave out what only a transaction that
  /// goes on needs.
  ///
  /// - Parameter body: Is called once with the value if there is one; the bytes are valid only inside.
  /// - Returns: Whether the key was there.
  func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool
  /// Begins the write transaction, waiting for another writer for `timeout` seconds and then throwing `busy`.
  func beginWrite(timeout: Double) throws(StorageError) -> WriteTransaction
  /// Pins the newest committed state for many threads.
  func snapshot() throws(StorageError) -> Snapshot
  /// Bytes of files or memory, bytes that are free inside, and figures of the engine's own.
  func statistics() throws(StorageError) -> KeyValueEngineStatistics
  /// Verifies what is the engine's own, its trees, pages or file, and gives back what is wrong with it, nothing when it
  /// is sound. What the entries mean the backend checks.
  func check() throws(StorageError) -> [String]
  /// Gives free space back. No answer changes, and what is open stays open.
  ///
  /// - Throws: `unsupported` where the engine's properties say so; `readOnly`, `busy`, `full`, `io`.
  func compact() throws(StorageError)
  func destroy() throws(StorageError)
  /// Closes the engine. Whatever is still open throws `closed` from then on. A second call does nothing.
  func close() throws(StorageError)
}

/// The number of a tree. 0 holds Quarry's own records (the schema among them), others are ids of the schema. With its
/// highest bit set it is the tree of the long keys of the tree without it, where the engine limits the length of keys.
public typealias TreeID = UInt32

public protocol KeyValueReadTransaction: AnyObject {
  associatedtype Cursor: KeyValueCursor

  /// The place of the state that is read in the order of commits.
  var version: CommitVersion { get }
  /// The value of the key, or nil.
  func get(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer?
  /// A cursor that stands before the first entry of the range.
  func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> Cursor
  /// The number of entries of the range. Engines with counts in their trees answer in O(log n).
  func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int
  /// Entries and size of a tree. May look at every node, but not at every entry.
  func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics
  /// Ends the transaction, rolling back one that writes. A second call does nothing.
  func end()
}

public protocol KeyValueWriteTransaction: KeyValueReadTransaction {
  /// Stores the value, replacing one that is there.
  ///
  /// - Returns: Whether the key was new.
  @discardableResult
  func put(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool
  /// Stores the value unless the key is there.
  ///
  /// - Returns: Whether it was stored.
  func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool
  /// Removes the key.
  ///
  /// - Returns: Whether it was there.
  func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool
  /// Removes every entry of the range.
  ///
  /// - Returns: How many there were.
  func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int
  /// Begins a savepoint; they nest. When one is rolled back the cursors over trees that were written to since end;
  /// others go on.
  func savepoint() throws(StorageError)
  func releaseSavepoint() throws(StorageError)
  func rollbackSavepoint() throws(StorageError)
  /// Makes the changes visible and, at the declared level, durable. After a throw the transaction is rolled back.
  func commit() throws(StorageError) -> CommitVersion
}

/// Moves over the entries of a range, one by one or in batches. It sees what its own transaction wrote before the
/// cursor was made; writing to its tree while it is open ends it, and it throws `transactionEnded`.
public protocol KeyValueCursor {
  /// The next entry, or nil at the end.
  mutating func next() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)?
  /// Lends the values of the next entries.
  ///
  /// - Parameter values: Is filled from its beginning.
  /// - Returns: How many were filled; 0 at the end, and then for ever.
  mutating func fill(_ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int
}

public protocol KeyValueSnapshot: AnyObject, Sendable {
  associatedtype ReadTransaction: KeyValueReadTransaction
  var version: CommitVersion { get }
  func beginRead() throws(StorageError) -> ReadTransaction
  func close()
}

/// A range of keys by their bytes.
public struct KeyRange: Sendable, Hashable {
  /// Where the range begins, itself included; nil for the first key of the tree.
  public var lower: [UInt8]?
  /// Where the range ends, itself not included; nil for after the last key of the tree.
  public var upper: [UInt8]?

  public init(lower: [UInt8]? = nil, upper: [UInt8]? = nil) {
    self.lower = lower
    self.upper = upper
  }

  /// Every key.
  public static let all = KeyRange()

  /// Every key that begins with these bytes.
  public static func prefix(_ bytes: [UInt8]) -> KeyRange {
    KeyRange(lower: bytes, upper: successor(ofPrefix: bytes))
  }

  /// The least key after all keys with this prefix; nil when there is none, because every byte is 0xFF.
  public static func successor(ofPrefix bytes: [UInt8]) -> [UInt8]? {
    var result = bytes
    while let last = result.popLast() {
      if last < 0xFF {
        result.append(last + 1)
        return result
      }
    }
    return nil
  }
}

/// What an engine says of itself; ``KeyValueBackend`` makes the manifest of it.
public struct KeyValueEngineProperties: Sendable, Hashable {
  public var name: String
  public var version: String
  /// Bytes of the longest key, and bound of a range, that the engine takes; nil for no limit. It must take 16 at least.
  ///
  /// A store that is made with a limit has keys of any length all the same: the backend stores those past it in trees of
  /// their own, and gives the engine none that are longer. The first limit of a store stays that store's.
  public var maximumKeyBytes: Int?
  public var maximumValueBytes: Int?
  public var maximumSnapshots: Int?
  public var durability: BackendManifest.Durability
  public var sharing: BackendManifest.Sharing
  public var isReadOnly: Bool
  /// Whether a range is counted without visiting its entries.
  public var countsRanges: Bool
  /// Whether the store can be opened with another durability than the engine's default; `durability` is the one that it
  /// was opened with.
  public var opensWithDurability: Bool
  /// Whether the engine gives free space back when it is told to.
  public var compacts: Bool

  public init(
    name: String, version: String, maximumKeyBytes: Int? = nil, maximumValueBytes: Int? = nil,
    maximumSnapshots: Int? = nil, durability: BackendManifest.Durability, sharing: BackendManifest.Sharing,
    isReadOnly: Bool = false, countsRanges: Bool, opensWithDurability: Bool = false,
    compacts: Bool = false
  ) {
    self.name = name
    self.version = version
    self.maximumKeyBytes = maximumKeyBytes
    self.maximumValueBytes = maximumValueBytes
    self.maximumSnapshots = maximumSnapshots
    self.durability = durability
    self.sharing = sharing
    self.isReadOnly = isReadOnly
    self.countsRanges = countsRanges
    self.opensWithDurability = opensWithDurability
    self.compacts = compacts
  }
}

/// The size of one tree.
public struct KeyValueTreeStatistics: Sendable, Hashable {
  public var entries: Int
  /// Bytes of the pages or nodes that the tree takes; nil where it is not known.
  public var bytes: Int?

  public init(entries: Int, bytes: Int? = nil) {
    self.entries = entries
    self.bytes = bytes
  }
}

public struct KeyValueEngineStatistics: Sendable, Hashable {
  public var bytes: Int?
  public var freeBytes: Int?
  public var details: [String: String]

  public init(bytes: Int? = nil, freeBytes: Int? = nil, details: [String: String] = [:]) {
    self.bytes = bytes
    self.freeBytes = freeBytes
    self.details = details
  }
}

extension KeyValueEngine {
  /// Nothing that anybody should know.
  public var openingReport: OpeningReport { OpeningReport() }

  public func compact() throws(StorageError) {
    throw .unsupported(.compact, "\(properties.name) has no free space to give back")
  }
}
