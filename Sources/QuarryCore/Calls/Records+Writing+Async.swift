// Written by scripts/generate-calls. Change the calls that are marked there.

public import QuarryBackend
public import QuarryQuery

extension Records where Scope == Store {
  /// Adds objects: all of them, or none when it throws.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func insert(into model: String, _ records: sending some Sequence<Record> & SendableMetatype) async throws {
    try await scope.writeCall { tx in try tx.records.insert(into: model, records) }
  }

  /// Adds or replaces objects: all of them, or none when it throws.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func upsert(into model: String, _ records: sending some Sequence<Record> & SendableMetatype) async throws
    -> Int
  {
    try await scope.writeCall { tx in try tx.records.upsert(into: model, records) }
  }

  /// Adds objects, or, where an object has the primary key, replaces only these properties of it: all of them, or none when it
  /// throws.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func upsert(
    into model: String, _ records: sending some Sequence<Record> & SendableMetatype, updating names: [String]
  ) async throws -> Int {
    try await scope.writeCall { tx in try tx.records.upsert(into: model, records, updating: names) }
  }

  /// Applies assignments to the stored object with the primary key of a record, or to that record where none is stored.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func upsert(into model: String, default record: Record, _ assignments: [AssignmentTree]) async throws -> Bool {
    try await scope.writeCall { tx in try tx.records.upsert(into: model, default: record, assignments) }
  }

  /// Applies assignments to every object of the query.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func assign(_ query: QueryTree, _ assignments: [AssignmentTree]) async throws -> Int {
    try await scope.writeCall { tx in try tx.records.assign(query, assignments) }
  }

  /// Removes the objects with these primary keys.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func delete(in model: String, keys: sending some Sequence<Value> & SendableMetatype) async throws -> Int {
    try await scope.writeCall { tx in try tx.records.delete(in: model, keys: keys) }
  }

  /// Removes every object of the query.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func delete(_ query: QueryTree) async throws -> Int {
    try await scope.writeCall { tx in try tx.records.delete(query) }
  }
}
