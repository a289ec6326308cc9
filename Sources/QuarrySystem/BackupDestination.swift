package import QuarryBackend

/// The place of a copy of a store, and the name next to it under which the copy is written.
///
/// A file at the place is a whole copy. A process that is killed leaves the other name, which the next backup to the place takes
/// over.
package struct BackupDestination: Sendable {
  private let files: any FileSystem
  /// Endings of the names of files next to the place that the engine would read as the copy's own.
  private let logs: [String]
  /// Without links.
  package let path: String
  /// Where the copy is written.
  package var partialPath: String { OwnName.partial(path) }

  /// - Parameters:
  ///   - own: The path of the store, without links.
  ///   - endings: The endings of the paths of the store's possible further files.
  ///   - longestPath: Bytes of the longest path of a store.
  ///   - logs: Those of the files with content that a store at the place would take for its own.
  /// - Throws: `inUse` when something is at the place, it is the store's, or a log of another store is next to it; `notFound`
  ///   when there is no folder for it; `invalidValue`, `limitExceeded`.
  package init(
    _ path: String, own: String, endings: [String], logs: [String] = [], longestPath: Int, _ files: any FileSystem
  ) throws(StorageError) {
    self.files = files
    self.logs = logs
    self.path = try files.resolve(path)
    if let error = StorageError.unusablePath(self.path, limit: longestPath) { throw error }
    for ending in [""] + endings where (own + ending).utf8.elementsEqual(self.path.utf8) {
      throw .inUse(by: nil, "\(path) is a file of the store itself: choose another path for the copy")
    }
    try OutputPlace.requireNoneOfStore(self.path)
    try requireFree()
  }

  /// Makes the file that the copy is written to, empty, and locks it.
  ///
  /// - Parameter name: The suffix of the name next to the place: nothing, or a name in that directory.
  /// - Throws: `inUse` when another backup writes to it.
  package func create(_ name: String = "") throws(StorageError) -> any StoreFile {
    guard let file = try files.open(partialPath + name, .create) else {
      throw StorageError(.io, "\(partialPath)\(name) could not be created")
    }
    guard try file.lock() else { throw .inUse(by: nil, "another backup is written to \(path)") }
    // Another backup may have been done between the two calls, and given the file its place.
    guard try files.status(of: partialPath + name)?.identity == file.status().identity else {
      throw .inUse(by: nil, "another backup was written to \(path)")
    }
    do throws(StorageError) {
      try file.setPermissions(0o600)
      try file.truncate(to: 0)
    } catch {
      try? files.remove(partialPath + name)
      throw error
    }
    return file
  }

  /// Removes the leftovers of a backup to a path whose process was killed. A backup in progress holds its lock.
  ///
  /// - Parameters:
  ///   - name: As of ``create(_:)``.
  ///   - endings: The endings of files next to it, which are removed with it.
  package static func sweep(_ path: String, _ name: String = "", endings: [String] = [], _ files: any FileSystem) {
    let partial = OwnName.partial((try? files.resolve(path)) ?? path)
    guard let file = try? files.open(partial + name, .readWrite), (try? file.lock()) == true,
      (try? files.status(of: partial + name)?.identity == file.status().identity) == true
    else { return }
    for ending in endings { try? files.remove(partial + ending) }
    try? files.remove(partial + name)
  }

  /// Gives the copy its place, where it is on the disk.
  package func place() throws(StorageError) {
    try requireFree()
    try files.rename(partialPath, to: path)
    try files.syncDirectory(of: path)
  }

  private func requireFree() throws(StorageError) {
    if try files.status(of: path) != nil {
      throw .inUse(by: nil, "\(path) already exists: a backup replaces nothing")
    }
    for log in logs where try OwnFile.size(path + log) > 0 {
      throw .inUse(
        by: nil, "\(path)\(log) is the log of a former store at \(path): a new store there would read it as its own")
    }
  }
}
