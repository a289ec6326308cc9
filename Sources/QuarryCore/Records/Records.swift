public import QuarryBackend
public import QuarryQuery

/// The objects of a store as records: read and written by the names of models and properties, without types of the program.
///
/// Every transaction, store and frozen store has it:
///
/// ```swift
/// let recent = try tx.records.fetch(in: "Book", where: "year > 1970", sortedBy: "-year,title", limit: 10)
/// try store.records.insert(into: "Book", [Record(["id": 7, "title": "Emma"])])
/// ```
public struct Records<Scope: ReadScope> {
  let scope: Scope
}

extension Records: Sendable where Scope: Sendable {}

extension ReadScope {
  /// The objects as records.
  public var records: Records<Self> { Records(scope: self) }

  /// The models that the store has.
  ///
  /// - Throws: `closed`; in a transaction `transactionEnded`, `wrongThread`.
  // calls: async
  public func models() throws -> [ModelSchema] {
    try reading { tx throws(StorageError) in tx.backend.schema.programModels }
  }

  /// The model with that name.
  ///
  /// - Parameter name: The name of the model in the store.
  /// - Throws: `invalidQuery` with the nearest name when there is none.
  // calls: async
  public func model(named name: String) throws -> ModelSchema {
    try reading { tx throws(StorageError) in try tx.modelSchema(name) }
  }
}

extension Records {
  /// The objects of a model, by a query written in strings:
  /// `try tx.records.fetch(in: "Book", where: "year > 1970", sortedBy: "-year,title", limit: 10)`.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - predicate: A condition as in NSPredicate; every object when nil.
  ///   - arguments: The values for `%@` and `%K`.
  ///   - order: Names of properties, `-` before those that go from the greatest to the least.
  ///   - limit: The greatest number of objects; no limit when nil.
  ///   - offset: The number of objects to skip.
  ///   - columns: The properties to read; all when nil. A column may lead through references, `author.name`, and is nil where one
  ///     of them is: one more read for each reference, whatever the number of objects.
  /// - Throws: `invalidQuery` for a text that does not parse, an unknown name, and a negative limit or offset. `unsupported` or
  ///   `limitExceeded` for a query that cannot be executed; `invalidValue` for an argument that has no stored form; `corrupt`,
  ///   `io`.
  /// - Complexity: O(n) in the number of objects, which are in memory at once: see ``forEach(_:columns:_:)``.
  // calls: async
  public func fetch(
    in model: String, where predicate: String? = nil, arguments: [(any Storable)?] = [], sortedBy order: String? = nil,
    limit: Int? = nil, offset: Int = 0, columns: [String]? = nil
  ) throws -> [Record] {
    try scope.reading { tx throws(StorageError) in
      var values: [Value] = []
      for argument in arguments { values.append(try argument?.storedValue() ?? .null) }
      var tree = QueryTree(model: model, limit: limit, offset: offset)
      do throws(StorageError) {
        if let predicate { tree.predicate = try PredicateParser.parse(predicate, arguments: values) }
        if let order { tree.order = try SortParser.parse(order) }
      } catch {
        throw error.with(model: model)
      }
      return try tx.fetchRecords(tree, columns)
    }
  }

  /// The objects of the query, in its order.
  ///
  /// - Parameters:
  ///   - query: The objects, by the name of their model.
  ///   - columns: The properties to read, as in ``fetch(in:where:arguments:sortedBy:limit:offset:columns:)``; all when nil.
  /// - Throws: `invalidQuery` for an unknown name, and a negative limit or offset; `unsupported` or `limitExceeded` for a query
  ///   that cannot be executed; `corrupt`, `io`.
  // calls: async
  public func fetch(_ query: QueryTree, columns: [String]? = nil) throws -> [Record] {
    try scope.reading { tx throws(StorageError) in try tx.fetchRecords(query, columns) }
  }

  /// The first object of the query, or nil when it gives none.
  ///
  /// - Throws: As ``fetch(_:columns:)``.
  // calls: async
  public func first(_ query: QueryTree, columns: [String]? = nil) throws -> Record? {
    var query = query
    query.limit = Swift.min(query.limit ?? 1, 1)
    return try fetch(query, columns: columns).first
  }

  /// Calls the body with each object of the query, in its order and in bounded memory.
  ///
  /// - Parameters:
  ///   - query: The objects, by the name of their model.
  ///   - columns: The properties to read; all when nil.
  ///   - body: Called with each record. It may read in the transaction, and write to other models.
  /// - Throws: The error of the body; as ``fetch(_:columns:)``.
  // calls: async
  public func forEach(_ query: QueryTree, columns: [String]? = nil, _ body: (Record) throws -> Void) throws {
    var thrown: (any Error)?
    do {
      try scope.reading { tx throws(StorageError) in
        try tx.visit(query, columns) { record throws(StorageError) in
          do {
            try body(record)
          } catch {
            thrown = error
            throw StorageError.of(error)
          }
        }
      }
    } catch {
      throw thrown ?? error
    }
  }

  /// The names of a model's columns, and of the columns of the objects that its references lead to: `author.name`.
  ///
  /// ```swift
  /// let columns = try tx.records.columns(of: "Book", with: ["author", "author.country"])
  /// let records = try tx.records.fetch(in: "Book", columns: columns)
  /// ```
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - relations: Names of references, or paths of them.
  /// - Throws: `invalidQuery` for a name that does not exist or is no reference.
  public func columns(of model: String, with relations: [String]) throws -> [String] {
    try scope.reading { tx throws(StorageError) in
      try RelatedColumns.names(of: tx.modelSchema(model), with: relations, tx.backend.schema)
    }
  }

  /// The object with the primary key, or nil when there is none.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - key: The primary key, of the type of the key's property. A compound key is an array of its members.
  /// - Throws: `invalidQuery` for an unknown model; `invalidValue` for a key of another type; `corrupt`, `io`.
  /// - Complexity: One look-up by key, logarithmic in the number of objects.
  // calls: async
  public func get(in model: String, key: Value) throws -> Record? {
    try scope.reading { tx throws(StorageError) in
      let model = try tx.modelSchema(model)
      let layout = RowLayout(model)
      return try tx.primaryKey(key, model).bytes.withBytes { bytes throws(StorageError) -> Record? in
        guard let row = try tx.backend.row(model.id, bytes) else { return nil }
        let values = try ReadTransaction.values(row, model.liveSlots, layout, model)
        return Record(names: RecordNames(model.liveSlots.map { ByteString(model.properties[$0].name) }), values: values)
      }
    }
  }

  /// Whether there is an object with the primary key.
  ///
  /// - Throws: As ``get(in:key:)``.
  // calls: async
  public func exists(in model: String, key: Value) throws -> Bool {
    try scope.reading { tx throws(StorageError) in
      let model = try tx.modelSchema(model)
      return try tx.primaryKey(key, model).bytes.withBytes { bytes throws(StorageError) in
        try tx.backend.row(model.id, bytes) != nil
      }
    }
  }

  /// The number of objects of the query.
  ///
  /// - Throws: As ``fetch(_:columns:)``.
  // calls: async
  public func count(_ query: QueryTree) throws -> Int {
    try scope.reading { tx throws(StorageError) in try tx.countRecords(query) }
  }

  /// Aggregates of the query's objects in groups, in the order of the groups' values.
  ///
  /// - Parameters:
  ///   - query: The objects, by the name of their model.
  ///   - groups: The properties to group by; without one, all objects are one group.
  ///   - columns: The aggregates. Only `count` may come without a property, and counts objects then.
  /// - Throws: As ``fetch(_:columns:)``; `invalidValue` when a total does not fit its type. `invalidQuery` for a sum or an
  ///   average of values that are not numbers; `unsupported` for a group, minimum or maximum of values without an order.
  /// - Complexity: One read of the objects, and memory for the groups.
  // calls: async
  public func aggregate(
    _ query: QueryTree, groupedBy groups: [String] = [], _ columns: [(function: AggregateFunction, property: String?)]
  ) throws -> [AggregateRow] {
    try scope.reading { tx throws(StorageError) in
      let model = try tx.modelSchema(query.model)
      return try tx.describing(model) { () throws(StorageError) in
        let binder = QueryBinder(model)
        let rows = try tx.aggregate(
          binder.bind(tx.bind(query, model, binder), groups: groups, columns: columns))
        guard model.hasCompoundKeys else { return rows }
        func shown(_ values: [Value], _ names: [String?]) -> [Value] {
          zip(values, names).map { value, name in
            CompoundKeyBytes.shown(value, name.flatMap(model.slot(named:)).flatMap { model.properties[$0].keyMembers })
          }
        }
        return rows.map { row in
          AggregateRow(groups: shown(row.groups, groups), values: shown(row.values, columns.map(\.property)))
        }
      }
    }
  }

  /// The plan by which the engine would execute the query.
  ///
  /// - Parameter query: The query to explain, by the name of its model.
  /// - Throws: `invalidQuery` for an unknown name; `unsupported` or `limitExceeded` for a query that cannot be executed.
  /// - Complexity: The engine reads no objects.
  // calls: async
  public func explain(_ query: QueryTree) throws -> QueryPlan {
    try scope.reading { tx throws(StorageError) in
      let model = try tx.modelSchema(query.model)
      return try tx.describing(model) { () throws(StorageError) in
        try tx.explain(query, model, QueryBinder(model), isTyped: false)
      }
    }
  }
}
