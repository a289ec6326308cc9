/// The values of the property Word_Break (UAX 29), in the order of scripts/unicode-tables.
enum WordBreakClass: UInt8 {
  case other, carriageReturn, lineFeed, newline, extend, joiner, format, regionalIndicator, katakana, hebrewLetter,
    letter
  case singleQuote, doubleQuote, midNumLet, midLetter, midNum, numeric, extendNumLet, space

  /// Scalars that belong to the one before them (rule WB4).
  @inline(__always)
  var isAttached: Bool { self == .extend || self == .joiner || self == .format }

  @inline(__always)
  var isLineEnd: Bool { self == .carriageReturn || self == .lineFeed || self == .newline }

  /// AHLetter of the rules.
  @inline(__always)
  var isLetter: Bool { self == .letter || self == .hebrewLetter }

  /// What joins two letters, as MidLetter and MidNumLetQ do.
  @inline(__always)
  var joinsLetters: Bool { self == .midLetter || self == .midNumLet || self == .singleQuote }

  /// What joins two digits, as MidNum and MidNumLetQ do.
  @inline(__always)
  var joinsDigits: Bool { self == .midNum || self == .midNumLet || self == .singleQuote }
}

/// What the tokenizer knows of a scalar.
struct ScalarClass {
  let bits: UInt32

  @inline(__always)
  init(bits: UInt32) { self.bits = bits }

  @inline(__always)
  var wordBreak: WordBreakClass { WordBreakClass(rawValue: UInt8(truncatingIfNeeded: bits & 31)) ?? .other }
  /// A letter or a number: general categories L and N.
  @inline(__always)
  var isWord: Bool { bits & 1 << 5 != 0 }
  /// A letter of a script that is written without spaces between words.
  @inline(__always)
  var isPaired: Bool { bits & 1 << 6 != 0 }
  /// Extended_Pictographic.
  @inline(__always)
  var isPictograph: Bool { bits & 1 << 7 != 0 }
  /// Default_Ignorable_Code_Point, and no letter.
  @inline(__always)
  var isIgnorable: Bool { bits & 1 << 8 != 0 }
  /// Grapheme_Extend.
  @inline(__always)
  var isMark: Bool { bits & 1 << 9 != 0 }
  /// A vowel or a final consonant of a Hangul syllable that is written by its parts.
  @inline(__always)
  var isJamoTail: Bool { bits & 1 << 10 != 0 }
  /// Foundation folds it by another rule than ``TokenFolder``.
  @inline(__always)
  var foldsIrregularly: Bool { bits & 1 << 11 != 0 }
  /// Alone it folds to something else.
  @inline(__always)
  var folds: Bool { bits & 1 << 12 != 0 }
  /// Canonical_Combining_Class.
  @inline(__always)
  var combiningClass: UInt32 { bits >> 16 & 0xFF }
}
