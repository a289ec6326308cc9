import Foundation
import QuarryBackend
import Synchronization

/// The folder of a store, shared by all engines of this process that have it open: the newest state, the writer's place, and
/// the lock that keeps other processes from writing. A folder without a path is in memory alone.
final class SortedFolder: Sendable {
  let path: String?
  let writer = WriterTurn()
  private let newest = Mutex(SortedFile(SortedState(), isSealed: false))
  /// The folder, open and locked, while somebody has it open for writing.
  private let locked = Mutex<Int32?>(nil)

  init(path: String?) {
    self.path = path
  }

  deinit {
    unlock()
  }

  var state: SortedState { newest.withLock { $0.state } }

  /// Makes a state the newest one, in the file first.
  ///
  /// - Throws: `full`, `io`; `closed` when nobody has the folder open for writing any more. The newest state is the old one.
  func publish(_ state: SortedState) throws(StorageError) {
    if let path {
      // Nobody unlocks the folder in the midst of it.
      try locked.withLock { folder throws(StorageError) in
        guard let folder else { throw .storeClosed }
        try SortedFile(state, isSealed: newest.withLock { $0.isSealed }).write(in: folder, path)
      }
    }
    newest.withLock { $0.state = state }
  }

  // MARK: Openings

  /// What tells folders apart, whatever their paths are.
  private struct Identity: Hashable {
    var device: UInt64
    var number: UInt64

    init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(status.st_ino)
    }
  }

  private struct Openings {
    var folder: SortedFolder
    var users = 0
    var writers = 0
  }

  /// Every folder that this process has open.
  private static let openings = Mutex<[Identity: Openings]>([:])

  /// Opens the folder, and makes the store where there is none and one may be made.
  ///
  /// - Parameter ofAnyKind: Whether a sealed store is opened without a key, too.
  /// - Throws: `notFound`; `keyRequired` and `notEncrypted` by the mark in the file; `corrupt` for a folder of something else
  ///   and a damaged file; `inUse` when another process has it open for writing; `io`.
  static func open(
    _ path: String, _ options: OpenOptions, ofAnyKind: Bool
  ) throws(StorageError) -> SortedFolder {
    if let error = StorageError.unusablePath(path) { throw error }
    let mayMake = options.createsIfMissing && !options.isReadOnly
    return try openings.withLock { openings throws(StorageError) in
      let identity = try identity(path, mayMake: mayMake)
      var entry = openings[identity] ?? Openings(folder: SortedFolder(path: realPath(path)))
      // Who has it open for writing has the newest state in memory.
      if entry.writers == 0 { try entry.folder.read(options, mayMake: mayMake, identity) }
      if !ofAnyKind {
        do throws(StorageError) {
          try entry.folder.requireKind(isSealed: options.encryption != nil, path)
        } catch {
          if entry.writers == 0 { entry.folder.unlock() }
          throw error
        }
      }
      entry.users += 1
      if !options.isReadOnly { entry.writers += 1 }
      openings[identity] = entry
      return entry.folder
    }
  }

  func close(isReadOnly: Bool) {
    Self.openings.withLock { openings in
      guard let (identity, entry) = openings.first(where: { $0.value.folder === self }) else { return }
      openings[identity]?.users -= 1
      if !isReadOnly { openings[identity]?.writers -= 1 }
      if !isReadOnly, entry.writers == 1 { unlock() }
      if entry.users == 1 { openings[identity] = nil }
    }
  }

  /// Does something that nobody else of this process may have the store open for, and nobody can open it meanwhile.
  ///
  /// - Throws: `inUse`.
  func alone<R: Sendable>(_ body: (Int32, String) throws(StorageError) -> R) throws(StorageError) -> R {
    try Self.openings.withLock { openings throws(StorageError) in
      guard let entry = openings.values.first(where: { $0.folder === self }), let path else { throw .storeClosed }
      if entry.users > 1 { throw .inUse(by: getpid(), "\(path) is open more than once in this process") }
      return try locked.withLock { folder throws(StorageError) in
        guard let folder else { throw .openedForReading }
        return try body(folder, path)
      }
    }
  }

  private static func identity(_ path: String, mayMake: Bool) throws(StorageError) -> Identity {
    var status = stat()
    var attempts = 0
    while stat(path, &status) != 0 {
      guard errno == ENOENT else { throw .path(path, errno: errno) }
      guard mayMake else { throw .noStore(at: path) }
      // Another process may have made it, and moved it. What is there and not found again and again is a link to nothing.
      attempts += 1
      guard attempts < 100, mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .path(path, errno: errno) }
      try syncName(of: path)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .isNoStore(path, "no folder") }
    return Identity(status)
  }

  private static func realPath(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Brings the name of a folder to the disk: it stands in the folder above.
  static func syncName(of path: String) throws(StorageError) {
    let above = Foundation.open(
      URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { _ = Foundation.close(above) }
    if above < 0 || fsync(above) != 0 { throw .path(path, errno: errno) }
  }

  private func requireKind(isSealed: Bool, _ path: String) throws(StorageError) {
    let found = newest.withLock { $0.isSealed }
    if found != isSealed { throw found ? .keyRequired(path) : .notEncrypted(path) }
  }

  /// Reads the newest state, or makes the first one, and locks the folder for a writer.
  private func read(_ options: OpenOptions, mayMake: Bool, _ identity: Identity) throws(StorageError) {
    let locks = !options.isReadOnly
    guard let path else { return }
    let folder = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw errno == ENOENT && mayMake ? .replaced(path) : .path(path, errno: errno) }
    do throws(StorageError) {
      if locks { try Self.lock(folder, path, identity) }
      if let file = try SortedFile.read(in: folder, path) {
        newest.withLock { $0 = file }
      } else {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        guard SortedFile.names.isSuperset(of: names) else { throw .isNoStore(path, "a folder of something else") }
        guard mayMake else { throw .noStore(at: path) }
        let first = SortedFile(SortedState(), isSealed: options.encryption != nil)
        try first.write(in: folder, path)
        newest.withLock { $0 = first }
      }
    } catch {
      _ = Foundation.close(folder)
      throw error
    }
    guard locks else {
      _ = Foundation.close(folder)
      return
    }
    locked.withLock { $0 = folder }
  }

  /// - Throws: `inUse`.
  private static func lock(_ folder: Int32, _ path: String, _ identity: Identity) throws(StorageError) {
    guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
      guard errno == EWOULDBLOCK else { throw .path(path, errno: errno) }
      throw .inUse(by: nil, "another process has \(path) open for writing")
    }
    // Another process may have removed it, or moved it, before the lock was there.
    var status = stat()
    guard stat(path, &status) == 0, Identity(status) == identity else { throw .replaced(path) }
  }

  func removeUnfinished() {
    // Nobody writes in the midst of it.
    locked.withLock { folder in if let folder { SortedFile.removeUnfinished(in: folder) } }
  }

  private func unlock() {
    locked.withLock { folder in
      // Explicitly: a process that is being started has the folder open, too, for a moment.
      if let folder { _ = (flock(folder, LOCK_UN), Foundation.close(folder)) }
      folder = nil
    }
  }
}

extension StorageError {
  fileprivate static func replaced(_ path: String) -> StorageError {
    .inUse(by: nil, "\(path) was removed or moved while it was opened")
  }
}
