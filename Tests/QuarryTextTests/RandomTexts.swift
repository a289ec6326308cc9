/// Random texts of many scripts, the same for the same seed (SplitMix64).
struct RandomTexts: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// Scalars that rules speak of.
  private static let special: [UInt32] =
    Array(
      "aZ09éÅßıİΣς'’.:,;·_-@\"*()  \r\n\t\u{0}\u{85}\u{AD}\u{200B}\u{200C}\u{200D}\u{2060}\u{FEFF}\u{FE0F}\u{301}\u{338}\u{483}\u{20E3}"
        .unicodeScalars
    ).map(\.value) + [
      0x2BC, 0x5D0, 0x5D1, 0x5F3, 0x5F4, 0x5B8, 0x627, 0x64B, 0x651, 0x670, 0x660, 0x66B, 0x600, 0x915, 0x93C, 0x940,
      0x94D,
      0xE01, 0xE33, 0xE31, 0xE48, 0xE99, 0x1780, 0x17D2, 0x1000, 0x1100, 0x1161, 0x11A8, 0xAC00, 0xD55C, 0x3042, 0x3099,
      0x309B, 0x30AB, 0x30FC, 0xFF76, 0xFF9E, 0x4E00, 0x6771, 0x3007, 0x20000, 0x1F1E6, 0x1F1FA, 0x1F600, 0x1F3FD,
      0x2764,
      0xA9, 0xB2, 0x2460, 0x2160, 0x24B6, 0xFB01, 0xF73, 0xF78, 0x344, 0x345, 0x1C5, 0x10A0, 0x13A0, 0x1E900, 0x10400,
      0x3000, 0xFF21, 0xFF10, 0xE0041, 0x1D15E, 0x17000, 0x1B170,
    ]
  private static let blocks: [ClosedRange<UInt32>] = [
    0x20...0x7E, 0xA0...0x24F, 0x300...0x36F, 0x370...0x3FF, 0x400...0x52F, 0x530...0x6FF, 0x900...0xDFF, 0xE00...0xFFF,
    0x1000...0x10FF, 0x1100...0x11FF, 0x1E00...0x1FFF, 0x2000...0x2BFF, 0x2C00...0x2DFF, 0x3000...0x31FF,
    0x4E00...0x4E40,
    0xA640...0xABFF, 0xAC00...0xAC40, 0xF900...0xFFFF, 0x10000...0x10FFF, 0x11000...0x11FFF, 0x1D100...0x1DFFF,
    0x1E800...0x1F9FF, 0x20000...0x20010, 0xE0000...0xE01EF,
  ]

  /// Any scalars, most of them such that rules speak of.
  mutating func text(length: ClosedRange<Int> = 0...12) -> String {
    var text = ""
    for _ in 0..<number(length) {
      var value: UInt32
      switch number(0...9) {
      case 0...5: value = Self.special[number(0...Self.special.count - 1)]
      case 6...8: value = UInt32.random(in: Self.blocks[number(0...Self.blocks.count - 1)], using: &self)
      default: value = UInt32.random(in: 0...0x10_FFFF, using: &self)
      }
      if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
    }
    return text
  }

  /// Words that occur again, of many scripts, and what stands between them.
  private static let words = [
    "swift", "Swift", "store", "storage", "stores", "unit", "of", "work", "Café", "cafe\u{301}", "straße", "STRASSE",
    "l'amour",
    "amour", "don't", "john.smith@example.com", "smith", "foo_bar", "bar", "iPhone15", "3.14", "1,000", "42", "naïve",
    "Москва", "москве", "Ёлка", "елка", "Αθήνα", "ΑΘΗΝΑ", "سلام", "سَلام", "שלום", "צה\"ל", "हिन्दी", "ड़ी", "ไทย", "ภาษาไทย",
    "กำ",
    "東京", "東京都", "京都", "京", "東", "日本語", "食べる", "食", "カタカナ", "カナ", "한국어", "한국", "국어", "한", "👍🏽", "👍", "🇩🇪", "❤️",
  ]
  private static let gaps = [" ", " ", " ", " ", ", ", ". ", "", "\n", " - ", "/", "\u{3000}", "… "]

  mutating func word() -> String { Self.words[number(0...Self.words.count - 1)] }

  mutating func sentence(words count: ClosedRange<Int>) -> String {
    (0..<number(count)).reduce(into: "") { text, _ in text += word() + Self.gaps[number(0...Self.gaps.count - 1)] }
  }

  mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
    (0..<number(count)).map { _ in UInt8(number(0...3) == 0 ? number(0...255) : number(0...4)) }
  }
}
