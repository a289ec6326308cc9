package import QuarryBackend
import Synchronization

/// Counts the reads that a store asks its engine for.
package final class CountingProvider: BackendProvider {
  /// How many there were of each kind, since the last time that somebody asked.
  package struct Counts: Equatable {
    var row = 0
    var rows = 0
    var cursor = 0
    package var all: Int { row + rows + cursor }
  }

  private let inner: any BackendProvider
  private let counts = Mutex(Counts())

  package init(_ inner: any BackendProvider) {
    self.inner = inner
  }

  package func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    CountingBackend(try inner.open(options), self)
  }

  /// The counts, which begin anew.
  package func take() -> Counts {
    counts.withLock { counts in
      defer { counts = Counts() }
      return counts
    }
  }

  fileprivate func note(_ kind: WritableKeyPath<Counts, Int>) { counts.withLock { $0[keyPath: kind] += 1 } }
}

private final class CountingBackend: BackendLayer, @unchecked Sendable {
  // Unchecked as its superclass is: the field is immutable and Sendable.
  private let provider: CountingProvider

  init(_ backend: any Backend, _ provider: CountingProvider) {
    self.provider = provider
    super.init(backend)
  }

  override func readHooks() -> (any TransactionHooks)? { CountingHooks(provider: provider) }
}

private struct CountingHooks: TransactionHooks {
  let provider: CountingProvider

  func row(_ base: Reader, _ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError)
    -> UnsafeRawBufferPointer?
  {
    provider.note(\.row)
    return try base.row(model, key)
  }

  func rows(
    _ base: Reader, _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    provider.note(\.rows)
    try base.rows(model, keys, body)
  }

  func missing(_ base: Reader, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int] {
    provider.note(\.rows)
    return try base.missing(model, keys)
  }

  func answers(_ base: Reader, _ questions: [ReadQuestion]) throws(StorageError) -> [ReadAnswer] {
    try answersByAsking(base, questions)
  }

  func cursor(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    provider.note(\.cursor)
    return try base.cursor(query)
  }

  /// Conditions on other models are read and counted, on engines too that decide them.
  func decidesSubqueries(
    _ base: Reader, _ predicate: BoundPredicate, of model: ModelID
  ) throws(StorageError) -> Bool { false }
}
