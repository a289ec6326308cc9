import CLMDB
import Dispatch
import QuarryBackend
import QuarrySystem
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An open LMDB environment, shared by all engines of the process on the same file.
///
/// It is closed when its last user has closed and its last transaction has ended, because LMDB's own close would unmap the pages
/// of active readers.
///
/// Sendable unchecked for the pointer of the environment, which LMDB lets all threads use; it is freed once, when no
/// transaction is counted any more and none can begin.
final class LMDBEnvironment: @unchecked Sendable {
  struct Options {
    /// The most that the map can grow to.
    var mapBytes: Int
    var firstMapBytes = LMDBMapSize.first
    var readers: Int
    var isReadOnly: Bool
    var createsIfMissing: Bool
    var busyTimeout: Double
    /// That of the store; of one that is not there yet, what it becomes.
    var format = LMDBFormat.plain
    /// Whether opening checks LMDB's own pages also where the trees are not in Quarry's pages.
    var checksStructure = false
  }

  struct State {
    /// Engines.
    var users: Int
    /// Transactions that exist, those in the pool among them.
    var transactions = 0
    /// Writers that wait or that end.
    var holds = 0
    var isClosed = false
    var isRemapping = false

    var isUnused: Bool { users == 0 && transactions == 0 && holds == 0 }
  }

  let environment: OpaquePointer
  let file: LMDBFile
  let identity: FileIdentity
  let isReadOnly: Bool
  /// The process, as it is counted by forks.
  let generation: UInt32
  let processID: Int32
  let maximumKeyBytes: Int
  let maximumReaders: Int
  let pageSize: Int
  let lock: ByteLocks
  let gate: LMDBWriterGate
  let pool = LMDBReaderPool()
  let state: Mutex<State>
  let options: Options
  /// A descriptor of the lock file, once one was needed to look for other processes. It stays open as long as LMDB's own:
  /// closing it would release the locks of this process.
  let lockWatch = Mutex<Int32?>(nil)
  /// Whether transactions are ended instead of kept.
  let isDraining = Atomic(false)
  let newestTable = Atomic<UInt>(0)
  /// All tables there were: a transaction may still read an old one.
  let tables = Mutex<[LMDBTreeTable]>([])
  /// Held while handles are opened, which LMDB allows one transaction at a time.
  let handleGate = DispatchSemaphore(value: 0)
  /// Where the map begins, once it was looked for; 0 before. See `mapStart(holding:)`.
  let knownStart = Atomic<UInt>(0)
  /// Pages that are known to be both in the map and in the file: there may be more.
  let knownPages = Atomic<UInt64>(0)
  let roots = LMDBTreeRoots()
  /// What the meta page has that a commit writes. Only for the holder of the gate.
  let formerMeta = UnsafeMutableRawBufferPointer.allocate(byteCount: LMDBMeta.byteCount, alignment: 8)
  /// What the last write transaction has left for the next one.
  let spareRoom = Spare<LMDBWriteRoom>()
  /// The last page when stale readers were looked for.
  let checkedPage = Atomic<Int>(0)
  /// The last page when the map was to grow and could not, because transactions were open.
  let ungrownPage = Atomic<Int>(0)

  /// - Parameter users: How many engines have it open to begin with.
  init(_ environment: OpaquePointer, _ file: LMDBFile, _ identity: FileIdentity, _ options: Options, users: Int = 1) {
    self.environment = environment
    self.file = file
    self.identity = identity
    self.options = options
    state = Mutex(State(users: users))
    isReadOnly = options.isReadOnly
    generation = LMDBProcess.generation
    processID = getpid()
    // One byte less than LMDB's own limit, for `LMDBKey`.
    maximumKeyBytes = Int(mdb_env_get_maxkeysize(environment)) - 1
    var readers: UInt32 = 0
    mdb_env_get_maxreaders(environment, &readers)
    maximumReaders = Int(readers)
    var figures = MDB_stat()
    mdb_env_stat(environment, &figures)
    pageSize = Int(figures.ms_psize)
    var descriptor: Int32 = -1
    mdb_env_get_fd(environment, &descriptor)
    lock = ByteLocks(descriptor: descriptor)
    gate = LMDBWriterGate(lock)
    handleGate.signal()
  }

  deinit {
    tables.withLock { tables in
      for table in tables { table.free() }
    }
    formerMeta.deallocate()
  }

  /// Whether this is a child of the process that opened it.
  @inline(__always) var isForked: Bool { generation != LMDBProcess.generation }
}
