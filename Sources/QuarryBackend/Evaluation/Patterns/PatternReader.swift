/// Reads patterns: a part of the syntax of Swift's `Regex` that is matched in linear time.
///
/// The reader works on Unicode scalars. It refuses everything that it does not know, at its position, so that no pattern means
/// something else than in Swift.
struct PatternReader {
  /// The most groups inside each other.
  static let maximumDepth = 100
  /// The greatest number in a repetition.
  static let maximumRepetition = 1000

  private let scalars: [Unicode.Scalar]
  private var index = 0
  private var depth = 0

  private init(_ pattern: String) {
    scalars = Array(pattern.unicodeScalars)
  }

  /// The parts of a pattern.
  ///
  /// - Throws: `invalidQuery` with the position of what cannot be read; `limitExceeded`.
  static func read(_ pattern: String) throws(StorageError) -> PatternNode {
    var reader = PatternReader(pattern)
    let node = try reader.choice()
    guard reader.index == reader.scalars.count else { throw reader.error("this ) has no matching (") }
    return node
  }

  // MARK: Scalars

  private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    index += 1
    return true
  }

  private func error(_ message: String, at position: Int? = nil) -> StorageError {
    StorageError(.invalidQuery, "the pattern cannot be read at scalar \((position ?? index) + 1): \(message)")
  }

  // MARK: Structure

  private mutating func choice() throws(StorageError) -> PatternNode {
    depth += 1
    defer { depth -= 1 }
    // The pattern itself is no group.
    guard depth <= Self.maximumDepth + 1 else {
      throw .limitExceeded("depth of groups in a pattern", limit: Self.maximumDepth, actual: depth - 1)
    }
    var parts = [try sequence()]
    while skip("|") { parts.append(try sequence()) }
    return parts.count == 1 ? parts[0] : .choice(parts)
  }

  private mutating func sequence() throws(StorageError) -> PatternNode {
    var parts: [PatternNode] = []
    while let scalar = next, scalar != "|", scalar != ")" {
      let start = index
      let atom = try atom()
      let part = try repeated(atom, from: start)
      // Scalars that follow each other are one text, because folding looks at their combinations.
      if case .literal(let text) = part, case .literal(let before)? = parts.last {
        parts[parts.count - 1] = .literal(before + text)
      } else {
        parts.append(part)
      }
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  private mutating func atom() throws(StorageError) -> PatternNode {
    guard let scalar = next else { return .literal([]) }
    let start = index
    index += 1
    switch scalar {
    case ".": return .set(.point)
    case "^": return .start
    case "$": return .end
    case "(": return try group(from: start)
    case "[": return try set(from: start)
    case "\\": return try escape(from: start)
    case "*", "+", "?":
      throw error("\(scalar) has nothing to repeat; for the character itself write \\\(scalar)", at: start)
    case "{": throw error("{ has nothing to repeat; for the character itself write \\{", at: start)
    default: return .literal([scalar])
    }
  }

  private mutating func group(from start: Int) throws(StorageError) -> PatternNode {
    if skip("?"), !skip(":") {
      throw error("only groups ( ) and (?: ) are supported, no lookaround, names or options", at: start)
    }
    let inner = try choice()
    guard skip(")") else { throw error("the ( is not closed", at: start) }
    // A group is a part of its own, whose literal does not join the text around it before it is repeated.
    return .sequence([inner])
  }

  // MARK: Repetitions

  private mutating func repeated(_ atom: PatternNode, from start: Int) throws(StorageError) -> PatternNode {
    let position = index
    let bounds: (least: Int, most: Int?)
    switch next {
    case "*": bounds = (0, nil)
    case "+": bounds = (1, nil)
    case "?": bounds = (0, 1)
    case "{": bounds = try counts()
    default: return atom
    }
    // Past the sign, or the } of the numbers.
    index += 1
    switch atom {
    case .start, .end: throw error("an anchor cannot be repeated", at: position)
    default: break
    }
    // How eager a repetition is decides which match is found, and not whether one is.
    if !skip("?"), next == "+" { throw error("possessive repetitions are not supported") }
    if let next, "*+?{".unicodeScalars.contains(next) {
      throw error("a repetition cannot be repeated without ( ) around it")
    }
    return .repetition(atom, least: bounds.least, most: bounds.most)
  }

  /// `{2}`, `{2,}`, `{,3}`, `{2,3}`, up to the } at its end.
  private mutating func counts() throws(StorageError) -> (least: Int, most: Int?) {
    let start = index
    index += 1
    let least = try number()
    var most = least
    if skip(",") { most = try number() } else if least == nil { throw error("expected a number after {") }
    guard next == "}" else { throw error("expected a number, a comma or } in a repetition") }
    if least == nil, most == nil { throw error("a repetition {,} has no numbers", at: start) }
    if let least, let most, least > most { throw error("\(least) is more than \(most)", at: start) }
    return (least ?? 0, most)
  }

  private mutating func number() throws(StorageError) -> Int? {
    let start = index
    var number = 0
    while let digit = next?.value, (0x30...0x39).contains(digit) {
      number = number * 10 + Int(digit - 0x30)
      guard number <= Self.maximumRepetition else {
        throw .limitExceeded("times of a repetition in a pattern", limit: Self.maximumRepetition, actual: number)
      }
      index += 1
    }
    return index == start ? nil : number
  }

  // MARK: Sets

  private mutating func set(from start: Int) throws(StorageError) -> PatternNode {
    var set = PatternSet()
    set.isNegated = skip("^")
    var isFirst = true
    while true {
      guard let scalar = next else { throw error("the [ is not closed", at: start) }
      if scalar == "]" {
        guard !isFirst else { throw error("for a ] as a member write \\]") }
        index += 1
        return .set(set)
      }
      isFirst = false
      let position = index
      guard let low = try member(into: &set) else { continue }
      guard next == "-" else {
        set.insert(low)
        continue
      }
      index += 1
      guard let end = next, end != "]" else { throw error("for a - as a member write \\-", at: index - 1) }
      guard let high = try member(into: &set) else { throw error("a class cannot be the end of a range", at: position) }
      guard low.value <= high.value else { throw error("the range ends before it begins", at: position) }
      set.ranges.append(low.value...high.value)
    }
  }

  /// A member of a set; nil for a class, which is added.
  private mutating func member(into set: inout PatternSet) throws(StorageError) -> Unicode.Scalar? {
    guard let scalar = next else { throw error("the set is not closed") }
    let start = index
    index += 1
    switch scalar {
    case "[": throw error("sets cannot be nested; for the character itself write \\[", at: start)
    case "-": throw error("for a - as a member write \\-", at: start)
    case "&" where next == "&", "~" where next == "~": throw error("sets cannot be combined", at: start)
    case "\\":
      switch try escape(from: start) {
      case .literal(let text): return text.first
      case .set(let members):
        set.kinds += members.kinds
        return nil
      default: throw error("an anchor cannot be a member of a set", at: start)
      }
    default: return scalar
    }
  }

  // MARK: Escapes

  /// What a backslash and the scalars after it stand for.
  private mutating func escape(from start: Int) throws(StorageError) -> PatternNode {
    guard let scalar = next else { throw error("a \\ at the end; for the character itself write \\\\", at: start) }
    index += 1
    switch scalar {
    case "d": return .set(PatternSet(kinds: [(.digit, false)]))
    case "D": return .set(PatternSet(kinds: [(.digit, true)]))
    case "w": return .set(PatternSet(kinds: [(.word, false)]))
    case "W": return .set(PatternSet(kinds: [(.word, true)]))
    case "s": return .set(PatternSet(kinds: [(.space, false)]))
    case "S": return .set(PatternSet(kinds: [(.space, true)]))
    case "A": return .start
    case "z": return .end
    case "n": return .literal(["\n"])
    case "r": return .literal(["\r"])
    case "t": return .literal(["\t"])
    case "f": return .literal(["\u{0C}"])
    case "e": return .literal(["\u{1B}"])
    case "u": return .literal([try hexadecimal(4, from: start)])
    case "x": return .literal([try hexadecimal(2, from: start)])
    case _ where scalar.isASCII && !scalar.properties.isAlphabetic && !("0"..."9").contains(scalar):
      return .literal([scalar])
    case "1"..."9": throw error("references to groups are not supported", at: start)
    default: throw error("\\\(scalar) is not supported", at: start)
    }
  }

  /// `{20AC}` or that many digits.
  private mutating func hexadecimal(_ count: Int, from start: Int) throws(StorageError) -> Unicode.Scalar {
    let isBraced = skip("{")
    var value: UInt32 = 0
    var digits = 0
    while digits < (isBraced ? 8 : count), let next, next.isASCII, let digit = Character(next).hexDigitValue {
      value = value << 4 | UInt32(digit)
      digits += 1
      index += 1
    }
    let isWhole = isBraced ? digits > 0 && skip("}") : digits == count
    guard isWhole, let scalar = Unicode.Scalar(value) else {
      throw error("expected the number of a Unicode scalar, as in \\u{20AC}", at: start)
    }
    return scalar
  }
}
