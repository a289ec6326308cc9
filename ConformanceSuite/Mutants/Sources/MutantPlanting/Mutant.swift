/// A change of one place in a source file, small enough to be a slip of the pen.
public struct Mutant: Hashable, Sendable {
  /// How the changed code is written beside the original, so that one build holds both.
  enum Planting: Hashable, Sendable {
    /// An expression: the changed one when the mutant is live.
    case either(changed: String)
    /// An expression that is true or false: the opposite when the mutant is live.
    case negated
    /// A statement: nothing when the mutant is live.
    case skipped
    /// Code in which `PLANTED` is the condition that the mutant is live.
    case replaced(with: String)
  }

  /// The id of a mutant that a person has written; nil for one that was found by a program.
  var name: String?
  /// In place of the engines that have the file's code, unless it is empty.
  public internal(set) var engines: [String] = []

  /// The path of the file from the root of the package.
  public let file: String
  /// Counted from 1.
  public let line: Int
  /// The line's text without the spaces around it: it stays when lines above it come and go.
  public let lineText: String
  /// What is changed into what, on one line.
  public let change: String
  /// Which of several equal changes of equal lines of the file it is, from 0.
  public internal(set) var ordinal = 0
  /// The UTF-8 offsets of the code that is replaced.
  let range: Range<Int>
  let planting: Planting

  /// Its name, else six hexadecimal digits that name the mutant for as long as its line stays as it is.
  public var id: String {
    if let name { return name }
    let digits = String(Fingerprint.of([file, lineText, change, String(ordinal)]) & 0xFF_FFFF, radix: 16)
    return String(repeating: "0", count: 6 - digits.utf8.count) + digits
  }

  /// The code that is the original's until the call is true.
  func planted(_ original: String, _ call: String) -> String {
    switch planting {
    case .either(let changed): "(\(call) ? (\(changed)) : (\(original)))"
    case .negated: "((\(original)) != \(call))"
    case .skipped: "if !\(call) { \(original) }"
    case .replaced(let text): text.replacing(SemanticFault.condition, with: call)
    }
  }
}
