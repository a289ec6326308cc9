import Foundation
import QuarryBackend

/// Text that is compared or searched by something else than its bytes.
enum TextFault: String, FaultGroup, Twist {
  static let group = "text"

  case equalityFoldsCase, equalityNormalises, percentIsWildcard, underscoreIsWildcard, starIsWildcard, stopsAtNul
  case containsIsPrefix, suffixIsContains, prefixFoldsCase, emptyNeedleFindsNothing
  case likeIsUnanchored, likeQuestionIsAnyRun, likeEscapeIgnored, foldingIgnored, diacriticsIgnored
  case foldsTooMuch, prefixOfLastScalar, everyTextMatches

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .equalityFoldsCase: ("Strings that differ in case alone are equal.", ["TEXT-1"])
    case .equalityNormalises: ("Composed and decomposed forms of a character are equal.", ["TEXT-1"])
    case .percentIsWildcard: ("A % in a needle stands for any run, as in SQL.", ["TEXT-2"])
    case .underscoreIsWildcard: ("A _ in a needle stands for any scalar, as in SQL.", ["TEXT-2"])
    case .starIsWildcard: ("A * in a needle stands for any run outside like, too.", ["TEXT-2"])
    case .stopsAtNul: ("A needle ends at its first NUL.", ["TEXT-2"])
    case .containsIsPrefix: ("Contains looks at the beginning only.", ["TEXT-1"])
    case .suffixIsContains: ("A suffix is found anywhere.", ["TEXT-1"])
    case .prefixFoldsCase: ("A prefix is found in either case, as with SQL's LIKE.", ["TEXT-1"])
    case .emptyNeedleFindsNothing: ("An empty needle is found in no element of an array.", ["TEXT-3"])
    case .likeIsUnanchored: ("Like finds its pattern inside a string.", ["TEXT-6"])
    case .likeQuestionIsAnyRun: ("A ? in like stands for any run.", ["TEXT-6"])
    case .likeEscapeIgnored: ("A backslash in like takes no meaning away.", ["TEXT-6"])
    case .foldingIgnored: ("[c] is not looked at.", ["TEXT-5"])
    case .diacriticsIgnored: ("[d] is not looked at.", ["TEXT-5"])
    case .foldsTooMuch: ("[c] folds diacritics, too.", ["TEXT-5"])
    case .everyTextMatches:
      ("Every needle is found in every text.", ["TEXT-1", "TEXT-2", "TEXT-5", "TEXT-6"])
    case .prefixOfLastScalar: ("A prefix that ends with U+10FFFF finds nothing.", ["TEXT-1", "PRED-12"])
    }
  }

  func query(_ query: BoundQuery, _ schema: Schema) -> BoundQuery {
    var query = query
    query.predicate = query.predicate.rewritten(changed)
    return query
  }

  private func changed(_ part: BoundPredicate) -> BoundPredicate {
    switch part {
    case .compare(let slot, .equal, .string(let text)): equality(part, slot, text)
    case .compare(let slot, .notEqual, .string(let text)):
      .not(equality(.compare(slot: slot, .equal, .string(text)), slot, text))
    case .function(let slot, let call):
      call.search.map { search(part, slot, $0.operation, $0.needle, call.options) } ?? part
    case .nested(let slot, let test): .nested(slot: slot, test.rewritten(changed))
    default: part
    }
  }

  private func changed(_ test: NestedTest) -> NestedTest {
    if case .function(_, let call) = test, call.search?.needle.isEmpty == true, self == .emptyNeedleFindsNothing {
      return .constant(false)
    }
    return test
  }

  private func equality(_ part: BoundPredicate, _ slot: Int, _ text: String) -> BoundPredicate {
    switch self {
    case .equalityFoldsCase: return .text(slot: slot, .equal, text, .caseInsensitive)
    case .equalityNormalises:
      let forms = [text.precomposedStringWithCanonicalMapping, text.decomposedStringWithCanonicalMapping]
      return .or(forms.map { .compare(slot: slot, .equal, .string($0)) })
    default: return part
    }
  }

  private func search(
    _ part: BoundPredicate, _ slot: Int, _ operation: TextOperator, _ needle: String, _ options: TextOptions
  ) -> BoundPredicate {
    func text(_ operation: TextOperator, _ needle: String, _ options: TextOptions) -> BoundPredicate {
      .text(slot: slot, operation, needle, options)
    }
    switch self {
    case .percentIsWildcard where operation != .like && needle.contains("%"):
      return text(.like, pattern(operation, needle, "%", "*"), options)
    case .underscoreIsWildcard where operation != .like && needle.contains("_"):
      return text(.like, pattern(operation, needle, "_", "?"), options)
    case .starIsWildcard where operation != .like && needle.contains("*"):
      return text(.like, pattern(operation, needle, "*", "*"), options)
    case .stopsAtNul:
      return text(operation, String(String.UnicodeScalarView(needle.unicodeScalars.prefix { $0 != "\0" })), options)
    case .containsIsPrefix where operation == .contains: return text(.hasPrefix, needle, options)
    case .suffixIsContains where operation == .hasSuffix: return text(.contains, needle, options)
    case .prefixFoldsCase where operation == .hasPrefix:
      return text(operation, needle, options.union(.caseInsensitive))
    case .likeIsUnanchored where operation == .like: return text(.like, "*\(needle)*", options)
    case .likeQuestionIsAnyRun where operation == .like:
      return text(.like, needle.replacing("?", with: "*"), options)
    case .likeEscapeIgnored where operation == .like: return text(.like, needle.replacing("\\", with: ""), options)
    case .foldingIgnored: return text(operation, needle, options.subtracting(.caseInsensitive))
    case .diacriticsIgnored: return text(operation, needle, options.subtracting(.diacriticInsensitive))
    case .foldsTooMuch where options.contains(.caseInsensitive):
      return text(operation, needle, [.caseInsensitive, .diacriticInsensitive])
    case .prefixOfLastScalar where operation == .hasPrefix && needle.unicodeScalars.last == "\u{10FFFF}":
      return .constant(false)
    case .everyTextMatches: return .not(.isNull(slot: slot))
    default: return part
    }
  }

  /// The pattern of like that takes a scalar of the needle for a wildcard.
  private func pattern(
    _ operation: TextOperator, _ needle: String, _ scalar: Unicode.Scalar, _ wildcard: String
  ) -> String {
    var pattern = ""
    for next in needle.unicodeScalars {
      if next == scalar {
        pattern += wildcard
      } else {
        if ["*", "?", "\\"].contains(next) { pattern += "\\" }
        pattern.unicodeScalars.append(next)
      }
    }
    switch operation {
    case .contains: return "*\(pattern)*"
    case .hasPrefix: return "\(pattern)*"
    case .hasSuffix: return "*\(pattern)"
    case .equal, .like: return pattern
    }
  }
}
