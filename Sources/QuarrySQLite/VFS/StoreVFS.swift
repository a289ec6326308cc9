import CSQLite
import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A VFS over the system's: what SQLite opens goes through files of ours, everything else through the system's.
///
/// It is registered as long as this object is there. The unsafe part: `memory` and `identifier` are made here, registered
/// and freed at the end, when no file is open any more; SQLite changes nothing in them but the list that it links them into.
class StoreVFS: @unchecked Sendable {
  /// The name that connections open it by.
  let name: String
  /// The system's VFS, whose methods find their own state by the VFS that they are given.
  let system: UnsafeMutablePointer<sqlite3_vfs>
  /// The number of the page that has the bytes which SQLite locks, and is never written; 0 is the first.
  let lockedPage: Int64
  private let memory: UnsafeMutablePointer<sqlite3_vfs>
  private let identifier: UnsafeMutableBufferPointer<CChar>

  /// Bytes before the file of the system's VFS: SQLite's part, and a reference to ours.
  private static let realPlace = 64

  init(name: String) throws(StorageError) {
    guard let system = sqlite3_vfs_find(nil) else { throw StorageError(.unsupported, "this SQLite has no files") }
    self.system = system
    self.name = name
    let locked = quarry_sqlite3_pending_byte(0)
    lockedPage = Int64(locked > 0 ? locked : 0x4000_0000) / Int64(SealedDatabaseFormat.pageBytes)
    let text = name.utf8CString
    identifier = .allocate(capacity: text.count)
    _ = identifier.initialize(from: text)
    memory = .allocate(capacity: 1)
    memory.initialize(to: system.pointee)
    memory.pointee.pNext = nil
    memory.pointee.zName = UnsafePointer(identifier.baseAddress)
    memory.pointee.szOsFile = Int32(Self.realPlace) + system.pointee.szOsFile
    memory.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
    VFSFileMethods.install(in: memory)
    let result = sqlite3_vfs_register(memory, 0)
    guard result == SQLITE_OK else { throw StorageError(sqlite: result, nil, "files of SQLite") }
  }

  deinit {
    sqlite3_vfs_unregister(memory)
    memory.deinitialize(count: 1)
    memory.deallocate()
    identifier.deallocate()
  }

  static func of(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> StoreVFS? {
    vfs?.pointee.pAppData.map { Unmanaged<StoreVFS>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Opens a file behind ours.
  func open(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 { SQLITE_CANTOPEN }

  /// Why a file is not opened.
  ///
  /// - A file next to a database under the name of a log may be a link, which is not followed, or a pipe, which would keep SQLite
  ///   waiting.
  /// - SQLite finds a log by the path of its database. A file that was moved after it was opened would be read with the log
  ///   of the file that has its path now, and closing it would remove that log. SQLite opens a log while it holds the lock
  ///   for reading, and Quarry moves a file while it holds the lock for itself alone: nothing moves it after this look.
  ///
  /// - Returns: A result of SQLite; nil when the file may be opened.
  final func refusal(toOpen name: UnsafePointer<CChar>?, _ flags: Int32) -> Int32? {
    // SQLite itself opens nothing there, but closes what it gets, and with it gives up the locks of the process.
    Descriptor.occupyStandardNumbers()
    guard let name, flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) != 0 else { return nil }
    var status = stat()
    guard lstat(name, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else { return SQLITE_CANTOPEN }
    guard let main = sqlite3_database_file_object(name), VFSFileMethods.file(main)?.hasMoved == true else {
      return nil
    }
    return FileResult.moved
  }

  /// Opens the system's file, in the memory behind SQLite's.
  final func openReal(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> (result: Int32, real: UnsafeMutablePointer<sqlite3_file>) {
    let real = (UnsafeMutableRawPointer(file) + Self.realPlace).assumingMemoryBound(to: sqlite3_file.self)
    return (system.pointee.xOpen?(system, name, real, flags, outFlags) ?? SQLITE_CANTOPEN, real)
  }
}
