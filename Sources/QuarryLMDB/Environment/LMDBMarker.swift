import QuarryBackend

/// The record of the main database that says that the environment is a store of Quarry, and of which format.
enum LMDBMarker {
  static let key = Array("quarry".utf8)
  /// Trees named by their numbers in decimal digits; keys of zero bytes with one more (`LMDBKey`).
  static let format: UInt32 = 1
  private static let magic = Array("Qrry".utf8)

  static var value: [UInt8] { magic + withUnsafeBytes(of: format.littleEndian) { Array($0) } }

  /// - Throws: `corrupt`, `schemaTooNew`.
  static func check(_ value: some Collection<UInt8>, _ path: String) throws(StorageError) {
    guard value.count >= 8, value.prefix(4).elementsEqual(magic) else {
      throw StorageError(.corrupt, "\(path) is an LMDB environment, but not a store of Quarry")
    }
    let found = value.dropFirst(4).prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard found <= format else {
      throw StorageError(.schemaTooNew, "\(path) has format \(found), and this version knows formats to \(format)")
    }
    guard found > 0 else { throw StorageError(.corrupt, "\(path) has a damaged marker") }
  }
}
