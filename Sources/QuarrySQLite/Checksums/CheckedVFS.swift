import CSQLite
import QuarryBackend

/// The files of plain databases: the system's, with a checksum in each page of those that have them.
///
/// The log and the journal have SQLite's own checksums and are written as they are, so that every SQLite program reads them.
final class CheckedVFS: StoreVFS, @unchecked Sendable {
  /// Whether a database that is made gets checksums.
  private let checksNew: Bool

  private static let checking = make("quarry-checked", checksNew: true)
  private static let plain = make("quarry-plain", checksNew: false)

  private static func make(_ name: String, checksNew: Bool) -> Result<CheckedVFS, StorageError> {
    do throws(StorageError) {
      return .success(try CheckedVFS(name, checksNew: checksNew))
    } catch {
      return .failure(error)
    }
  }

  private init(_ name: String, checksNew: Bool) throws(StorageError) {
    self.checksNew = checksNew
    try super.init(name: name)
  }

  /// The one of this process, which stays registered.
  static func shared(checksNew: Bool) throws(StorageError) -> CheckedVFS {
    try (checksNew ? checking : plain).get()
  }

  override func open(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    file.pointee.pMethods = nil
    if let refusal = refusal(toOpen: name, flags) { return refusal }
    if flags & SQLITE_OPEN_MAIN_DB != 0 {
      let (result, real) = openReal(name, file, flags, outFlags)
      if result == SQLITE_OK { VFSFileMethods.put(CheckedDatabase(real, self, checksNew: checksNew), into: file) }
      return result
    }
    if flags & SQLITE_OPEN_WAL != 0, let name, let main = sqlite3_database_file_object(name),
      let database = VFSFileMethods.file(main) as? CheckedDatabase
    {
      let (result, real) = openReal(name, file, flags, outFlags)
      if result == SQLITE_OK { VFSFileMethods.put(CheckedLog(real, of: database), into: file) }
      return result
    }
    return system.pointee.xOpen?(system, name, file, flags, outFlags) ?? SQLITE_CANTOPEN
  }
}
