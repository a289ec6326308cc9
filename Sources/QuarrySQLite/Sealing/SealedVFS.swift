import CSQLite
import QuarryBackend
import QuarrySystem
import Synchronization

/// The files of one sealed store as SQLite sees them: a VFS over the system's, which seals what is written.
///
/// Each opened store has one, which is registered as long as this object is there: its connections name it, and its open
/// files hold it.
final class SealedVFS: StoreVFS, @unchecked Sendable {
  private struct State {
    var encryption: Encryption
    var keys: SealedKeys?
    var failure: StorageError?
    var made: [UInt8]?
  }

  private let state: Mutex<State>
  /// Whether a log's beginning waits for the disk: not where commits need not survive a loss of power.
  let syncsLogSlots: Bool

  private static let count = Atomic<UInt64>(0)

  /// - Parameters:
  ///   - keys: Those of the store; nil to find them when the first file is opened.
  ///   - header: The header page that an empty file gets.
  init(
    _ encryption: Encryption, _ keys: SealedKeys?, making header: [UInt8]? = nil, syncsLogSlots: Bool = true
  ) throws(StorageError) {
    self.syncsLogSlots = syncsLogSlots
    state = Mutex(State(encryption: encryption, keys: keys, made: header))
    try super.init(name: "quarry-sealed-\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)")
  }

  // MARK: Keys

  /// The keys of the store; nil before its file was opened.
  var keys: SealedKeys? { state.withLock { $0.keys } }
  var encryption: Encryption { state.withLock { $0.encryption } }

  /// Why a file could not be opened, when that gave `SQLITE_AUTH`.
  var failure: StorageError {
    state.withLock { $0.failure } ?? StorageError(.io, "the encrypted database cannot be opened")
  }

  /// Goes on with another key, whose header the file has.
  func change(to encryption: Encryption, _ keys: SealedKeys) {
    state.withLock {
      $0.encryption = encryption
      $0.keys = keys
    }
  }

  /// Goes on without making a header of an empty file.
  func endMaking() { state.withLock { $0.made = nil } }

  /// The keys of a file with that header.
  ///
  /// The header differs from the previous one when the store was rewritten with another key.
  private func keys(of header: SealedHeader) throws(StorageError) -> SealedKeys {
    let (encryption, known) = state.withLock { ($0.encryption, $0.keys) }
    guard let slot = header.envelope.slot else {
      throw .keySlotsDamaged()
    }
    if let known, known.identity == header.identity {
      known.slot = slot
      return known
    }
    let keys = try SealedKeys(try header.envelope.unlock(with: encryption), slot)
    state.withLock { $0.keys = keys }
    return keys
  }

  // MARK: Opening files

  override func open(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    file.pointee.pMethods = nil
    // Other files would be in the clear. Connections keep what they have for a while in memory.
    guard flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) != 0 else {
      return SQLITE_CANTOPEN
    }
    if let refusal = refusal(toOpen: name, flags) { return refusal }
    let (result, real) = openReal(name, file, flags, outFlags)
    guard result == SQLITE_OK else { return result }
    do throws(StorageError) {
      let opened: SealedFile
      if flags & SQLITE_OPEN_MAIN_DB != 0 {
        opened = try openDatabase(real, flags, name.map { String(cString: $0) } ?? "the store")
      } else {
        guard let name, let main = sqlite3_database_file_object(name),
          let database = VFSFileMethods.file(main) as? SealedDatabase
        else { throw StorageError(.io, "a file next to the database was opened without the database") }
        opened =
          flags & SQLITE_OPEN_WAL != 0
          ? SealedLog(real, self, database.keys, of: database) : SealedJournal(real, self, database.keys)
      }
      VFSFileMethods.put(opened, into: file)
      return SQLITE_OK
    } catch {
      _ = real.pointee.pMethods?.pointee.xClose?(real)
      state.withLock { $0.failure = error }
      return error.code == .busy ? SQLITE_BUSY : SQLITE_AUTH
    }
  }

  private func openDatabase(
    _ real: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32, _ name: String
  ) throws(StorageError) -> SealedDatabase {
    guard let methods = real.pointee.pMethods?.pointee else { throw StorageError(.io, "\(name) was not opened") }
    var size: sqlite3_int64 = 0
    let result = methods.xFileSize?(real, &size) ?? FileResult.read
    guard result == SQLITE_OK else { throw StorageError(sqlite: result, nil, name) }
    if size == 0, flags & SQLITE_OPEN_READWRITE != 0, let header = state.withLock({ $0.made }) {
      try makeHeader(real, methods, header)
    }
    var bytes = [UInt8](repeating: 0, count: SealedDatabaseFormat.pageBytes)
    let read = bytes.withUnsafeMutableBytes { bytes in
      methods.xRead?(real, bytes.baseAddress, Int32(bytes.count), 0) ?? FileResult.read
    }
    guard read == SQLITE_OK || read == FileResult.shortRead else { throw StorageError(sqlite: read, nil, name) }
    // The file was another one when its content was checked.
    if SealedHeader.isPlain(bytes) { throw .notEncrypted(name) }
    let header = try SealedHeader(bytes, of: name)
    return SealedDatabase(real, self, try keys(of: header), path: name)
  }

  /// Writes the header of a new store, alone: another process that has the file open at the same time waits, or finds the header.
  private func makeHeader(
    _ real: UnsafeMutablePointer<sqlite3_file>, _ methods: sqlite3_io_methods, _ header: [UInt8]
  ) throws(StorageError) {
    var result = SQLITE_OK
    // SQLITE_LOCK_SHARED, _RESERVED and _EXCLUSIVE, in SQLite's order.
    for level: Int32 in [1, 2, 4] where result == SQLITE_OK {
      result = methods.xLock?(real, level) ?? FileResult.write
    }
    var size: sqlite3_int64 = 0
    if result == SQLITE_OK { result = methods.xFileSize?(real, &size) ?? FileResult.read }
    if result == SQLITE_OK, size == 0 {
      result = header.withUnsafeBytes {
        methods.xWrite?(real, $0.baseAddress, Int32($0.count), 0) ?? FileResult.write
      }
      if result == SQLITE_OK { result = methods.xSync?(real, SQLITE_SYNC_NORMAL) ?? FileResult.write }
    }
    _ = methods.xUnlock?(real, 0)
    guard result == SQLITE_OK else { throw StorageError(sqlite: result, nil, "the header of an encrypted database") }
  }
}
