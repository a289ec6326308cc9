import CSQLite
import QuarrySystem

/// The descriptor by which SQLite has a database open.
///
/// It serves for locks on bytes that SQLite never uses, and to compare the open file with the file at its path. Opening the file
/// once more would not do: closing that descriptor releases SQLite's locks.
struct OpenDescriptor: Sendable {
  /// Open as long as its connection.
  let number: Int32
  let identity: FileIdentity

  /// Where SQLite's file of a Unix system has its descriptor: behind three pointers (`unixFile` in `os_unix.c`), in every
  /// version that this package takes.
  private static let place = 3 * MemoryLayout<UnsafeRawPointer>.size

  /// - Returns: Nil where the file of the system's VFS is laid out otherwise.
  ///
  /// The unsafe part: `real` points to `szOsFile` bytes, which are enough for the number. Whether it is the descriptor the
  /// system says: of a number that is none, or of another file, nothing is used.
  init?(of database: OpaquePointer, _ vfs: StoreVFS, path: String) {
    guard let real = VFSFileMethods.file(of: database)?.real,
      Int(vfs.system.pointee.szOsFile) >= Self.place + MemoryLayout<Int32>.size
    else { return nil }
    number = UnsafeRawPointer(real).load(fromByteOffset: Self.place, as: Int32.self)
    guard let opened = try? FileStatus(of: number), opened.kind == .file, opened.identity.isNamed(by: path) else {
      return nil
    }
    identity = opened.identity
  }
}
