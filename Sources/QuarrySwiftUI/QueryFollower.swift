#if canImport(SwiftUI)
  import QuarryCore

  /// Holds the live list of a view's query, and replaces it when the view gets another store or another query.
  @MainActor
  final class QueryFollower<M: Model> {
    private(set) var list: LiveQuery<M>?
    private(set) var error: (any Error)?
    private weak var store: Store?
    private var query: QueryTree?

    nonisolated init() {}

    /// Keeps the list when nothing has changed: SwiftUI asks before each reading of a body.
    func follow(_ query: Query<M>, in store: Store?) {
      guard let store else {
        list = nil
        self.store = nil
        error = StorageError(
          .notFound, "the view's environment has no store: write .quarryStore(store) at a view above")
        return
      }
      if self.store === store, self.query == query.tree { return }
      self.store = store
      self.query = query.tree
      do {
        list = try store.live(query)
        error = nil
      } catch {
        list = nil
        self.error = error
      }
    }
  }
#endif
