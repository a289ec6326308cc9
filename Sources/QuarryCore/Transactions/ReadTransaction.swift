public import Foundation
public import QuarryBackend

/// One committed state of a store, for the time of a closure: see ``ReadableStore/read(_:)-swift.method``.
///
/// It belongs to the thread of its closure. Used after the closure it throws `transactionEnded`, used on another thread
/// `wrongThread`.
public class ReadTransaction {
  @usableFromInline let context: StoreContext
  @usableFromInline let backend: any BackendReadTransaction
  // Unchecked exclusivity: read on every call, and written on the one thread alone.
  @exclusivity(unchecked) @usableFromInline final var phase = Phase.open
  /// Why a transaction that has failed takes no calls.
  private(set) var failure: StorageError?
  @usableFromInline let thread: pthread_t
  /// Whether a call has read a sequence that may give its elements only once.
  @exclusivity(unchecked) @usableFromInline final var hasReadSequence = false

  /// Whether the transaction accepts calls, all in one place, so that a call checks one thing.
  @usableFromInline
  enum Phase: UInt8 {
    case open
    /// A value of the caller's is turned into a stored one or back, by code of the caller's.
    case coding
    /// The effect of an undone savepoint is not known, so that only a rollback of everything can follow.
    case failed
    case ended
  }

  init(_ context: StoreContext, _ backend: any BackendReadTransaction) {
    self.context = context
    self.backend = backend
    thread = pthread_self()
  }

  func end() {
    guard phase != .ended else { return }
    phase = .ended
    backend.end()
  }

  /// Permits only the end from now on; every other call throws the error.
  func fail(_ error: StorageError) {
    failure = error
    phase = .failed
  }

  /// Throws unless the transaction may be used here and now.
  @inlinable
  final func check() throws(StorageError) {
    if phase != .open || pthread_equal(thread, pthread_self()) == 0 { throw misuse() }
  }

  @usableFromInline
  final func misuse() -> StorageError {
    if phase == .ended { return .ended }
    if pthread_equal(thread, pthread_self()) == 0 {
      return StorageError(.wrongThread, "the transaction belongs to another thread")
    }
    return failure ?? .whileCoding
  }

  /// Begins to convert values to their stored form or back, with code of the caller. Rows are lent and half written meanwhile, so
  /// that the transaction takes no calls until ``endCoding()``.
  @inlinable @inline(__always)
  final func beginCoding() { phase = .coding }

  @inlinable @inline(__always)
  final func endCoding() { phase = .open }

  /// Notes that a call reads a sequence, on an engine where the call may be run again.
  @inlinable @inline(__always)
  final func willRead(_ sequence: some Sequence) {
    if context.isConcurrent, !(sequence is any Collection) { hasReadSequence = true }
  }

  /// The place of the state that is read in the order of commits.
  public final var version: CommitVersion {
    get throws(StorageError) {
      try check()
      return try backend.version()
    }
  }

  /// The version of the program's models in the state that is read; 0 where none has one.
  public final var schemaVersion: Int {
    get throws(StorageError) {
      try check()
      return backend.schema.programVersion ?? 0
    }
  }

  /// Reads an object from its row.
  @inlinable
  final func read<M: Model>(_ row: ModelReader) throws(StorageError) -> M {
    beginCoding()
    defer { endCoding() }
    return try row.object(M.self)
  }

  /// The query with names as slots.
  final func bind<M: Model>(
    _ query: Query<M>, _ binding: ModelBinding, projection: [String]? = nil
  ) throws(StorageError) -> BoundQuery {
    do throws(StorageError) {
      return try bind(query.checked(), binding, projection: projection)
    } catch {
      throw error.with(model: binding.name)
    }
  }

  /// The number of rows of a query.
  final func count<M: Model>(_ query: Query<M>, _ binding: ModelBinding) throws(StorageError) -> Int {
    if let keys: ArraySlice<Key> = try keysFoundByWords(query, binding) { return keys.count }
    return try backend.count(bind(query, binding))
  }

  /// See ``PathResolver/keysFoundByWords(_:)``.
  final func keysFoundByWords<M: Model>(
    _ query: Query<M>, _ binding: ModelBinding
  ) throws(StorageError) -> ArraySlice<Key>? {
    guard binding.leadsOn, query.tree.isSearch else { return nil }
    do throws(StorageError) {
      return try PathResolver(self, binding.schema, binding.binder, isTyped: true, pushes: true)
        .keysFoundByWords(query.checked())
    } catch {
      throw error.with(model: binding.name)
    }
  }

  /// Opens a cursor over the rows of a query.
  @usableFromInline
  final func rows<M: Model>(
    _ query: Query<M>, _ binding: ModelBinding, projection: [String]? = nil
  ) throws(StorageError) -> any RowCursor {
    do throws(StorageError) {
      return try rows(query.checked(), binding, projection: projection)
    } catch {
      throw error.with(model: binding.name)
    }
  }
}

extension StorageError {
  static var whileCoding: StorageError {
    StorageError(.reentrant, "code that reads or writes a row cannot use the transaction that runs it")
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
  ///
  /// - Parameter makeRoom: Receives, before the first row, the number of rows to reserve room for: most queries give few rows,
  ///   and an array that grows to fifty is moved six times.
  @inlinable
  package func forEach(
    makeRoom: (Int) -> Void = { _ in }, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Bool
  ) throws(StorageError) {
    defer { close() }
    let pointers = RowPointers()
    var isFirst = true
    while true {
      let count = try fill(pointers.buffer)
      guard count > 0 else { return }
      if isFirst {
        isFirst = false
        makeRoom(count < RowPointers.batch ? count : 2 &* count)
      }
      for index in 0..<count {
        guard try body(pointers.buffer[index]) else { return }
      }
    }
  }
}
