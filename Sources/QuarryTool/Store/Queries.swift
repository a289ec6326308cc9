import QuarryBackend
import QuarryCore
import QuarryData
import QuarryQuery

extension ModelSchema {
  /// The names of the properties that were not dropped, without the bytes of a compound key.
  var propertyNames: [String] { shownSlots.map { properties[$0].name } }
}

extension WhereOption {
  func query(_ model: String) throws(StorageError) -> QueryTree {
    try Self.query(model, condition)
  }

  /// - Throws: `invalidQuery` with the position where the condition cannot be read.
  static func query(_ model: String, _ condition: String?) throws(StorageError) -> QueryTree {
    var query = QueryTree(model: model)
    guard let condition else { return query }
    do throws(StorageError) {
      query.predicate = try PredicateParser.parse(condition)
    } catch {
      throw error.with(model: model)
    }
    if query.predicate.hasPatternOfSQL { Notice.print("LIKE has * and ? where SQL has % and _") }
    if let text = query.predicate.comparedConstant, condition.contains("\"\(text)\"") {
      let name = text.contains(" ") ? "back quotes: `\(text.escapedForDisplay)`" : "none: \(text.escapedForDisplay)"
      Notice.print("\(text.excerpt) is a text because of its quotes; the name of a property has \(name)")
    }
    return query
  }
}

extension PredicateTree {
  /// Whether it compares with a pattern that has signs of SQL's LIKE at an end, and none of its own.
  fileprivate var hasPatternOfSQL: Bool {
    switch self {
    case .function(let call):
      call.name == TextOperator.like.rawValue && call.arguments.contains(where: \.isPatternOfSQL)
    case .not(let part), .any(_, let part), .all(_, let part): part.hasPatternOfSQL
    case .and(let parts), .or(let parts): parts.contains(where: \.hasPatternOfSQL)
    default: false
    }
  }
}

extension PredicateTree {
  /// A text that a comparison has in place of a property, where the other side has no property either.
  fileprivate var comparedConstant: String? {
    switch self {
    case .compare(.value(.string(let text)), _, .value), .oneOf(.value(.string(let text)), _): text
    case .function(let call) where call.operands.count == 1:
      if case .value(.string(let text)) = call.operands[0] { text } else { nil }
    case .not(let part), .any(_, let part), .all(_, let part): part.comparedConstant
    case .and(let parts), .or(let parts): parts.lazy.compactMap(\.comparedConstant).first
    default: nil
    }
  }
}

extension Value {
  /// Whether it is a pattern with signs of SQL's LIKE at an end, and none of Quarry's.
  fileprivate var isPatternOfSQL: Bool {
    guard case .string(let pattern) = self else { return false }
    return (pattern.hasPrefix("%") || pattern.hasSuffix("%")) && !pattern.contains { $0 == "*" || $0 == "?" }
  }
}

extension RequiredWhereOption {
  func query(_ model: String) throws(StorageError) -> QueryTree { try WhereOption.query(model, condition) }
}

extension QueryOptions {
  func query(_ model: String) throws(StorageError) -> QueryTree {
    var query = try filter.query(model)
    query.limit = limit
    query.offset = offset
    guard let sort else { return query }
    do throws(StorageError) {
      query.order = try SortParser.parse(sort)
    } catch {
      throw error.with(model: model)
    }
    return query
  }
}

extension ReadTransaction {
  /// Writes the objects of a query, one after the other.
  ///
  /// - Parameter progress: Receives the number of rows so far, from time to time.
  /// - Returns: The number of rows.
  func write(
    _ query: QueryTree, _ columns: [String], to writer: inout any RecordWriter, progress: (Int) -> Void = { _ in }
  ) throws -> Int {
    var output = writer
    defer { writer = output }
    var rows = 0
    // The header is printed only when the query was found to be right.
    _ = try records.explain(query)
    try output.begin(columns)
    try records.forEach(query, columns: columns) { record in
      try output.write(record.values)
      rows += 1
      if rows % DataFile.progressInterval == 0 { progress(rows) }
    }
    try output.finish()
    return rows
  }
}
