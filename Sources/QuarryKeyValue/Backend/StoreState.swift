import QuarryBackend
import Synchronization

/// What a backend, its snapshots and its transactions share: the schemas that are in memory, and whether the store was
/// closed.
final class StoreState: Sendable {
  /// Versions that are kept, so that transactions of older snapshots do not decode their schema again each time.
  private static let keptVersions = 8

  let name: String
  /// Whether the engine counts a range without visiting its entries.
  let countsRanges: Bool
  /// How keys are stored that are longer than the engine takes; nil where it takes all.
  let longKeys: LongKeyFormat?
  let maximumValueBytes: Int?
  var hasLimits: Bool { maximumValueBytes != nil }
  private let closed = Atomic(false)
  /// The schemas in the order of their versions; never empty.
  private let states: Mutex<[SchemaState]>

  init(_ properties: KeyValueEngineProperties, _ longKeys: LongKeyFormat?, _ schema: Schema) {
    name = properties.name
    countsRanges = properties.countsRanges
    self.longKeys = longKeys
    maximumValueBytes = properties.maximumValueBytes
    states = Mutex([SchemaState(schema)])
  }

  var isClosed: Bool { closed.load(ordering: .relaxed) }

  func close() {
    closed.store(true, ordering: .relaxed)
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
