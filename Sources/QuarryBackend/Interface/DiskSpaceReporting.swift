/// A backend that knows how much the disk of its store still takes: so that what surely does not fit is refused before it is
/// begun.
public protocol DiskSpaceReporting: Backend {
  /// Bytes that the disk of the store's files still takes.
  ///
  /// - Returns: Nil where that is not known for sure, such as on a file system that compresses.
  func freeDiskBytes() -> Int?
}
