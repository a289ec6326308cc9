/// The stems of English words by Snowball's rules, known as Porter2.
///
/// The source of the rules is `algorithms/english.sbl` of Snowball 3.1.1,
/// https://snowballstem.org/algorithms/english/stemmer.html. Words have no apostrophe here, because the tokenizer divides at it,
/// and so the rules about apostrophes are left out. ``stem(_:)`` changes the bytes of a word where they are: no step makes a word
/// longer.
struct EnglishStemmer {
  /// The version of the rules. Stems of different versions are not compared.
  static let version = 1

  private let word: UnsafeMutableBufferPointer<UInt8>
  private var count: Int
  /// The place behind the first consonant behind a vowel, where most endings must begin: Snowball's R1.
  private var region1: Int
  /// The same place in the rest: R2.
  private var region2: Int

  /// Makes a word its stem.
  ///
  /// - Parameter word: A word of the letters a to z.
  /// - Returns: The number of the stem's bytes, which stand at the beginning.
  /// - Complexity: O(n).
  static func stem(_ word: UnsafeMutableBufferPointer<UInt8>) -> Int {
    guard word.count > 2 else { return word.count }
    if word.count <= 6, let count = exception(word) { return count }
    var stemmer = EnglishStemmer(word)
    stemmer.removePlural()
    stemmer.removeVerbEnding()
    stemmer.replaceY()
    stemmer.replaceLongEnding()
    stemmer.replaceMiddleEnding()
    stemmer.removeEnding()
    stemmer.removeLastLetter()
    for place in 0..<stemmer.count where word[place] == .consonantY { word[place] = .y }
    return stemmer.count
  }

  /// Marks the consonants y, and finds the regions.
  private init(_ word: UnsafeMutableBufferPointer<UInt8>) {
    self.word = word
    count = word.count
    (region1, region2) = (count, count)
    if word[0] == .y { word[0] = .consonantY }
    for place in 1..<count where word[place] == .y && word[place - 1].isVowel { word[place] = .consonantY }
    region1 = Self.beginnings.first { $0.begins(word) }?.count ?? region(behind: 0)
    region2 = region(behind: region1)
  }

  /// The place behind the first consonant behind a vowel, from a place on; the end of the word without one.
  private func region(behind start: Int) -> Int {
    var place = start
    while place < count, !word[place].isVowel { place += 1 }
    while place < count, word[place].isVowel { place += 1 }
    return min(place + 1, count)
  }

  // MARK: Tests

  /// The last eight letters, the last one lowest.
  private var tail: UInt64 {
    var tail: UInt64 = 0
    for place in max(0, count - 8)..<count { tail = tail << 8 | UInt64(word[place]) }
    return tail
  }

  private func hasVowel(before end: Int) -> Bool {
    for place in 0..<max(0, end) where word[place].isVowel { return true }
    return false
  }

  /// Whether the letters before a place end in a short syllable.
  private func isShort(before end: Int) -> Bool {
    guard end >= 2, word[end - 2].isVowel, !word[end - 1].isVowel else {
      return end >= 4 && Ending("past").begins(UnsafeMutableBufferPointer(rebasing: word[(end - 4)...]))
    }
    if end == 2 { return true }
    let last = word[end - 1]
    return !word[end - 3].isVowel && last != .w && last != .x && last != .consonantY
  }

  // MARK: Changes

  /// Puts letters in place of an ending that is at least as long.
  private mutating func replace(_ ending: Ending, by other: Ending) {
    count -= ending.count
    for place in 0..<other.count { word[count + place] = other[place] }
    count += other.count
  }

  /// Step 1a.
  private mutating func removePlural() {
    let tail = tail
    if Ending("sses").ends(tail) {
      count -= 2
    } else if Ending("ied").ends(tail) || Ending("ies").ends(tail) {
      count -= count > 4 ? 2 : 1
    } else if word[count - 1] == .s, !Ending("us").ends(tail), !Ending("ss").ends(tail), hasVowel(before: count - 2) {
      count -= 1
    }
  }

  /// Step 1b.
  private mutating func removeVerbEnding() {
    let tail = tail
    guard let ending = Self.ofVerbs.first(where: { $0.ends(tail) }) else { return }
    let start = count - ending.count
    if ending.isOfLongE {
      let isWhole = Self.withLongE.contains { $0.count == start && $0.begins(word) }
      if start >= region1, !isWhole { count = start + 2 }
      return
    }
    if ending == "ing" {
      if start == 2, word[1] == .y, !word[0].isVowel {
        // dying becomes die.
        (word[1], word[2]) = (.i, .e)
        count = 3
        return
      }
      if Self.beforeING.contains(where: { $0.count == start && $0.begins(word) }) { return }
    }
    guard hasVowel(before: start) else { return }
    count = start
    addE()
  }

  /// Corrects what is left of a word without its ending, in step 1b.
  private mutating func addE() {
    let tail = tail
    if Ending("at").ends(tail) || Ending("bl").ends(tail) || Ending("iz").ends(tail) {
      word[count] = .e
      count += 1
    } else if count >= 2, word[count - 1] == word[count - 2], word[count - 1].isDoubled {
      if count == 3, word[0] == .a || word[0] == .e || word[0] == .o { return }
      count -= 1
    } else if count == region1, isShort(before: count) {
      word[count] = .e
      count += 1
    }
  }

  /// Step 1c.
  private mutating func replaceY() {
    guard count > 2, word[count - 1] == .y || word[count - 1] == .consonantY, !word[count - 2].isVowel else { return }
    word[count - 1] = .i
  }

  /// Step 2.
  private mutating func replaceLongEnding() {
    let tail = tail
    guard let (ending, other) = Self.long.first(where: { $0.0.ends(tail) }) else { return }
    let start = count - ending.count
    guard start >= region1 else { return }
    if ending == "ogi" { guard start > 0, word[start - 1] == .l else { return } }
    if ending == "li" { guard start > 0, word[start - 1].isBeforeLI else { return } }
    replace(ending, by: other)
  }

  /// Step 3.
  private mutating func replaceMiddleEnding() {
    let tail = tail
    guard let (ending, other) = Self.middle.first(where: { $0.0.ends(tail) }) else { return }
    let start = count - ending.count
    guard start >= region1, ending != "ative" || start >= region2 else { return }
    replace(ending, by: other)
  }

  /// Step 4.
  private mutating func removeEnding() {
    let tail = tail
    guard let ending = Self.removed.first(where: { $0.ends(tail) }) else { return }
    let start = count - ending.count
    guard start >= region2 else { return }
    if ending == "ion" { guard start > 0, word[start - 1] == .s || word[start - 1] == .t else { return } }
    count = start
  }

  /// Step 5.
  private mutating func removeLastLetter() {
    let start = count - 1
    guard start > 0 else { return }
    if word[start] == .e {
      if start >= region2 || start >= region1 && !isShort(before: start) { count = start }
    } else if word[start] == .l {
      if start >= region2, word[start - 1] == .l { count = start }
    }
  }

  // MARK: Words and endings

  /// The number of a stem's bytes for a word with a stem of its own; nil for another.
  private static func exception(_ word: UnsafeMutableBufferPointer<UInt8>) -> Int? {
    guard let (_, stem) = exceptions.first(where: { $0.0.count == word.count && $0.0.begins(word) }) else { return nil }
    for place in 0..<stem.count { word[place] = stem[place] }
    return stem.count
  }

  private static let exceptions: [(Ending, Ending)] = [
    ("skis", "ski"), ("skies", "sky"), ("idly", "idl"), ("gently", "gentl"), ("ugly", "ugli"), ("early", "earli"),
    ("only", "onli"), ("singly", "singl"), ("sky", "sky"), ("news", "news"), ("howe", "howe"), ("atlas", "atlas"),
    ("cosmos", "cosmos"), ("bias", "bias"), ("andes", "andes"),
  ]

  /// Beginnings of words that are the letters before R1.
  private static let beginnings: [Ending] = [
    "gener", "commun", "arsen", "past", "univers", "later", "emerg", "organ", "inter",
  ]

  /// The letters of whole words before `ing`, which keep it, and before `eed`.
  private static let beforeING: [Ending] = ["inn", "out", "cann", "herr", "earr", "even"]
  private static let withLongE: [Ending] = ["proc", "exc", "succ"]

  // Longer endings come first.
  private static let ofVerbs: [Ending] = ["eedly", "ingly", "edly", "eed", "ing", "ed"]

  private static let long: [(Ending, Ending)] = [
    ("ational", "ate"), ("fulness", "ful"), ("iveness", "ive"), ("ousness", "ous"), ("ization", "ize"),
    ("tional", "tion"), ("biliti", "ble"), ("lessli", "less"), ("entli", "ent"), ("ation", "ate"), ("alism", "al"),
    ("aliti", "al"), ("ousli", "ous"), ("iviti", "ive"), ("fulli", "ful"), ("ogist", "og"), ("enci", "ence"),
    ("anci", "ance"), ("abli", "able"), ("izer", "ize"), ("ator", "ate"), ("alli", "al"), ("bli", "ble"), ("ogi", "og"),
    ("li", ""),
  ]

  private static let middle: [(Ending, Ending)] = [
    ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("icate", "ic"), ("iciti", "ic"), ("ative", ""),
    ("ical", "ic"), ("ness", ""), ("ful", ""),
  ]

  private static let removed: [Ending] = [
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion",
    "al", "er", "ic",
  ]
}

/// Up to eight letters, the last one lowest.
private struct Ending: Equatable, ExpressibleByStringLiteral {
  private let letters: UInt64
  let count: Int

  init(_ text: StaticString) {
    count = text.utf8CodeUnitCount
    letters = UnsafeBufferPointer(start: text.utf8Start, count: count).reduce(0) { $0 << 8 | UInt64($1) }
  }

  init(stringLiteral text: StaticString) { self.init(text) }

  /// Whether the last letters of a word are these.
  func ends(_ tail: UInt64) -> Bool { (tail ^ letters) << UInt64(64 - 8 * count) == 0 }

  /// Whether the first letters of a word are these.
  func begins(_ word: UnsafeMutableBufferPointer<UInt8>) -> Bool {
    guard word.count >= count else { return false }
    for place in 0..<count where word[place] != self[place] { return false }
    return true
  }

  subscript(place: Int) -> UInt8 { UInt8(truncatingIfNeeded: letters >> UInt64(8 * (count - 1 - place))) }

  /// Whether it is `eed` or `eedly`.
  var isOfLongE: Bool { self == "eed" || self == "eedly" }
}

extension UInt8 {
  fileprivate static let a = UInt8(ascii: "a")
  fileprivate static let e = UInt8(ascii: "e")
  fileprivate static let i = UInt8(ascii: "i")
  fileprivate static let l = UInt8(ascii: "l")
  fileprivate static let o = UInt8(ascii: "o")
  fileprivate static let s = UInt8(ascii: "s")
  fileprivate static let t = UInt8(ascii: "t")
  fileprivate static let w = UInt8(ascii: "w")
  fileprivate static let x = UInt8(ascii: "x")
  fileprivate static let y = UInt8(ascii: "y")
  /// A y that stands for a consonant: at the beginning of a word, and behind a vowel.
  fileprivate static let consonantY = UInt8(ascii: "Y")

  /// Letters as bits, a the lowest.
  private static func set(_ letters: StaticString) -> UInt32 {
    UnsafeBufferPointer(start: letters.utf8Start, count: letters.utf8CodeUnitCount).reduce(0) { $0 | 1 << ($1 &- a) }
  }

  private static let vowels = set("aeiouy")
  private static let doubled = set("bdfgmnprt")
  private static let beforeLI = set("cdeghkmnrt")

  private func isIn(_ letters: UInt32) -> Bool { self >= .a && letters >> (self &- .a) & 1 == 1 }

  fileprivate var isVowel: Bool { isIn(Self.vowels) }
  fileprivate var isDoubled: Bool { isIn(Self.doubled) }
  fileprivate var isBeforeLI: Bool { isIn(Self.beforeLI) }
}
