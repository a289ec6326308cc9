public import Foundation
public import QuarryBackend

/// One committed state of a store, for the time of a closure: see ``Store/read(_:)-swift.method``.
///
/// It belongs to the thread of its closure. Used after the closure it throws `transactionEnded`, used on another thread
/// `wrongThread`.
public class ReadTransaction {
  @usableFromInline let store: Store
  @usableFromInline let backend: any BackendReadTransaction
  // Unchecked exclusivity: read on every call, written once at the end, on the one thread.
  @exclusivity(unchecked) @usableFromInline var isEnded = false
  @usableFromInline let thread: pthread_t

  init(_ store: Store, _ backend: any BackendReadTransaction) {
    self.store = store
    self.backend = backend
    thread = pthread_self()
  }

  func end() {
    guard !isEnded else { return }
    isEnded = true
    backend.end()
  }

  /// Throws unless the transaction may be used here and now.
  @inlinable
  final func check() throws(StorageError) {
    if isEnded || pthread_equal(thread, pthread_self()) == 0 { throw misuse() }
  }

  @usableFromInline
  final func misuse() -> StorageError {
    isEnded
      ? StorageError(.transactionEnded, "the transaction has ended")
      : StorageError(.wrongThread, "the transaction belongs to another thread")
  }

  /// The place of the state that is read in the order of commits.
  public final var version: CommitVersion {
    get throws(StorageError) {
      try check()
      return try backend.version()
    }
  }

  /// The query with names as slots.
  final func bind<M: Model>(
    _ query: Query<M>, _ binding: ModelBinding, projection: [String]? = nil
  ) throws(StorageError) -> BoundQuery {
    do throws(StorageError) {
      return try binding.binder.bind(query.checked(), projection: projection)
    } catch {
      throw error.with(model: binding.name)
    }
  }

  /// Opens a cursor over the rows of a query.
  @usableFromInline
  final func rows<M: Model>(
    _ query: Query<M>, _ binding: ModelBinding, projection: [String]? = nil
  ) throws(StorageError) -> any RowCursor {
    try backend.cursor(bind(query, binding, projection: projection))
  }
}

/// Room for a batch of lent rows.
@usableFromInline
struct RowPointers: ~Copyable {
  @usableFromInline static let batch = 64
  @usableFromInline let buffer: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>

  @inlinable
  init() {
    buffer = .allocate(capacity: RowPointers.batch)
  }

  // Inlinable, because `forEach` is: the compiler stops with an assertion when it may inline the one and not the other.
  @inlinable
  deinit {
    buffer.deallocate()
  }
}

extension RowCursor {
  /// Calls the body with every row, until it returns false; closes the cursor.
  @inlinable
  func forEach(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> Bool) throws(StorageError) {
    defer { close() }
    let pointers = RowPointers()
    while true {
      let count = try fill(pointers.buffer)
      guard count > 0 else { return }
      for index in 0..<count {
        guard try body(pointers.buffer[index]) else { return }
      }
    }
  }
}
