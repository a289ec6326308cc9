import QuarryBackend
import QuarrySystem

extension StoreFile {
  /// Writes all of the bytes.
  func write(_ bytes: [UInt8], at offset: Int) throws(StorageError) {
    try bytes.withBytes { bytes throws(StorageError) in try write(bytes, at: offset) }
  }
}
