/// The number of terminal columns that a text takes.
enum DisplayWidth {
  static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// A character takes two columns if one of its scalars is wide or is shown as an emoji, none if it is only marks.
  static func of(_ character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
      // The selector of emoji presentation makes a narrow character wide.
      width = max(width, scalar.value == 0xFE0F ? 2 : of(scalar))
    }
    return width
  }

  /// The longest beginning of the text that takes at most that many columns.
  static func prefix(_ text: String, _ limit: Int) -> Substring {
    var width = 0
    var end = text.startIndex
    for index in text.indices {
      width += of(text[index])
      if width > limit { break }
      end = text.index(after: index)
    }
    return text[..<end]
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return isWide(scalar.value) || scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }

  /// The blocks of East Asian Wide and Fullwidth characters of Unicode's annex 11.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F,  // Hangul Jamo, leading consonants
      0x2E80...0x303E,  // CJK radicals, Kangxi radicals, CJK punctuation
      0x3041...0x33FF,  // Hiragana to CJK compatibility
      0x3400...0x4DBF, 0x4E00...0x9FFF,  // CJK ideographs
      0xA000...0xA4CF,  // Yi
      0xA960...0xA97F,  // Hangul Jamo Extended-A
      0xAC00...0xD7A3,  // Hangul syllables
      0xF900...0xFAFF,  // CJK compatibility ideographs
      0xFE10...0xFE19, 0xFE30...0xFE6F,  // vertical and small forms
      0xFF01...0xFF60, 0xFFE0...0xFFE6,  // fullwidth forms
      0x16FE0...0x18DFF, 0x1B000...0x1B2FF,  // Tangut, Khitan, Kana supplements
      0x1F200...0x1F2FF,  // enclosed ideographs
      0x20000...0x3FFFD:  // the ideographic planes
      true
    default: false
    }
  }
}
