#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// Errors for the path of a store: one code and text on all engines with files, contract ERR-6.

extension StorageError {
  /// There is nothing at the place, and nothing is to be made there.
  public static func noStore(at path: String) -> StorageError {
    StorageError(.notFound, "there is no store at \(path)")
  }

  /// Something of another kind is at the place.
  ///
  /// - Parameter what: The kind of thing found there: `a directory`, `no ordinary file`.
  public static func isNoStore(_ path: String, _ what: String) -> StorageError {
    StorageError(.corrupt, "\(path) is \(what), so it cannot be a store")
  }

  /// The error for a path that is unusable by its text alone; nil when the path is usable.
  ///
  /// - Parameter limit: The maximum number of bytes that the engine takes; the system's limit when nil.
  public static func unusablePath(_ path: String, limit: Int? = nil) -> StorageError? {
    let bytes = path.utf8
    if bytes.isEmpty { return StorageError(.invalidValue, "the path of the store is empty") }
    if bytes.contains(0) { return StorageError(.invalidValue, "the path of the store contains a NUL character") }
    let name = bytes.split(separator: UInt8(ascii: "/")).map(\.count).max() ?? 0
    if name > longestName { return .limitExceeded("bytes of a name in the path", limit: longestName, actual: name) }
    let limit = limit ?? Int(PATH_MAX) - 1
    if bytes.count > limit { return .limitExceeded("bytes of the store's path", limit: limit, actual: bytes.count) }
    return nil
  }

  /// The error for an unusable name of a store, to which its engine adds the endings of files next to it; nil when it is usable.
  package static func unusableName(_ name: String) -> StorageError? {
    let bytes = name.utf8.count
    return bytes > longestStoreName
      ? .limitExceeded("bytes of the store's name", limit: longestStoreName, actual: bytes) : nil
  }

  /// The path of a store that is a file ends in its name.
  ///
  /// - Parameter path: A path that ends with a slash, given for a store that is a file.
  public static func namesDirectory(_ path: String) -> StorageError {
    StorageError(.invalidValue, "the path \(path) ends with a slash, but the store is a file")
  }

  /// The error that the system reported when the path was checked, or when something was to be created there.
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
  /// The maximum length without the longest ending that every engine needs, `._quarry.partial`.
  private static let longestStoreName = longestName - 16
}

extension StorageError.Code {
  /// The meaning of a system error, by its `errno`.
  ///
  /// An engine for which an error has another meaning handles it itself.
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
