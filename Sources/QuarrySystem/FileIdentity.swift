import CFileIdentity

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
  /// It does not ask for the file's times, which would make the commit's sync slower (`CFileIdentity`).
  ///
  /// - Returns: False where the path names nothing, or another file; true where the system does not say what it names.
  package func isNamed(by path: String) -> Bool {
    var found = FileIdentity(device: 0, number: 0)
    switch quarry_file_identity(path, &found.device, &found.number) {
    case 0: return found == self
    case ENOENT, ENOTDIR, ELOOP: return false
    default: return true
    }
  }

  init(_ status: stat) {
    self.init(
      device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
  }
}
