package import QuarryBackend

/// An open file. It is closed when the last reference to it goes, so that no call meets a descriptor of another file.
package protocol StoreFile: AnyObject, Sendable {
  func status() throws(StorageError) -> FileStatus
  /// Reads as many bytes as there are and fit.
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int
  /// Writes all of the bytes; when it throws, some of them may be written.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError)
  /// Where the next bytes are that a file with holes has, from the offset on.
  ///
  /// - Returns: The offset itself where the system does not know of holes; nil when nothing but a hole follows.
  func nextData(from offset: Int) -> Int?
  func truncate(to size: Int) throws(StorageError)
  func setPermissions(_ permissions: UInt32) throws(StorageError)
  /// Brings the content to the disk.
  func sync() throws(StorageError)
  /// Takes the lock of the only writer, which goes with the process at the latest.
  ///
  /// - Returns: Whether the lock was free.
  func lock() throws(StorageError) -> Bool
  func unlock()
}

extension StoreFile {
  package func nextData(from offset: Int) -> Int? { offset }
}
