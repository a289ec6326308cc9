import BenchmarkHarness
import Foundation
import QuarryBackend
import QuarryQuery

/// A query of the user's, as a line of a file says it: a condition, or the options that `quarry query` has for one.
///
/// ```
/// country == 'NO' AND elevation > 1000
/// --where "country == 'NO'" --sort -elevation --limit 5
/// ```
public struct OwnQuery: Sendable, Equatable {
  /// The line.
  public let text: String
  private let tree: QueryTree

  /// - Throws: `BenchmarkError` for options that no query has; `invalidQuery` for a condition or an order that cannot be read.
  init(parsing text: String) throws {
    self.text = text
    var tree = QueryTree(model: "")
    if text.hasPrefix("--") {
      var words = try OptionWords.split(text)[...]
      while let option = words.popFirst() {
        guard let value = words.popFirst() else { throw BenchmarkError("\(option) needs a value") }
        switch option {
        case "--where": tree.predicate = try PredicateParser.parse(value)
        case "--sort": tree.order = try SortParser.parse(value)
        case "--limit": tree.limit = try Self.count(value, option)
        case "--offset": tree.offset = try Self.count(value, option)
        default: throw BenchmarkError("\(option) is not for a query; it has --where, --sort, --limit and --offset")
        }
      }
    } else {
      tree.predicate = try PredicateParser.parse(text)
    }
    self.tree = tree
  }

  private static func count(_ text: String, _ option: String) throws -> Int {
    guard let number = Int(text), number >= 0 else { throw BenchmarkError("\(option) \(text): not a number of rows") }
    return number
  }

  /// The query of a model, with what its rows must be like while others change: no more than it may find.
  func bound(_ binder: QueryBinder, _ model: ModelSchema) throws -> (query: BoundQuery, rule: RowRule) {
    var tree = tree
    tree.model = model.name
    let rule = RowRule(slot: model.primaryKey, least: nil, most: nil, order: .none, limit: tree.limit ?? .max)
    return (try binder.bind(tree), rule)
  }

  /// The most bytes of a file: its lines are an argument of the engines' processes.
  private static let fileLimit = 64 << 10
  /// The most queries of a file.
  private static let limit = 100

  /// Reads a file with a query in each line. Empty lines and those that begin with `#` are left out.
  ///
  /// - Throws: `BenchmarkError`, with the line, for what is no query.
  public static func read(_ path: String) throws -> [OwnQuery] {
    guard let file = FileHandle(forReadingAtPath: path) else { throw BenchmarkError("--queries \(path): no such file") }
    defer { try? file.close() }
    guard let bytes = try? file.read(upToCount: fileLimit + 1) ?? Data() else {
      throw BenchmarkError("--queries \(path): the file cannot be read")
    }
    guard bytes.count <= fileLimit else {
      throw BenchmarkError("--queries \(path): the file has more than \(Format.bytes(fileLimit))")
    }
    guard let text = String(bytes: bytes, encoding: .utf8) else {
      throw BenchmarkError("--queries \(path): the file is not in UTF-8")
    }
    var queries: [OwnQuery] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.isEmpty || line.hasPrefix("#") { continue }
      do {
        queries.append(try OwnQuery(parsing: line))
      } catch {
        let words = (error as? StorageError)?.message ?? "\(error)"
        throw BenchmarkError("--queries: line \(index + 1): \(words)")
      }
    }
    guard !queries.isEmpty else { throw BenchmarkError("--queries \(path): the file has no query") }
    guard queries.count <= limit else {
      throw BenchmarkError("--queries \(path): \(queries.count) queries are more than \(limit)")
    }
    return queries
  }
}

/// The words of a line of options, as a shell would pass them: blanks separate them, quotation marks keep them together, and a
/// backslash takes the next character as it is, except in single quotation marks.
enum OptionWords {
  static func split(_ text: String) throws -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var isEscaped = false
    for character in text {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
        word = word ?? ""
      } else if quote == nil, character.isWhitespace {
        if let ended = word { words.append(ended) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    guard quote == nil, !isEscaped else { throw BenchmarkError("a quotation mark is not closed") }
    if let word { words.append(word) }
    return words
  }
}
