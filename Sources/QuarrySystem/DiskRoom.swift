package import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How much a disk still takes, where that is sure.
enum DiskRoom {
  /// The file systems that keep what is written byte by byte, and whose free bytes are all that there is: none that
  /// compresses, shares equal content, or gives back later what was removed.
  private static let plainKinds: Set<String> = ["ext2", "ext3", "ext4", "tmpfs"]

  static func freeBytes(in directory: String) -> Int? {
    #if canImport(Darwin)
      // Purgeable space is not counted as free there, but can still be used.
      return nil
    #else
      var figures = statvfs()
      // A file system without a limit has no blocks.
      guard statvfs(directory, &figures) == 0, figures.f_blocks > 0, isPlain(directory) else { return nil }
      let blocks = geteuid() == 0 ? figures.f_bfree : figures.f_bavail
      let (bytes, overflow) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(figures.f_frsize))
      return overflow ? nil : Int(clamping: bytes)
    #endif
  }

  #if !canImport(Darwin)
    private static func isPlain(_ directory: String) -> Bool {
      var status = stat()
      guard stat(directory, &status) == 0, let mounts = fopen("/proc/self/mountinfo", "re") else { return false }
      defer { fclose(mounts) }
      let device = UInt64(truncatingIfNeeded: status.st_dev)
      let number = "\((device >> 8) & 0xFFF):\((device & 0xFF) | ((device >> 12) & 0xFFF00))"
      var line: UnsafeMutablePointer<CChar>?
      var capacity = 0
      defer { free(line) }
      while getline(&line, &capacity, mounts) > 0, let line {
        // 36 35 98:0 /root /place options - ext4 /dev/sda options
        let words = String(cString: line).split(separator: " ")
        guard words.count > 2, words[2] == number, let dash = words.firstIndex(of: "-"), dash + 1 < words.count
        else { continue }
        return plainKinds.contains(String(words[dash + 1]))
      }
      return false
    }
  #endif
}

extension FileSystem {
  /// Looks for room before something large is written: what surely does not fit is refused before its first byte.
  ///
  /// - Parameters:
  ///   - path: Where it will be.
  ///   - about: Bytes with which nothing is asked of `least`, because there is room enough.
  ///   - reused: Bytes of files that are there and will be written over.
  ///   - least: The bytes that are needed in any case. May need a pass over all that is to be written.
  /// - Throws: `full`, with both numbers; what the closure throws.
  package func requireRoom(
    for path: String, about: Int, reusing reused: Int = 0, atLeast least: () throws(StorageError) -> Int
  ) throws(StorageError) {
    guard let free = freeBytes(beside: path), free < about else { return }
    let needed = try least() - reused
    if needed > free { throw .noRoom(for: path, needed: needed, free: free) }
  }
}

extension StorageError {
  fileprivate static func noRoom(for path: String, needed: Int, free: Int) -> StorageError {
    StorageError(.full, "\(path) needs at least \(needed) bytes, and its disk has \(free) left: nothing was written")
  }
}
