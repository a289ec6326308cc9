public import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A key in a file of its own: the bytes of the file are the key, all of them.
public enum KeyFile {
  /// The longest file that is taken for a key, in bytes.
  public static let maximumBytes = 1 << 20

  /// Reads the key in a file.
  ///
  /// - Parameter path: The path of the file, which may be a symbolic link.
  /// - Throws: `notFound`; `io`. `invalidValue` for a file that others than its owner can read or write, and for a path that is
  ///   no file. `invalidValue` also for a file of fewer than ``EncryptionKey/minimumBytes`` or more than ``maximumBytes`` bytes.
  ///   `limitExceeded` for a path that is too long.
  public static func key(at path: String) throws(StorageError) -> EncryptionKey {
    try key(at: path, forbidden: 0o077)
  }

  /// - Parameter forbidden: The permissions that the file may not have.
  static func key(at path: String, forbidden: mode_t) throws(StorageError) -> EncryptionKey {
    if let error = StorageError.unusablePath(path) { throw error }
    let files = SystemFileSystem()
    // The path of a key may be a link, as those that are mounted as secrets are.
    guard let found = try files.status(of: path) else {
      throw StorageError(.notFound, "there is no key file at \(path)")
    }
    guard found.kind == .file else {
      throw StorageError(.invalidValue, "\(path) is not a regular file, so it cannot be a key")
    }
    guard let file = try files.open(try files.resolve(path), .read) else {
      throw StorageError(.notFound, "there is no key file at \(path)")
    }
    let status = try file.status()
    guard status.permissions & UInt32(forbidden) == 0 else {
      throw StorageError(
        .invalidValue, "other users can access the key file \(path): run chmod 600 \(path)")
    }
    guard status.size <= maximumBytes else {
      throw StorageError(
        .invalidValue, "the key file \(path) has \(status.size) bytes, but a key has at most \(maximumBytes)")
    }
    let bytes = try SecretBytes(count: status.size) { bytes throws(StorageError) in
      guard try file.read(into: bytes, at: 0) == bytes.count else {
        throw StorageError(.io, "\(path) became shorter while it was read")
      }
    }
    return try EncryptionKey(secret: bytes)
  }

  /// Writes a key into a file that is not there yet, for its owner alone, in one step.
  ///
  /// - Parameters:
  ///   - key: A key of raw bytes, not a passphrase.
  ///   - path: The path of the new file, in a folder that exists.
  /// - Throws: `duplicateKey` when there is something at the path; `notFound` when there is no folder for it; `invalidValue` for
  ///   a passphrase, and for a path that cannot be one; `inUse` for the path of a store or of a file next to one; `limitExceeded`
  ///   for a path that is too long; `full`, `io`.
  public static func write(_ key: EncryptionKey, to path: String) throws(StorageError) {
    if let error = StorageError.unusablePath(path) { throw error }
    let files = SystemFileSystem()
    if let resolved = try? files.resolve(path) { try OutputPlace.requireNoneOfStore(resolved) }
    let (directory, name) = SystemPath.split(path)
    // A unique name: threads and processes may create a key at once.
    let number = try SystemRandom.bytes(8).map { String($0, radix: 16) }.joined()
    let partial = "\(directory.hasSuffix("/") ? directory : directory + "/").\(name.prefix(100)).\(number).partial"
    try key.withBytes { bytes throws(StorageError) in
      guard let file = try files.open(partial, .create) else {
        throw StorageError(.io, "\(partial) could not be created")
      }
      defer { try? files.remove(partial) }
      try file.setPermissions(0o600)
      try file.truncate(to: 0)
      try file.write(bytes, at: 0)
      try file.sync()
      // Unlike a rename, a link does not take the place of what is there.
      guard link(partial, path) == 0 else {
        if errno == EEXIST { throw StorageError(.duplicateKey, "\(path) already exists") }
        throw StorageError(systemError: errno, path)
      }
    }
    try files.syncDirectory(of: path)
  }
}
