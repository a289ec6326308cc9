import QuarryBackend
import QuarryQuery

/// A line of a text, and where it stands. Reads what is written in it.
struct TextLine: Sendable {
  let file: String
  /// From 1 on.
  let number: Int
  let text: String

  /// The first word.
  var word: String { String(text.prefix { $0 != " " }) }
  /// What follows the first word.
  var rest: String { Self.trimmed(text.dropFirst(word.count)) }
  /// The words that follow the first.
  var words: [String] { rest.split(separator: " ").map(String.init) }

  /// A part of the line, at the same place.
  func part(_ text: some StringProtocol) -> TextLine { TextLine(file: file, number: number, text: Self.trimmed(text)) }

  func error(_ problem: String) -> TextCaseError { TextCaseError(file: file, line: number, problem: problem) }

  /// Calls the body, and gives its errors the place of the line.
  func at<R>(_ body: () throws(StorageError) -> R) throws(TextCaseError) -> R {
    do throws(StorageError) {
      return try body()
    } catch {
      throw self.error(error.message)
    }
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let start = text.drop { $0 == " " }
    guard let end = start.lastIndex(where: { $0 != " " }) else { return "" }
    return String(start[...end])
  }

  func integer() throws(TextCaseError) -> Int {
    guard let integer = Int(rest) else { throw error("\(rest) is no number") }
    return integer
  }

  /// What stands before the last arrow, and the answer after it.
  func halves() throws(TextCaseError) -> (question: TextLine, answer: TextLine) {
    guard let arrow = text.ranges(of: "->").last else { throw error("an arrow and an answer are missing") }
    let (question, answer) = (part(text[..<arrow.lowerBound]), part(text[arrow.upperBound...]))
    guard !question.text.isEmpty else { throw error("nothing stands before the arrow") }
    guard !answer.text.isEmpty else { throw error("an answer is missing after the arrow") }
    return (question, answer)
  }

  /// The parts between separators that stand outside of quotation marks and brackets.
  func cells(_ text: String, _ separator: Character) -> [String] {
    var cells = [""]
    var quote: Character?
    var isEscaped = false
    var depth = 0
    for character in text {
      if isEscaped {
        isEscaped = false
      } else if quote != nil {
        isEscaped = character == "\\"
        if character == quote { quote = nil }
      } else {
        switch character {
        case "'", "\"": quote = character
        case "(", "{": depth += 1
        case ")", "}": depth -= 1
        case separator where depth == 0:
          cells.append("")
          continue
        default: break
        }
      }
      cells[cells.count - 1].append(character)
    }
    return cells.map { Self.trimmed($0) }
  }

  // MARK: Values

  /// The type of a column of values.
  struct ColumnType {
    var type: PropertyType
    /// The type of an array's elements.
    var element: PropertyType?
  }

  /// A constant of the language of predicates, as a value of the type.
  func value(_ text: String, _ column: ColumnType) throws(TextCaseError) -> Value {
    let tree: PredicateTree
    do throws(StorageError) {
      tree = try PredicateParser.parse("row IN {\(text)}")
    } catch {
      throw self.error("\(text) is no constant")
    }
    guard case .oneOf(_, let constants) = tree, constants.count == 1 else { throw error("\(text) is not one constant") }
    return try at { () throws(StorageError) in try constants[0].converted(to: column.type, element: column.element) }
  }

  /// Constants of one type with commas between them, or `none`.
  func list(_ column: ColumnType) throws(TextCaseError) -> [Value] {
    guard text != "none" else { return [] }
    var values: [Value] = []
    for cell in cells(text, ",") { values.append(try value(cell, column)) }
    return values
  }

  /// A row of a table, with bars between its constants.
  func row(_ columns: [ColumnType]) throws(TextCaseError) -> [Value] {
    let cells = cells(text, "|")
    guard cells.count == columns.count else {
      throw error("the row has \(cells.count) constants, and the table \(columns.count) columns")
    }
    var values: [Value] = []
    for (cell, column) in zip(cells, columns) { values.append(try value(cell, column)) }
    return values
  }

  /// `error CODE WORD…`; nil for another answer.
  func failure() throws(TextCaseError) -> TextQuery.Answer? {
    guard word == "error" else { return nil }
    guard let name = words.first, let code = StorageError.Code.all.first(where: { "\($0)" == name }) else {
      throw error("there is no error \(rest)")
    }
    return .error(code, words: Array(words.dropFirst()))
  }
}
