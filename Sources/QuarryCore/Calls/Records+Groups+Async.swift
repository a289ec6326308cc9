// Written by scripts/generate-calls. Change the calls that are marked there.

public import QuarryQuery

extension Records where Scope: ReadableStore {
  /// Figures of the query's objects, for each combination of the values of columns, as records of the groups and figures.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func grouped(
    _ query: QueryTree, by groups: [String] = [], _ figures: String, having condition: String? = nil,
    sortedBy order: String? = nil, limit: Int? = nil
  ) async throws -> [Record] {
    try await scope.read { tx in
      try tx.records.grouped(query, by: groups, figures, having: condition, sortedBy: order, limit: limit)
    }
  }
}
