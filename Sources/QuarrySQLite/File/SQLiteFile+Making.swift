import CSQLite
import QuarryBackend
import QuarrySystem
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Making a store whole and at once.
///
/// SQLite creates a database with two transactions of a rollback journal, one for the tables and one for the log, which sync
/// files eight times. But a new store has the same bytes each time. They are written into a file without a name, which gets its
/// name when they are on the disk. A process that finds the file finds a store.
extension SQLiteFile {
  /// Held while a file has a name and its maker still has a descriptor of it: closing that would release the locks that
  /// another thread has taken through SQLite.
  private static let making = Mutex<Void>(())

  /// Waits until no thread of this process is about to close a descriptor of the file that was found.
  static func waitForMakers() {
    making.withLock { _ in }
  }

  /// Makes a store where there is nothing.
  ///
  /// - Parameters:
  ///   - keys: Those of a sealed store; nil for a plain one.
  ///   - hasChecksums: Whether pages of a plain store have checksums.
  /// - Returns: Whether this was done. Otherwise SQLite creates the store in place: the system or the file system may not support
  ///   files without names, another process may have been quicker, and a full disk is reported there.
  func makeWhole(_ keys: SealedKeys? = nil, hasChecksums: Bool = true) -> Bool {
    #if canImport(Darwin)
      return false
    #else
      // SQLite discards the leftover files of a deleted store only when the database is empty.
      guard !isThere(walPath), !isThere(journalPath), let image = Self.image(keys, hasChecksums: hasChecksums) else {
        return false
      }
      let directory = SystemPath.split(path).directory
      guard let made = UnlinkedFile(in: directory) else { return false }
      let isDurable = (try? made.write(image)) != nil && (try? made.sync()) != nil
      let isNamed = Self.making.withLock { _ in
        defer { made.close() }
        return isDurable && made.link(as: path)
      }
      if isNamed { sync(directory: directory) }
      return isNamed
    #endif
  }

  /// Makes sure that the file's name outlives a loss of power, where a directory can be synced, as SQLite does.
  private func sync(directory: String) {
    let descriptor = Descriptor.open(directory, O_RDONLY)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  private func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// New stores with their logs, as SQLite itself lays them out, without checksums and with; nil where SQLite cannot tell.
  private static let images = [false, true].map { try? makeImage(hasChecksums: $0) }

  /// The content of a new store's file; nil where this SQLite uses a page layout that Quarry's image does not have.
  private static func image(_ keys: SealedKeys?, hasChecksums: Bool) -> [UInt8]? {
    guard let image = images[keys == nil && hasChecksums ? 1 : 0] else { return nil }
    guard keys != nil || hasChecksums else { return image }
    guard image[16..<18].elementsEqual([0x10, 0]), image[20] == SealedDatabaseFormat.reservedBytes else { return nil }
    return keys == nil ? PageChecksum.sealed(image) : try? keys?.seal(image)
  }

  private static func makeImage(hasChecksums: Bool) throws(StorageError) -> [UInt8]? {
    let connection = try SQLiteConnection(
      SQLiteConnection.Options(
        path: ":memory:", access: .readWrite, durability: .none, cacheBytes: 0, statements: 4, busyMilliseconds: 0))
    defer { connection.close() }
    try connection.makeStore(hasChecksums: hasChecksums)
    var count: sqlite3_int64 = 0
    guard let bytes = sqlite3_serialize(connection.database, "main", &count, 0) else { return nil }
    defer { sqlite3_free(bytes) }
    var image = Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    guard image.count > 100 else { return nil }
    // SQLite writes these values only into the header of a file: that there is a log, and by which commit and which SQLite the
    // count of pages was written.
    image[18] = 2
    image[19] = 2
    image.replaceSubrange(24..<28, with: [0, 0, 0, 1])
    image.replaceSubrange(92..<96, with: [0, 0, 0, 1])
    let version = UInt32(bitPattern: sqlite3_libversion_number())
    image.replaceSubrange(96..<100, with: withUnsafeBytes(of: version.bigEndian) { Array($0) })
    return image
  }
}
