import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How much address space the map of a store takes: enough that it seldom has to grow, and never so much that the program
/// has none left.
enum LMDBMapSize {
  /// The map size of a store that is opened, where the address space is plentiful and the file is small by comparison.
  static let first = 1 << 36
  /// Where there is no room for this much, and as much again, a store is not opened.
  static let least = 1 << 24
  /// A map takes at most this part of the address space that is free in one piece.
  private static let share = 16

  /// The map of a store that is opened.
  ///
  /// - Parameters:
  ///   - limit: The most that the store can grow to.
  ///   - first: The least that is tried for.
  /// - Throws: `full` when the process has no address space left for it.
  static func opening(
    limit: Int, first: Int, fileBytes: Int, _ name: String
  ) throws(StorageError) -> Int {
    let (eightfold, overflows) = fileBytes.multipliedReportingOverflow(by: 8)
    let wanted = max(fileBytes, min(max(limit, 1 << 16), max(first, overflows ? .max : eightfold)))
    let floor = max(min(least, wanted), fileBytes)
    var size = wanted
    while size > floor, !hasRoom(size, times: share) { size = max(size / 2, floor) }
    // The smallest maps leave room for as much again.
    guard size > floor || hasRoom(size, times: share) || hasRoom(size + max(size, least), times: 1) else {
      throw noRoom(size, name)
    }
    return size & ~0xFFFF == 0 ? 1 << 16 : size & ~0xFFFF
  }

  /// The map that takes the place of one that is too small.
  ///
  /// - Parameter needed: The bytes that it must have.
  /// - Throws: `full` when the process has no address space left for it.
  static func growing(
    from size: Int, needed: Int, limit: Int, _ name: String
  ) throws(StorageError) -> Int {
    func doubled(_ bytes: Int) -> Int { bytes > Int.max / 4 ? bytes : bytes * 2 }
    // Beyond its limit a store grows in other processes, which have another one.
    var new = needed > limit ? doubled(needed) : min(limit, doubled(max(size, needed)))
    while new > needed, new > size, !hasRoom(new, times: 2) { new = max(needed, new / 2) }
    // LMDB gives its map back before it asks for the new one, and has none at all when that fails.
    guard hasRoom(new, times: 1) else { throw noRoom(new, name) }
    return (new &+ 0xFFFF) & ~0xFFFF
  }

  private static func hasRoom(_ bytes: Int, times: Int) -> Bool {
    let (whole, overflows) = bytes.multipliedReportingOverflow(by: times)
    guard !overflows, whole > 0 else { return false }
    let room = mmap(nil, whole, PROT_NONE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0)
    guard let room, room != MAP_FAILED else { return false }
    munmap(room, whole)
    return true
  }

  private static func noRoom(_ bytes: Int, _ name: String) -> StorageError {
    StorageError(
      .full, "the process has no address space left for the map of \(name), which takes \(bytes) bytes of it")
  }
}
