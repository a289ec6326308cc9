// Written by scripts/generate-calls. Change the calls that are marked there.

extension ReadableStore {
  /// Figures of the selection's objects, for each combination of the values of columns.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func grouped<M: Model, each C: NamedColumn, F: Sendable>(
    _ selection: some Selection<M>, by columns: repeat any KeyPath<M.Columns, each C> & Sendable,
    figures: sending @escaping (Figures<M>) -> F
  ) async throws -> [GroupRow<(repeat (each C).Value), F>] {
    try await read { tx in try tx.grouped(selection, by: repeat each columns, figures: figures) }
  }

  /// Figures of all objects of the selection:
  /// `try store.figures(of: Book.all) { (count: $0.count(), mean: $0.average(\.price)) }`.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func figures<M: Model, F: Sendable>(
    of selection: some Selection<M>, figures: sending @escaping (Figures<M>) -> F
  ) async throws -> GroupRow<Void, F> {
    try await read { tx in try tx.figures(of: selection, figures: figures) }
  }
}
