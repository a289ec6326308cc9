#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Identifies files, whatever their paths: a file that is open under another name is the same file.
package struct FileIdentity: Sendable, Hashable {
  package var device: UInt64
  package var number: UInt64

  package init(device: UInt64, number: UInt64) {
    self.device = device
    self.number = number
  }

  /// Whether a path names this file: the only test of a commit that an open store is still where it was.
  ///
  /// - Returns: False where the path names nothing, or another file; true where the system does not say what it names.
  package func isNamed(by path: String) -> Bool {
    var status = stat()
    if stat(path, &status) == 0 { return FileIdentity(status) == self }
    return errno != ENOENT && errno != ENOTDIR && errno != ELOOP
  }

  init(_ status: stat) {
    self.init(
      device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
  }
}
