public import Foundation
import QuarryBackend
import QuarryCore

/// The state of a store's sync as a value.
public struct SyncStatus: Sendable, Hashable {
  /// Another store that this one has met.
  public struct Peer: Sendable, Hashable {
    /// The identity of the other store.
    public var replica: ReplicaID
    /// When they last exchanged changes, by this store's clock.
    public var lastMet: Date
    /// When they last knew the same; nil if they never did.
    public var lastAgreed: Date?
  }

  /// The identity of the store among its replicas.
  public var replica: ReplicaID
  /// What the store is among its replicas.
  public var role: SyncRole
  /// The names of the synced models.
  public var models: [String]
  /// The number of the store's own entries that are not known to be anywhere else.
  public var pending: Int
  /// The number of entries in the log.
  public var entries: Int
  /// The number of held items: ``StoreSync/held()``.
  public var held: Int
  /// The stores that this one has met.
  public var peers: [Peer]
}

extension StoreSync {
  /// The state of the store's sync.
  ///
  /// - Throws: As ``StoreSync/digest()``.
  /// - Complexity: O(m) for m entries in the log.
  public func status() throws -> SyncStatus {
    try reading { work in
      let peers = try work.peers()
      let known = peers.map(\.knowledge)
      var pending = 0
      try work.schema.area.forEach(AreaKey.Kind.log.prefix, in: work.transaction) { key, _ throws(StorageError) in
        let stamp = try StoredEntry.stamp(key)
        if work.state.names.contains(stamp.replica), !known.contains(where: { $0.covers(stamp) }) { pending += 1 }
        return true
      }
      return SyncStatus(
        replica: work.state.names[0], role: work.state.role, models: work.modelNames, pending: pending,
        entries: work.state.entries,
        held: try work.heldCount(),
        peers: peers.map { SyncStatus.Peer(replica: $0.replica, lastMet: $0.lastMet, lastAgreed: $0.lastAgreed) })
    }
  }

  /// Notes what a peer knows now, and trims the log of what all peers know.
  func note(peer: StoreSync, agrees: Bool) throws {
    let (name, knowledge) = try peer.reading { work in (work.state.names[0], work.state.knowledge) }
    try note(peer: name, knowledge, agrees: agrees)
  }

  /// Notes what a peer knows now, and trims the log of what all peers know.
  func note(peer name: ReplicaID, _ knowledge: Knowledge, agrees: Bool) throws {
    if agrees { keeper.note(nil, by: name) }
    try changing { work in
      guard let writer = work.transaction as? any BackendWriteTransaction, !work.state.names.contains(name) else {
        return
      }
      let known = try work.peers().first { $0.replica == name }
      let now = Date(timeIntervalSince1970: Double(work.environment.now()) / 1_000)
      let noted = StoredPeer(
        replica: name, knowledge: knowledge, lastMet: now, lastAgreed: agrees ? now : known?.lastAgreed)
      try work.schema.area.put([(AreaKey.peer(name), noted.encoded())], in: writer)
      try work.trim(keeping: StoredPeer.entriesToKeep)
    }
  }
}

extension StoreSync {
  /// Trims the log of what all peers know, but for the newest entries.
  package func trim(keeping kept: Int) throws { try changing { work in try work.trim(keeping: kept) } }

  /// The bytes of the records and of the entries, with their keys.
  package func sizes() throws -> (records: Int, entries: Int) {
    try reading { work in
      func bytes(_ kind: AreaKey.Kind) throws(StorageError) -> Int {
        var sum = 0
        try work.schema.area.forEach(kind.prefix, in: work.transaction) { key, value throws(StorageError) in
          sum += key.count + value.count
          return true
        }
        return sum
      }
      return (try bytes(.record) + bytes(.clock), try bytes(.log))
    }
  }
}

/// What is known of a peer: a row of `_quarry_sync`.
struct StoredPeer {
  /// The entries that stay in the log after all peers know them, so that a peer which is put back is noticed early.
  static let entriesToKeep = 1_000
  /// The log waits this long for a peer that does not come any more.
  static let patience: TimeInterval = 180 * 86_400

  var replica: ReplicaID
  var knowledge: Knowledge
  var lastMet: Date
  var lastAgreed: Date?

  init(replica: ReplicaID, knowledge: Knowledge, lastMet: Date, lastAgreed: Date?) {
    self.replica = replica
    self.knowledge = knowledge
    self.lastMet = lastMet
    self.lastAgreed = lastAgreed
  }

  func encoded() -> [UInt8] {
    var writer = SyncWriter()
    writer.replica(replica)
    writer.knowledge(knowledge)
    writer.value(.date(lastMet))
    writer.value(lastAgreed.map { .date($0) } ?? .null)
    return writer.bytes
  }

  init(decoding bytes: ArraySlice<UInt8>) throws(StorageError) {
    var reader = try SyncReader(bytes)
    replica = try reader.replica()
    knowledge = try reader.knowledge()
    guard case .date(let met) = try reader.value() else { throw SyncReader.damaged }
    lastMet = met
    switch try reader.value() {
    case .null: lastAgreed = nil
    case .date(let date): lastAgreed = date
    default: throw SyncReader.damaged
    }
    try reader.finish()
  }
}

extension StoredWork {
  func peer(_ replica: ReplicaID) throws(StorageError) -> StoredPeer? {
    guard let bytes = try schema.area.value(AreaKey.peer(replica), in: transaction) else { return nil }
    return try StoredPeer(decoding: bytes[...])
  }

  func peers() throws(StorageError) -> [StoredPeer] {
    var peers: [StoredPeer] = []
    try schema.area.forEach(AreaKey.Kind.peer.prefix, in: transaction) { _, value throws(StorageError) in
      peers.append(try StoredPeer(decoding: Array(value)[...]))
      return true
    }
    return peers
  }

  /// Removes entries that all peers know, but for the newest: SYNC-29. What comes later to a new peer comes as records.
  func trim(keeping kept: Int) throws(StorageError) {
    // Not each time, so that a session costs what it exchanges.
    guard state.entries > 2 * kept, let writer = transaction as? any BackendWriteTransaction else { return }
    let earliest = Date(timeIntervalSince1970: Double(environment.now()) / 1_000) - StoredPeer.patience
    let known = try peers().filter { $0.lastMet > earliest }.map(\.knowledge)
    guard !known.isEmpty else { return }
    var removed: [(key: [UInt8], value: [UInt8]?)] = []
    var place = 0
    let end = state.entries - kept
    try schema.area.forEach(AreaKey.Kind.log.prefix, in: transaction) { key, _ throws(StorageError) in
      guard place < end else { return false }
      place += 1
      let stamp = try StoredEntry.stamp(key)
      if known.allSatisfy({ $0.covers(stamp) }) {
        removed.append((key, nil))
        state.trimmed.raise(to: [stamp.replica: stamp.hlc])
      }
      return true
    }
    state.entries -= removed.count
    removed += state.rows()
    if state.hasParts { removed += try TouchedObjects.trimming(keeping: TouchedObjects.kept, schema.area, in: writer) }
    try schema.area.put(removed, in: writer)
  }
}
