#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The signal that comes with a write beyond the process's limit for files, and ends the process unless it is handled.
///
/// Blocking it on the thread for each write would cost two calls of the system, and a third where it came; the writes are
/// SQLite's and LMDB's, wherever these make them. So it is ignored for the process, as Python does.
package enum FileSizeSignal {
  /// Ignores the signal where the program has left it its default action.
  package static func ignore() {
    var action = sigaction()
    guard sigaction(SIGXFSZ, nil, &action) == 0 else { return }
    #if canImport(Darwin)
      let isDefault = action.__sigaction_u.__sa_handler == nil
    #else
      let isDefault = action.__sigaction_handler.sa_handler == nil
    #endif
    if isDefault { signal(SIGXFSZ, SIG_IGN) }
  }
}
