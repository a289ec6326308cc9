#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tells a process from the one that it was forked from: random bytes that were fetched before a fork are in both, and may
/// be used by one of them only.
enum ForkMark {
  /// A page that the system gives to a child as zeros (`MADV_WIPEONFORK`); nil where there is none.
  nonisolated(unsafe) private static let page: UnsafeMutablePointer<UInt64>? = {
    let size = Int(sysconf(Int32(_SC_PAGESIZE)))
    #if canImport(Darwin)
      return nil
    #else
      guard let page = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
        page != MAP_FAILED
      else { return nil }
      // MADV_WIPEONFORK, which the module of the C library does not name.
      guard madvise(page, size, 18) == 0 else {
        munmap(page, size)
        return nil
      }
      let mark = page.bindMemory(to: UInt64.self, capacity: 1)
      mark.pointee = UInt64(UInt32(bitPattern: getpid()))
      return mark
    #endif
  }()

  /// A number that a child has not of its parent: the number of the process.
  @inline(__always)
  static var current: UInt64 {
    guard let page else { return UInt64(UInt32(bitPattern: getpid())) }
    let mark = page.pointee
    if mark != 0 { return mark }
    // Threads of a child may do this at once, and write the same.
    let process = UInt64(UInt32(bitPattern: getpid()))
    page.pointee = process
    return process
  }
}
