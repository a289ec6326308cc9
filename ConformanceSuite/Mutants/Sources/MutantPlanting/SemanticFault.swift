/// A fault in what the code means that a developer could plausibly make: a rule left out, a second case forgotten, two steps
/// in the wrong order. A person writes it as a text that occurs once in a file, and its replacement.
///
/// The faults of an area are in `ConformanceSuite/Mutants/Faults/AREA.txt`, one after another:
///
///     fault: rules-follow-one-step
///     file: Sources/QuarryCore/Relations/WriteTransaction+DeleteRules.swift
///     breaks: REL-4 The rules of objects that a rule removes are not followed.
///     text: while let removed = queue.popLast() {
///     with: while let removed = queue.popLast(), !PLANTED || removed.isFirst {
///
/// A text of several lines continues in lines that begin with `|`, character by character as they are in the file. In the
/// replacement, `PLANTED` is a condition: the fault is switched on. `with:` must compile, and mean what `text:` means while
/// `PLANTED` is false. `breaks:` has the clauses, separated by commas, and one sentence.
///
/// Three fields may follow: `engines:` names the engines to try in place of those that have the file's code; `missed:` says
/// why no case of the kit is expected to find the fault; `listed: yes` marks a fault that was known before cases for it were
/// written, and does not count in the shares.
public struct SemanticFault: Hashable, Sendable {
  /// What stands for the condition in the replacement.
  public static let condition = "PLANTED"

  /// Names the fault in all areas together.
  public var id: String
  /// The name of the file that has the entry, without its extension.
  public var area: String
  public var file = ""
  public var text = ""
  public var replacement = ""
  public var clauses: [String] = []
  public var breaks = ""
  public var engines: [String] = []
  public var missed: String?
  public var isListed = false

  /// The change of the code that switches the fault on.
  ///
  /// - Returns: Nil unless the text occurs exactly once.
  public func mutant(in source: String) -> Mutant? {
    let bytes = Array(source.utf8)
    let places = Self.places(of: Array(text.utf8), in: bytes)
    guard places.count == 1, let start = places.first else { return nil }
    let lines = SourceLines(bytes)
    let line = lines.line(at: start)
    return Mutant(
      name: id, engines: engines, file: file, line: line, lineText: lines.text(line),
      change: Self.oneLine(text, replacement), range: start..<start + text.utf8.count,
      planting: .replaced(with: replacement))
  }

  private static func oneLine(_ text: String, _ replacement: String) -> String {
    [text, replacement].map { $0.split { $0.isWhitespace }.joined(separator: " ") }.joined(separator: " => ")
  }

  /// Where the text occurs, overlapping occurrences too.
  static func places(of text: [UInt8], in bytes: [UInt8]) -> [Int] {
    guard let first = text.first, bytes.count >= text.count else { return [] }
    return (0...bytes.count - text.count).filter { start in
      bytes[start] == first && bytes[start..<start + text.count].elementsEqual(text)
    }
  }
}
