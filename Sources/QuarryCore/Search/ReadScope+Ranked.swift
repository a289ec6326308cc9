import QuarryBackend
import QuarryQuery
public import QuarryText

/// An object that a search has found.
public struct Ranked<M: Model>: Sendable {
  /// The object.
  public let object: M
  /// How well it fits: a multiple of 1/1024, larger for a better hit.
  public let score: Double
}

extension ReadScope {
  /// The objects of a query that a text search finds, the best first.
  ///
  /// ```swift
  /// for hit in try store.ranked(Article.where { $0.year > 2000 }, by: SearchQuery(typed: text), limit: 20) {
  ///   print(hit.object.title, hit.score)
  /// }
  /// ```
  ///
  /// Scores are those of BM25 over all objects of the model in the state that is read. Objects with equal scores are in the
  /// order of their primary keys. The order of the query has no effect, and neither have its limit and its offset.
  ///
  /// - Parameters:
  ///   - query: The objects to choose from.
  ///   - search: The words to search for: ``SearchQuery/init(typed:)`` takes any text that a user types.
  ///   - columns: The searchable properties to search in; all of the model when there are none.
  ///   - limit: The largest number of hits.
  /// - Throws: `invalidQuery` for a property that is not searchable, and for a model without one; `limitExceeded` for a search
  ///   of more words than allowed; as ``fetch(_:onUnreadable:)``.
  /// - Complexity: O(n log n) in the number of places of the search's words, and a read of each hit up to the limit.
  // calls: async
  public func ranked<M: Model>(
    _ query: Query<M>, by search: SearchQuery, in columns: [SearchColumn<M>] = [],
    limit: Int? = nil
  ) throws -> [Ranked<M>] {
    try reading { tx throws(StorageError) in
      let binding = try tx.context.binding(M.self)
      var hits: [Ranked<M>] = []
      try tx.ranked(
        query.checked(), binding.schema, binding.binder, isTyped: true, by: search, in: columns.map(\.name),
        limit: limit
      ) { row, score throws(StorageError) in
        hits.append(Ranked(object: try tx.read(ModelReader(row, binding)), score: score))
      }
      return hits
    }
  }
}

/// A property to search in: `.title`.
public struct SearchColumn<M: Model>: Sendable {
  let name: String

  /// A property with a text.
  ///
  /// - Parameter column: The searchable property: `\.title`.
  public init(_ column: KeyPath<M.Columns, Column<String>>) { name = M.Columns()[keyPath: column].name }

  /// A property with a text that may be nil.
  ///
  /// - Parameter column: The searchable property.
  public init(_ column: KeyPath<M.Columns, Column<String?>>) { name = M.Columns()[keyPath: column].name }

  /// A property with an array of texts.
  ///
  /// - Parameter column: The searchable property.
  public init(_ column: KeyPath<M.Columns, Column<[String]>>) { name = M.Columns()[keyPath: column].name }
}

extension Records {
  /// The records of a model that a text search finds, the best first.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - search: The words to search for.
  ///   - names: The searchable properties to search in; all of the model when there are none.
  ///   - predicate: A condition that the objects fulfil, as in NSPredicate; none when nil.
  ///   - limit: The largest number of hits.
  /// - Throws: As ``ReadScope/ranked(_:by:in:limit:)-swift.method``; `invalidQuery` for an unknown name and a text that does not
  ///   parse.
  public func ranked(
    in model: String, by search: SearchQuery, properties names: [String] = [], where predicate: String? = nil,
    limit: Int? = nil
  ) throws -> [(record: Record, score: Double)] {
    try scope.reading { tx throws(StorageError) in
      let schema = try tx.modelSchema(model)
      return try tx.describing(schema) { () throws(StorageError) in
        var query = QueryTree(model: model)
        if let predicate { query.predicate = try PredicateParser.parse(predicate, arguments: []) }
        let layout = RowLayout(schema)
        let slots = schema.liveSlots
        let columns = RecordNames(slots.map { ByteString(schema.properties[$0].name) })
        var hits: [(record: Record, score: Double)] = []
        try tx.ranked(
          query, schema, QueryBinder(schema), isTyped: false, by: search, in: names, limit: limit
        ) { row, score throws(StorageError) in
          let values = try ReadTransaction.values(row, slots, layout, schema)
          hits.append((Record(names: columns, values: values), score))
        }
        return hits
      }
    }
  }
}
