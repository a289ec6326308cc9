// Written by scripts/generate-calls. Change the calls that are marked there.

public import QuarryBackend
public import QuarryQuery

extension ReadableStore {
  /// The models that the store has.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func models() async throws -> [ModelSchema] {
    try await read { tx in try tx.models() }
  }

  /// The model with that name.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func model(named name: String) async throws -> ModelSchema {
    try await read { tx in try tx.model(named: name) }
  }
}

extension Records where Scope: ReadableStore {
  /// The objects of a model, by a query written in strings:
  /// `try tx.records.fetch(in: "Book", where: "year > 1970", sortedBy: "-year,title", limit: 10)`.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func fetch(
    in model: String, where predicate: String? = nil, arguments: [(any Storable)?] = [], sortedBy order: String? = nil,
    limit: Int? = nil, offset: Int = 0, columns: [String]? = nil
  ) async throws -> [Record] {
    try await scope.read { tx in
      try tx.records.fetch(
        in: model, where: predicate, arguments: arguments, sortedBy: order, limit: limit, offset: offset,
        columns: columns)
    }
  }

  /// The objects of the query, in its order.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func fetch(_ query: QueryTree, columns: [String]? = nil) async throws -> [Record] {
    try await scope.read { tx in try tx.records.fetch(query, columns: columns) }
  }

  /// The first object of the query, or nil when it gives none.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func first(_ query: QueryTree, columns: [String]? = nil) async throws -> Record? {
    try await scope.read { tx in try tx.records.first(query, columns: columns) }
  }

  /// Calls the body with each object of the query, in its order and in bounded memory.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func forEach(_ query: QueryTree, columns: [String]? = nil, _ body: sending @escaping (Record) throws -> Void)
    async throws
  {
    try await scope.read { tx in try tx.records.forEach(query, columns: columns, body) }
  }

  /// The object with the primary key, or nil when there is none.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func get(in model: String, key: Value) async throws -> Record? {
    try await scope.read { tx in try tx.records.get(in: model, key: key) }
  }

  /// Whether there is an object with the primary key.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func exists(in model: String, key: Value) async throws -> Bool {
    try await scope.read { tx in try tx.records.exists(in: model, key: key) }
  }

  /// The number of objects of the query.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func count(_ query: QueryTree) async throws -> Int {
    try await scope.read { tx in try tx.records.count(query) }
  }

  /// Aggregates of the query's objects in groups, in the order of the groups' values.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func aggregate(
    _ query: QueryTree, groupedBy groups: [String] = [], _ columns: [(function: AggregateFunction, property: String?)]
  ) async throws -> [AggregateRow] {
    try await scope.read { tx in try tx.records.aggregate(query, groupedBy: groups, columns) }
  }

  /// The plan by which the engine would execute the query.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func explain(_ query: QueryTree) async throws -> QueryPlan {
    try await scope.read { tx in try tx.records.explain(query) }
  }
}
