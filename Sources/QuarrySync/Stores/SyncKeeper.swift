import Foundation
import QuarryBackend
import QuarryCore
import Synchronization

/// Keeps the records of a synced store: each write that changes synced models becomes an entry in the same transaction.
final class SyncKeeper: CommitParticipant {
  /// Of this opening: answers to an earlier one change nothing. Not used where ``isShared``.
  private let session = Mutex(UInt64.random(in: .min ... .max))
  /// Whether all processes that have the store open are one replica to its peers, of which any may answer a request.
  private let isShared: Bool
  private let known = Mutex<StoredSchema?>(nil)
  /// The bytes of the state that were read last, which mostly are those that are read next.
  private let lastState = Mutex<(bytes: [UInt8], state: StoredState)?>(nil)
  private let captured = Mutex(Capture.none)
  /// The version of the schema for which all synced models are known to be captured. Other processes may add models.
  private let watched = Atomic<UInt64>(.max)
  /// What the changes of each peer have removed since both last knew the same: SYNC-38.
  private let removals = Mutex<[ReplicaID: [SyncName: Int]]>([:])
  private let resolvers = Mutex<[String: StoredResolver]>([:])
  private let decide = Mutex<(@Sendable (SyncChange, SyncPrincipal?) -> SyncDecision)?>(nil)
  private let given = Mutex(SyncParts())
  let environment: SyncEnvironment
  /// The most bytes of a model's rows before and after that a transaction may change.
  private static let captureBytes = 64 << 20

  init(_ environment: SyncEnvironment, isShared: Bool) {
    self.environment = environment
    self.isShared = isShared
  }

  static let systemEnvironment = SyncEnvironment(now: { UInt64(max(0, Date().timeIntervalSince1970 * 1_000)) })

  // MARK: The pipeline

  var demand: Capture { captured.withLock { $0 } }

  func prepare(_ changes: ChangeSet, in transaction: any BackendWriteTransaction) throws(StorageError) {
    let isWatched = watched.load(ordering: .relaxed) == transaction.schemaVersion
    guard !changes.isEmpty || !isWatched, let stored = try stored(in: transaction) else { return }
    var state = stored.state
    // Where the schema was changed, writes of other models go on until the store is continued.
    if changes.isEmpty, state.schemaVersion != transaction.schemaVersion { return }
    let schema = try schema(of: transaction, state)
    if !isWatched, state.schemaVersion == transaction.schemaVersion {
      try requireCapture(of: schema)
      // The write began before sync was continued in this process.
      guard !changes.isUnknown else { throw Self.uncaptured(nil) }
    }
    guard !changes.isUnknown else {
      throw state.schemaVersion == transaction.schemaVersion ? Self.unknownChanges(nil) : Self.changedSchema
    }
    guard !changes.isEmpty else { return }
    guard changes.models.keys.contains(where: { schema.byID[$0] != nil }) else { return }
    try state.requireSchema(of: transaction)
    let short = ShortWrite(schema, state, stored.head, environment, transaction, asksAtOnce: isShared)
    if try short.run(changes) { return }
    state.head = stored.head
    var local: [LocalChange] = []
    for (id, changed) in changes.models {
      guard let name = schema.byID[id], let table = schema.tables[name] else { continue }
      guard case .objects(let objects) = changed else { throw Self.unknownChanges(table.schema.name) }
      if let links = try LinkNumbering.local(
        objects, table, schema.area, state.numbers, random: environment.random, in: transaction)
      {
        local += links
        continue
      }
      for change in objects { local.append(try Self.local(change, table)) }
    }
    guard !local.isEmpty else { return }
    let overrides = Dictionary(local.map { ($0.object, $0.before) }) { first, _ in first }
    let work = StoredWork(
      schema, state, transaction, environment, session: session(of: state), overrides: overrides)
    try work.load(local.map(\.object))
    try work.run { replica throws(StorageError) in _ = try replica.record(local) }
  }

  /// Throws `unsupported` where another process has turned sync on for models whose changes nothing has captured.
  private func requireCapture(of schema: StoredSchema) throws(StorageError) {
    let captured = captured.withLock { Set($0.models.keys) }
    if let (_, name) = schema.byID.first(where: { !captured.contains($0.key) }) {
      throw Self.uncaptured(schema.tables[name]?.schema.name)
    }
    watched.store(schema.version, ordering: .relaxed)
  }

  private static func uncaptured(_ model: String?) -> StorageError {
    StorageError(
      .unsupported, "sync was turned on elsewhere: call enableSync(), so that writes are recorded for the other stores",
      model: model)
  }

  private static let changedSchema = StorageError(
    .unsupported,
    "no write of a synced store changes its schema: open the store with the changed models, then call enableSync()")

  private static func unknownChanges(_ model: String?) -> StorageError {
    StorageError(
      .limitExceeded,
      "one transaction changed more than \(captureBytes >> 20) MiB of synced objects: write them in several transactions",
      model: model)
  }

  private static func local(_ change: ChangeSet.Change, _ table: RowTable) throws(StorageError) -> LocalChange {
    func row(_ row: Row?) throws(StorageError) -> (ObjectID, SyncRow)? {
      guard let row else { return nil }
      return try row.bytes.withBytes { (bytes) throws(StorageError) in try table.object(bytes) }
    }
    let (old, new) = (try row(change.old), try row(change.new))
    guard let object = old?.0 ?? new?.0, (old == nil) == (change.kind == .insertion),
      (new == nil) == (change.kind == .deletion)
    else { throw unknownChanges(table.schema.name) }
    return LocalChange(object, before: old?.1, after: new?.1)
  }

  // MARK: The state

  /// The session in which a store with this state exchanges changes.
  func session(of state: StoredState) -> UInt64 { isShared ? state.sharedSession : session.withLock { $0 } }

  /// Notes a new session of the replica: it has a new name, or a new hub.
  func note(session new: UInt64) { session.withLock { $0 = new } }

  func removals(by peer: ReplicaID?, allowed: Int) -> Removals {
    Removals(allowed: allowed, peer.flatMap { peer in removals.withLock { $0[peer] } } ?? [:])
  }

  /// Notes what a peer has removed; none where both know the same.
  func note(_ new: Removals?, by peer: ReplicaID?) {
    guard let peer else { return }
    removals.withLock { $0[peer] = new?.counts.isEmpty == false ? new?.counts : nil }
  }

  /// The program of a hub: ``StoreSync/authorize(_:)``.
  var program: (@Sendable (SyncChange, SyncPrincipal?) -> SyncDecision)? { decide.withLock { $0 } }

  func setProgram(_ new: @escaping @Sendable (SyncChange, SyncPrincipal?) -> SyncDecision) {
    decide.withLock { $0 = new }
  }

  /// The resolvers of a hub by the names of models: ``StoreSync/resolve(_:by:)``.
  var allResolvers: [String: StoredResolver] { resolvers.withLock { $0 } }

  func setResolver(_ new: @escaping StoredResolver, of model: String) { resolvers.withLock { $0[model] = new } }

  /// The parts of a hub: ``StoreSync/part(_:_:)``.
  var parts: SyncParts { given.withLock { $0 } }

  func add(_ parts: SyncParts) { given.withLock { $0.add(parts) } }

  /// The stored state; nil before the rows of the store were recorded.
  func state(in transaction: any BackendReadTransaction) throws(StorageError) -> StoredState? {
    guard let stored = try stored(in: transaction) else { return nil }
    var state = stored.state
    state.head = stored.head
    return state
  }

  /// The state as it is stored: what each write changes is in the head.
  private func stored(
    in transaction: any BackendReadTransaction
  ) throws(StorageError) -> (state: StoredState, head: StoredHead)? {
    let version = transaction.schemaVersion
    let known = known.withLock { $0?.version == version ? $0?.area : nil }
    guard let area = known ?? SyncArea(transaction.schema) else { return nil }
    // A server is asked once for both.
    let both = isShared ? try area.values([AreaKey.state, AreaKey.head], in: transaction) : []
    guard let bytes = try isShared ? both[0] : area.value(AreaKey.state, in: transaction) else { return nil }
    let state: StoredState
    if let last = lastState.withLock({ $0?.bytes == bytes ? $0?.state : nil }) {
      state = last
    } else {
      state = try StoredState(decoding: bytes)
      lastState.withLock { [state] in $0 = (bytes, state) }
    }
    guard state.hasClocks else { return (state, state.head) }
    guard let head = try isShared ? both[1] : area.value(AreaKey.head, in: transaction) else {
      throw SyncReader.damaged
    }
    return (state, try head.withBytes { bytes throws(StorageError) in try StoredHead(decoding: bytes) })
  }

  /// The synced models in the schema of a transaction.
  func schema(of transaction: any BackendReadTransaction, _ state: StoredState) throws(StorageError) -> StoredSchema {
    let version = transaction.schemaVersion
    if let known = known.withLock({ $0 }), known.version == version, known.ordered.count == state.models.count,
      known.merges == state.merges
    {
      return known
    }
    let schema = try StoredSchema(transaction.schema, state.models, state.merges)
    known.withLock { $0 = schema }
    return schema
  }

  /// Begins to capture the changes of the synced models.
  func watch(_ schema: StoredSchema) {
    var capture = Capture(.none)
    for model in schema.byID.keys { capture.models[model] = .rows }
    capture.limit = Self.captureBytes
    captured.withLock { [capture] in $0 = capture }
    known.withLock { $0 = schema }
  }

  /// The records of a store for questions.
  func work(in transaction: any BackendReadTransaction) throws(StorageError) -> StoredWork {
    guard let state = try state(in: transaction) else { throw .notSynced }
    return try work(on: state, in: transaction)
  }

  /// The records of a store for a change of them.
  ///
  /// - Throws: `unsupported` where the schema was changed since the rows were recorded.
  func workToChange(in writer: any BackendWriteTransaction) throws(StorageError) -> StoredWork {
    guard let state = try state(in: writer) else { throw .notSynced }
    try state.requireSchema(of: writer)
    return try work(on: state, in: writer)
  }

  private func work(
    on state: StoredState, in transaction: any BackendReadTransaction
  ) throws(StorageError) -> StoredWork {
    let schema = try schema(of: transaction, state)
    let work = StoredWork(schema, state, transaction, environment, session: session(of: state))
    if state.role == .hub { work.resolved = schema.models(named: allResolvers.keys) }
    return work
  }
}
