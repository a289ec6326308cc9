import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import CCrypto
  import Glibc
#endif

/// Random bytes of the operating system.
enum SystemRandom {
  /// - Throws: `io` when the system gives none.
  static func fill(_ bytes: UnsafeMutableRawBufferPointer) throws(StorageError) {
    guard let base = bytes.baseAddress else { return }
    #if canImport(Darwin)
      arc4random_buf(base, bytes.count)
    #else
      var done = 0
      while done < bytes.count {
        let count = getrandom(base + done, bytes.count - done, 0)
        if count > 0 {
          done += count
        } else if errno != EINTR {
          throw StorageError(.io, "the system returned no random bytes: error \(errno)")
        }
      }
    #endif
  }

  static func bytes(_ count: Int) throws(StorageError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try bytes.withMutableBytes { bytes throws(StorageError) in try fill(bytes) }
    return bytes
  }
}
