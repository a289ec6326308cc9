import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import CCrypto
#endif

/// Bytes that are overwritten when the last reference to them goes, and that no description shows.
///
/// The unsafe part is the memory: it is made and freed here alone, never changes after `init`, and is lent for the time of
/// a call.
final class SecretBytes: @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer

  let count: Int

  /// - Parameter fill: Gives the bytes; what it leaves is zero.
  init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(StorageError) -> Void) throws(StorageError) {
    memory = .allocate(byteCount: max(count, 1), alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    self.count = count
    try fill(UnsafeMutableRawBufferPointer(rebasing: memory[..<count]))
  }

  init(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    memory = .allocate(byteCount: max(bytes.count, 1), alignment: 16)
    memory.copyBytes(from: bytes)
    count = bytes.count
  }

  /// Random bytes of the system.
  convenience init(randomCount: Int) throws(StorageError) {
    try self.init(count: randomCount) { bytes throws(StorageError) in try SystemRandom.fill(bytes) }
  }

  deinit {
    #if canImport(Darwin)
      memset_s(memory.baseAddress, memory.count, 0, memory.count)
    #else
      OPENSSL_cleanse(memory.baseAddress, memory.count)
    #endif
    memory.deallocate()
  }

  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
  }
}
