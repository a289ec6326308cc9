import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Reads cases from a text. The first word of a block says what it is; an empty line ends a block.
struct TextCaseReader {
  private(set) var cases: [TextCase] = []
  /// The models and rows before the first case. Cases without models of their own begin with them.
  private var preamble: TextCase

  /// The cases of a text, in its order.
  ///
  /// - Parameter file: The name of the text, for errors.
  /// - Throws: The first line that cannot be read.
  static func cases(in text: String, file: String) throws(TextCaseError) -> [TextCase] {
    var reader = TextCaseReader(
      preamble: TextCase(id: "the text", clauses: [], line: TextLine(file: file, number: 1, text: "")))
    var block: [TextLine] = []
    for (place, text) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = TextLine(file: file, number: place + 1, text: "").part(text)
      if line.text.isEmpty {
        try reader.read(block)
        block = []
      } else if !line.text.hasPrefix("#") {
        block.append(line)
      }
    }
    try reader.read(block)
    try reader.finishCase()
    guard !reader.cases.isEmpty else { throw TextCaseError(file: file, line: 1, problem: "the text has no case") }
    return reader.cases
  }

  private mutating func read(_ block: [TextLine]) throws(TextCaseError) {
    guard let head = block.first else { return }
    if head.word == "case" {
      try finishCase()
      return try begin(block)
    }
    guard let last = cases.indices.last else {
      switch head.word {
      case "model": preamble.models.append(try model(block))
      case "rows": preamble.steps.append(try rows(block, preamble))
      default: throw head.error("before the first case stand models and rows")
      }
      return
    }
    switch head.word {
    case "model":
      if cases[last].inherits {
        cases[last].models = []
        cases[last].steps.removeFirst(preamble.steps.count)
        cases[last].inherits = false
      }
      guard cases[last].steps.isEmpty else { throw head.error("models come before rows and queries") }
      cases[last].models.append(try model(block))
    case "store" where block.count == 1 && head.rest.isEmpty: cases[last].steps.append(.newStore)
    case "rows": cases[last].steps.append(try rows(block, cases[last]))
    case "keys", "figures": cases[last].steps += try questions(block, cases[last])
    case "query": cases[last].steps.append(try query(block, cases[last]))
    case "lists": cases[last].steps += try lists(block, cases[last])
    default:
      throw head.error(
        "\(head.word) does not begin a block; case, model, rows, keys, figures, lists, query and store do")
    }
  }

  // MARK: Cases

  private mutating func begin(_ block: [TextLine]) throws(TextCaseError) {
    let head = block[0]
    guard let id = head.words.first, head.words.count > 1 else { throw head.error("a case has an id and clauses") }
    guard !cases.contains(where: { $0.id == id }) else { throw head.error("\(id) is there twice") }
    var new = preamble
    new.id = id
    new.clauses = Array(head.words.dropFirst())
    new.line = head
    for line in block.dropFirst() {
      switch line.word {
      case "needs":
        for name in line.words {
          guard let capability = Capability(rawValue: name) else { throw line.error("there is no capability \(name)") }
          new.needs.insert(capability)
        }
      case "without":
        for name in line.words {
          guard let variant = ConformanceVariant(rawValue: name) else {
            throw line.error("there is no variant \(name)")
          }
          new.without.insert(variant)
        }
      default: new.summary += (new.summary.isEmpty ? "" : " ") + line.text
      }
    }
    guard !new.summary.isEmpty else { throw head.error("\(id) does not say what must be true") }
    cases.append(new)
  }

  private func finishCase() throws(TextCaseError) {
    guard let last = cases.last else { return }
    let asks = last.steps.contains { if case .query = $0 { true } else { false } }
    guard asks else { throw last.line.error("\(last.id) asks nothing") }
  }

  // MARK: Models and rows

  /// `NAME TYPE`, `of TYPE`, `optional`, `key` for a property; `index` or `unique` and its properties for an index.
  private func model(_ block: [TextLine]) throws(TextCaseError) -> ModelSchema {
    var properties: [PropertySchema] = []
    var indexes: [IndexSchema] = []
    var key: Int?
    for line in block.dropFirst() {
      if line.word == "index" || line.word == "unique" {
        indexes.append(try index(line, properties))
        continue
      }
      var words = line.words[...]
      guard let type = words.popFirst().flatMap(PropertyType.init(name:)) else {
        throw line.error("\(line.word) has none of the types of docs/conformance-cases.md")
      }
      var property = PropertySchema(name: line.word, type: type)
      if type == .array {
        guard words.popFirst() == "of", let element = words.popFirst().flatMap(PropertyType.init(name:)) else {
          throw line.error("an array is of a type: array of string")
        }
        property.elementType = element
      }
      for word in words {
        switch word {
        case "optional": property.isOptional = true
        case "key": key = properties.count
        default: throw line.error("\(word) is neither optional nor key")
        }
      }
      properties.append(property)
    }
    guard !block[0].rest.isEmpty, let key else { throw block[0].error("a model has a name and a key") }
    return ModelSchema(name: block[0].rest, properties: properties, primaryKey: key, indexes: indexes)
  }

  private func index(_ line: TextLine, _ properties: [PropertySchema]) throws(TextCaseError) -> IndexSchema {
    var columns: [IndexSchema.Column] = []
    for word in line.words {
      let isDescending = word.hasPrefix("-")
      let name = isDescending ? String(word.dropFirst()) : word
      guard let slot = properties.firstIndex(where: { $0.name == name }) else {
        throw line.error("there is no property \(name) above")
      }
      columns.append(IndexSchema.Column(slot: slot, isDescending: isDescending))
    }
    guard !columns.isEmpty else { throw line.error("an index has properties") }
    return IndexSchema(name: line.words.joined(separator: ","), columns: columns, isUnique: line.word == "unique")
  }

  /// `rows MODEL`, a line with the names of columns, and a line for each object.
  private func rows(_ block: [TextLine], _ test: TextCase) throws(TextCaseError) -> TextCase.Step {
    let model = try test.model(block[0].rest, block[0])
    guard block.count > 1 else { throw block[0].error("rows have the names of their columns in the line below") }
    let names = block[1].cells(block[1].text, "|")
    var types: [TextLine.ColumnType] = []
    for name in names { types.append(try model.type(of: name, block[1])) }
    var records: [Record] = []
    for line in block.dropFirst(2) {
      let values = try line.row(types)
      records.append(Record(zip(names, values).map { ($0, $1) }))
    }
    return .rows(model: model.name, records)
  }

  // MARK: Queries

  /// `keys MODEL` or `figures MODEL`, and a line for each query: its parts with semicolons between them, an arrow, and the keys
  /// of the objects, or the row of the figures that are the first part.
  private func questions(_ block: [TextLine], _ test: TextCase) throws(TextCaseError) -> [TextCase.Step] {
    let model = try test.model(block[0].rest, block[0])
    let key = model.properties[model.primaryKey]
    var steps: [TextCase.Step] = []
    for line in block.dropFirst() {
      let (question, answer) = try line.halves()
      var query = TextQuery(model: model.name, line: question)
      var parts = question.cells(question.text, ";")[...]
      if block[0].word == "keys" {
        query.columns = [key.name]
        if parts.first == "all" { parts.removeFirst() }
      } else {
        query.figures = parts.removeFirst()
      }
      for part in parts { try query.read(question.part(part)) }
      if let failure = try answer.failure() {
        query.answer = failure
      } else if query.figures != nil {
        query.answer = .rows([try answer.row(query.types(model, line))])
      } else {
        let keys = try answer.list(.init(type: key.type))
        query.answer = .rows(keys.map { [$0] })
      }
      steps.append(.query(try checked(query)))
    }
    guard !steps.isEmpty else { throw block[0].error("below it each line has a query and its answer") }
    return steps
  }

  /// `query MODEL`, a line for each part, and `----` with the rows of the answer or the error that is the answer.
  private func query(_ block: [TextLine], _ test: TextCase) throws(TextCaseError) -> TextCase.Step {
    let head = block[0]
    let asked = block.dropFirst().prefix { $0.word != "----" && $0.word != "error" }
    var query = TextQuery(model: head.rest, line: head.part(([head] + asked).map(\.text).joined(separator: "; ")))
    for line in asked {
      switch line.word {
      case "columns": query.columns = line.cells(line.rest, ",")
      case "figures": query.figures = line.rest
      default: try query.read(line)
      }
    }
    guard query.columns.isEmpty != (query.figures == nil) else {
      throw head.error("a query has either columns or figures")
    }
    let answer = block[(1 + asked.count)...]
    guard let first = answer.first else { throw head.error("the answer is missing: ---- and rows, or an error") }
    if let failure = try first.failure() {
      guard answer.count == 1 else { throw answer[answer.startIndex + 1].error("an error is the last line of a query") }
      query.answer = failure
    } else {
      let types = try query.types(test.model(head.rest, head), head)
      var rows: [[Value]] = []
      for line in answer.dropFirst() { rows.append(try line.row(types)) }
      query.answer = .rows(rows)
    }
    return .query(try checked(query))
  }

  /// `lists MODEL PROPERTY, … -> FIGURES`: each line is a store of its own, with an object for each value of a list.
  private func lists(_ block: [TextLine], _ test: TextCase) throws(TextCaseError) -> [TextCase.Step] {
    let (subject, figures) = try block[0].part(block[0].rest).halves()
    let model = try test.model(subject.word, block[0])
    let names = subject.cells(subject.rest, ",")
    var types: [TextLine.ColumnType] = []
    for name in names { types.append(try model.type(of: name, block[0])) }
    guard types.allSatisfy({ $0.type == types[0].type }) else { throw block[0].error("the columns have several types") }
    let key = model.properties[model.primaryKey].name
    var steps: [TextCase.Step] = []
    for line in block.dropFirst() {
      let (question, answer) = try line.halves()
      let values = try question.list(types[0])
      let records = values.enumerated().map { place, value in
        Record([(key, .int(Int64(place)))] + names.map { ($0, value) })
      }
      var query = TextQuery(
        model: model.name, figures: figures.text, line: question.part("\(figures.text) of \(question.text)"))
      if let failure = try answer.failure() {
        query.answer = failure
      } else {
        query.answer = .rows([try answer.row(query.types(model, block[0]))])
      }
      steps += [.newStore, .rows(model: model.name, records), .query(query)]
    }
    guard !steps.isEmpty else { throw block[0].error("below it each line has values and an answer") }
    return steps
  }

  /// The query, whose parts fit together, and whose text can be read unless it is to fail.
  private func checked(_ query: TextQuery) throws(TextCaseError) -> TextQuery {
    let isGrouped = !query.groups.isEmpty || query.having != nil || query.groupOrder != nil || query.groupLimit != nil
    guard query.figures != nil || !isGrouped else { throw query.line.error("groups have figures") }
    if case .rows = query.answer { _ = try query.line.at { () throws(StorageError) in try query.tree() } }
    return query
  }
}

extension TextCase {
  fileprivate func model(_ name: String, _ line: TextLine) throws(TextCaseError) -> ModelSchema {
    guard let model = models.first(where: { $0.name == name }) else {
      throw line.error("\(id) has no model \(name)")
    }
    return model
  }
}
