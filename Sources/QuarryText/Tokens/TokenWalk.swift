import QuarryBackend

/// One walk over a text.
struct TokenWalk {
  typealias Body = (UnsafeBufferPointer<UInt8>, Token.Kind, Range<Int>, UInt32) -> Bool

  private let reader: ScalarReader
  private let breaks: WordBreaks
  private let folder: TokenFolder
  private let body: Body
  private let usesShortcut: Bool
  private let language: SearchLanguage?

  /// The position of the next token, and the number of those before it.
  private(set) var position: UInt32 = 0
  private var isEnded = false
  /// The folded form of the token that is made.
  private var term: [UInt8] = []
  /// The last letter of a run that has not ended: its pair is not known yet.
  private var run: Range<Int>?
  private var runTerm: [UInt8] = []
  private var stem: [UInt8] = []

  /// - Parameters:
  ///   - reader: The text.
  ///   - language: The language whose stems follow the words.
  ///   - usesShortcut: Whether words of ASCII are read without the rules, with the same result.
  ///   - body: Receives the tokens.
  init(_ reader: ScalarReader, language: SearchLanguage? = nil, usesShortcut: Bool = true, _ body: @escaping Body) {
    self.reader = reader
    self.language = language
    self.usesShortcut = usesShortcut
    self.body = body
    breaks = WordBreaks(reader)
    folder = TokenFolder(reader)
    term.reserveCapacity(2 * TokenFolder.maximumLength)
  }

  mutating func walk() {
    var place = 0
    while place < reader.count, !isEnded {
      if usesShortcut, let end = passASCII(place) {
        place = end
      } else {
        let end = breaks.end(of: place)
        divide(place..<end)
        place = end
      }
    }
    endRun()
  }

  // MARK: ASCII

  /// Passes a word of ASCII, or a character that belongs to none.
  ///
  /// - Returns: The end; nil when the place has to be read by the rules.
  @inline(__always)
  private mutating func passASCII(_ start: Int) -> Int? {
    let first = reader.bytes[start]
    if first >= 0x80 { return nil }
    var place = start + 1
    guard Self.isAlphanumeric(first) else { return place }
    while place < reader.count {
      let byte = reader.bytes[place]
      if Self.isAlphanumeric(byte) {
        place += 1
      } else if byte >= 0x80 {
        return nil
      } else if Self.joinsDigits(byte), Self.isDigit(reader.bytes[place - 1]), place + 1 < reader.count {
        let next = reader.bytes[place + 1]
        if next >= 0x80 { return nil }
        guard Self.isDigit(next) else { break }
        place += 2
      } else {
        break
      }
    }
    endRun()
    term.removeAll(keepingCapacity: true)
    for offset in start..<min(place, start + TokenFolder.maximumLength) {
      let byte = reader.bytes[offset]
      term.append(byte &- 65 < 26 ? byte | 0x20 : byte)
    }
    pass(.word, start..<place)
    position &+= 1
    return place
  }

  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

  @inline(__always)
  private static func isAlphanumeric(_ byte: UInt8) -> Bool { byte &- 48 < 10 || (byte | 0x20) &- 97 < 26 }

  /// MidNum and MidNumLetQ in ASCII.
  @inline(__always)
  private static func joinsDigits(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "'")
  }

  // MARK: Segments

  /// A part of a segment that may be a token.
  private struct Part {
    var kind: Token.Kind
    var start: Int
    var end: Int
    /// It has a letter or a number, or is a pictograph.
    var counts: Bool
    /// The class of its last scalar that is not attached.
    var last: ScalarClass
    var isBehindJoiner = false

    var range: Range<Int> { start..<end }

    init(_ kind: Token.Kind, _ range: Range<Int>, counts: Bool, last: ScalarClass) {
      self.kind = kind
      start = range.lowerBound
      end = range.upperBound
      self.counts = counts
      self.last = last
    }
  }

  /// Divides a segment of UAX 29 at its connectors.
  private mutating func divide(_ segment: Range<Int>) {
    var part: Part?
    var place = segment.lowerBound
    while place < segment.upperBound {
      let (scalar, length) = reader.scalarClass(at: place)
      let end = place + length
      let wordBreak = scalar.wordBreak
      if wordBreak.isAttached, var known = part {
        known.end = end
        known.isBehindJoiner = wordBreak == .joiner
        if scalar.isWord { known.counts = true }
        part = known
      } else if var known = part, Self.continues(known, scalar) {
        known.end = end
        known.last = scalar
        known.isBehindJoiner = false
        if scalar.isWord { known.counts = true }
        part = known
      } else if let known = part, known.last.wordBreak == .numeric, wordBreak.joinsDigits,
        let number = endOfAttached(end, segment.upperBound)
      {
        part?.end = number
        place = number
        continue
      } else {
        if let part { finish(part) }
        part = Self.beginning(scalar, place..<end)
      }
      place = end
    }
    if let part { finish(part) }
  }

  private static func beginning(_ scalar: ScalarClass, _ range: Range<Int>) -> Part? {
    if scalar.isPaired { return Part(.single, range, counts: true, last: scalar) }
    if scalar.isPictograph || scalar.wordBreak == .regionalIndicator {
      return Part(.pictograph, range, counts: true, last: scalar)
    }
    guard scalar.isWord || scalar.wordBreak.isLetter || scalar.wordBreak == .numeric else { return nil }
    return Part(.word, range, counts: scalar.isWord, last: scalar)
  }

  /// Whether a scalar that is not attached belongs to a part before it.
  private static func continues(_ part: Part, _ scalar: ScalarClass) -> Bool {
    switch part.kind {
    case .word:
      // A mark that is a letter, behind what is no word: nothing joins it.
      if part.last.wordBreak.isAttached { return false }
      return !scalar.isPaired && !scalar.isPictograph
        && (scalar.isWord || scalar.wordBreak.isLetter || scalar.wordBreak == .numeric)
    case .single: return scalar.isJamoTail && part.last.wordBreak == .letter && part.last.isPaired
    case .pictograph:
      if part.last.wordBreak == .regionalIndicator { return scalar.wordBreak == .regionalIndicator }
      return part.isBehindJoiner && scalar.isPictograph
    case .pair, .stem: return false
    }
  }

  /// The place of the digit behind a character that joins digits and what is attached to it; nil when none follows.
  private func endOfAttached(_ start: Int, _ limit: Int) -> Int? {
    var place = start
    while place < limit {
      let (scalar, length) = reader.scalarClass(at: place)
      if !scalar.wordBreak.isAttached { return scalar.wordBreak == .numeric ? place : nil }
      place += length
    }
    return nil
  }

  private mutating func finish(_ part: Part) {
    guard part.counts, !isEnded else { return }
    if part.kind == .single { return addToRun(part.range) }
    endRun()
    term.removeAll(keepingCapacity: true)
    if part.kind == .word {
      folder.append(part.range, to: &term)
    } else {
      folder.appendPictographs(part.range, to: &term)
    }
    pass(part.kind, part.range)
    position &+= 1
  }

  // MARK: Runs

  private mutating func addToRun(_ range: Range<Int>) {
    guard let before = run, before.upperBound == range.lowerBound else {
      endRun()
      run = range
      folder.append(range, to: &runTerm)
      return
    }
    passRun(before)
    let length = term.count
    folder.append(range, to: &term)
    pass(.pair, before.lowerBound..<range.upperBound)
    position &+= 1
    run = range
    runTerm.removeAll(keepingCapacity: true)
    runTerm.append(contentsOf: term[length...])
  }

  private mutating func endRun() {
    guard let last = run else { return }
    passRun(last)
    run = nil
    runTerm.removeAll(keepingCapacity: true)
    position &+= 1
  }

  /// Passes the last letter of the run; ``term`` has it afterwards.
  private mutating func passRun(_ range: Range<Int>) {
    term.removeAll(keepingCapacity: true)
    term.append(contentsOf: runTerm)
    pass(.single, range)
  }

  @inline(__always)
  private mutating func pass(_ kind: Token.Kind, _ range: Range<Int>) {
    guard !isEnded else { return }
    let goesOn = term.withUnsafeBufferPointer { body($0, kind, range, position) }
    if !goesOn {
      isEnded = true
    } else if let language, kind == .word {
      passStem(language, range)
    }
  }

  private mutating func passStem(_ language: SearchLanguage, _ range: Range<Int>) {
    guard language.setStem(of: term, in: &stem) else { return }
    let goesOn = stem.withUnsafeBufferPointer { body($0, .stem, range, position) }
    if !goesOn { isEnded = true }
  }
}
