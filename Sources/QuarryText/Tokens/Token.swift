/// A word of a text: its folded form, and where it stands.
public struct Token: Hashable, Sendable {
  /// The kind of a token.
  public enum Kind: UInt8, Hashable, Sendable {
    /// A word or a number.
    case word
    /// One letter of a run without spaces: Han, Hiragana, Katakana, Hangul, Thai, Lao, Khmer, Myanmar and the like.
    case single
    /// Two adjacent letters of such a run.
    case pair
    /// A pictograph or a flag.
    case pictograph
    /// The stem of the word before it, behind the byte 1, with the position and the range of that word.
    case stem
  }

  /// The kind of the token.
  public let kind: Kind
  /// The folded form as UTF-8, which is what texts and queries are compared by.
  public let term: [UInt8]
  /// The place of the token in the text in UTF-8 bytes. Both ends are boundaries of scalars.
  public let range: Range<Int>
  /// The number of the word in its text. A single letter and the pair that begins with it have one position, and so
  /// have a word and its stem.
  public let position: UInt32

  /// The folded form as text.
  public var text: String { String(decoding: term, as: UTF8.self) }
}
