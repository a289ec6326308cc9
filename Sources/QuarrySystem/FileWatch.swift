package import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Waits for a write to the files of a store.
///
/// It uses the notification of the file system where there is one (inotify(7)), and waits for the time to pass where there is
/// not.
package final class FileWatch: CommitWatch {
  /// The two ends of what ends a wait, and what tells of writes; -1 where there is no such thing.
  private let wakeReader: Int32
  private let wakeWriter: Int32
  private let notifier: Int32
  /// The beginning of the names of the files.
  private let prefix: [UInt8]

  /// - Parameter path: A file of the store. Others in its directory whose names begin with its name count as well: logs.
  /// - Throws: `io` where the process has no descriptors left.
  package init(_ path: String) throws(StorageError) {
    let (directory, name) = SystemPath.split(path)
    prefix = Array(name.utf8)
    var ends: [Int32] = [-1, -1]
    Descriptor.occupyStandardNumbers()
    guard pipe(&ends) == 0 else {
      throw StorageError(.io, "no file descriptors are left to watch \(path)", cause: SystemError.last)
    }
    (wakeReader, wakeWriter) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    #if os(Linux)
      let notifier = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      let events = UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)
      if notifier >= 0, inotify_add_watch(notifier, directory, events) < 0 {
        // No watches left, or a file system that has none: the time passes.
        close(notifier)
        self.notifier = -1
      } else {
        self.notifier = notifier
      }
    #else
      notifier = -1
    #endif
  }

  deinit {
    for descriptor in [wakeReader, wakeWriter, notifier] where descriptor >= 0 { close(descriptor) }
  }

  package func wait(seconds: Double) {
    let deadline = Deadline(after: seconds)
    while true {
      let left = deadline.millisecondsLeft
      guard left > 0 else { return }
      var polled = [pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0)]
      if notifier >= 0 { polled.append(pollfd(fd: notifier, events: Int16(POLLIN), revents: 0)) }
      let ready = poll(&polled, nfds_t(polled.count), Swift.min(left, 60_000))
      if ready < 0, errno != EINTR {
        usleep(Self.pause)
        return
      }
      if polled[0].revents != 0 {
        drain(wakeReader)
        return
      }
      if polled.count > 1, polled[1].revents != 0, readEvents() {
        // A commit's writes come in several parts.
        usleep(Self.pause)
        _ = readEvents()
        return
      }
    }
  }

  /// Microseconds after a notification in which others are taken for the same.
  private static let pause: UInt32 = 2_000

  package func wake() {
    var byte: UInt8 = 1
    _ = write(wakeWriter, &byte, 1)
  }

  private func drain(_ descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(descriptor, &bytes, bytes.count) > 0 {}
  }

  /// - Returns: Whether one of the events is about a file of the store.
  private func readEvents() -> Bool {
    #if os(Linux)
      var isOurs = false
      var bytes = [UInt8](repeating: 0, count: 4096)
      let header = MemoryLayout<inotify_event>.size
      while true {
        let count = read(notifier, &bytes, bytes.count)
        guard count > 0 else { return isOurs }
        bytes.withUnsafeBytes { buffer in
          var offset = 0
          while offset + header <= count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let length = Int(event.len)
            guard offset + header + length <= count else { return }
            let name = buffer[(offset + header)..<(offset + header + length)]
            // More events than there was room for: one of them may have been.
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 || name.starts(with: prefix) { isOurs = true }
            offset += header + length
          }
        }
      }
    #else
      return false
    #endif
  }
}
