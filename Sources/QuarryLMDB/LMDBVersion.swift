import QuarryBackend
import QuarrySystem

/// The number of the newest commit in the file of a copy. LMDB counts it from one; it must continue from the store's number.
enum LMDBVersion {
  /// The layout after the header of a page: the meta, which ends with the number of its transaction.
  private static let (header, count, number) = (16, 136, 128)

  /// Renumbers the newest commit.
  ///
  /// It is in the first meta page or in the second, as its number is even or odd.
  ///
  /// - Parameter version: Not less than the number that it has.
  static func set(
    _ version: UInt64, in file: any StoreFile, pageSize: Int, _ path: String
  ) throws(StorageError) {
    let metas = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * count, alignment: 8)
    defer { metas.deallocate() }
    let parts = [0, 1].map { UnsafeMutableRawBufferPointer(rebasing: metas[$0 * count..<($0 + 1) * count]) }
    for (page, part) in parts.enumerated() {
      guard try file.read(into: part, at: page * pageSize + header) == count else {
        throw StorageError(.io, "\(path) cannot be read again")
      }
    }
    let numbers = parts.map { UInt64(littleEndian: $0.load(fromByteOffset: number, as: UInt64.self)) }
    let newest = numbers[0] > numbers[1] ? 0 : 1
    guard numbers[newest] < version else { return }
    parts[newest].storeBytes(of: version.littleEndian, toByteOffset: number, as: UInt64.self)
    let place = Int(version % 2)
    try file.write(UnsafeRawBufferPointer(parts[newest]), at: place * pageSize + header)
    if place != newest {
      try file.write(UnsafeRawBufferPointer(parts[1 - newest]), at: newest * pageSize + header)
    }
  }
}
