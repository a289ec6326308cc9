import QuarryBackend

/// How a store keeps its trees: the number of its format.
enum LMDBFormat: UInt32 {
  /// Trees named by their numbers in decimal digits; keys of zero bytes with one more (`LMDBKey`).
  case plain = 1
  /// The same, with everything in sealed pages.
  case sealed = 2
  /// The same, with everything in pages that have checksums. 3 is not used: it is one bit from both of the others.
  case checked = 4

  /// Whether everything is in the pages of an engine above this one.
  var hasPages: Bool { self != .plain }

  /// The way damage is found, as statistics name it.
  var checksums: String {
    switch self {
    case .plain: "none"
    case .sealed: "sealed"
    case .checked: "XXH64"
    }
  }
}

/// The record of the main database that says that the environment is a store of Quarry, and of which format.
enum LMDBMarker {
  static let key = Array("quarry".utf8)
  private static let magic = Array("Qrry".utf8)

  /// The formats that the first versions did not know are there twice, the second time with all bits turned.
  static func value(_ format: LMDBFormat) -> [UInt8] {
    var value = magic
    value.append(littleEndian: format.rawValue)
    if format == .checked { value.append(littleEndian: ~format.rawValue) }
    return value
  }

  /// - Throws: `corrupt`, `schemaTooNew`.
  static func format(_ value: some Collection<UInt8>, _ path: String) throws(StorageError) -> LMDBFormat {
    guard value.count >= 8, value.prefix(4).elementsEqual(magic) else {
      throw StorageError(.corrupt, "\(path) is an LMDB environment, but not a store of Quarry")
    }
    let found = number(value, 4)
    let format = LMDBFormat(rawValue: found)
    if let format, value.elementsEqual(Self.value(format)) { return format }
    guard format == nil, found > LMDBFormat.checked.rawValue, value.count >= 12, number(value, 8) == ~found else {
      throw StorageError(.corrupt, "\(path) has a damaged marker")
    }
    throw StorageError(
      .schemaTooNew,
      "\(path) has format \(found), and this version knows formats up to \(LMDBFormat.checked.rawValue)")
  }

  private static func number(_ value: some Collection<UInt8>, _ offset: Int) -> UInt32 {
    value.dropFirst(offset).prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
  }

  /// - Throws: `keyRequired`, `notEncrypted` where a store is opened without its key, or with one that it has not.
  static func require(_ format: LMDBFormat, of found: LMDBFormat, _ path: String) throws(StorageError) {
    if found == .sealed, format != .sealed { throw .keyRequired(path) }
    if found != .sealed, format == .sealed { throw .notEncrypted(path) }
  }
}
