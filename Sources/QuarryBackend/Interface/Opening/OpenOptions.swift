/// Options of opening that mean the same on every backend.
public struct OpenOptions: Sendable {
  /// Opens for reading only: every write throws `readOnly`, the store must exist, and no file is written.
  public var isReadOnly: Bool = false
  /// Opens as a writer that refuses every write with `readOnly`. An engine may let only writers take part in the locks of other
  /// processes, whose commits would make an outside reader begin again.
  package var refusesWrites: Bool = false
  /// Makes the store when it is not there.
  public var createsIfMissing: Bool = true
  /// The failures that commits survive; nil for the backend's default.
  public var durability: BackendManifest.Durability?
  /// The key of an encrypted store, which a store that is made gets; nil for a plain one.
  ///
  /// Opening throws `keyRequired`, `wrongKey` or `notEncrypted` where the store and the key do not go together, and leaves
  /// the store as it is.
  public var encryption: Encryption?
  /// A name that separates stores at one place. Reserved: every backend of this version refuses it.
  public var namespace: String?
  /// How long a write transaction waits for another writer, in seconds.
  public var busyTimeout: Double = 5
  /// Whether the store is compacted once it is open for writing and brought to the program's models; nil for never.
  ///
  /// Compaction is skipped without an error if the engine has none. It is also skipped if another user of the store forbids it or
  /// keeps it waiting (`inUse`, `busy`), or if there is no room for it (`full`). ``OpeningReport/compacted`` reports the result.
  public var compaction: CompactionRule?
  /// Whether the store keeps a log of its changes, and for how long; nil to leave it as it is. A new store has none.
  ///
  /// The store remembers it, so that every program that writes to the store records its changes. A store that is opened for
  /// reading ignores it.
  public var history: HistoryOption?
  /// Whether opening first validates the structure that the engine otherwise follows unchecked.
  ///
  /// Damage that is present when the store is opened then cannot crash the process.
  ///
  /// A plain LMDB store needs it, because the LMDB library trusts pages as they are. Opening then reads all branch and leaf
  /// pages, about 0.1 seconds for a million objects. It throws `corrupt` where they do not fit together. All other stores of this
  /// package check anyway, and do nothing more. Data without a checksum may still be read as other data.
  public var checksStructure: Bool = false

  /// Bytes that one call may hold in memory for groups, and for values that it sorts, about: 64 MiB by default.
  ///
  /// What is more goes into temporary files, which have no names and end with the call. Those of an encrypted store would not be
  /// encrypted: it makes none, and ignores this. The result of the call is not counted. Less than 64 KiB is taken as 64 KiB.
  public var workingMemory: Int = 64 << 20

  /// Whether opening a store with files makes the process ignore `SIGXFSZ`, where that has the system's default action.
  ///
  /// A write beyond the process's limit for files (`ulimit -f`, `setrlimit`) raises that signal, whose default action ends the
  /// process. When it is ignored, the write throws `full`. A handler that the program installed stays. A child process inherits
  /// the ignored signal. If false, the signal is left alone, and the program handles it.
  public var ignoresFileSizeSignal: Bool = true

  /// What receives the events of the store, such as retries and waits; empty to measure and report nothing.
  public var reporters: [any StoreReporter] = []

  /// Creates the default options.
  public init() {}

  /// Bytes that one call may hold; `.max` where nothing may get into a temporary file.
  package var boundOfMemory: Int { encryption == nil ? max(workingMemory, 64 << 10) : .max }

  /// The options with a key, or as they are where none is given.
  package func sealed(_ encryption: Encryption?) -> OpenOptions {
    guard let encryption else { return self }
    var options = self
    options.encryption = encryption
    return options
  }
}
