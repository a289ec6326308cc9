import CLMDB
import QuarryBackend
import QuarrySystem
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension LMDBEnvironment {
  /// Trees that can be made beyond those that a store has when it is opened.
  private static let spareTrees = 1_000

  /// Opens a file that this process does not have open. Only for the registry.
  static func open(_ file: LMDBFile, _ options: Options) throws(StorageError) -> LMDBEnvironment {
    var major: Int32 = 0
    var minor: Int32 = 0
    mdb_version(&major, &minor, nil)
    // Behaviour that is relied upon beyond LMDB's documentation (a pinned transaction read by many threads) was verified in 0.9.
    guard major == 0, minor == 9 else {
      throw StorageError(.unsupported, "LMDB 0.9 is needed, this is \(String(cString: mdb_version(nil, nil, nil)))")
    }
    guard LMDBProcess.watch() else { throw StorageError(.io, "forks of the process cannot be watched") }
    // No other file is put into the place meanwhile.
    var guarding = try LMDBDirectoryLock(shared: file)
    defer { guarding?.end() }
    try file.requireOrdinaryFiles()
    var content = try file.content()
    if case .store(let found) = content { try LMDBMarker.require(options.format, of: found, file.path) }
    if options.isReadOnly || !options.createsIfMissing {
      switch content {
      // An empty environment is what is left of a store that was being made when its process ended.
      case .missing, .empty: throw .noStore(at: file.path)
      case .store: break
      }
    }
    let madeDirectory = content == .missing ? try file.makeDirectory() : false
    if guarding == nil { guarding = try LMDBDirectoryLock(shared: file) }
    do throws(StorageError) {
      if content == .missing, try makeWhole(file, options.format) {
        content = try file.content()
        // Another process may have been quicker.
        if case .store(let found) = content { try LMDBMarker.require(options.format, of: found, file.path) }
      }
      var options = options
      if case .store(let found) = content { options.format = found }
      return try open(file, options, content)
    } catch {
      // Another process may have made a store in the new directory, or be about to.
      if madeDirectory, guarding?.becomeExclusive() ?? true, file.byteCount == 0 {
        unlink(file.lockPath)
        unlink(file.dataPath)
        file.removeDirectory()
      }
      throw error
    }
  }

  private static func open(
    _ file: LMDBFile, _ options: Options, _ content: LMDBFile.Content
  ) throws(StorageError) -> LMDBEnvironment {
    // Without a lock file the store is not open anywhere, and reading must not create one. The lock on the writer's byte keeps
    // other processes from writing for as long.
    let withoutLocks = options.isReadOnly && !file.hasLock
    var spare = spareTrees
    while true {
      let raw = try openRaw(file.path, options, withoutLocks ? MDB_NOLOCK : 0, trees: spare)
      guard let identity = try? file.identity() else {
        mdb_env_close(raw)
        throw StorageError(.notFound, "\(file.path) was removed while it was being opened")
      }
      let result = LMDBEnvironment(raw, file, identity, options)
      do throws(StorageError) {
        try result.takePresence(lockInode: withoutLocks ? nil : try file.lockInode())
        if case .store(let found) = content {
          // A reader of Quarry's pages checks the head of a value before it is freed.
          if found.hasPages {
            try result.requireWholeStructure()
          } else if options.checksStructure {
            try result.requireWholeStructure(readsHeads: true)
          }
        }
        if !options.isReadOnly {
          try result.prepareStore(options.busyTimeout, isNew: content == .missing || content == .empty)
          result.removeLeftovers()
        }
        if !withoutLocks { result.clearStaleReaders() }
        let records = try result.recordCount()
        if records + spareTrees / 2 > spare {
          spare = records + spareTrees
          mdb_env_close(raw)
          continue
        }
        try result.openHandles()
        return result
      } catch {
        mdb_env_close(raw)
        throw error
      }
    }
  }

  /// Opens the environment of a copy of a store's data, which has a name of its own and belongs only to the caller.
  ///
  /// Its engines come to it when it takes the place of the store's; until then the caller's hold keeps it open.
  static func openCopy(at path: String, of old: LMDBEnvironment) throws(StorageError) -> LMDBEnvironment {
    let trees = (old.table?.all.count ?? 0) + spareTrees
    let raw = try openRaw(path, old.options, MDB_NOSUBDIR, trees: trees)
    do throws(StorageError) {
      let (data, locks) = (try LMDBFile.status(path), try LMDBFile.status(path + LMDBFile.copyLockEnding))
      guard let data, let locks else { throw StorageError(.io, "\(path) no longer exists") }
      let result = LMDBEnvironment(raw, old.file, data.identity, old.options, users: 0)
      try result.hold()
      try result.takePresence(lockInode: locks.identity.number)
      try result.openHandles()
      return result
    } catch {
      mdb_env_close(raw)
      throw error
    }
  }

  /// Removes the leftovers of a compaction that was ended in the middle. A compaction in progress has the writers' turn.
  private func removeLeftovers() {
    guard file.hasCopy, (try? gate.enter(0)) != nil else { return }
    file.removeCopy()
    gate.leave()
  }

  /// Opens LMDB's environment with as much address space as ``LMDBMapSize`` says.
  ///
  /// - Parameter path: Of the directory, or of the data where the flags say so.
  static func openRaw(
    _ path: String, _ options: Options, _ more: Int32, trees: Int
  ) throws(StorageError) -> OpaquePointer {
    var flags = UInt32(MDB_NOTLS | more)
    if options.isReadOnly { flags |= UInt32(MDB_RDONLY) }
    let dataPath = more & MDB_NOSUBDIR != 0 ? path : path + "/data.mdb"
    // Holes need no room: LMDB itself maps more where the store has pages behind them.
    var status = stat()
    let fileBytes = stat(dataPath, &status) == 0 ? min(Int(status.st_size), Int(status.st_blocks) * 512) : 0
    var mapBytes = try LMDBMapSize.opening(
      limit: options.mapBytes, first: options.firstMapBytes, fileBytes: fileBytes, path)
    var attempts = 0
    while true {
      var environment: OpaquePointer?
      var result = mdb_env_create(&environment)
      guard result == MDB_SUCCESS, let environment else {
        throw StorageError(lmdb: result, "the store at \(path)")
      }
      mdb_env_set_maxdbs(environment, MDB_dbi(trees))
      mdb_env_set_maxreaders(environment, UInt32(clamping: max(2, min(options.readers, 1 << 20))))
      mdb_env_set_mapsize(environment, mapBytes)
      Descriptor.occupyStandardNumbers()
      result = mdb_env_open(environment, path, flags, 0o600)
      if result == MDB_SUCCESS, Self.isAboveStandardNumbers(environment) || attempts >= 20 { return environment }
      mdb_env_close(environment)
      attempts += 1
      if result == MDB_SUCCESS { continue }
      if result == ENOMEM, mapBytes > LMDBMapSize.least {
        // Another thread has taken the room.
        mapBytes = mapBytes / 2 & ~0xFFFF
      } else if result == EAGAIN || result == EACCES && attempts < 3 && access(dataPath, R_OK) == 0,
        attempts < 20
      {
        // Another process opens or closes it at this moment.
        usleep(5_000)
      } else if result == EACCES, !options.isReadOnly, access(dataPath, R_OK) == 0 {
        throw .isUnwritable(refusedPath(path, dataPath, more))
      } else {
        let refused = [EACCES, EPERM, EROFS].contains(result) ? refusedPath(path, dataPath, more) : path
        throw StorageError(lmdb: result, refused == path ? "the store at \(path)" : "the lock file \(refused)")
      }
    }
  }

  /// Whether the data is not open under the number of a standard stream, which a thread may have closed meanwhile.
  private static func isAboveStandardNumbers(_ environment: OpaquePointer) -> Bool {
    var descriptor: mdb_filehandle_t = -1
    return mdb_env_get_fd(environment, &descriptor) != MDB_SUCCESS || descriptor >= Descriptor.lowest
  }

  /// The file that could not be opened: the lock file, where the data can be read and it cannot be written to, because LMDB
  /// does not say which of its files it was.
  private static func refusedPath(_ path: String, _ dataPath: String, _ more: Int32) -> String {
    let lockPath = more & MDB_NOSUBDIR != 0 ? path + "-lock" : path + "/lock.mdb"
    guard more & MDB_NOLOCK == 0, access(dataPath, R_OK) == 0, access(lockPath, F_OK) == 0,
      access(lockPath, R_OK | W_OK) != 0
    else { return path }
    return lockPath
  }

  /// Says to other processes which lock file is used, and looks whether they use the same one.
  private func takePresence(lockInode: UInt64?) throws(StorageError) {
    guard let lockInode else {
      if !lock.set(.read, LMDBFileLock.writer), let holder = lock.holder(LMDBFileLock.writer) {
        throw .inUse(by: holder, "process \(holder) writes to \(file.path), whose lock.mdb is missing")
      }
      return
    }
    let place = Int64(lockInode % UInt64(LMDBFileLock.presenceCount))
    let base = LMDBFileLock.presence
    _ = lock.set(.read, base + place)
    let other =
      lock.holder(base, count: place)
      ?? lock.holder(base + place + 1, count: LMDBFileLock.presenceCount - place - 1)
    if let other {
      throw .inUse(by: other, "process \(other) has \(file.dataPath) open with another lock.mdb")
    }
  }

  /// Whether another process has the store open.
  func otherProcess() -> Int32? {
    lock.holder(LMDBFileLock.presence, count: LMDBFileLock.presenceCount) ?? lock.holder(LMDBFileLock.writer)
  }

  /// Whether a process has it open with LMDB but without Quarry, which knows LMDB's own lock alone: each has the first
  /// byte of the lock file for reading.
  func otherUserOfLMDB() -> Int32? {
    lockWatch.withLock { descriptor in
      if descriptor == nil {
        let opened = Descriptor.open(file.lockPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else { return nil }
        descriptor = opened
      }
      return ByteLocks(descriptor: descriptor ?? -1).holder(0)
    }
  }

  private func recordCount() throws(StorageError) -> Int {
    var transaction: OpaquePointer?
    let result = mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
    guard result == MDB_SUCCESS, let transaction else { throw StorageError(lmdb: result, file.path) }
    defer { mdb_txn_abort(transaction) }
    return Self.records(transaction)
  }

  /// Makes the marker where there is none yet, and makes sure that what was made outlives a loss of power.
  private func prepareStore(_ timeout: Double, isNew: Bool) throws(StorageError) {
    guard isNew else { return }
    try gate.enter(timeout)
    defer { gate.leave() }
    var transaction: OpaquePointer?
    var result = mdb_txn_begin(environment, nil, 0, &transaction)
    guard result == MDB_SUCCESS, let transaction else { throw StorageError(lmdb: result, file.path) }
    var isOpen = true
    defer { if isOpen { mdb_txn_abort(transaction) } }
    var main: MDB_dbi = 0
    result = mdb_dbi_open(transaction, nil, 0, &main)
    guard result == MDB_SUCCESS else { throw StorageError(lmdb: result, file.path) }
    let records = Self.records(transaction)
    var stored: StorageError?
    var key = LMDBMarker.key
    var value = LMDBMarker.value(options.format)
    key.withUnsafeMutableBytes { key in
      value.withUnsafeMutableBytes { value in
        var keyValue = MDB_val(mv_size: key.count, mv_data: key.baseAddress)
        var dataValue = MDB_val(mv_size: value.count, mv_data: value.baseAddress)
        if records == 0 {
          result = mdb_put(transaction, main, &keyValue, &dataValue, 0)
        } else {
          // Another process was here first.
          result = mdb_get(transaction, main, &keyValue, &dataValue)
          guard result == MDB_SUCCESS else { return }
          do throws(StorageError) {
            let found = try LMDBMarker.format(
              UnsafeRawBufferPointer(start: dataValue.mv_data, count: dataValue.mv_size), file.path)
            try LMDBMarker.require(options.format, of: found, file.path)
            guard found == options.format else {
              throw StorageError(.busy, "another process has just created \(file.path) in another format")
            }
          } catch {
            stored = error
          }
        }
      }
    }
    if let stored { throw stored }
    guard result == MDB_SUCCESS else {
      throw result == MDB_NOTFOUND
        ? StorageError(.corrupt, "\(file.path) is an LMDB environment, but not a store of Quarry")
        : StorageError(lmdb: result, file.path)
    }
    isOpen = false
    result = mdb_txn_commit(transaction)
    guard result == MDB_SUCCESS else { throw StorageError(lmdb: result, file.path) }
    try file.syncDirectories()
  }
}
