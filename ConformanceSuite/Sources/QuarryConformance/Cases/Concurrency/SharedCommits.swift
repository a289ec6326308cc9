import Foundation
import QuarryBackend
import QuarryCore
import Synchronization

/// A place whose commits are said to wait for the disk, so that writers share them on every engine. It counts commits, and
/// fails one, or the undoing of a savepoint, when it is told to.
final class SharedCommits: BackendProvider {
  struct State {
    var commits = 0
    var failsCommits = false
    var failsUndoing = false
    var failsSavepoints = false
    /// With what an insertion ends the transaction, as an engine does whose disk is full.
    var insertionEnds: StorageError?
    /// Is called before a commit.
    var beforeCommit: (@Sendable () -> Void)?
  }

  private let inner: any BackendProvider
  private let state = Mutex(State())

  init(_ inner: any BackendProvider) {
    self.inner = inner
  }

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    SharedCommitsBackend(try inner.open(options), self)
  }

  func set<V: Sendable>(_ path: any WritableKeyPath<State, V> & Sendable, _ value: V) {
    state.withLock { $0[keyPath: path] = value }
  }

  func get<V: Sendable>(_ path: any KeyPath<State, V> & Sendable) -> V { state.withLock { $0[keyPath: path] } }

  fileprivate func add(_ path: WritableKeyPath<State, Int>) { state.withLock { $0[keyPath: path] += 1 } }
}

private final class SharedCommitsBackend: ForwardingBackend, @unchecked Sendable {
  // Unchecked as its superclass is: the field is immutable and Sendable.
  private let place: SharedCommits

  init(_ backend: any Backend, _ place: SharedCommits) {
    self.place = place
    super.init(backend)
  }

  override var manifest: BackendManifest {
    var manifest = inner.manifest
    manifest.durability = .powerLoss
    return manifest
  }

  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    SharedCommitsWriter(try inner.beginWrite(options), place)
  }
}

private final class SharedCommitsWriter: ForwardingWriteTransaction {
  private let place: SharedCommits

  init(_ writer: any BackendWriteTransaction, _ place: SharedCommits) {
    self.place = place
    super.init(writer: writer)
  }

  override func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    if let error = place.get(\.insertionEnds) {
      super.rollback()
      throw error
    }
    try super.insert(model, rows)
  }

  override func savepoint() throws(StorageError) {
    if place.get(\.failsSavepoints) { throw StorageError(.io, "told to fail") }
    try super.savepoint()
  }

  override func rollbackSavepoint() throws(StorageError) {
    try super.rollbackSavepoint()
    if place.get(\.failsUndoing) { throw StorageError(.io, "told to fail") }
  }

  override func commit() throws(StorageError) -> CommitResult {
    place.get(\.beforeCommit)?()
    place.add(\.commits)
    if place.get(\.failsCommits) {
      super.rollback()
      throw StorageError(.io, "told to fail")
    }
    return try super.commit()
  }
}

/// Writers that wait in a known order behind one that is long, so that they share what they may when it ends.
struct WaitingWriters {
  struct Writer: Sendable {
    var isTask = false
    var isAlone = false
    var timeout: Double?
    let body: @Sendable (WriteTransaction) throws -> Void
  }

  /// How the call of a writer ended; nil while it has not.
  typealias Outcome = Result<Void, any Error>?

  /// The bodies ran in another order than the calls were meant to come in: on a busy machine one call overtook another on
  /// its way to the line, and nothing can be said of what came of it.
  struct OutOfOrder: Error {}

  private final class Outcomes: Sendable {
    let list: Mutex<[Outcome]>
    /// The writers whose bodies have begun, in that order.
    let begun = Mutex<[Int]>([])
    init(_ count: Int) { list = Mutex(Array(repeating: nil, count: count)) }
  }

  private static let threadKey = "quarry.waiting-writer"

  /// The number of the writer whose thread this is; nil for one that is no writer's.
  static var ofThisThread: Int? { Thread.current.threadDictionary[threadKey] as? Int }

  let store: Store
  private let outcomes: Outcomes
  private let holder: ScriptedTransaction

  /// - Parameter pause: Milliseconds between the calls, by which their order is told apart.
  init(_ store: Store, _ writers: [Writer], pause: Int) async throws {
    self.store = store
    holder = try ScriptedTransaction.write(store)
    let outcomes = Outcomes(writers.count)
    self.outcomes = outcomes
    for (number, writer) in writers.enumerated() {
      let body: @Sendable (WriteTransaction) throws -> Void = { tx in
        outcomes.begun.withLock { $0.append(number) }
        try writer.body(tx)
      }
      if writer.isTask {
        _ = Task.ofCase {
          let outcome: Result<Void, any Error>
          do {
            outcome = .success(
              try await store.write(timeout: writer.timeout ?? 60, alone: writer.isAlone) { try body($0) })
          } catch {
            outcome = .failure(error)
          }
          outcomes.list.withLock { $0[number] = outcome }
        }
      } else {
        Thread {
          Thread.current.threadDictionary[Self.threadKey] = number
          let outcome = Result<Void, any Error> {
            try store.write(timeout: writer.timeout ?? 60, alone: writer.isAlone) { try body($0) }
          }
          outcomes.list.withLock { $0[number] = outcome }
        }.start()
      }
      try await Task.sleep(for: .milliseconds(pause))
    }
  }

  /// How the calls have ended that have.
  var ended: [Outcome] { outcomes.list.withLock { $0 } }

  /// Lets them in.
  func begin() throws { try holder.commit() }

  /// Lets them in, and waits until all calls have ended.
  ///
  /// - Throws: ``OutOfOrder``.
  func run() async throws -> [Result<Void, any Error>] {
    try begin()
    return try await all()
  }

  /// Waits until all calls have ended.
  ///
  /// - Throws: ``OutOfOrder``.
  func all() async throws -> [Result<Void, any Error>] {
    let end = ContinuousClock.now + .seconds(50)
    while ended.contains(where: { $0 == nil }) {
      try expect(ContinuousClock.now < end, "the writers \(ended.indices.filter { ended[$0] == nil }) were forgotten")
      try await Task.sleep(for: .milliseconds(2))
    }
    let begun = outcomes.begun.withLock { $0 }
    guard begun == begun.sorted() else { throw OutOfOrder() }
    return ended.compactMap { $0 }
  }
}
