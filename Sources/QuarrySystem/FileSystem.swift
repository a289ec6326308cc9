package import QuarryBackend

/// Everything that a store does with its files goes through here, so that tests can put faults in between.
///
/// Errors are `full` where there is no room, `limitExceeded` for a path that is too long, `readOnly` for a file system
/// without writing, `notFound` for a directory that is not there, and `io` else.
package protocol FileSystem: Sendable {
  /// The absolute path of the file without links, or of the file that would be made.
  ///
  /// - Throws: `invalidValue` for a path that cannot name a file; `notFound` when its directory, or what a link names,
  ///   is not there.
  func resolve(_ path: String) throws(StorageError) -> String
  /// The status of the file at the path; nil when there is nothing.
  func status(of path: String) throws(StorageError) -> FileStatus?
  /// - Returns: Nil when there is no file and it is not to be made.
  func open(_ path: String, _ access: FileAccess) throws(StorageError) -> (any StoreFile)?
  /// Gives the file another name, in one step, in the place of what has it.
  func rename(_ path: String, to newPath: String) throws(StorageError)
  /// The paths of what is in the path's directory and begins with it.
  func names(beginningWith path: String) throws(StorageError) -> [String]
  /// Removes the file; does nothing when there is none.
  func remove(_ path: String) throws(StorageError)
  /// Brings the names in the file's directory to the disk.
  func syncDirectory(of path: String) throws(StorageError)
  /// Bytes that files in the path's directory may still take together.
  ///
  /// - Returns: Nil where that is not known for sure: where the file system may keep what is written in fewer bytes, makes
  ///   room when there is none, or does not say what it is.
  func freeBytes(beside path: String) -> Int?
}

package enum FileAccess: Sendable {
  case read, readWrite
  /// Reading and writing; a file that is not there is made, for its owner alone.
  case create
}
