public import QuarryBackend

/// The objects of a query of one committed state, for `for try await`, in bounded memory.
///
/// A store's stream pins the newest state when the iteration begins and releases it at the end. Writes continue meanwhile and are
/// not seen. A frozen store's stream reads the state of the frozen store.
public struct ObjectStream<M: Model>: AsyncSequence, Sendable {
  public typealias Element = M
  let source: Source
  let query: Query<M>
  let batchSize: Int
  var onUnreadable: (@Sendable (M.PrimaryKey?, StorageError) throws -> Void)?

  enum Source: Sendable {
    case newest(Store)
    case pinned(FrozenStore)
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(source: source, query: query, batchSize: batchSize, onUnreadable: onUnreadable)
  }

  /// Reads the objects in batches, and releases the state that it reads at the end.
  public struct Iterator: AsyncIteratorProtocol {
    let source: Source
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
      source: Source, query: Query<M>, batchSize: Int,
      onUnreadable: (@Sendable (M.PrimaryKey?, StorageError) throws -> Void)?
    ) {
      self.source = source
      self.onUnreadable = onUnreadable
      self.query = query
      self.batchSize = Swift.max(1, batchSize)
      left = query.tree.limit ?? .max
      skip = query.tree.offset
      position = query.tree.position.map { PagePosition(tree: $0) }
    }

    /// The next object, or nil at the end.
    ///
    /// - Throws: The error of `onUnreadable`; without it `invalidValue` or `missingValue` for an object that cannot be read.
    ///   `invalidQuery`, `unsupported` or `limitExceeded` for a query that has no pages; `closed`, `corrupt`, `io`.
    ///   `CancellationError` when the task was cancelled.
    public mutating func next() async throws -> M? {
      // A batch of objects that cannot be read is empty, and not the end.
      while taken == batch.count, !isAtEnd { try await fill() }
      guard taken < batch.count else {
        if case .newest = source { state?.close() }
        return nil
      }
      defer { taken += 1 }
      return batch[taken]
    }

    private mutating func fill() async throws {
      guard left >= 0 else { throw StorageError.negative("limit", left, model: query.tree.model) }
      guard skip >= 0 else { throw StorageError.negative("offset", skip, model: query.tree.model) }
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
      let (page, rows, unreadable) = try await frozen.read { tx in
        guard skipped > 0 else { return try tx.readPage(paged.after(from), size) }
        // The objects that the query's offset skips are passed over once, at the beginning.
        let passed = try tx.readPage(paged.after(from), skipped).page
        guard let next = passed.next else { return (Page<M>(elements: [], next: nil), 0, []) }
        return try tx.readPage(paged.after(next), size)
      }
      batch = page.elements
      left -= rows
      position = page.next
      isAtEnd = page.next == nil || left <= 0
      for failure in unreadable {
        guard let onUnreadable else { throw failure.error }
        try onUnreadable(failure.key, failure.error)
      }
    }
  }
}

extension Store {
  /// The objects of the selection in one committed state, for `for try await`.
  ///
  /// The first element of a stream of ``Links`` throws `invalidQuery`: their ``Links/query`` has a stream.
  ///
  /// - Parameters:
  ///   - selection: A query, or the ``Many`` of an object.
  ///   - batchSize: How many objects are read at once.
  ///   - onUnreadable: Passes over objects that cannot be read, see ``ReadScope/fetch(_:onUnreadable:)``. It is called when a
  ///     batch was read, before its first object comes. Without it, such an object ends the stream.
  public func stream<M: Model>(
    _ selection: some Selection<M>, batchSize: Int = 256,
    onUnreadable: (@Sendable (M.PrimaryKey?, StorageError) throws -> Void)? = nil
  ) -> ObjectStream<M> {
    ObjectStream(source: .newest(self), query: selection.streamed, batchSize: batchSize, onUnreadable: onUnreadable)
  }
}

extension FrozenStore {
  /// The objects of the selection in this state, for `for try await`. See ``Store/stream(_:batchSize:onUnreadable:)``.
  public func stream<M: Model>(
    _ selection: some Selection<M>, batchSize: Int = 256,
    onUnreadable: (@Sendable (M.PrimaryKey?, StorageError) throws -> Void)? = nil
  ) -> ObjectStream<M> {
    ObjectStream(source: .pinned(self), query: selection.streamed, batchSize: batchSize, onUnreadable: onUnreadable)
  }
}

extension Selection {
  /// The query, or one that throws what ``inOrderOfQuery(_:)`` throws.
  fileprivate var streamed: Query<Object> {
    var result = query
    do throws(StorageError) { result = try inOrderOfQuery("streams") } catch { result.failure = error }
    return result
  }
}
