public import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Stores keys in files of a folder that only its owner can access.
///
/// It is for a program on a server or a desktop without a keychain.
///
/// It protects data that is copied without the folder: a backup of the stores, or a discarded disk when the folder is on another
/// disk. Anyone who can read all of the user's files has the keys.
public struct FileKeyStore: WritableKeyStore, Hashable {
  /// The folder of the keys. It is made with the first key.
  public let directory: String

  /// Creates the store of the keys in a folder.
  ///
  /// - Parameter directory: The folder. The default is `quarry/keys` in `$XDG_DATA_HOME`, or in `.local/share` of the home folder
  ///   where that is not set (XDG Base Directory Specification).
  public init(directory: String? = nil) {
    self.directory = directory ?? Self.standard
  }

  private static var standard: String {
    func variable(_ name: String) -> String? {
      guard let value = getenv(name) else { return nil }
      let text = String(cString: value)
      // The specification ignores what is no absolute path.
      return text.utf8.first == UInt8(ascii: "/") ? text : nil
    }
    let data = variable("XDG_DATA_HOME") ?? (variable("HOME") ?? "/") + "/.local/share"
    return data + "/quarry/keys"
  }

  private func path(_ name: String) throws(StorageError) -> String {
    try KeyName.check(name)
    return directory + "/" + name
  }

  public func key(named name: String) throws(StorageError) -> EncryptionKey {
    do throws(StorageError) {
      return try KeyFile.key(at: try path(name))
    } catch {
      guard error.code == .notFound else { throw error }
      throw StorageError(.notFound, "there is no key named \(name) in \(directory)")
    }
  }

  public func add(_ key: EncryptionKey, named name: String) throws(StorageError) {
    let path = try path(name)
    try makeDirectory()
    do throws(StorageError) {
      try KeyFile.write(key, to: path)
    } catch {
      guard error.code == .duplicateKey else { throw error }
      throw StorageError(.duplicateKey, "a key named \(name) already exists in \(directory)")
    }
  }

  public func remove(named name: String) throws(StorageError) {
    let path = try path(name)
    if unlink(path) != 0 {
      if errno == ENOENT { throw StorageError(.notFound, "there is no key named \(name) in \(directory)") }
      throw StorageError(systemError: errno, path)
    }
    try SystemFileSystem().syncDirectory(of: path)
  }

  public func names() throws(StorageError) -> [String] {
    let files = SystemFileSystem()
    guard try files.status(of: directory) != nil else { return [] }
    let start = directory + "/"
    return try files.names(beginningWith: start).map { String($0.dropFirst(start.count)) }
      .filter { $0.utf8.first != UInt8(ascii: ".") }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Makes the folder and those that it is in, for their owner alone.
  private func makeDirectory() throws(StorageError) {
    var path = ""
    for part in directory.split(separator: "/", omittingEmptySubsequences: true) {
      path += (path.isEmpty && directory.utf8.first != UInt8(ascii: "/") ? "" : "/") + part
      if mkdir(path, 0o700) != 0 && errno != EEXIST && errno != EISDIR { throw StorageError(systemError: errno, path) }
    }
  }
}
