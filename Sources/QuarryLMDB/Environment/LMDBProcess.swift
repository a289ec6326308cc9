import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Detects whether the process has been forked.
///
/// An environment belongs to the process that opened it, and a child that touched it would end the parent's transactions in the
/// shared lock file.
enum LMDBProcess {
  private static let forks = Atomic<UInt32>(0)
  private static let isWatching: Bool = pthread_atfork(nil, nil, { LMDBProcess.forks.add(1, ordering: .relaxed) }) == 0

  /// The number of forks between the program's start and this process, which is one read of memory.
  @inline(__always) static var generation: UInt32 { forks.load(ordering: .relaxed) }

  /// Begins to count.
  ///
  /// - Returns: Whether forks can be seen.
  static func watch() -> Bool { isWatching }
}
