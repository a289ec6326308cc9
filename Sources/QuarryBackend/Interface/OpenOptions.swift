/// Options of opening that mean the same on every backend.
public struct OpenOptions: Sendable {
  /// Opens for reading only: every write throws `readOnly`, the store must exist, and no file is written.
  public var isReadOnly: Bool = false
  /// Makes the store when it is not there.
  public var createsIfMissing: Bool = true
  /// What commits survive; nil for the backend's default.
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
  /// Nothing is done, and that is no error, where the engine has no compaction, somebody else has the store open in a way
  /// that forbids it or keeps it waiting (`inUse`, `busy`), or there is no room for it (`full`). What was done is in
  /// ``OpeningReport/compacted``.
  public var compaction: CompactionRule?
  /// Whether what the engine follows in its files without a look of its own is looked at before anything is read, so that
  /// damage that is there when the store is opened ends no process.
  ///
  /// A plain LMDB store needs it, whose library takes pages as they are: opening then reads all branch and leaf pages, about
  /// 0.1 seconds for a million objects, and is `corrupt` where they do not fit together. All other stores of this package
  /// look anyway, and do nothing more. What is data and has no checksum may still be read as other data.
  public var checksStructure: Bool = false

  /// Whether opening a store with files makes the process ignore `SIGXFSZ`, where that has the system's default action.
  ///
  /// A write beyond the process's limit for files (`ulimit -f`, `setrlimit`) raises that signal, whose default action ends
  /// the process. When it is ignored, the write is `full`. A handler of the program's own stays. A program that is started
  /// by this one inherits the ignored signal. False leaves the signal alone; then the program sees to it.
  public var ignoresFileSizeSignal: Bool = true

  public init() {}

  /// The options with a key, or as they are where none is given.
  package func sealed(_ encryption: Encryption?) -> OpenOptions {
    guard let encryption else { return self }
    var options = self
    options.encryption = encryption
    return options
  }
}
