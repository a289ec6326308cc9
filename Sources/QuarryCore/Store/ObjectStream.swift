import QuarryBackend

/// The objects of a query of one committed state, for `for try await`, in bounded memory.
///
/// That of a store is pinned when the iteration begins and let go when it ends; writes go on meanwhile and are not seen.
/// That of a frozen store is the one that it has.
public struct ObjectStream<M: Model>: AsyncSequence, Sendable {
  public typealias Element = M
  let source: Source
  let query: Query<M>
  let batchSize: Int

  enum Source: Sendable {
    case newest(Store)
    case pinned(FrozenStore)
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(source: source, query: query, batchSize: batchSize)
  }

  public struct Iterator: AsyncIteratorProtocol {
    let source: Source
    let query: Query<M>
    let batchSize: Int
    private var state: FrozenStore?
    private var batch: [M] = []
    private var taken = 0
    private var position: PagePosition?
    private var isAtEnd = false
    private var left: Int
    private var skip: Int

    init(source: Source, query: Query<M>, batchSize: Int) {
      self.source = source
      self.query = query
      self.batchSize = Swift.max(1, batchSize)
      left = query.tree.limit ?? .max
      skip = query.tree.offset
      position = query.tree.position.map { PagePosition(tree: $0) }
    }

    /// The next object, or nil at the end.
    public mutating func next() async throws -> M? {
      if taken == batch.count, !isAtEnd { try await fill() }
      guard taken < batch.count else {
        if case .newest = source { state?.close() }
        return nil
      }
      defer { taken += 1 }
      return batch[taken]
    }

    private mutating func fill() async throws {
      guard left >= 0, skip >= 0 else {
        throw StorageError(.invalidQuery, "limit and offset are not negative", model: query.tree.model)
      }
      let frozen: FrozenStore
      switch source {
      case .newest(let store): frozen = try state ?? store.freeze()
      case .pinned(let store): frozen = store
      }
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
      let page = try await frozen.read { tx in
        guard skipped > 0 else { return try tx.page(paged.after(from), size: size) }
        // The objects that the query's offset skips are passed over once, at the beginning.
        let passed = try tx.page(paged.after(from), size: skipped)
        guard let next = passed.next else { return Page<M>(elements: [], next: nil) }
        return try tx.page(paged.after(next), size: size)
      }
      batch = page.elements
      left -= batch.count
      position = page.next
      isAtEnd = page.next == nil || left <= 0
    }
  }
}

extension Store {
  /// The objects of the query in one committed state, for `for try await`.
  ///
  /// - Parameter batchSize: How many objects are read at once.
  public func stream<M: Model>(_ query: Query<M>, batchSize: Int = 256) -> ObjectStream<M> {
    ObjectStream(source: .newest(self), query: query, batchSize: batchSize)
  }
}

extension FrozenStore {
  /// The objects of the query in this state, for `for try await`.
  ///
  /// - Parameter batchSize: How many objects are read at once.
  public func stream<M: Model>(_ query: Query<M>, batchSize: Int = 256) -> ObjectStream<M> {
    ObjectStream(source: .pinned(self), query: query, batchSize: batchSize)
  }
}
