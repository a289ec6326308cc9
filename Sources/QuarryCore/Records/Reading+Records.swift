public import QuarryBackend
public import QuarryQuery

extension Reading {
  /// The models that the store has.
  public func models() throws -> [ModelSchema] {
    try read { try $0.models() }
  }

  /// The objects of a model as records, by a query written in strings.
  public func records(
    in model: String, where predicate: String? = nil, arguments: [(any Storable)?] = [], sortedBy order: String? = nil,
    limit: Int? = nil, offset: Int = 0, columns: [String]? = nil
  ) throws -> [Record] {
    try read {
      try $0.records(
        in: model, where: predicate, arguments: arguments, sortedBy: order, limit: limit, offset: offset,
        columns: columns)
    }
  }

  /// The objects of the query as records, in its order.
  public func records(_ query: QueryTree, columns: [String]? = nil) throws -> [Record] {
    try read { try $0.records(query, columns: columns) }
  }

  /// The first object of the query as a record, or nil when it gives none.
  public func firstRecord(_ query: QueryTree, columns: [String]? = nil) throws -> Record? {
    try read { try $0.firstRecord(query, columns: columns) }
  }

  /// The object with the primary key as a record, or nil when there is none.
  public func record(in model: String, key: Value) throws -> Record? {
    try read { try $0.record(in: model, key: key) }
  }

  /// Whether there is an object with the primary key.
  public func existsRecord(in model: String, key: Value) throws -> Bool {
    try read { try $0.existsRecord(in: model, key: key) }
  }

  /// Calls the body with each object of the query as a record, in its order and in bounded memory.
  public func forEachRecord(_ query: QueryTree, columns: [String]? = nil, _ body: (Record) throws -> Void) throws {
    try read { try $0.forEachRecord(query, columns: columns, body) }
  }

  /// The number of objects of the query.
  public func countRecords(_ query: QueryTree) throws -> Int {
    try read { try $0.countRecords(query) }
  }

  /// Aggregates of the query's objects in groups, in the order of the groups' values.
  public func aggregateRecords(
    _ query: QueryTree, groupedBy groups: [String] = [], _ columns: [(function: AggregateFunction, property: String?)]
  ) throws -> [AggregateRow] {
    try read { try $0.aggregateRecords(query, groupedBy: groups, columns) }
  }

  /// How the engine would execute the query.
  public func explain(_ query: QueryTree) throws -> QueryPlan {
    try read { try $0.explain(query) }
  }
}

extension Reading {
  /// The models that the store has.
  public func models() async throws -> [ModelSchema] {
    try await read { try $0.models() }
  }

  /// The objects of a model as records, by a query written in strings.
  public func records(
    in model: String, where predicate: String? = nil, arguments: [(any Storable)?] = [], sortedBy order: String? = nil,
    limit: Int? = nil, offset: Int = 0, columns: [String]? = nil
  ) async throws -> [Record] {
    try await read {
      try $0.records(
        in: model, where: predicate, arguments: arguments, sortedBy: order, limit: limit, offset: offset,
        columns: columns)
    }
  }

  /// The objects of the query as records, in its order.
  public func records(_ query: QueryTree, columns: [String]? = nil) async throws -> [Record] {
    try await read { try $0.records(query, columns: columns) }
  }

  /// The first object of the query as a record, or nil when it gives none.
  public func firstRecord(_ query: QueryTree, columns: [String]? = nil) async throws -> Record? {
    try await read { try $0.firstRecord(query, columns: columns) }
  }

  /// The object with the primary key as a record, or nil when there is none.
  public func record(in model: String, key: Value) async throws -> Record? {
    try await read { try $0.record(in: model, key: key) }
  }

  /// Whether there is an object with the primary key.
  public func existsRecord(in model: String, key: Value) async throws -> Bool {
    try await read { try $0.existsRecord(in: model, key: key) }
  }

  /// Calls the body with each object of the query as a record, in its order and in bounded memory.
  public func forEachRecord(
    _ query: QueryTree, columns: [String]? = nil, _ body: sending @escaping (Record) throws -> Void
  ) async throws {
    try await read { try $0.forEachRecord(query, columns: columns, body) }
  }

  /// The number of objects of the query.
  public func countRecords(_ query: QueryTree) async throws -> Int {
    try await read { try $0.countRecords(query) }
  }

  /// Aggregates of the query's objects in groups, in the order of the groups' values.
  public func aggregateRecords(
    _ query: QueryTree, groupedBy groups: [String] = [], _ columns: [(function: AggregateFunction, property: String?)]
  ) async throws -> [AggregateRow] {
    try await read { try $0.aggregateRecords(query, groupedBy: groups, columns) }
  }

  /// How the engine would execute the query.
  public func explain(_ query: QueryTree) async throws -> QueryPlan {
    try await read { try $0.explain(query) }
  }
}
