#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tells files apart, whatever their paths: who has a file open under another name has the same file.
package struct FileIdentity: Sendable, Hashable {
  package var device: UInt64
  package var number: UInt64

  package init(device: UInt64, number: UInt64) {
    self.device = device
    self.number = number
  }

  init(_ status: stat) {
    self.init(
      device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
  }
}
