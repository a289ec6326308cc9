import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The note in a file which process has it open for writing. The lock decides; this only says whose it is.
enum FlatFileOwner {
  static var thisProcess: Int32 { getpid() }

  /// - Returns: The previous owner, as the file says.
  @discardableResult
  static func set(in file: any StoreFile) throws(StorageError) -> UInt64 {
    let before = number(in: file) ?? 0
    try write(UInt64(UInt32(bitPattern: thisProcess)), in: file)
    return before
  }

  static func clear(in file: any StoreFile) throws(StorageError) {
    try write(0, in: file)
  }

  /// Makes the file say what it said before ``set(in:)``.
  static func restore(_ before: UInt64, in file: any StoreFile) throws(StorageError) {
    try write(before, in: file)
  }

  private static func write(_ number: UInt64, in file: any StoreFile) throws(StorageError) {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: number)
    try file.write(bytes, at: FlatFileFormat.ownerOffset)
  }

  private static func number(in file: any StoreFile) -> UInt64? {
    let window = ReadWindow(file, size: 8)
    let bytes = try? window.bytes(at: FlatFileFormat.ownerOffset, count: 8, end: FlatFileFormat.firstBatch)
    guard let bytes, bytes.count == 8 else { return nil }
    return bytes.loadLittleEndian(0, as: UInt64.self)
  }

  /// The process that has the lock, as far as it is known. One that took it just now may not have written its number
  /// yet, so this looks again for a moment.
  static func read(from file: any StoreFile) -> Int32? {
    for attempt in 0..<20 {
      if attempt > 0 { usleep(2000) }
      guard let number = number(in: file) else { continue }
      let process = Int32(truncatingIfNeeded: number)
      // A number that was left behind by a killed process has no owner.
      if process > 0, kill(process, 0) == 0 || errno == EPERM { return process }
    }
    return nil
  }
}
