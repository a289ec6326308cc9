#if canImport(SwiftUI)
  public import QuarryCore
  public import SwiftUI

  /// The current objects of a query in a view, from the store of its environment.
  ///
  /// ```swift
  /// struct Shelf: View {
  ///   @StoreQuery(Book.all.sorted(by: \.title)) var books
  ///
  ///   var body: some View {
  ///     List(books) { Text($0.title) }
  ///   }
  /// }
  ///
  /// Shelf().quarryStore(store)
  /// ```
  ///
  /// The list follows every commit to the store, and is fetched again when the view gets another query or another store.
  /// ``error`` says why it is empty: `$books.error`.
  @MainActor @propertyWrapper
  public struct StoreQuery<M: Model> {
    @Environment(\.quarryStore) private var environmentStore
    @State private var follower = QueryFollower<M>()
    private let query: Query<M>

    /// The objects of a query, which is fetched when the view appears.
    ///
    /// - Parameter query: The query of a model.
    public nonisolated init(_ query: Query<M>) { self.query = query }

    /// The current objects, in the query's order; none while there is an ``error``.
    public var wrappedValue: [M] { follower.list?.objects ?? [] }

    /// The property wrapper itself, for its ``error``, ``list`` and ``store``.
    public var projectedValue: StoreQuery<M> { self }

    /// The live list; nil while there is an ``error``.
    public var list: LiveQuery<M>? { follower.list }

    /// Why there are no objects, or why they are not kept up to date: the environment has no store (`notFound`), the query or the
    /// store had an error.
    public var error: (any Error)? { follower.error ?? follower.list?.error }

    /// The store of the environment; nil when there is none.
    public var store: Store? { environmentStore }
  }

  extension StoreQuery: DynamicProperty {
    /// Follows the query in the store of the environment. SwiftUI calls it on the main actor before it reads the view's body.
    public nonisolated func update() {
      MainActor.assumeIsolated { follower.follow(query, in: environmentStore) }
    }
  }
#endif
