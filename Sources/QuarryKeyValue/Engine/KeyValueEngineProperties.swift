public import QuarryBackend

/// The description that an engine gives of itself; ``KeyValueBackend`` derives the manifest from it.
public struct KeyValueEngineProperties: Sendable, Hashable {
  /// How many values that `get` lent stay valid at least in every engine.
  public static let lentValues = 1_024

  /// The name of the engine, as manifests and messages show it.
  public var name: String
  /// The version of the engine.
  public var version: String
  /// The length in bytes of the longest key, and bound of a range, that the engine takes; nil for no limit.
  ///
  /// It must take 16 at least.
  ///
  /// A store that is created with a limit still has keys of any length. The backend stores keys past the limit in trees of their
  /// own, and gives the engine none that are longer. A store keeps the first limit it was created with.
  public var maximumKeyBytes: Int?
  /// Bytes of the longest value that the engine takes; nil for no limit.
  public var maximumValueBytes: Int?
  /// How many snapshots may be open at once; nil for no limit.
  public var maximumSnapshots: Int?
  /// Bytes of the longest absolute path of a store; nil for an engine without files.
  public var maximumPathBytes: Int?
  /// The failures that a commit survives.
  public var durability: BackendManifest.Durability
  /// The users that may have the store open at the same time.
  public var sharing: BackendManifest.Sharing
  /// Whether the store was opened for reading alone.
  public var isReadOnly: Bool
  /// Whether a range is counted without visiting its entries.
  public var countsRanges: Bool
  /// Whether the store can be opened with another durability than the engine's default; `durability` is the one that it
  /// was opened with.
  public var opensWithDurability: Bool
  /// Whether the engine can give free space back on request.
  public var compacts: Bool
  /// Whether the engine writes copies of itself.
  public var backsUp: Bool
  /// Whether the engine seals stores that are opened with a key.
  public var encrypts: Bool
  /// Whether writes and deletions report correctly whether the key was there before.
  ///
  /// An engine that would have to read for it, as a log-structured merge tree does, declares false. The results of
  /// ``KeyValueWriteTransaction/put(_:_:_:)`` and both forms of `delete` then mean nothing. The backend reads first in the few
  /// places where it needs the answer.
  public var knowsPresence: Bool
  /// Whether everything that a read transaction lends stays valid until the transaction ends, however much it is.
  ///
  /// The backend then lends rows that it finds by keys as they are, and copies them otherwise.
  public var keepsLent: Bool

  /// Creates the properties of an engine.
  ///
  /// - Parameters:
  ///   - name: The name of the engine, as manifests and messages show it.
  ///   - version: The version of the engine.
  ///   - maximumKeyBytes: Bytes of the longest key, at least 16; nil for no limit.
  ///   - maximumValueBytes: Bytes of the longest value; nil for no limit.
  ///   - maximumSnapshots: The most snapshots and read transactions at once; nil for no limit.
  ///   - maximumPathBytes: Bytes of the longest absolute path; nil for an engine without files.
  ///   - durability: The failures that a commit survives.
  ///   - sharing: The users that may have the store open at the same time.
  ///   - isReadOnly: Whether the store was opened for reading alone.
  ///   - countsRanges: Whether a range is counted without visiting its entries.
  ///   - opensWithDurability: Whether the store can be opened with another durability than the default.
  ///   - compacts: Whether the engine can give free space back on request.
  ///   - backsUp: Whether the engine writes copies of itself.
  ///   - encrypts: Whether the engine seals stores that are opened with a key.
  ///   - knowsPresence: Whether writes and deletions report correctly whether the key was there before.
  ///   - keepsLent: Whether everything that a read transaction lends stays valid until its end.
  public init(
    name: String, version: String, maximumKeyBytes: Int? = nil, maximumValueBytes: Int? = nil,
    maximumSnapshots: Int? = nil, maximumPathBytes: Int? = nil, durability: BackendManifest.Durability,
    sharing: BackendManifest.Sharing,
    isReadOnly: Bool = false, countsRanges: Bool, opensWithDurability: Bool = false,
    compacts: Bool = false, backsUp: Bool = false, encrypts: Bool = false, knowsPresence: Bool = true,
    keepsLent: Bool = false
  ) {
    self.name = name
    self.version = version
    self.maximumKeyBytes = maximumKeyBytes
    self.maximumValueBytes = maximumValueBytes
    self.maximumSnapshots = maximumSnapshots
    self.maximumPathBytes = maximumPathBytes
    self.durability = durability
    self.sharing = sharing
    self.isReadOnly = isReadOnly
    self.countsRanges = countsRanges
    self.opensWithDurability = opensWithDurability
    self.compacts = compacts
    self.backsUp = backsUp
    self.encrypts = encrypts
    self.knowsPresence = knowsPresence
    self.keepsLent = keepsLent
  }
}
