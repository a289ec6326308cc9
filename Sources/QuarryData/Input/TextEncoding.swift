/// The encoding of a file's text.
public enum TextEncoding: String, Sendable, CaseIterable {
  /// UTF-8.
  case utf8 = "utf-8"
  /// ISO 8859-1.
  case latin1 = "latin-1"
  /// Windows-1252.
  case windows1252 = "windows-1252"
  /// UTF-16, the low byte first.
  case utf16LittleEndian = "utf-16le"
  /// UTF-16, the high byte first.
  case utf16BigEndian = "utf-16be"

  /// The encoding with that name, in any case and with hyphens or without: `UTF8`, `iso-8859-1`, `cp1252`.
  public init?(name: String) {
    let plain = Self.plain(name)
    let others: [String: TextEncoding] = [
      "iso88591": .latin1, "l1": .latin1, "cp1252": .windows1252, "ascii": .utf8, "usascii": .utf8,
    ]
    guard let found = Self.allCases.first(where: { Self.plain($0.rawValue) == plain }) ?? others[plain] else {
      return nil
    }
    self = found
  }

  private static func plain(_ name: String) -> String {
    name.loweredASCII.filter { $0 != "-" && $0 != "_" }
  }

  /// The bytes of a byte order mark, which is no part of the text.
  var mark: [UInt8] {
    switch self {
    case .utf8: [0xEF, 0xBB, 0xBF]
    case .utf16LittleEndian: [0xFF, 0xFE]
    case .utf16BigEndian: [0xFE, 0xFF]
    case .latin1, .windows1252: []
    }
  }

  /// The characters of windows-1252 in the places 0x80 to 0x9F; 0 where it has none.
  static let windowsScalars: [UInt32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
    0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
    0x0178,
  ]
}
