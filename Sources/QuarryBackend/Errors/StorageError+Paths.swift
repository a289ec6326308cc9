#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// What is wrong with the path of a store: one code and text on all engines with files, contract ERR-6.

extension StorageError {
  /// There is nothing at the place, and nothing is to be made there.
  public static func noStore(at path: String) -> StorageError {
    StorageError(.notFound, "there is no store at \(path)")
  }

  /// Something of another kind is at the place.
  ///
  /// - Parameter what: What it is: `a directory`, `no ordinary file`.
  public static func isNoStore(_ path: String, _ what: String) -> StorageError {
    StorageError(.corrupt, "\(path) is \(what), and no store")
  }

  /// What is wrong with a path by its text alone; nil when nothing is.
  ///
  /// - Parameter limit: The most bytes that the engine takes; what the system takes when nil.
  public static func unusablePath(_ path: String, limit: Int? = nil) -> StorageError? {
    let bytes = path.utf8
    if bytes.isEmpty { return StorageError(.invalidValue, "the path of the store is empty") }
    if bytes.contains(0) { return StorageError(.invalidValue, "the path of the store has a NUL in it") }
    let name = bytes.split(separator: UInt8(ascii: "/")).map(\.count).max() ?? 0
    if name > longestName { return .limitExceeded("bytes of a name in the path", limit: longestName, actual: name) }
    let limit = limit ?? Int(PATH_MAX) - 1
    if bytes.count > limit { return .limitExceeded("bytes of the store's path", limit: limit, actual: bytes.count) }
    return nil
  }

  /// What is wrong with the name of a store, to which its engine adds the endings of files beside it; nil when nothing is.
  package static func unusableName(_ name: String) -> StorageError? {
    let bytes = name.utf8.count
    return bytes > longestStoreName
      ? .limitExceeded("bytes of the store's name", limit: longestStoreName, actual: bytes) : nil
  }

  /// The path of a store that is a file ends in its name.
  public static func namesDirectory(_ path: String) -> StorageError {
    StorageError(.invalidValue, "the path \(path) ends in a slash, and the store is a file")
  }

  /// What the system said when the path was looked at, or something was to be made there.
  ///
  /// - Parameter number: The `errno`.
  public static func path(_ path: String, errno number: Int32, cause: (any Error)? = nil) -> StorageError {
    let reason = String(cString: strerror(number))
    return switch number {
    case ENOENT, ENOTDIR: StorageError(.notFound, "there is no folder for \(path)", cause: cause)
    case ENAMETOOLONG: unusablePath(path) ?? StorageError(.limitExceeded, "\(path): \(reason)", cause: cause)
    default: StorageError(Code(errno: number), "\(path): \(reason)", cause: cause)
    }
  }

  /// The most bytes of one name: NAME_MAX of the file systems that there are.
  private static let longestName = 255
  /// What is left of it with the longest ending that every engine needs, `._quarry.partial`.
  private static let longestStoreName = longestName - 16
}

extension StorageError.Code {
  /// What an error of the system means, by its `errno`. Where an engine means something else by one, it says so itself.
  package init(errno number: Int32) {
    self =
      switch number {
      case ENOENT, ENOTDIR: .notFound
      case ENOSPC, EDQUOT, EFBIG: .full
      case EROFS: .readOnly
      case ENAMETOOLONG: .limitExceeded
      default: .io
      }
  }
}
