package import QuarryBackend
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Recognizes files of stores and keys by what they hold, under whatever name or link.
package enum StoreContent {
  /// The bytes at the beginning of a store's file, and the kind of file that they mark.
  private static let beginnings: [(place: Int, bytes: [UInt8], what: String, hasLocks: Bool)] = [
    (0, Array("SQLite format 3\0".utf8), "an SQLite database", true),
    (0, [0x8F] + Array("QrySQL\n".utf8), "an encrypted SQLite store", true),
    (0, [0x18, 0xE2, 0x2D, 0x00], "a file next to an SQLite database", true),
    (0, [0x37, 0x7F, 0x06, 0x82], "a log of an SQLite database", false),
    (0, [0x37, 0x7F, 0x06, 0x83], "a log of an SQLite database", false),
    (0, [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7], "a journal of an SQLite database", false),
    (0, [0x8F] + Array("Quarry\n".utf8), "a flat-file store", false),
    (0, [0x8F] + Array("QryTail".utf8), "the end of a flat-file store that was set aside", false),
    (16, [0xDE, 0xC0, 0xEF, 0xBE], "an LMDB store", true),
    (0, [0xDE, 0xC0, 0xEF, 0xBE], "the lock file of an LMDB store", true),
  ]

  /// Bytes of a key as Quarry makes it.
  private static let keyBytes = 32

  /// The kind of a file: nil for one that is no file of a store and no key.
  ///
  /// - Throws: `io` when the file cannot be read.
  package static func kind(ofFileAt path: String) throws(StorageError) -> String? {
    guard let (bytes, size) = try beginning(path) else { return nil }
    if let found = match(bytes) { return found.what }
    // Random bytes: a text is not of that length and so seldom of other bytes than UTF-8 that it may be refused.
    if size == keyBytes, String(validating: bytes, as: UTF8.self) == nil { return "a key" }
    return nil
  }

  private static func match(_ bytes: [UInt8]) -> (place: Int, bytes: [UInt8], what: String, hasLocks: Bool)? {
    beginnings.first { bytes.dropFirst($0.place).starts(with: $0.bytes) }
  }

  /// Files that were found to be ones on which this process may have locks through SQLite or LMDB. The system drops these
  /// locks when any descriptor of the file is closed, so that the one which was opened here stays open.
  private static let kept = Mutex<[FileIdentity: Int32]>([:])

  /// - Returns: The first bytes, and how many there are; nil for what is no ordinary file.
  private static func beginning(_ path: String) throws(StorageError) -> (bytes: [UInt8], size: Int)? {
    let found: FileStatus?
    do throws(SystemError) {
      found = try .ifThere(path)
    } catch {
      throw StorageError(systemError: error.number, path)
    }
    guard let found, found.kind == .file else { return nil }
    return try kept.withLock { kept throws(StorageError) in
      if let descriptor = kept[found.identity] { return (try read(descriptor, path), found.size) }
      let descriptor = Descriptor.open(path, O_RDONLY | O_NONBLOCK)
      guard descriptor >= 0 else { throw StorageError(systemError: errno, "\(path) cannot be read") }
      let opened = (try? FileStatus(of: descriptor)).map { ($0.identity, $0.size) }
      let bytes: [UInt8]
      do throws(StorageError) {
        bytes = try read(descriptor, path)
      } catch {
        close(descriptor)
        throw error
      }
      // Zeros are what a database begins with of which a page is being written.
      if let opened, match(bytes)?.hasLocks ?? (bytes.allSatisfy { $0 == 0 } && !bytes.isEmpty) {
        kept[opened.0] = descriptor
      } else {
        close(descriptor)
      }
      return (bytes, opened?.1 ?? found.size)
    }
  }

  private static func read(_ descriptor: Int32, _ path: String) throws(StorageError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64)
    while true {
      let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
      if count >= 0 { return Array(bytes.prefix(count)) }
      if errno != EINTR { throw StorageError(systemError: errno, "\(path) cannot be read") }
    }
  }
}
