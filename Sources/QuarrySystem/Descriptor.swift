#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Opens files under numbers that no standard stream has.
///
/// The system gives the lowest number that is free. In a process that was started without one of the three standard
/// streams, or that has closed one, that is the number of the stream: the next `print` would overwrite the file.
package enum Descriptor {
  /// The lowest number that a file of a store may have.
  package static let lowest: Int32 = 3

  /// Opens `/dev/null` under each standard number that is not open, and leaves it there. Call it before a library opens
  /// files that it does not open through ``open(_:_:_:)``.
  ///
  /// A program that opens a standard stream afterwards, by `dup2` or `freopen`, replaces it.
  package static func occupyStandardNumbers() {
    for number in 0..<lowest where fcntl(number, F_GETFD) < 0 {
      let opened = systemOpen("/dev/null", O_RDWR, 0)
      // Another thread may have opened something there in the meantime, and this got a number from 3 on.
      if opened >= lowest { _ = systemClose(opened) }
    }
  }

  /// Opens a file, to be closed in programs that this process starts.
  ///
  /// - Returns: A number from 3 on, or -1 with `errno`.
  package static func open(_ path: String, _ flags: Int32, _ mode: UInt32 = 0) -> Int32 {
    occupyStandardNumbers()
    while true {
      let opened = systemOpen(path, flags | O_CLOEXEC, mode_t(mode))
      if opened >= 0 || errno != EINTR { return raised(opened) }
    }
  }

  /// The same open file under a number from 3 on: a thread may have closed a standard stream just before it was opened.
  ///
  /// - Returns: The descriptor itself when its number is one; -1 with `errno` when there is no number left.
  private static func raised(_ descriptor: Int32) -> Int32 {
    guard descriptor >= 0, descriptor < lowest else { return descriptor }
    let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest)
    let code = errno
    _ = systemClose(descriptor)
    errno = code
    return moved
  }

  private static func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    #if canImport(Darwin)
      Darwin.open(path, flags, mode)
    #else
      Glibc.open(path, flags, mode)
    #endif
  }

  private static func systemClose(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      Darwin.close(descriptor)
    #else
      Glibc.close(descriptor)
    #endif
  }
}
