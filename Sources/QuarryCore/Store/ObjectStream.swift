import QuarryBackend

/// The objects of a query of one committed state, for `for try await`, in bounded memory.
///
/// The state is pinned when the iteration begins and let go when it ends; writes go on meanwhile and are not seen.
public struct ObjectStream<M: Model>: AsyncSequence, Sendable {
  public typealias Element = M
  let store: Store
  let query: Query<M>
  let batchSize: Int
  var onUnreadable: (@Sendable (M.PrimaryKey?, StorageError) throws -> Void)?

  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, query: query, batchSize: batchSize, onUnreadable: onUnreadable)
  }

  public struct Iterator: AsyncIteratorProtocol {
    let store: Store
    let query: Query<M>
    let batchSize: Int
    private let onUnreadable: (@Sendable (M.PrimaryKey?, StorageError) throws -> Void)?
    private var state: FrozenStore?
    private var batch: [M] = []
    private var taken = 0
    private var position: PagePosition?
    private var isAtEnd = false
    private var left: Int
    private var skip: Int

    init(
      store: Store, query: Query<M>, batchSize: Int,
      onUnreadable: (@Sendable (M.PrimaryKey?, StorageError) throws -> Void)?
    ) {
      self.store = store
      self.onUnreadable = onUnreadable
      self.query = query
      self.batchSize = Swift.max(1, batchSize)
      left = query.tree.limit ?? .max
      skip = query.tree.offset
      position = query.tree.position.map { PagePosition(tree: $0) }
    }

    /// The next object, or nil at the end.
    public mutating func next() async throws -> M? {
      // A batch of objects that cannot be read is empty, and not the end.
      while taken == batch.count, !isAtEnd { try await fill() }
      guard taken < batch.count else {
        state?.close()
        return nil
      }
      defer { taken += 1 }
      return batch[taken]
    }

    private mutating func fill() async throws {
      guard left >= 0, skip >= 0 else {
        throw StorageError(.invalidQuery, "limit and offset are not negative", model: query.tree.model)
      }
      let frozen = try state ?? store.freeze()
      state = frozen
      var rest = query
      rest.tree.limit = nil
      rest.tree.offset = 0
      let size = Swift.min(batchSize, left)
      let (paged, from, skipped) = (rest, position, skip)
      skip = 0
      taken = 0
      guard size > 0 else {
        batch = []
        isAtEnd = true
        return
      }
      let passesOver = onUnreadable != nil
      let (page, rows, unreadable) = try await frozen.read { tx in
        guard skipped > 0 else { return try tx.readPage(paged.after(from), size, passingOver: passesOver) }
        // The objects that the query's offset skips are passed over once, at the beginning.
        let passed = try tx.readPage(paged.after(from), skipped, passingOver: true).page
        guard let next = passed.next else { return (Page<M>(elements: [], next: nil), 0, []) }
        return try tx.readPage(paged.after(next), size, passingOver: passesOver)
      }
      batch = page.elements
      left -= rows
      position = page.next
      isAtEnd = page.next == nil || left <= 0
      for failure in unreadable { try onUnreadable?(failure.key, failure.error) }
    }
  }
}

extension Store {
  /// The objects of the query in one committed state, for `for try await`.
  ///
  /// - Parameter batchSize: How many objects are read at once.
  public func stream<M: Model>(_ query: Query<M>, batchSize: Int = 256) -> ObjectStream<M> {
    ObjectStream(store: self, query: query, batchSize: batchSize)
  }

  /// The objects of the query in one committed state that can be read, for `for try await`.
  ///
  /// - Parameters:
  ///   - batchSize: How many objects are read at once.
  ///   - onUnreadable: See ``ReadTransaction/fetch(_:onUnreadable:)``. Is called when a batch was read, before its first
  ///     object comes.
  public func stream<M: Model>(
    _ query: Query<M>, batchSize: Int = 256,
    onUnreadable: @escaping @Sendable (M.PrimaryKey?, StorageError) throws -> Void
  ) -> ObjectStream<M> {
    ObjectStream(store: self, query: query, batchSize: batchSize, onUnreadable: onUnreadable)
  }
}
