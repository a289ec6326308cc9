/// Word boundaries by the rules WB1 to WB999 of UAX 29.
struct WordBreaks {
  private let reader: ScalarReader

  init(_ reader: ScalarReader) {
    self.reader = reader
  }

  /// The end of the segment that begins at a boundary before the end of the text.
  ///
  /// - Complexity: O(n) in the length of the segment and of the marks behind it.
  func end(of start: Int) -> Int {
    let (first, length) = reader.scalarClass(at: start)
    var place = start + length
    var left = first.wordBreak
    if left == .carriageReturn, place < reader.count, reader.bytes[place] == UInt8(ascii: "\n") { return place + 1 }
    if left.isLineEnd { return place }
    // Rule WB3d: spaces stay together while nothing is between them.
    if left == .space { place = endOfSpaces(place) }
    var isBehindJoiner = left == .joiner
    var indicators = left == .regionalIndicator ? 1 : 0
    while place < reader.count {
      let (scalar, length) = reader.scalarClass(at: place)
      let right = scalar.wordBreak
      if right.isAttached {
        isBehindJoiner = right == .joiner
        place += length
        continue
      }
      if isBehindJoiner, scalar.isPictograph {
        isBehindJoiner = false
      } else if joins(left, right) {
        isBehindJoiner = false
      } else if left == .regionalIndicator, right == .regionalIndicator, indicators == 1 {
        indicators = 2
      } else if let joined = joinedByMiddle(left, right, from: place + length) {
        place = joined.end
        left = joined.left
        isBehindJoiner = false
        continue
      } else {
        return place
      }
      left = right
      place += length
    }
    return place
  }

  private func endOfSpaces(_ start: Int) -> Int {
    var place = start
    while place < reader.count {
      let (scalar, length) = reader.scalarClass(at: place)
      guard scalar.wordBreak == .space else { break }
      place += length
    }
    return place
  }

  /// Rules WB5, WB8 to WB10, WB13 to WB13b, and WB7a.
  @inline(__always)
  private func joins(_ left: WordBreakClass, _ right: WordBreakClass) -> Bool {
    let isText = right.isLetter || right == .numeric
    if left.isLetter || left == .numeric { if isText || right == .extendNumLet { return true } }
    if left == .katakana { return right == .katakana || right == .extendNumLet }
    if left == .extendNumLet { return isText || right == .katakana || right == .extendNumLet }
    return false
  }

  /// Rules WB6, WB7, WB7a to WB7c, WB11 and WB12: what stands between two letters or two digits joins them.
  private func joinedByMiddle(
    _ left: WordBreakClass, _ middle: WordBreakClass, from place: Int
  ) -> (left: WordBreakClass, end: Int)? {
    let joinsLetters = left.isLetter && middle.joinsLetters
    let joinsDigits = left == .numeric && middle.joinsDigits
    let isAcronym = left == .hebrewLetter && middle == .doubleQuote
    if joinsLetters || joinsDigits || isAcronym, let next = significant(from: place) {
      let right = next.wordBreak
      if joinsLetters && right.isLetter || joinsDigits && right == .numeric || isAcronym && right == .hebrewLetter {
        return (right, next.end)
      }
    }
    if left == .hebrewLetter, middle == .singleQuote { return (.singleQuote, place) }
    return nil
  }

  /// The first scalar from a place on that is not attached to the one before it.
  private func significant(from start: Int) -> (wordBreak: WordBreakClass, end: Int)? {
    var place = start
    while place < reader.count {
      let (scalar, length) = reader.scalarClass(at: place)
      place += length
      if !scalar.wordBreak.isAttached { return (scalar.wordBreak, place) }
    }
    return nil
  }
}
