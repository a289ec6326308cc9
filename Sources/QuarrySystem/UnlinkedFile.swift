#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

#if !canImport(Darwin)
  /// A file without a name, which gets one when all of it is on the disk.
  ///
  /// No process finds half of it, and nothing is left of it when the process ends before.
  package struct UnlinkedFile {
    package let descriptor: Int32

    /// - Parameter directory: The directory in which it gets its name.
    /// - Returns: Nil where the system or the file system has no such files, or the directory cannot be written to.
    package init?(in directory: String) {
      // The first flag is __O_TMPFILE, the same number wherever Swift runs on Linux.
      let opened = Descriptor.open(directory, 0o20_000_000 | O_DIRECTORY | O_RDWR, 0o600)
      guard opened >= 0 else { return nil }
      descriptor = opened
    }

    package func close() { _ = Glibc.close(descriptor) }

    /// A path by which this process can open it; nil where the system has no such paths.
    package var path: String? {
      let path = "/proc/self/fd/\(descriptor)"
      return access(path, F_OK) == 0 ? path : nil
    }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
      var done = 0
      while done < bytes.count {
        let count = bytes.withUnsafeBytes {
          pwrite(descriptor, $0.baseAddress! + done, bytes.count - done, off_t(done))
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw count < 0 ? .last : SystemError(ENOSPC) }
        done += count
      }
    }

    /// All of it.
    package func read() throws(SystemError) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: try FileStatus(of: descriptor).size)
      var done = 0
      while done < bytes.count {
        let (start, rest) = (done, bytes.count - done)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress! + start, rest, off_t(start)) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw count < 0 ? .last : SystemError(EIO) }
        done += count
      }
      return bytes
    }

    package func sync() throws(SystemError) {
      while fdatasync(descriptor) != 0 { if errno != EINTR { throw .last } }
    }

    /// Gives it a name, where there is nothing.
    ///
    /// - Returns: Whether that was done; `errno` says why it was not.
    package func link(as path: String) -> Bool {
      linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
    }
  }
#endif
