import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tells whether a database that is read as unchanging has changed.
struct SQLiteFileState: Hashable {
  private var identity: FileIdentity?
  private var size: Int64 = -1
  private var modified = FileStatus.Time()
  private var logSize: Int64 = 0

  init(_ file: SQLiteFile) {
    if let status = try? FileStatus(at: file.path) {
      identity = status.identity
      size = Int64(status.size)
      modified = status.modified
    }
    logSize = Int64(file.walByteCount)
  }

  /// Whether there is a file.
  var isThere: Bool { size >= 0 }

  /// Whether there is a file, and no log next to it with changes.
  var isWhole: Bool { size >= 0 && logSize == 0 }

  /// Waits until a change that is made from now on has another time than this state: clocks of file systems tick every
  /// few milliseconds.
  func settle() {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    // As floating point, because clocks and times of files may be any numbers. A clock that was set back a moment ago
    // comes to the time of the file again.
    let age =
      Double(now.tv_sec) - Double(modified.seconds) + (Double(now.tv_nsec) - Double(modified.nanoseconds)) / 1e9
    if abs(age) < 0.02 { usleep(20_000) }
  }
}
