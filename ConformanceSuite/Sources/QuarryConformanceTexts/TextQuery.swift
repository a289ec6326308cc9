import QuarryBackend
import QuarryCore
import QuarryQuery

/// A query of a case, and its answer.
struct TextQuery: Sendable {
  enum Answer: Sendable {
    case rows([[Value]])
    /// The query fails with this code, in an error that has these words.
    case error(StorageError.Code, words: [String])
  }

  var model: String
  var condition: String?
  var order: String?
  var limit: Int?
  var offset = 0
  /// The properties of the answer, where it has no figures.
  var columns: [String] = []
  /// The figures of the answer.
  var figures: String?
  var groups: [String] = []
  var having: String?
  var groupOrder: String?
  var groupLimit: Int?
  var answer = Answer.rows([])
  /// Where it stands, and what failures call it.
  var line: TextLine

  /// The objects that are asked for.
  func tree() throws(StorageError) -> QueryTree {
    var tree = QueryTree(model: model)
    if let condition { tree.predicate = try PredicateParser.parse(condition) }
    if let order { tree.order = try SortParser.parse(order) }
    tree.limit = limit
    tree.offset = offset
    return tree
  }

  /// Reads a part of a query.
  mutating func read(_ part: TextLine) throws(TextCaseError) {
    switch part.word {
    case "where": condition = part.rest
    case "order": order = part.rest
    case "limit": limit = try part.integer()
    case "offset": offset = try part.integer()
    case "group": groups = part.cells(part.rest, ",")
    case "having": having = part.rest
    case "group-order": groupOrder = part.rest
    case "group-limit": groupLimit = try part.integer()
    default: throw part.error("\(part.word) is no part of a query")
    }
  }
}
