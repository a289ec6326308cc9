package import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The place of a file that a user has Quarry write: a dump, an export, a report, rows that a repair takes out, a backup, a
/// key. All of them ask here before they take a place.
///
/// An output never takes the place of a store, of a file next to a store or of a key, by whatever name or link it is named. Nor
/// does it take a name that a store next to it uses itself. It replaces another file only where its caller says so.
package struct OutputPlace {
  /// Where the file goes, without links.
  package let path: String
  /// The permissions of the file that is replaced; nil where there is none.
  package let permissions: UInt32?
  /// Whether a pipe or a device is there, which is written to where it is.
  package let isDevice: Bool

  /// - Parameters:
  ///   - replacing: Whether a file that is there may be replaced.
  ///   - keys: The paths of keys that the caller knows.
  /// - Throws: `inUse` when something is there that is not to be replaced; `io` for a directory; `notFound` when there is
  ///   no folder for it, or a link to nothing is there; `invalidValue`, `limitExceeded` for what can be no path.
  package init(_ path: String, replacing: Bool, keys: [String] = []) throws(StorageError) {
    if let error = StorageError.unusablePath(path) { throw error }
    var status = stat()
    if stat(path, &status) == 0 {
      switch status.st_mode & S_IFMT {
      case S_IFREG: break
      case S_IFDIR: throw StorageError(.io, "\(path) is a directory")
      case S_IFBLK: throw StorageError(.io, "\(path) is a block device")
      default:
        (self.path, permissions, isDevice) = (path, nil, true)
        return
      }
    }
    self.path = try SystemFileSystem().resolve(path)
    isDevice = false
    try Self.requireNoneOfStore(self.path)
    let found: FileStatus?
    do throws(SystemError) {
      found = try .ifThere(self.path)
    } catch {
      throw StorageError(systemError: error.number, path)
    }
    permissions = found?.permissions
    guard let found else { return }
    guard replacing else {
      throw .inUse(by: nil, "\(path) already exists, and it is replaced only on request")
    }
    if let kind = try StoreContent.kind(ofFileAt: self.path) {
      throw .inUse(by: nil, "\(path) is \(kind), and is not replaced")
    }
    // Whatever engine it is of.
    if Self.isOpen(found.identity) { throw .inUse(by: nil, "this program has \(path) open, and does not replace it") }
    for key in keys where (try? FileStatus(at: key))?.identity == found.identity {
      throw .inUse(by: nil, "\(path) is a key, and is not replaced")
    }
  }

  /// Whether this process has the file open.
  private static func isOpen(_ identity: FileIdentity) -> Bool {
    let numbers = (try? SystemFileSystem().names(beginningWith: "/dev/fd/")) ?? []
    return numbers.contains { name in
      guard let descriptor = Int32(SystemPath.split(name).name) else { return false }
      return (try? FileStatus(of: descriptor))?.identity == identity
    }
  }

  /// Checks that no store next to the path uses it for a file of its own.
  ///
  /// - Parameter path: Without links.
  /// - Throws: `inUse`, `invalidValue`.
  package static func requireNoneOfStore(_ path: String) throws(StorageError) {
    try OwnName.requireOther(path)
    for ending in ["-wal", "-shm", "-journal"] where path.hasSuffix(ending) {
      let store = String(path.dropLast(ending.count))
      if try StoreContent.kind(ofFileAt: store) != nil {
        throw .inUse(by: nil, "\(path) is the name of a file of the store at \(store)")
      }
    }
    let (directory, name) = SystemPath.split(path)
    for (own, other) in [("data.mdb", "lock.mdb"), ("lock.mdb", "data.mdb")] where name == own {
      if (try? FileStatus(at: directory + "/" + other)) != nil {
        throw .inUse(by: nil, "\(path) is the name of a file of the store at \(directory)")
      }
    }
  }
}
