import QuarryBackend

/// The record of the main database that says that the environment is a store of Quarry, and of which format.
enum LMDBMarker {
  static let key = Array("quarry".utf8)
  /// Trees named by their numbers in decimal digits; keys of zero bytes with one more (`LMDBKey`).
  static let plain: UInt32 = 1
  /// The same, with everything in sealed pages: versions that know nothing of them refuse the format.
  static let sealed: UInt32 = 2
  private static let magic = Array("Qrry".utf8)

  static func value(isSealed: Bool) -> [UInt8] {
    magic + withUnsafeBytes(of: (isSealed ? sealed : plain).littleEndian) { Array($0) }
  }

  /// - Returns: Whether the store is sealed.
  /// - Throws: `corrupt`, `schemaTooNew`.
  static func check(_ value: some Collection<UInt8>, _ path: String) throws(StorageError) -> Bool {
    guard value.count >= 8, value.prefix(4).elementsEqual(magic) else {
      throw StorageError(.corrupt, "\(path) is an LMDB environment, but not a store of Quarry")
    }
    let found = number(value, 4)
    if found == sealed || found == plain { return found == sealed }
    // A later format is there twice, the second time with all bits turned.
    guard found > sealed, value.count >= 12, number(value, 8) == ~found else {
      throw StorageError(.corrupt, "\(path) has a damaged marker")
    }
    throw StorageError(.schemaTooNew, "\(path) has format \(found), and this version knows formats to \(sealed)")
  }

  private static func number(_ value: some Collection<UInt8>, _ offset: Int) -> UInt32 {
    value.dropFirst(offset).prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
  }

  /// - Throws: `keyRequired`, `notEncrypted` where a store of the one kind is opened as the other.
  static func require(isSealed: Bool, of found: Bool, _ path: String) throws(StorageError) {
    if found, !isSealed { throw .keyRequired(path) }
    if !found, isSealed { throw .notEncrypted(path) }
  }
}
