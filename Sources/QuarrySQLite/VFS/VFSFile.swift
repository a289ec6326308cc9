import CSQLite
import QuarrySystem

/// An open file of a database behind one `sqlite3_file`: what SQLite reads and writes there, and what is on the disk.
///
/// SQLite uses a file from one thread at a time. The unsafe part: `real` is the file of the system's VFS, in the same
/// memory as SQLite's own, which SQLite keeps until it has closed it.
class VFSFile {
  let real: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods

  init(_ real: UnsafeMutablePointer<sqlite3_file>) {
    self.real = real
    methods = real.pointee.pMethods.pointee
  }

  // MARK: What SQLite calls

  func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 { FileResult.read }
  func write(_ source: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 { FileResult.write }
  func truncate(_ size: Int64) -> Int32 { baseTruncate(size) }
  func size(_ size: inout Int64) -> Int32 { baseSize(&size) }
  func sync(_ flags: Int32) -> Int32 { baseSync(flags) }
  func close() -> Int32 { baseClose() }
  func control(_ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    methods.xFileControl?(real, operation, argument) ?? SQLITE_NOTFOUND
  }
  /// Whether the path by which a database was opened names another file now, or nothing.
  final var hasMoved: Bool {
    var hasMoved: Int32 = 0
    return control(SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK && hasMoved != 0
  }
  /// Called when SQLite takes a lock of the file, so that others may have changed it.
  func locked() {}

  /// The guarantees that SQLite may rely on.
  var characteristics: Int32 { methods.xDeviceCharacteristics?(real) ?? 0 }

  // MARK: The file underneath

  final func baseRead(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    methods.xRead?(real, target, Int32(count), offset) ?? FileResult.read
  }
  final func baseWrite(_ source: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    methods.xWrite?(real, source, Int32(count), offset) ?? FileResult.write
  }
  final func baseTruncate(_ size: Int64) -> Int32 { methods.xTruncate?(real, size) ?? FileResult.write }
  final func baseSync(_ flags: Int32) -> Int32 { methods.xSync?(real, flags) ?? FileResult.write }
  final func baseClose() -> Int32 { methods.xClose?(real) ?? SQLITE_OK }
  final func baseSize(_ size: inout Int64) -> Int32 {
    var found: sqlite3_int64 = 0
    let result = methods.xFileSize?(real, &found) ?? FileResult.read
    size = found
    return result
  }
  final func lock(_ level: Int32) -> Int32 {
    locked()
    return methods.xLock?(real, level) ?? SQLITE_OK
  }
  final func unlock(_ level: Int32) -> Int32 { methods.xUnlock?(real, level) ?? SQLITE_OK }
  final func checkReservedLock(_ result: UnsafeMutablePointer<Int32>?) -> Int32 {
    methods.xCheckReservedLock?(real, result) ?? SQLITE_OK
  }
  final var sectorSize: Int32 { methods.xSectorSize?(real) ?? 0 }
  final func mapShared(
    _ region: Int32, _ size: Int32, _ extends: Int32, _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Int32 {
    Descriptor.occupyStandardNumbers()
    return methods.xShmMap?(real, region, size, extends, place) ?? SQLITE_IOERR
  }
  final func lockShared(_ offset: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
    locked()
    return methods.xShmLock?(real, offset, count, flags) ?? SQLITE_IOERR
  }
  final func barrier() { methods.xShmBarrier?(real) }
  final func unmapShared(_ deletes: Int32) -> Int32 { methods.xShmUnmap?(real, deletes) ?? SQLITE_OK }
}

/// Results of SQLite that files of ours give.
enum FileResult {
  static let read = SQLITE_IOERR | 1 << 8
  static let shortRead = SQLITE_IOERR | 2 << 8
  static let write = SQLITE_IOERR | 3 << 8
  /// `SQLITE_IOERR_DATA`: a page is not what was written. Nothing but a VFS gives it.
  static let damaged = SQLITE_IOERR | 32 << 8
  /// `SQLITE_READONLY_DBMOVED`: the path of the database names another file, or nothing.
  static let moved = SQLITE_READONLY | 4 << 8
}
