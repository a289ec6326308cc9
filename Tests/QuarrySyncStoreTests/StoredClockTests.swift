import Foundation
import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// The records of a store as clocks beside rows: docs/formats/sync.md.
@Suite struct StoredClockTests {
  private let replicas = [ReplicaID(high: 1, low: 2), ReplicaID(high: 3, low: 4), .none]
  private let columns: [SyncName] = ["a", "b", "c"]

  private func number(_ replica: ReplicaID) -> Int? { replicas.firstIndex(of: replica) }

  private var numbers: ClockNumbers {
    var numbers = ClockNumbers()
    numbers.set(columns, of: "Item")
    for replica in replicas { _ = numbers.add(replica) }
    return numbers
  }

  private func decode(_ bytes: [UInt8]) throws -> PlainClock {
    let numbers = numbers
    return try #require(try bytes.withBytes { bytes throws(StorageError) in try numbers.plain(bytes) })
  }

  private func stamp(_ milliseconds: UInt64, _ count: UInt64 = 0, by replica: Int = 0) -> Stamp {
    Stamp(milliseconds << 16 | count, replicas[replica])
  }

  @Test func clocksAreReadAsTheyWereWritten() throws {
    let now: UInt64 = 1_795_000_000_000
    let born = PlainClock(layout: 0, birth: stamp(now), columns: 3)
    let bytes = try #require(born.encoded(number))
    #expect(bytes.count == 8)
    #expect(try decode(bytes) == born)
    var edited = born
    edited.stamps[1] = stamp(now + 86_400_000, by: 1)
    #expect(try #require(edited.encoded(number)).count <= 15)
    edited.stamps = [stamp(0, by: 2), nil, stamp(now - 5, 7)]
    for length in 0...3 {
      var clock = edited
      for place in 0..<length { clock.stamps[place] = stamp(UInt64(place), 0xFFFF, by: place) }
      #expect(try decode(try #require(clock.encoded(number))) == clock)
    }
    #expect(born.encoded { _ in nil } == nil)
  }

  /// Every cut, and every byte that is another one, is refused with a typed error, or is a clock that can be written.
  @Test func damagedClocksAreRefusedOrRead() throws {
    var clock = PlainClock(layout: 0, birth: stamp(1_795_000_000_000, 3), columns: 3)
    clock.stamps = [nil, stamp(1_795_000_000_009, by: 1), clock.birth]
    let bytes = try #require(clock.encoded(number))
    var inputs = bytes.indices.map { Array(bytes[..<$0]) }
    for place in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[place] ^= 1 << UInt8(bit)
        inputs.append(damaged)
      }
    }
    for input in inputs {
      do {
        let read = try input.withBytes { bytes throws(StorageError) in try numbers.plain(bytes) }
        if let read { #expect(read.encoded(number) != nil) }
      } catch {
        #expect(error.code == .corrupt)
      }
    }
  }

  /// After writes of every kind, the records are those that the entries make.
  @Test(arguments: SyncedPlace.schemes)
  func writesWithoutAMergeMakeTheSameRecords(_ scheme: String) throws {
    let place = try SyncedPlace(scheme)
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<150 { try RandomWrites.write(place, &generator) }
    #expect(try place.sync.check() == [] && place.sync.heldCount() == 0)
    try RecordLaw.expect(place)
    let sizes = try place.sync.sizes()
    #expect(sizes.records < sizes.entries)
  }

  @Test(arguments: ["file", "sqlite", "lmdb"])
  func aMigrationThatChangesValuesIsRecorded(_ scheme: String) throws {
    let (a, b) = (try SyncedPlace(scheme), try SyncedPlace("memory"))
    try a.insert("Team", Record(["id": TeamModels.key(1), "name": "red", "size": 1]))
    try a.insert("Team", Record(["id": TeamModels.key(2), "name": "blue", "size": 2]))
    try Store.replicate(a.store, b.store)
    try b.update("Team", TeamModels.key(1), "size", 7)
    try a.store.close()
    let store = try Store(
      program: TeamModels.all, in: a.url,
      migration: .to(2) { m in
        try m.afterwards { tx in
          try tx.records.upsert(
            into: "Team", [Record([("id", TeamModels.key(1)), ("name", "rose")])], updating: ["name"])
          try tx.records.delete(in: "Team", keys: [TeamModels.key(2)])
        }
      })
    defer { try? store.close() }
    #expect(throws: StorageError.self) { try store.records.delete(in: "Team", keys: [TeamModels.key(1)]) }
    try store.enableSync()
    #expect(try store.sync?.check() == [] && store.sync?.status().pending == 1)
    #expect(try Store.replicate(store, b.store).isEqual)
    #expect(try b.value("Team", TeamModels.key(1), "name") == "rose")
    #expect(try b.value("Team", TeamModels.key(1), "size") == 7)
    #expect(try b.rows("Team").count == 1)
    // What was kept for the comparison is gone.
    #expect(try store.sync?.reading { try RowsBefore.areKept(in: $0.transaction) } == false)
  }

  /// A property that is added later has no stamp until it is written.
  @Test func anAddedPropertyHasItsDefaultUntilItIsWritten() throws {
    let (a, b) = (
      try SyncedPlace("sqlite", models: [TeamModels.team]), try SyncedPlace("sqlite", models: [TeamModels.team])
    )
    try a.insert("Team", Record(["id": TeamModels.key(1), "name": "red"]))
    try Store.replicate(a.store, b.store)
    var model = TeamModels.team
    model.properties.append(PropertySchema(name: "motto", type: .string, isOptional: true))
    let stores = try [a, b].map { place in
      try place.store.close()
      let store = try Store(program: [model], in: place.url)
      try store.enableSync()
      return store
    }
    #expect(try stores[0].sync?.status().pending == 0)
    try stores[0].records.upsert(
      into: "Team", [Record([("id", TeamModels.key(1)), ("size", 4)])], updating: ["size"])
    try stores[1].records.upsert(
      into: "Team", [Record([("id", TeamModels.key(1)), ("motto", "on")])], updating: ["motto"])
    #expect(try Store.replicate(stores[0], stores[1]).isEqual)
    let row = try #require(try stores[0].records.fetch(in: "Team").first)
    #expect(row["motto"] == "on" && row["size"] == 4)
    for store in stores {
      #expect(try store.sync?.check() == [])
      try store.close()
    }
  }
}

/// The records of a store are the join of its entries.
enum RecordLaw {
  static func expect(_ place: SyncedPlace, _ comment: Comment? = nil) throws {
    try place.sync.reading { work in
      guard work.state.trimmed.isEmpty, work.state.collected.isEmpty else { return }
      try work.loadAll()
      var replica = SyncReplica(work.state.names[0], work.schema.sync, work.environment)
      for entry in work.log.sorted(by: { $0.stamp < $1.stamp }) { replica.absorb(entry.changes) }
      #expect(replica.records == work.records, comment)
      #expect(replica.tombstones == work.tombstones, comment)
    }
  }
}
