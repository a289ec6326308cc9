import QuarryBackend
import QuarryCore
import QuarryQuery

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
  var models: [ModelSchema] = []
  var steps: [Step] = []
  /// The line of its first word.
  var line: Int
}

/// A query of a case, and its answer.
struct TextQuery: Sendable {
  enum Answer: Sendable {
    case rows([[Value]])
    case error(StorageError.Code)
  }

  /// A column of the answer: a property, or a figure of one.
  struct Column: Sendable {
    var function: AggregateFunction?
    var property: String?
  }

  var tree: QueryTree
  var groups: [String] = []
  var columns: [Column] = []
  var answer = Answer.rows([])
  var line: Int

  var isAggregate: Bool { columns.contains { $0.function != nil } }
}

/// A text of cases that cannot be read, and why.
package struct TextCaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the text.
  package var file: String
  /// The line, from 1 on.
  package var line: Int
  /// What is wrong in the line.
  package var problem: String

  package var description: String { "\(file):\(line): \(problem)" }
}
