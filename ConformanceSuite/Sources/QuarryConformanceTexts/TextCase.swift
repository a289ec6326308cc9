import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// A case that is written as text: models, rows, queries and their answers (docs/conformance-cases.md).
struct TextCase: Sendable {
  /// A part of a case, in the order of the text.
  enum Step: Sendable {
    /// From here on there is a new store with the same models.
    case newStore
    case rows(model: String, [Record])
    case query(TextQuery)
  }

  var id: String
  var clauses: [String]
  var summary = ""
  var needs: Set<Capability> = []
  /// The variants in which the case makes no sense.
  var without: Set<ConformanceVariant> = []
  var models: [ModelSchema] = []
  /// Whether its models and first steps are those that stand before the first case.
  var inherits = true
  var steps: [Step] = []
  /// The line of its first word.
  var line: TextLine
}

/// A text of cases that cannot be read, and why.
package struct TextCaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the text.
  package let file: String
  /// The line, from 1 on.
  package let line: Int
  /// What is wrong in the line.
  package let problem: String

  package var description: String { "\(file):\(line): \(problem)" }
}
