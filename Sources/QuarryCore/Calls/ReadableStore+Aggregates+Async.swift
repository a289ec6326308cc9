// Written by scripts/generate-calls. Change the calls that are marked there.

extension ReadableStore {
  /// The sum of a column, nil values left out; nil when there is no value.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func sum<M: Model, V: NumericStorable>(
    _ selection: some Selection<M>, of column: any KeyPath<M.Columns, Column<V>> & Sendable
  ) async throws -> V.Total? {
    try await read { tx in try tx.sum(selection, of: column) }
  }

  /// The average of a column, nil values left out; nil when there is no value.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func average<M: Model, V: NumericStorable>(
    _ selection: some Selection<M>, of column: any KeyPath<M.Columns, Column<V>> & Sendable
  ) async throws -> V.Average? {
    try await read { tx in try tx.average(selection, of: column) }
  }

  /// The least value of a column; nil when there is none.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func min<M: Model, V: Storable>(
    _ selection: some Selection<M>, of column: any KeyPath<M.Columns, Column<V>> & Sendable
  ) async throws -> V? {
    try await read { tx in try tx.min(selection, of: column) }
  }

  /// The least value of a column of optionals, nil left out; nil when there is none.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func min<M: Model, V: Storable>(
    _ selection: some Selection<M>, of column: any KeyPath<M.Columns, Column<V?>> & Sendable
  ) async throws -> V? {
    try await read { tx in try tx.min(selection, of: column) }
  }

  /// The greatest value of a column; nil when there is none.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func max<M: Model, V: Storable>(
    _ selection: some Selection<M>, of column: any KeyPath<M.Columns, Column<V>> & Sendable
  ) async throws -> V? {
    try await read { tx in try tx.max(selection, of: column) }
  }

  /// The greatest value of a column of optionals, nil left out; nil when there is none.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func max<M: Model, V: Storable>(
    _ selection: some Selection<M>, of column: any KeyPath<M.Columns, Column<V?>> & Sendable
  ) async throws -> V? {
    try await read { tx in try tx.max(selection, of: column) }
  }

  /// The distinct values of a column, in ascending order, nil first.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func distinct<M: Model, V: Storable>(
    _ selection: some Selection<M>, _ column: any KeyPath<M.Columns, Column<V>> & Sendable
  ) async throws -> [V] {
    try await read { tx in try tx.distinct(selection, column) }
  }

  /// The number of objects for each value of a column, in ascending order of the values.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func count<M: Model, K: Storable>(
    _ selection: some Selection<M>, by group: any KeyPath<M.Columns, Column<K>> & Sendable
  ) async throws -> [GroupValue<K, Int>] {
    try await read { tx in try tx.count(selection, by: group) }
  }

  /// The sum of a column for each value of another.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func sum<M: Model, V: NumericStorable, K: Storable>(
    _ selection: some Selection<M>, of column: any KeyPath<M.Columns, Column<V>> & Sendable,
    by group: any KeyPath<M.Columns, Column<K>> & Sendable
  ) async throws -> [GroupValue<K, V.Total?>] {
    try await read { tx in try tx.sum(selection, of: column, by: group) }
  }

  /// The average of a column for each value of another.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func average<M: Model, V: NumericStorable, K: Storable>(
    _ selection: some Selection<M>, of column: any KeyPath<M.Columns, Column<V>> & Sendable,
    by group: any KeyPath<M.Columns, Column<K>> & Sendable
  ) async throws -> [GroupValue<K, V.Average?>] {
    try await read { tx in try tx.average(selection, of: column, by: group) }
  }

  /// The least value of a column for each value of another.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func min<M: Model, V: Storable, K: Storable>(
    _ selection: some Selection<M>, of column: any KeyPath<M.Columns, Column<V>> & Sendable,
    by group: any KeyPath<M.Columns, Column<K>> & Sendable
  ) async throws -> [GroupValue<K, V?>] {
    try await read { tx in try tx.min(selection, of: column, by: group) }
  }

  /// The greatest value of a column for each value of another.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func max<M: Model, V: Storable, K: Storable>(
    _ selection: some Selection<M>, of column: any KeyPath<M.Columns, Column<V>> & Sendable,
    by group: any KeyPath<M.Columns, Column<K>> & Sendable
  ) async throws -> [GroupValue<K, V?>] {
    try await read { tx in try tx.max(selection, of: column, by: group) }
  }

  /// The objects of the selection in groups of the same value of a column.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func grouped<M: Model, K: Storable>(
    _ selection: some Selection<M>, by column: any KeyPath<M.Columns, Column<K>> & Sendable
  ) async throws -> [GroupedObjects<K, M>] {
    try await read { tx in try tx.grouped(selection, by: column) }
  }
}
