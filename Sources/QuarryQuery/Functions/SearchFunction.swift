import QuarryBackend
package import QuarryText

/// Whether a text, or the texts of an array, have the words of a search: `title SEARCH 'swift "unit of work" -java'`.
///
/// A search of several parts stands for a condition of its words and phrases, and so is a search in several properties. The index
/// of words, if the properties have one, decides the whole.
struct SearchFunction: PredicateFunction {
  /// Whether the argument is a text as a user types it, and not the canonical text of a query.
  let isTyped: Bool

  var name: String { isTyped ? "search" : "searchQuery" }
  var keyword: String? { isTyped ? "SEARCH" : "SEARCHQUERY" }

  func isDefined(for type: PropertyType) -> Bool { type == .string || type == .array || type == .nested }

  /// The search of a call.
  func query(_ arguments: [Value]) throws(StorageError) -> SearchQuery {
    guard arguments.count == 1, case .string(let text) = arguments[0] else {
      throw StorageError(.invalidQuery, "\(name) takes one text")
    }
    return isTyped ? SearchQuery(typed: text) : try SearchQuery(parsing: text)
  }

  func matcher(_ call: BoundFunction) throws(StorageError) -> any FunctionMatcher {
    // Behind the text, a call that is bound may have the name of its property's language.
    var language: SearchLanguage?
    if case .string(let name)? = call.arguments.dropFirst().first { language = SearchLanguage(name: name) }
    return SearchMatcher(search: try TextSearch(query(Array(call.arguments.prefix(1))), language: language))
  }

  func read(_ operand: Operand, _ reader: inout PredicateReader) throws(StorageError) -> PredicateTree {
    let (value, options, start) = try reader.textArgument()
    guard case .string = value, options.isEmpty else { throw reader.lexer.error("expected a string", at: start) }
    let call = FunctionCall(name, [operand], [value])
    try check(call)
    return .function(call)
  }

  func text(_ call: FunctionCall) -> String {
    let operands = call.operands.map(PredicateText.operand)
    let word = "\(keyword ?? "") \(ValueText.literal(call.arguments[0]))"
    if operands.count == 1 { return "\(operands[0]) \(word)" }
    // Another form that means the same.
    return expansion(call)?.description ?? "\(operands.joined(separator: ", ")) \(word)"
  }

  func check(_ call: FunctionCall) throws(StorageError) {
    try checkHasNoOptions(call)
    for operand in call.operands {
      guard case .property = operand else { throw StorageError(.invalidQuery, "\(name) needs properties") }
    }
    _ = try TextSearch(query(call.arguments))
  }

  func expansion(_ call: FunctionCall) -> PredicateTree? {
    guard let query = try? query(call.arguments) else { return nil }
    if call.operands.count == 1, query.isOneLeaf { return nil }
    return query.condition { leaf in
      .anyOf(call.operands.map { .function(FunctionCall("searchQuery", [$0], [.string(leaf.description)])) })
    }
  }

  func bind(_ call: FunctionCall, to operand: FunctionOperand) throws(StorageError) -> FunctionBinding {
    switch operand.form {
    case .unknown, .plain(.string), .array(.plain(.string)), .array(.unknown):
      return .call(BoundFunction(self, call.arguments + (operand.language.map { [.string($0.name)] } ?? [])))
    case .array, .plain, .nested, .foreign: throw operand.invalid(self, needs: "a text")
    }
  }
}

/// Looks for words in texts.
private struct SearchMatcher: FunctionMatcher {
  let search: TextSearch

  var cost: Int { 2_000 }

  func matches(_ value: Value) -> Bool {
    switch value {
    case .string(let text): search.matches(text)
    case .array(let elements):
      search.matches(elements.compactMap { if case .string(let text) = $0 { text } else { nil } })
    default: false
    }
  }

  func matches(text: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    guard let text = String(validating: text, as: UTF8.self) else {
      throw StorageError(.corrupt, "a text is not UTF-8")
    }
    return search.matches(text)
  }
}

extension SearchQuery {
  /// The condition of the query, with a condition for each word, phrase, beginning and `near`.
  fileprivate func condition(_ leaf: (SearchQuery) -> PredicateTree) -> PredicateTree {
    fold(leaf: leaf, all: { .and($0) }, any: { .or($0) }, not: { .not($0) })
  }
}

extension PredicateTree {
  fileprivate static func anyOf(_ parts: [PredicateTree]) -> PredicateTree { parts.count == 1 ? parts[0] : .or(parts) }

  /// Whether texts have the words of a text that a user typed. No text is an error.
  ///
  /// - Parameters:
  ///   - operands: The searchable properties; the words may be spread over them.
  ///   - text: The text as it was typed.
  public static func search(_ operands: [Operand], typed text: String) -> PredicateTree {
    .function(FunctionCall(SearchFunction(isTyped: true).name, operands, [.string(text)]))
  }

  /// Whether texts have the words of a query.
  package static func search(_ operands: [Operand], _ query: SearchQuery) -> PredicateTree {
    .function(FunctionCall(SearchFunction(isTyped: false).name, operands, [.string(query.description)]))
  }
}

extension FunctionCall {
  /// The search that the call is; nil for another function, and for one that no search accepts.
  package var search: SearchQuery? {
    guard let function = PredicateFunctions.named(name) as? SearchFunction else { return nil }
    return try? function.query(arguments)
  }
}
