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

  static func set(in file: any StoreFile) throws(StorageError) {
    try write(thisProcess, in: file)
  }

  static func clear(in file: any StoreFile) throws(StorageError) {
    try write(0, in: file)
  }

  private static func write(_ process: Int32, in file: any StoreFile) throws(StorageError) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 8)
    defer { bytes.deallocate() }
    bytes.storeLittleEndian(UInt64(UInt32(bitPattern: process)), at: 0)
    try file.write(UnsafeRawBufferPointer(bytes), at: FlatFileFormat.ownerOffset)
  }

  /// The process that has the lock, as far as it is known. One that took it just now may not have written its number
  /// yet, so this looks again for a moment.
  static func read(from file: any StoreFile) -> Int32? {
    for attempt in 0..<20 {
      if attempt > 0 { usleep(2000) }
      let window = ReadWindow(file, size: 8)
      guard
        let bytes = try? window.bytes(at: FlatFileFormat.ownerOffset, count: 8, end: FlatFileFormat.firstBatch),
        bytes.count == 8
      else { continue }
      let process = Int32(truncatingIfNeeded: bytes.loadLittleEndian(0, as: UInt64.self))
      // A number that was left behind by a process that was killed is nobody's.
      if process > 0, kill(process, 0) == 0 || errno == EPERM { return process }
    }
    return nil
  }
}
