/// A part of a pattern, as it was read.
indirect enum PatternNode {
  /// These scalars, one after the other; none of them for the empty text.
  case literal([Unicode.Scalar])
  /// One scalar of a set.
  case set(PatternSet)
  /// The beginning of the text, or its end.
  case start, end
  case sequence([PatternNode])
  case choice([PatternNode])
  /// A part several times; without an upper bound where `most` is nil.
  case repetition(PatternNode, least: Int, most: Int?)
}

/// A set of Unicode scalars: single ones, ranges and classes.
struct PatternSet {
  /// A class of scalars that Unicode's properties define.
  enum Kind {
    /// `\d`: decimal digits.
    case digit
    /// `\w`: letters, marks, decimal digits, connectors.
    case word
    /// `\s`: white space.
    case space
    /// What a point does not match: the ends of lines.
    case newline

    func contains(_ scalar: Unicode.Scalar) -> Bool {
      let properties = scalar.properties
      switch self {
      case .digit: return properties.generalCategory == .decimalNumber
      case .space: return properties.isWhitespace
      case .newline: return (0x0A...0x0D).contains(scalar.value) || [0x85, 0x2028, 0x2029].contains(scalar.value)
      case .word:
        if properties.isAlphabetic || properties.isJoinControl { return true }
        switch properties.generalCategory {
        case .decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
      }
    }
  }

  var ranges: [ClosedRange<UInt32>] = []
  var kinds: [(kind: Kind, isNegated: Bool)] = []
  var isNegated = false

  /// What a point matches.
  static let point = PatternSet(kinds: [(.newline, true)])

  mutating func insert(_ scalar: Unicode.Scalar) {
    ranges.append(scalar.value...scalar.value)
  }

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    let isMember =
      ranges.contains { $0.contains(scalar.value) }
      || kinds.contains { $0.kind.contains(scalar) != $0.isNegated }
    return isMember != isNegated
  }
}
