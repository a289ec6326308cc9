#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Checks of paths by their text, before anything is opened.
package enum SystemPath {
  /// The path from the root. Links in it stay.
  ///
  /// - Throws: The system's error where the working directory is not known.
  package static func absolute(_ path: String) throws(SystemError) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    guard let directory = getcwd(nil, 0) else { throw .last }
    defer { free(directory) }
    return String(cString: directory) + "/" + path
  }

  /// Whether a symbolic link is at the path.
  package static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// The directory and the name of a path that does not end with a slash.
  package static func split(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let name = String(path[path.utf8.index(after: slash)...])
    return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
  }
}
