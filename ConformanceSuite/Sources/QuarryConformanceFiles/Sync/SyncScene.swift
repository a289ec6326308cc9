import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarrySync
import Synchronization

/// The time of the stores of a case: each look at it is a millisecond later.
final class SyncClock: Sendable {
  private let time: Mutex<UInt64>

  init(_ time: UInt64 = 1_800_000_000_000) { self.time = Mutex(time) }

  func now() -> UInt64 {
    time.withLock { time in
      time += 1
      return time
    }
  }

  func advance(days: Double) { time.withLock { $0 += UInt64(days * 86_400_000) } }
  func goBack(days: Double) { time.withLock { $0 -= UInt64(days * 86_400_000) } }
}

/// Models with all that a merge decides on: unique values with and without a way out, and each delete rule.
enum SyncScene {
  static let models = [team, person, job, badge]

  static let team = ModelSchema(
    name: "Team",
    properties: [
      PropertySchema(name: "id", type: .string), PropertySchema(name: "name", type: .string),
      PropertySchema(name: "size", type: .int64, isOptional: true),
    ], primaryKey: 0, indexes: [IndexSchema(name: "Team_name", columns: [.init(slot: 1)], isUnique: true)])

  static let person = ModelSchema(
    name: "Person",
    properties: [
      PropertySchema(name: "id", type: .string), PropertySchema(name: "name", type: .string),
      PropertySchema(name: "nick", type: .string, isOptional: true),
      PropertySchema(
        name: "team", type: .string, isOptional: true, reference: .init(to: "Team", deleteRule: .nullify)),
    ], primaryKey: 0,
    indexes: [
      IndexSchema(name: "Person_nick", columns: [.init(slot: 2)], isUnique: true),
      IndexSchema(name: "Person_team", columns: [.init(slot: 3)]),
    ])

  static let job = ModelSchema(
    name: "Job",
    properties: [
      PropertySchema(name: "id", type: .string), PropertySchema(name: "title", type: .string),
      PropertySchema(name: "person", type: .string, reference: .init(to: "Person", deleteRule: .cascade)),
    ], primaryKey: 0, indexes: [IndexSchema(name: "Job_person", columns: [.init(slot: 2)])])

  static let badge = ModelSchema(
    name: "Badge",
    properties: [
      PropertySchema(name: "id", type: .string), PropertySchema(name: "color", type: .string),
      PropertySchema(name: "person", type: .string, reference: .init(to: "Person", deleteRule: .deny)),
    ], primaryKey: 0, indexes: [IndexSchema(name: "Badge_person", columns: [.init(slot: 2)])])

  static func team(_ id: String, _ name: String, size: Value = .null) -> Record {
    Record([("id", .string(id)), ("name", .string(name)), ("size", size)])
  }

  static func person(_ id: String, _ name: String, nick: Value = .null, team: Value = .null) -> Record {
    Record([("id", .string(id)), ("name", .string(name)), ("nick", nick), ("team", team)])
  }

  static func job(_ id: String, _ title: String, of person: String) -> Record {
    Record([("id", .string(id)), ("title", .string(title)), ("person", .string(person))])
  }

  static func badge(_ id: String, _ color: String, of person: String) -> Record {
    Record([("id", .string(id)), ("color", .string(color)), ("person", .string(person))])
  }

  /// A case about stores that exchange changes.
  static func syncing(
    _ name: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [],
    requiresPersistence: Bool = false, without: Set<ConformanceVariant> = [], within limit: Duration = .seconds(20),
    _ body: @escaping @Sendable (ConformanceContext) async throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "SYNC.\(name)", clauses, summary, needs: needs, requiresPersistence: requiresPersistence, without: without,
      within: limit, body
    )
  }

  /// Lets each two of the stores exchange what they lack, and throws unless all have the same objects then, and sound records.
  static func expectEqual(_ peers: SyncPeer...) throws {
    for _ in peers.dropFirst() {
      for (a, b) in zip(peers, peers.dropFirst()) { try Store.replicate(a.store, b.store) }
    }
    let first = try peers[0].content()
    for peer in peers {
      let report = try Store.replicate(peers[0].store, peer.store)
      try expect(report.isEqual, "the stores differ: \(report)")
      try QuarryConformanceKit.expectEqual(try peer.content(), first, "the objects of the stores")
      try peer.expectSound()
    }
  }
}

/// A synced store of a case.
final class SyncPeer {
  let store: Store
  let clock: SyncClock

  /// Makes a synced store at a new place.
  ///
  /// - Parameters:
  ///   - isSynced: False for a store whose sync is not yet enabled.
  init(
    _ kit: ConformanceContext, _ clock: SyncClock, models: [ModelSchema] = SyncScene.models, isSynced: Bool = true
  ) throws {
    self.clock = clock
    store = try kit.open(program: models, at: kit.makePlace())
    if isSynced { try enable(models.map(\.name)) }
  }

  /// Makes a synced store at a place, or opens the one that is there.
  init(_ kit: ConformanceContext, _ clock: SyncClock, at place: any BackendProvider) throws {
    self.clock = clock
    store = try kit.open(program: SyncScene.models, at: place)
    try enable(SyncScene.models.map(\.name))
  }

  init(_ store: Store, _ clock: SyncClock, natural: [String]) throws {
    (self.store, self.clock) = (store, clock)
    try enable(natural, natural: natural)
  }

  @discardableResult
  func enable(_ models: [String] = [], natural: [String] = [], as role: SyncRole? = nil) throws -> StoreSync {
    let clock = clock
    return try store.enableSync(models, naturalKeys: Set(natural), as: role, SyncEnvironment(now: { clock.now() }))
  }

  var sync: StoreSync { get throws { try unwrap(store.sync, "the sync of the store") } }

  func insert(_ model: String, _ records: Record...) throws { try store.records.insert(into: model, records) }

  func set(_ model: String, _ key: String, _ property: String, _ value: Value) throws {
    try store.records.upsert(into: model, [Record([("id", .string(key)), (property, value)])], updating: [property])
  }

  func delete(_ model: String, _ keys: String...) throws {
    try store.records.delete(in: model, keys: keys.map { .string($0) })
  }

  func value(_ model: String, _ key: String, _ property: String) throws -> Value? {
    try store.records.get(in: model, key: .string(key))?[property]
  }

  func keys(_ model: String) throws -> [String] {
    try store.records.fetch(in: model, sortedBy: "id").compactMap { record in
      if case .string(let key)? = record["id"] { key } else { nil }
    }
  }

  func content() throws -> HistoryScene.Content { try HistoryScene.content(store) }

  /// The reasons and objects of what is held.
  func held() throws -> [String] {
    try sync.held().map { "\($0.reason.rawValue) \($0.object)" }.sorted()
  }

  /// Throws unless the tables are the view of the records, and no reference leads to nothing.
  func expectSound(file: String = #fileID, line: Int = #line) throws {
    try expectEqual(try sync.check(), [], "objects that differ from their records", file: file, line: line)
    try expectEqual(try store.check().map { "\($0)" }, [], "defects", file: file, line: line)
  }

  /// Forgets all entries that the stores that it has met know. Later ones get records.
  func forgetLog(file: String = #fileID, line: Int = #line) throws {
    try sync.trim(keeping: 0)
    try expectEqual(try sync.status().entries, 0, "the entries of the log", file: file, line: line)
  }

  /// What the store answers to another one now, for cases that cut, repeat and keep answers.
  func answer(to peer: SyncPeer) throws -> (session: UInt64, messages: [NumberedMessage]) {
    let hello = try peer.sync.hello()
    return (hello.session, try sync.serve(hello))
  }
}
