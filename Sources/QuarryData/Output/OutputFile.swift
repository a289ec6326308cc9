import Foundation
package import QuarryBackend
import QuarrySystem

/// A file that Quarry writes for a user. It is written next to its place and moved there when it is complete, so that the file
/// that was there before stays whole if the work fails. ``OutputPlace`` decides what may be replaced. A pipe or a device is
/// written to directly.
package final class OutputFile {
  package let sink: ByteSink
  private let place: OutputPlace
  /// The requested path.
  private let asked: (path: String, replacing: Bool, keys: [String])
  /// The file that is written; nil when it is the place itself.
  private let temporary: String?
  private let descriptor: Int32
  private var isFinished = false

  /// - Parameters:
  ///   - replacing: Whether an existing file may be replaced. A store, a file next to a store and a key are never replaced.
  ///   - keys: The paths of keys that the caller knows.
  /// - Throws: `inUse` when something is there that may not be replaced; `notFound`, `io`, `full`.
  package init(path: String, replacing: Bool = false, keys: [String] = []) throws(StorageError) {
    place = try OutputPlace(path, replacing: replacing, keys: keys)
    asked = (path, replacing, keys)
    if place.isDevice {
      temporary = nil
      descriptor = Descriptor.open(path, O_WRONLY)
    } else {
      Self.removeLeftovers(of: place.path)
      let name = OwnName.unique(place.path, String(UInt64.random(in: 0 ... .max), radix: 36))
      temporary = name
      descriptor = Descriptor.open(name, O_WRONLY | O_CREAT | O_EXCL, place.permissions ?? 0o666)
      // The lock tells the cleanup of files that killed processes have left that this file is in use.
      if descriptor >= 0 { _ = flock(descriptor, LOCK_EX | LOCK_NB) }
    }
    guard descriptor >= 0 else { throw ByteSource.failure("cannot write", path, errno) }
    sink = ByteSink(descriptor: descriptor, name: path)
  }

  /// Writes a whole text into a file.
  package static func write(_ text: String, to path: String, replacing: Bool) throws {
    let file = try OutputFile(path: path, replacing: replacing)
    try file.sink.write(text)
    try file.finish()
  }

  /// Checks that a file can be put at a path, before the work that produces it.
  ///
  /// - Throws: As ``init(path:replacing:keys:)``.
  package static func check(_ path: String, replacing: Bool) throws(StorageError) {
    _ = try OutputPlace(path, replacing: replacing)
  }

  deinit {
    close(descriptor)
    if !isFinished, let temporary { unlink(temporary) }
  }

  /// Writes the remaining bytes and moves the file to its place.
  package func finish() throws {
    try sink.flush()
    guard let temporary else {
      isFinished = true
      return
    }
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure() }
    // A store may have been created at the place meanwhile.
    let now = try OutputPlace(asked.path, replacing: asked.replacing, keys: asked.keys)
    guard now.path == place.path, !now.isDevice else {
      throw StorageError(.inUse, "\(asked.path) leads to another file than when the write began")
    }
    if now.permissions == nil, link(temporary, place.path) == 0 {
      unlink(temporary)
    } else {
      // Unlike a link, a rename replaces an existing file.
      if now.permissions == nil, errno == EEXIST {
        throw StorageError(.inUse, "\(asked.path) already exists")
      }
      guard rename(temporary, place.path) == 0 else { throw failure() }
    }
    isFinished = true
    try? SystemFileSystem().syncDirectory(of: place.path)
  }

  private func failure() -> StorageError { ByteSource.failure("cannot write", asked.path, errno) }

  /// Removes the files that killed processes have left while they wrote a file for the place. A file that is still being written
  /// has its lock.
  private static func removeLeftovers(of path: String) {
    for name in (try? SystemFileSystem().names(beginningWith: OwnName.outputs(of: path))) ?? []
    where OwnName.isPartial(name) {
      let leftover = Descriptor.open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      guard leftover >= 0 else { continue }
      defer { close(leftover) }
      if flock(leftover, LOCK_EX | LOCK_NB) == 0 { unlink(name) }
    }
  }
}
