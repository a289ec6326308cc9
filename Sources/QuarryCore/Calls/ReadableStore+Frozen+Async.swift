// Written by scripts/generate-calls. Change the calls that are marked there.

extension ReadableStore {
  /// The objects of the selection, in its order, frozen.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func frozen<M: Model>(_ selection: some Selection<M>) async throws -> [Frozen<M>] {
    try await read { tx in try tx.frozen(selection) }
  }

  /// The object with the primary key, frozen, or nil when there is none.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func frozen<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) async throws -> Frozen<M>? {
    try await read { tx in try tx.frozen(type, key) }
  }

  /// The objects of the selection, in its order, each with the objects that a property leads to:
  /// `try tx.fetch(Book.all, with: \.author)`.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func fetch<M: Model, R: Relation>(_ selection: some Selection<M>, with relation: any KeyPath<M, R> & Sendable)
    async throws -> [(M, R.Loaded)] where R.Loaded: Sendable
  {
    try await read { tx in try tx.fetch(selection, with: relation) }
  }

  /// The objects of the selection, in its order, each with the objects that its properties lead to:
  /// `try tx.fetch(Book.all, with: \.author, \.tags)`.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func fetch<M: Model, First: Relation, Second: Relation, each R: Relation>(
    _ selection: some Selection<M>, with first: any KeyPath<M, First> & Sendable,
    _ second: any KeyPath<M, Second> & Sendable, _ others: repeat any KeyPath<M, each R> & Sendable
  ) async throws -> [(M, First.Loaded, Second.Loaded, repeat (each R).Loaded)]
  where First.Loaded: Sendable, Second.Loaded: Sendable, repeat (each R).Loaded: Sendable {
    try await read { tx in try tx.fetch(selection, with: first, second, repeat each others) }
  }
}
