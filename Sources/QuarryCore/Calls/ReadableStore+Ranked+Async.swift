// Written by scripts/generate-calls. Change the calls that are marked there.

public import QuarryText

extension ReadableStore {
  /// The objects of a query that a text search finds, the best first.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func ranked<M: Model>(
    _ query: Query<M>, by search: SearchQuery, in columns: [SearchColumn<M>] = [], limit: Int? = nil
  ) async throws -> [Ranked<M>] {
    try await read { tx in try tx.ranked(query, by: search, in: columns, limit: limit) }
  }
}
