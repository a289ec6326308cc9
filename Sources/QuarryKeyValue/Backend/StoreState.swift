import QuarryBackend
import Synchronization

/// The state that a backend, its snapshots and its transactions share: the cached schemas, and whether the store was closed.
final class StoreState: Sendable {
  /// Versions that are kept, so that transactions of older snapshots do not decode their schema again each time.
  private static let keptVersions = 8

  let manifest: BackendManifest
  var name: String { manifest.name }
  /// Whether the engine counts a range without visiting its entries.
  let countsRanges: Bool
  /// Whether writes and deletions of the engine say what was there before.
  let knowsPresence: Bool
  /// Whether what a transaction that reads lends stays valid until its end.
  let keepsLent: Bool
  /// How keys are stored that are longer than the engine takes; nil where it takes all.
  let longKeys: LongKeyFormat?
  let maximumValueBytes: Int?
  var hasLimits: Bool { maximumValueBytes != nil }
  private let closed = Atomic(false)
  /// The schemas in the order of their versions; never empty.
  private let states: Mutex<[SchemaState]>
  /// What the last write transaction has left for the next one.
  let spareRoom = Spare<StatementRoom>()

  init(
    _ manifest: BackendManifest, _ properties: KeyValueEngineProperties, _ longKeys: LongKeyFormat?, _ schema: Schema
  ) {
    self.manifest = manifest
    countsRanges = properties.countsRanges
    knowsPresence = properties.knowsPresence
    keepsLent = properties.keepsLent
    self.longKeys = longKeys
    maximumValueBytes = properties.maximumValueBytes
    states = Mutex([SchemaState(schema)])
  }

  var isClosed: Bool { closed.load(ordering: .relaxed) }

  func close() {
    closed.store(true, ordering: .relaxed)
  }

  // MARK: Which schema a state has

  /// The newest state whose schema was checked, and its version: written under the lock, from older to newer.
  private let seenState = Atomic<UInt64>(.max)
  private let seenSchema = Atomic<UInt64>(0)
  private let noting = Mutex(())

  /// The version of the schema of a state, or a later one; nil if the state was not the last one checked.
  func schemaVersion(at state: CommitVersion) -> UInt64? {
    guard seenState.load(ordering: .acquiring) == state.rawValue else { return nil }
    return seenSchema.load(ordering: .relaxed)
  }

  /// The version of the schema that was checked last.
  var seenSchemaVersion: UInt64 { seenSchema.load(ordering: .acquiring) }

  /// The version of the schema of a state, if it is known.
  ///
  /// - Parameter seen: The value of ``seenSchemaVersion`` from before the state was chosen as the newest. So the state's schema
  ///   is that version or a later one. If the version known for it now is still the same, it is exactly that one.
  func schemaVersion(at state: CommitVersion, from seen: UInt64) -> UInt64? {
    schemaVersion(at: state) == seen ? seen : nil
  }

  /// Remembers the version of a state's schema, unless the version of a newer state is known.
  func note(schemaVersion: UInt64, at state: CommitVersion) {
    if seenState.load(ordering: .relaxed) == state.rawValue { return }
    noting.withLock { _ in
      let seen = seenState.load(ordering: .relaxed)
      guard seen == .max || seen < state.rawValue else { return }
      // A thread that sees the state sees the schema, too. Schemas only get newer, so a later schema is never taken for an
      // earlier one.
      seenSchema.store(schemaVersion, ordering: .releasing)
      seenState.store(state.rawValue, ordering: .releasing)
    }
  }

  /// The newest schema that is known.
  var newest: SchemaState? { states.withLock { $0.last } }

  /// The schema with that version, if it is in memory.
  func state(version: UInt64) -> SchemaState? {
    states.withLock { states in states.last { $0.schema.version == version } }
  }

  /// Keeps a schema that was committed.
  func keep(_ state: SchemaState) {
    states.withLock { states in
      let version = state.schema.version
      guard !states.contains(where: { $0.schema.version == version }) else { return }
      let place = states.firstIndex { $0.schema.version > version } ?? states.endIndex
      states.insert(state, at: place)
      if states.count > Self.keptVersions { states.removeFirst() }
    }
  }
}
