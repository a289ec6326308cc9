import QuarryBackend
import QuarryCore
import QuarryQuery

/// Reads cases from a text. Each line says by its first word what it is; an empty line ends a block.
struct TextCaseReader {
  private let file: String
  private let lines: [Substring]
  private var next = 0
  private var cases: [TextCase] = []

  private init(_ text: String, file: String) {
    self.file = file
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The cases of a text, in its order.
  static func cases(in text: String, file: String) throws(TextCaseError) -> [TextCase] {
    var reader = TextCaseReader(text, file: file)
    while let block = reader.block() { try reader.read(block) }
    return reader.cases
  }

  // MARK: Lines

  private struct Line {
    var number: Int
    var text: Substring

    /// The first word.
    var word: Substring { text.prefix { $0 != " " } }
    /// What follows the first word.
    var rest: String { String(text.dropFirst(word.count).drop { $0 == " " }) }
  }

  /// The next lines up to an empty one, without comments; nil at the end of the text.
  private mutating func block() -> [Line]? {
    var block: [Line] = []
    while next < lines.count {
      let line = Line(number: next + 1, text: lines[next])
      next += 1
      if line.text.hasPrefix("#") { continue }
      if !line.text.isEmpty {
        block.append(line)
      } else if !block.isEmpty {
        return block
      }
    }
    return block.isEmpty ? nil : block
  }

  private func error(_ line: Line, _ problem: String) -> TextCaseError {
    TextCaseError(file: file, line: line.number, problem: problem)
  }

  /// Calls the body, and gives its errors the place of the line.
  private func at<R>(_ line: Line, _ body: () throws(StorageError) -> R) throws(TextCaseError) -> R {
    do throws(StorageError) {
      return try body()
    } catch {
      throw self.error(line, error.message)
    }
  }

  // MARK: Blocks

  private mutating func read(_ block: [Line]) throws(TextCaseError) {
    let head = block[0]
    if head.word == "case" { return try begin(block) }
    guard let last = cases.indices.last else { throw error(head, "a text begins with a case") }
    switch head.word {
    case "model": cases[last].models.append(try model(block))
    case "rows": cases[last].steps.append(try rows(block, cases[last]))
    case "query": cases[last].steps.append(.query(try query(block, cases[last])))
    case "store" where block.count == 1: cases[last].steps.append(.newStore)
    default: throw error(head, "\(head.word) is no beginning of a block: case, model, rows, query, store")
    }
  }

  private mutating func begin(_ block: [Line]) throws(TextCaseError) {
    let words = block[0].rest.split(separator: " ").map(String.init)
    guard let id = words.first, words.count > 1 else { throw error(block[0], "a case has an id and clauses") }
    guard !cases.contains(where: { $0.id == id }) else { throw error(block[0], "\(id) is there twice") }
    var new = TextCase(id: id, clauses: Array(words.dropFirst()), line: block[0].number)
    for line in block.dropFirst() {
      guard line.word == "needs" else {
        new.summary += (new.summary.isEmpty ? "" : " ") + line.text
        continue
      }
      for name in line.rest.split(separator: " ") {
        guard let capability = Capability(rawValue: String(name)) else {
          throw error(line, "there is no capability \(name)")
        }
        new.needs.insert(capability)
      }
    }
    guard !new.summary.isEmpty else { throw error(block[0], "\(id) does not say what must be true") }
    cases.append(new)
  }

  /// `NAME TYPE [optional] [key]` for a property, `index` or `unique` and its properties for an index.
  private func model(_ block: [Line]) throws(TextCaseError) -> ModelSchema {
    var properties: [PropertySchema] = []
    var indexes: [IndexSchema] = []
    var key: Int?
    for line in block.dropFirst() {
      let words = line.text.split(separator: " ").map(String.init)
      if words[0] == "index" || words[0] == "unique" {
        var columns: [IndexSchema.Column] = []
        for word in words.dropFirst() {
          let name = word.hasPrefix("-") ? String(word.dropFirst()) : word
          guard let slot = properties.firstIndex(where: { $0.name == name }) else {
            throw error(line, "there is no property \(name) above")
          }
          columns.append(IndexSchema.Column(slot: slot, isDescending: word.hasPrefix("-")))
        }
        guard !columns.isEmpty else { throw error(line, "an index has properties") }
        indexes.append(
          IndexSchema(
            name: words.dropFirst().joined(separator: ","), columns: columns, isUnique: words[0] == "unique"))
        continue
      }
      guard words.count > 1, let type = PropertyType(name: words[1]), type != .array, type != .nested else {
        throw error(line, "a property has a name and one of the types of docs/conformance-cases.md")
      }
      for word in words.dropFirst(2) where word != "optional" && word != "key" {
        throw error(line, "\(word) is neither optional nor key")
      }
      if words.contains("key") { key = properties.count }
      properties.append(PropertySchema(name: words[0], type: type, isOptional: words.contains("optional")))
    }
    guard !block[0].rest.isEmpty, let key else { throw error(block[0], "a model has a name and a key") }
    return ModelSchema(name: block[0].rest, properties: properties, primaryKey: key, indexes: indexes)
  }

  private func model(_ name: String, _ line: Line, _ test: TextCase) throws(TextCaseError) -> ModelSchema {
    guard let model = test.models.first(where: { $0.name == name }) else {
      throw error(line, "the case has no model \(name)")
    }
    return model
  }

  private func property(_ name: String, _ line: Line, _ model: ModelSchema) throws(TextCaseError) -> PropertySchema {
    guard let property = model.properties.first(where: { $0.name == name }) else {
      throw error(line, "\(model.name) has no property \(name)")
    }
    return property
  }

  private func names(_ list: String) -> [String] {
    list.split(separator: ",").map { String($0.drop { $0 == " " }) }
  }

  /// `rows MODEL NAME, NAME`, and a line with the constants of each row.
  private func rows(_ block: [Line], _ test: TextCase) throws(TextCaseError) -> TextCase.Step {
    let head = block[0]
    let name = String(head.rest.prefix { $0 != " " })
    let model = try model(name, head, test)
    var properties: [PropertySchema] = []
    for name in names(String(head.rest.dropFirst(name.count))) { properties.append(try property(name, head, model)) }
    var records: [Record] = []
    for line in block.dropFirst() {
      let values = try values(line, properties.map { ($0.type, $0.elementType) })
      records.append(Record(zip(properties, values).map { ($0.name, $1) }))
    }
    return .rows(model: model.name, records)
  }

  /// Constants of the language of predicates with commas between them, as values of these types.
  private func values(
    _ line: Line, _ types: [(type: PropertyType, element: PropertyType?)]
  ) throws(TextCaseError) -> [Value] {
    let tree = try at(line) { () throws(StorageError) in try PredicateParser.parse("row IN {\(line.text)}") }
    guard case .oneOf(_, let constants) = tree, constants.count == types.count else {
      throw error(line, "a row has \(types.count) constants")
    }
    var values: [Value] = []
    for (constant, type) in zip(constants, types) {
      values.append(
        try at(line) { () throws(StorageError) in try constant.converted(to: type.type, element: type.element) })
    }
    return values
  }

  // MARK: Queries

  private func query(_ block: [Line], _ test: TextCase) throws(TextCaseError) -> TextQuery {
    let model = try model(block[0].rest, block[0], test)
    var query = TextQuery(tree: QueryTree(model: model.name), line: block[0].number)
    var index = 1
    read: while index < block.count {
      let line = block[index]
      index += 1
      switch line.word {
      case "where":
        query.tree.predicate = try at(line) { () throws(StorageError) in try PredicateParser.parse(line.rest) }
      case "order": query.tree.order = try at(line) { () throws(StorageError) in try SortParser.parse(line.rest) }
      case "limit": query.tree.limit = try number(line)
      case "offset": query.tree.offset = try number(line)
      case "group": query.groups = names(line.rest)
      case "columns":
        for name in names(line.rest) { query.columns.append(try column(name, line, model)) }
      case "error":
        guard let code = StorageError.Code.all.first(where: { "\($0)" == line.rest }) else {
          throw error(line, "there is no error \(line.rest)")
        }
        query.answer = .error(code)
      case "----": break read
      default: throw error(line, "\(line.word) is no part of a query")
      }
    }
    guard !query.columns.isEmpty else { throw error(block[0], "a query has columns") }
    if case .error = query.answer, index == block.count { return query }
    guard block[index - 1].word == "----" else { throw error(block[0], "a query has ---- and an answer, or an error") }
    guard query.isAggregate || query.groups.isEmpty else { throw error(block[0], "groups have figures") }
    var types: [(PropertyType, PropertyType?)] = []
    for name in query.groups { types.append((try property(name, block[0], model).type, nil)) }
    for column in query.columns { types.append(try type(of: column, block[0], model)) }
    var rows: [[Value]] = []
    for line in block[index...] { rows.append(try values(line, types)) }
    query.answer = .rows(rows)
    return query
  }

  private func number(_ line: Line) throws(TextCaseError) -> Int {
    guard let number = Int(line.rest) else { throw error(line, "\(line.rest) is no number") }
    return number
  }

  /// `NAME`, `count`, or one of the other figures and a name.
  private func column(_ text: String, _ line: Line, _ model: ModelSchema) throws(TextCaseError) -> TextQuery.Column {
    let words = text.split(separator: " ").map(String.init)
    let function = AggregateFunction(rawValue: words[0])
    let name = function == nil ? words[0] : words.dropFirst().first
    guard words.count == (function == nil ? 1 : name == nil ? 1 : 2), name != nil || function == .count else {
      throw error(line, "\(text) is no column")
    }
    if let name { _ = try property(name, line, model) }
    return TextQuery.Column(function: function, property: name)
  }

  /// The type of a column's values, by the clauses AGG-1 to AGG-3.
  private func type(
    of column: TextQuery.Column, _ line: Line, _ model: ModelSchema
  ) throws(TextCaseError) -> (PropertyType, PropertyType?) {
    guard let name = column.property, column.function != .count else { return (.int64, nil) }
    let property = try property(name, line, model)
    switch (column.function, property.type) {
    case (.sum, let type) where type.isInteger: return ((type.integerRange?.lowerBound ?? 0) < 0 ? .int64 : .uint64, nil)
    case (.average, let type) where type != .decimal: return (.double, nil)
    default: return (property.type, property.elementType)
    }
  }
}
