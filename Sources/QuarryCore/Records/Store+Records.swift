public import QuarryBackend
public import QuarryQuery

extension Store {
  /// Adds objects given as records: all of them, or none when it throws.
  public func insertRecords(into model: String, _ records: some Sequence<Record>) throws {
    try write { try $0.insertRecords(into: model, records) }
  }

  /// Adds or replaces objects given as records: all of them, or none when it throws.
  ///
  /// - Returns: How many were added.
  @discardableResult
  public func upsertRecords(into model: String, _ records: some Sequence<Record>) throws -> Int {
    try write { try $0.upsertRecords(into: model, records) }
  }

  /// Adds objects given as records, or replaces only these properties of those that are there.
  ///
  /// - Returns: How many were added.
  @discardableResult
  public func upsertRecords(
    into model: String, _ records: some Sequence<Record>, updating names: [String]
  ) throws -> Int {
    try write { try $0.upsertRecords(into: model, records, updating: names) }
  }

  /// Applies assignments to every object of the query.
  ///
  /// - Returns: How many objects the query gave.
  @discardableResult
  public func assignRecords(_ query: QueryTree, _ assignments: [AssignmentTree]) throws -> Int {
    try write { try $0.assignRecords(query, assignments) }
  }

  /// Removes the objects with these primary keys.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func deleteRecords(in model: String, keys: some Sequence<Value>) throws -> Int {
    try write { try $0.deleteRecords(in: model, keys: keys) }
  }

  /// Removes every object of the query.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func deleteRecords(_ query: QueryTree) throws -> Int {
    try write { try $0.deleteRecords(query) }
  }
}

extension Store {
  /// Adds objects given as records: all of them, or none when it throws.
  public func insertRecords(
    into model: String, _ records: sending some Sequence<Record> & SendableMetatype
  ) async throws {
    try await write { try $0.insertRecords(into: model, records) }
  }

  /// Adds or replaces objects given as records: all of them, or none when it throws.
  ///
  /// - Returns: How many were added.
  @discardableResult
  public func upsertRecords(
    into model: String, _ records: sending some Sequence<Record> & SendableMetatype
  ) async throws -> Int {
    try await write { try $0.upsertRecords(into: model, records) }
  }

  /// Adds objects given as records, or replaces only these properties of those that are there.
  ///
  /// - Returns: How many were added.
  @discardableResult
  public func upsertRecords(
    into model: String, _ records: sending some Sequence<Record> & SendableMetatype, updating names: [String]
  ) async throws -> Int {
    try await write { try $0.upsertRecords(into: model, records, updating: names) }
  }

  /// Applies assignments to every object of the query.
  ///
  /// - Returns: How many objects the query gave.
  @discardableResult
  public func assignRecords(_ query: QueryTree, _ assignments: [AssignmentTree]) async throws -> Int {
    try await write { try $0.assignRecords(query, assignments) }
  }

  /// Removes the objects with these primary keys.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func deleteRecords(
    in model: String, keys: sending some Sequence<Value> & SendableMetatype
  ) async throws -> Int {
    try await write { try $0.deleteRecords(in: model, keys: keys) }
  }

  /// Removes every object of the query.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func deleteRecords(_ query: QueryTree) async throws -> Int {
    try await write { try $0.deleteRecords(query) }
  }
}
