import QuarryBackend
import QuarryQuery
import Synchronization

/// Results of queries, kept until a commit touches a model that they depend on, or their time is over. If they take more bytes
/// than allowed, the least recently used ones are removed first.
final class QueryCache: Sendable {
  /// A query of objects of one type.
  struct Name: Hashable {
    var type: ObjectIdentifier
    var query: QueryTree
  }

  /// A result.
  struct Entry {
    var objects: any Sendable
    /// Bytes of the rows.
    var byteCount: Int
    /// The state of the store that has these objects.
    var version: CommitVersion
    /// The models that they depend on, held in the hub.
    var models: Set<ModelID>
    var end: Deadline
    /// Greater for results used later.
    var use: UInt64 = 0
  }

  fileprivate struct State {
    var entries: [Name: Entry] = [:]
    var byteCount = 0
    var limit = QueryCache.defaultLimit
    var uses: UInt64 = 0
  }

  static let defaultLimit = 16 << 20

  private let state = Mutex(State())
  private let hub: ObservationHub

  init(_ hub: ObservationHub) {
    self.hub = hub
  }

  /// The most bytes of rows whose objects are kept.
  var limit: Int {
    get { state.withLock { $0.limit } }
    set {
      change { state in
        state.limit = Swift.max(0, newValue)
        return state.shrink()
      }
    }
  }

  /// Bytes of the rows whose objects are kept.
  var byteCount: Int { state.withLock { $0.byteCount } }

  /// The result kept under a name, if it is still current in the newest state.
  func objects(_ name: Name, at newest: CommitVersion) -> (any Sendable)? {
    var found: (any Sendable)?
    change { state in
      guard let entry = state.entries[name] else { return [] }
      guard !entry.end.hasPassed, hub.isUnaffected(entry.models, after: entry.version, upTo: newest) else {
        return state.remove(name)
      }
      state.uses += 1
      state.entries[name]?.use = state.uses
      found = entry.objects
      return []
    }
    return found
  }

  /// Keeps a result whose models are held in the hub. They are released with it.
  func keep(_ entry: Entry, _ name: Name) {
    change { state in
      guard entry.byteCount <= state.limit else { return [entry.models] }
      let replaced = state.remove(name)
      state.uses += 1
      var entry = entry
      entry.use = state.uses
      state.entries[name] = entry
      state.byteCount += entry.byteCount
      return replaced + state.shrink()
    }
  }

  /// Releases all results of a type; of every type when nil.
  func clear(_ type: ObjectIdentifier? = nil) {
    change { state in
      var gone: [Set<ModelID>] = []
      for name in state.entries.keys where type == nil || name.type == type { gone += state.remove(name) }
      return gone
    }
  }

  /// - Parameter body: Gives the models that are not needed any more.
  private func change(_ body: (inout State) -> [Set<ModelID>]) {
    for models in state.withLock({ body(&$0) }) { hub.release(models) }
  }
}

extension QueryCache.State {
  /// - Returns: The models to release.
  fileprivate mutating func remove(_ name: QueryCache.Name) -> [Set<ModelID>] {
    guard let entry = entries.removeValue(forKey: name) else { return [] }
    byteCount -= entry.byteCount
    return [entry.models]
  }

  fileprivate mutating func shrink() -> [Set<ModelID>] {
    var gone: [Set<ModelID>] = []
    while byteCount > limit, let oldest = entries.min(by: { $0.value.use < $1.value.use }) {
      gone += remove(oldest.key)
    }
    return gone
  }
}
