import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A temporary folder next to a store, for a copy of it: `library.db._quarry.scratch-` and a UUID.
///
/// A live user holds the folder's lock; an unlocked folder was left by a killed process.
package struct ScratchPlace: ~Copyable {
  /// Those of a UUID's text.
  private static let nameLength = 36

  private let path: String
  private let descriptor: Int32

  /// Calls the body with the path of a store in a folder of its own, which is removed with its content afterwards.
  ///
  /// Leftovers of other processes are removed, too.
  ///
  /// - Parameters:
  ///   - path: The path of the store that the folder is next to, without a slash at its end.
  ///   - name: A UUID.
  package static func with<R>(beside path: String, _ name: String, _ body: (String) throws -> R) throws -> R {
    let path = resolved(path)
    sweep(beside: path)
    let folder = try ScratchPlace(OwnName.scratch(path) + name)
    defer { folder.remove() }
    return try body(folder.path + "/store")
  }

  /// Removes the folders next to a store that no process uses any more. Folders that cannot be removed stay.
  package static func sweep(beside path: String) {
    let start = OwnName.scratch(resolved(path))
    for found in (try? SystemFileSystem().names(beginningWith: start)) ?? []
    where found.utf8.count == start.utf8.count + nameLength {
      guard let folder = try? ScratchPlace(existing: found) else { continue }
      folder.remove()
    }
  }

  /// Files next to a store are next to the target of the links in its path.
  private static func resolved(_ path: String) -> String { (try? SystemFileSystem().resolve(path)) ?? path }

  private init(_ path: String) throws(StorageError) {
    if mkdir(path, 0o700) != 0 { throw StorageError(systemError: errno, "\(path) cannot be created") }
    try self.init(existing: path)
  }

  /// - Throws: `inUse` when its lock is taken, or it is being removed; `io`.
  private init(existing path: String) throws(StorageError) {
    self.path = path
    descriptor = Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    guard descriptor >= 0 else { throw StorageError(systemError: errno, path) }
    // A process that swept it may have had the lock before.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, SystemPath.isDirectory(path, descriptor) else {
      // `deinit` closes it, also where this throws: a second close could hit a descriptor that was reused meanwhile.
      throw .inUse(by: nil, "\(path) is in use")
    }
  }

  deinit { _ = close(descriptor) }

  private func remove() {
    Self.empty(path, depth: 2)
    rmdir(path)
  }

  /// Removes what is in a folder, and in the folders of it: a store is not deeper.
  private static func empty(_ path: String, depth: Int) {
    for entry in (try? SystemFileSystem().names(beginningWith: path + "/")) ?? [] {
      guard ![".", ".."].contains(SystemPath.split(entry).name) else { continue }
      if unlink(entry) == 0 || depth == 0 { continue }
      empty(entry, depth: depth - 1)
      rmdir(entry)
    }
  }
}

extension SystemPath {
  /// Whether the path still names the directory that the descriptor is of.
  fileprivate static func isDirectory(_ path: String, _ descriptor: Int32) -> Bool {
    guard let named = try? FileStatus(at: path), let opened = try? FileStatus(of: descriptor) else { return false }
    return named.identity == opened.identity
  }
}
