package import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Files whose names a store makes of its path: logs, locks, copies that are being written.
///
/// The path of a store is followed through links once, when it is opened. After that, a file with one of the store's own names is
/// an ordinary file or does not belong to the store. A link there would have the store write to a foreign file, and a pipe would
/// keep it waiting for its other end.
package enum OwnFile {
  /// Whether there is an ordinary file at the path; no link is followed.
  ///
  /// - Throws: `corrupt` for anything else that is there; `io`.
  package static func isThere(_ path: String) throws(StorageError) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return false }
      throw StorageError(systemError: errno, path)
    }
    try requireOrdinary(status.st_mode, path)
    return true
  }

  /// Bytes of the ordinary file at the path; 0 when there is none.
  ///
  /// - Throws: As ``isThere(_:)``.
  package static func size(_ path: String) throws(StorageError) -> Int {
    var status = stat()
    guard try isThere(path), lstat(path, &status) == 0 else { return 0 }
    return Int(status.st_size)
  }

  /// - Parameter mode: As `stat` says it.
  static func requireOrdinary(_ mode: mode_t, _ path: String) throws(StorageError) {
    switch mode & S_IFMT {
    case S_IFREG: break
    case S_IFLNK: throw .isNoFileOfStore(path, "a link")
    case S_IFDIR: throw .isNoFileOfStore(path, "a directory")
    default: throw .isNoFileOfStore(path, "not a regular file")
    }
  }
}

extension StorageError {
  /// Something of another kind has the name of a file of the store.
  ///
  /// - Parameter what: The kind of thing found there: `a link`.
  static func isNoFileOfStore(_ path: String, _ what: String) -> StorageError {
    StorageError(.corrupt, "\(path) is \(what), not a file of a store")
  }
}
