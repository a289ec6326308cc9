import QuarryBackend
import Synchronization

/// The change sets of a store after a position, and then each new one. See ``Store/historyUpdates(after:)``.
public struct HistoryUpdates: AsyncSequence, Sendable {
  public typealias Element = HistorySet

  /// Where an iterator begins.
  enum Start: Sendable {
    case position(HistoryPosition?)
    case reader(String)
  }

  let store: Store
  let start: Start

  public func makeAsyncIterator() -> Iterator { Iterator(store: store, start: start) }

  /// Waits for change sets.
  public struct Iterator: AsyncIteratorProtocol {
    private let store: Store
    private var start: Start?
    /// The end of the last page.
    private var position: HistoryPosition?
    private var observer: CommitObserver?
    private var page: ArraySlice<HistorySet> = []
    private var schemas: HistorySchemas?
    /// Whether commits may have come since the log was read.
    private var isBehind = true
    private var isEnded = false

    init(store: Store, start: Start) {
      self.store = store
      self.start = start
    }

    /// The next change set, waited for; nil when the task was cancelled or the store closed.
    ///
    /// - Throws: As ``next(isolation:)``.
    public mutating func next() async throws -> HistorySet? {
      try await next(isolation: nil)
    }

    /// The next change set, waited for; nil when the task was cancelled or the store closed.
    ///
    /// - Parameter actor: The actor on which the caller continues; nil for none.
    /// - Throws: As ``StoreHistory/callAsFunction(after:limit:)``. Nothing follows an error.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> HistorySet? {
      while !isEnded, !Task.isCancelled {
        if let set = page.popFirst() { return set }
        do {
          if isBehind { try await read(isolation: actor) } else { try await wait(isolation: actor) }
        } catch is CancellationError {
          break
        } catch {
          end()
          if (error as? StorageError)?.code == .closed { return nil }
          throw error
        }
      }
      end()
      return nil
    }

    /// Reads the next page. Commits after the reading are noticed, because they are observed before it.
    private mutating func read(isolation actor: isolated (any Actor)?) async throws {
      let (store, start, position, known) = (store, start, position, schemas)
      let observer = self.observer ?? CommitObserver(store)
      self.observer = observer
      let (page, schemas) = try await Store.onThread(isolation: actor) { () throws -> (HistoryPage, HistorySchemas?) in
        var schemas = known
        var position = position
        switch start {
        case .position(let first): position = first
        case .reader(let name): position = try store.beginReader(name)
        case nil: break
        }
        let page = try store.history.page(after: position, limit: .max, &schemas)
        return (page, schemas)
      }
      self.start = nil
      self.schemas = schemas
      self.page = page.sets[...]
      self.position = page.end
      isBehind = !page.isLast
    }

    private mutating func wait(isolation actor: isolated (any Actor)?) async throws {
      guard let observer else { return }
      while !Task.isCancelled {
        switch observer.take() {
        case .pending: isBehind = true
        case .ended(let failure):
          if let failure { throw failure }
          return end()
        case .nothing:
          if isBehind { return }
          await observer.wait(isolation: actor)
        }
      }
    }

    private mutating func end() {
      isEnded = true
      observer?.cancel()
      observer = nil
      page = []
    }
  }
}

extension Store {
  /// The change sets after a position, and then each new one as it is committed, also by other processes.
  ///
  /// A process that stores the position of the last change set that it has done continues where it stopped. Each change set comes
  /// at least once.
  ///
  /// - Parameter position: The position of the last change set that was done; nil for all that remain.
  public func historyUpdates(after position: HistoryPosition?) -> HistoryUpdates {
    HistoryUpdates(store: self, start: .position(position))
  }

  /// The change sets that a named reader has not acknowledged, and then each new one as it is committed.
  ///
  /// A reader that is new begins behind the newest change set. Change sets stay in the history until the reader acknowledges
  /// them: ``StoreHistory/acknowledge(_:as:)``, ``WriteTransaction/acknowledge(_:as:)``.
  ///
  /// - Parameter reader: The name of the reader, which is added where it is new.
  public func historyUpdates(as reader: String) -> HistoryUpdates {
    HistoryUpdates(store: self, start: .reader(reader))
  }

  /// The position of a named reader, which is added where it is new.
  fileprivate func beginReader(_ name: String) throws -> HistoryPosition {
    func stored(_ tx: ReadTransaction) throws(StorageError) -> HistoryPosition? {
      guard let models = HistoryModels(tx.backend.schema) else { throw .noHistory }
      return try HistoryReaders(models).position(name, in: tx.backend)
    }
    if let position = try reading({ tx throws(StorageError) in try stored(tx) }) { return position }
    return try writing { tx throws(StorageError) in
      if let position = try stored(tx) { return position }
      guard let models = HistoryModels(tx.backend.schema) else { throw .noHistory }
      let newest = HistoryPosition(try HistoryState(models, tx.backend).next - 1)
      try tx.acknowledge(newest, as: name)
      return newest
    }
  }
}
