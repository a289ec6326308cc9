import Foundation

/// Temporary files without names: they end with their descriptor, or with the process.
package enum NamelessFile {
  /// Makes a file that the user alone can read and write, in the folder for temporary files.
  ///
  /// Its number is never that of a standard stream: where the process has closed one, what it prints would get into the file.
  ///
  /// - Parameter name: What the name begins with, which the file has for a moment.
  /// - Returns: A number from 3 on, which programs that this process starts do not get; -1 with `errno`.
  package static func open(_ name: String) -> Int32 {
    var template = Array((NSTemporaryDirectory() + name + "-XXXXXX").utf8CString)
    let made = mkstemp(&template)
    guard made >= 0 else { return -1 }
    unlink(template)
    let descriptor = fcntl(made, F_DUPFD_CLOEXEC, 3)
    let code = errno
    close(made)
    errno = code
    return descriptor
  }
}
