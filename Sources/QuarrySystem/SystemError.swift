#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The number of the system's error underneath a `StorageError`.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  public let number: Int32

  package init(_ number: Int32) {
    self.number = number
  }

  /// The error of the call that failed last on this thread.
  package static var last: SystemError { SystemError(errno) }

  public var description: String { String(cString: strerror(number)) }
}
