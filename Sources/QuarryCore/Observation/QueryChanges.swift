import QuarryBackend
public import QuarryQuery

/// The changes of a query: the current objects, then one change for each commit that changes them.
///
/// See ``Store/changes(of:)-swift.method``. Each iterator observes separately, starting with its first element. It ends when it
/// is released, its task is cancelled or the store is closed.
public struct QueryChanges<Object: Sendable>: AsyncSequence, Sendable {
  public typealias Element = QueryChange<Object>

  let begin: @Sendable () throws -> ChangeReader<Object>

  public func makeAsyncIterator() -> Iterator { Iterator(begin) }

  /// Waits for changes.
  public struct Iterator: AsyncIteratorProtocol {
    private let begin: @Sendable () throws -> ChangeReader<Object>
    private var reader: ChangeReader<Object>?
    private var isEnded = false

    init(_ begin: @escaping @Sendable () throws -> ChangeReader<Object>) {
      self.begin = begin
    }

    /// The next change, waited for; nil when the task was cancelled or the store closed.
    ///
    /// - Throws: As ``next(isolation:)``.
    public mutating func next() async throws -> QueryChange<Object>? {
      try await next(isolation: nil)
    }

    /// The next change, waited for; nil when the task was cancelled or the store closed.
    ///
    /// - Parameter actor: The actor on which the caller continues; nil for none.
    /// - Throws: The reason why the query cannot be observed, or not any more: an error of reading it.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> QueryChange<Object>? {
      guard !isEnded, !Task.isCancelled else { return finish() }
      do {
        let reader: ChangeReader<Object>
        if let begun = self.reader {
          reader = begun
        } else {
          let begin = begin
          reader = try await Store.onThread { try begin() }
          self.reader = reader
        }
        while true {
          var next = reader.next(reads: false)
          if case .needsRead = next { next = try await Store.onThread { reader.next(reads: true) } }
          switch next {
          case .change(let change): return change
          case .ended(let failure):
            _ = finish()
            if let failure { throw failure }
            return nil
          case .nothing, .needsRead: await reader.observer.wait(isolation: actor)
          }
          if Task.isCancelled { return finish() }
        }
      } catch is CancellationError {
        return finish()
      } catch {
        _ = finish()
        throw error
      }
    }

    private mutating func finish() -> QueryChange<Object>? {
      isEnded = true
      reader?.observer.cancel()
      reader = nil
      return nil
    }
  }
}

extension Store {
  /// The changes of a selection's objects: first the current objects, then one change for each commit that changes them.
  ///
  /// Changes come in the order of commits, each after its commit is as durable as declared. A consumer that is more than 64
  /// commits behind receives the changes since its last one as one. For a query with a limit, an offset or a path to other
  /// objects, and for ``Links``, the newest objects are read again and compared.
  ///
  /// - Parameter selection: A query, the ``Many`` of an object, or its ``Links``.
  /// - Returns: A sequence that observes from its first element on. An error of reading the objects ends it.
  /// - Complexity: The objects and their rows are in memory as long as they are observed. A commit costs in proportion to its
  ///   changes; where the objects are read again, as much as reading them.
  public func changes<M: Model>(of selection: some Selection<M>) -> QueryChanges<M> {
    changes(of: selection, names: nil)
  }

  /// The changes of some columns of a selection's objects. Changes in other columns alone are delivered with the next change that
  /// counts.
  ///
  /// - Parameters:
  ///   - selection: A query, the ``Many`` of an object, or its ``Links``.
  ///   - first: A column whose changes count.
  ///   - others: Further such columns.
  public func changes<M: Model, V: Storable, each W: Storable>(
    of selection: some Selection<M>, keyPaths first: KeyPath<M.Columns, Column<V>>,
    _ others: repeat KeyPath<M.Columns, Column<each W>>
  ) -> QueryChanges<M> {
    changes(of: selection, names: M.names(of: first, repeat each others))
  }

  /// The changes of every object of the model.
  ///
  /// - Parameter type: The model.
  public func changes<M: Model>(of type: M.Type) -> QueryChanges<M> {
    changes(of: Query(M.self))
  }

  /// The changes of the objects of a query by names, as records.
  ///
  /// - Parameter query: The objects, by the name of their model. An unknown name is `invalidQuery` at the first element.
  public func changes(of query: QueryTree) -> QueryChanges<Record> {
    QueryChanges { [self] in try recordChanges(query) }
  }

  private func changes<M: Model>(of selection: some Selection<M>, names: [String]?) -> QueryChanges<M> {
    QueryChanges { [self] in try objectChanges(selection, names) }
  }

  // MARK: - Parts

  func objectChanges<M: Model>(
    _ selection: some Selection<M>, _ names: [String]?, key: Key? = nil, whenFilled: (@Sendable () -> Void)? = nil
  ) throws -> ChangeReader<M> {
    let binding = try context.binding(M.self)
    do throws(StorageError) {
      var observed = ObservedQuery(tree: try selection.query.checked(), isTyped: true, names: names, key: key)
      observed.list = try selection.list?.rows()
      let observer = try QueryObserver(self, observed, whenFilled: whenFilled)
      return ChangeReader(observer) { row throws(StorageError) -> M in
        try row.bytes.withBytes { bytes throws(StorageError) in try ModelReader(bytes, binding).object(M.self) }
      }
    } catch {
      throw error.with(model: binding.name)
    }
  }

  func recordChanges(
    _ query: QueryTree, whenFilled: (@Sendable () -> Void)? = nil
  ) throws -> ChangeReader<Record> {
    let observer = try QueryObserver(self, ObservedQuery(tree: query, isTyped: false), whenFilled: whenFilled)
    let plan = observer.rows.plan
    let names = RecordNames(plan.model.liveSlots.map { ByteString(plan.model.properties[$0].name) })
    return ChangeReader(observer) { row throws(StorageError) -> Record in
      try row.bytes.withBytes { bytes throws(StorageError) in
        Record(
          names: names, values: try ReadTransaction.values(bytes, plan.model.liveSlots, plan.layout, plan.model))
      }
    }
  }
}

extension Model {
  static func names<V: Storable, each W: Storable>(
    of first: KeyPath<Columns, Column<V>>, _ others: repeat KeyPath<Columns, Column<each W>>
  ) -> [String] {
    let all = Columns()
    var names = [all[keyPath: first].name]
    for other in repeat each others { names.append(all[keyPath: other].name) }
    return names
  }
}
