import Foundation
import QuarryBackend
import Testing

@testable import QuarrySync

@Suite struct LawTests {
  @Test(arguments: [false, true]) func replicasConverge(hasHub: Bool) throws {
    var entries = 0
    for seed in 1...60 {
      var history = RandomHistory(seed: UInt64(seed), hasHub: hasHub, resolves: hasHub && seed % 2 == 0)
      do {
        try history.run(steps: 50)
        try history.settle()
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
      entries += history.entries
      let first = history.replicas[0]
      for replica in history.replicas {
        #expect(SyncDigest.content(replica.tables) == SyncDigest.content(first.tables))
        #expect(SyncDigest.agreement(replica.records) == SyncDigest.agreement(first.records))
        #expect(try DigestSource(replica).differences(DigestSource(first)).isEmpty)
      }
    }
    #expect(entries > 500)
  }

  /// Joins are commutative, associative and idempotent: SYNC-6.
  @Test func joinsAreALattice() throws {
    var compared = 0
    for seed in 1...50 {
      var history = RandomHistory(seed: UInt64(seed))
      try history.run(steps: 60)
      let replicas = history.replicas
      for object in Set(replicas.flatMap(\.records.keys)) {
        for birth in Set(replicas.flatMap { ($0.records[object] ?? [:]).keys }) {
          let records = replicas.compactMap { $0.records[object]?[birth] }
          guard records.count == 3 else { continue }
          let (a, b, c) = (records[0], records[1], records[2])
          func join(_ x: BirthRecord, _ y: BirthRecord) -> BirthRecord { x.joined(y, object.model, Models.rules) }
          #expect(join(a, b) == join(b, a))
          #expect(join(join(a, b), c) == join(a, join(b, c)))
          #expect(join(a, a) == a)
          compared += a == b ? 0 : 1
        }
      }
    }
    #expect(compared > 20)
  }

  /// Digests are equal where the content is, and differ where one value does.
  @Test func digestsTellContent() throws {
    var history = RandomHistory(seed: 4)
    try history.run(steps: 80)
    let replica = history.replicas.max { $0.tables.count < $1.tables.count }!
    let tables = replica.tables
    let digest = SyncDigest.content(tables)
    #expect(tables.count > 3)
    for (object, row) in tables {
      var other = tables
      other[object] = nil
      #expect(SyncDigest.content(other) != digest)
      for (column, value) in row {
        other = tables
        other[object]?[column] = value == .int(9) ? .null : .int(9)
        #expect(SyncDigest.content(other) != digest)
      }
    }
    let again = Dictionary(uniqueKeysWithValues: tables.sorted { $0.key > $1.key }.map { ($0.key, $0.value) })
    #expect(SyncDigest.content(again) == digest)
  }

  @Test func differingRangesAreNamed() throws {
    let world = World()
    var replica = SyncReplica(world.name(), Models.first, world.environment(0))
    var draft = Draft(replica)
    for number in 0..<500 {
      let isNew = draft.insert(ObjectID("Card", .int(Int64(number))), ["note": .int(Int64(number))])
      #expect(isNew)
    }
    _ = try replica.record(draft.changes)
    var other = replica
    #expect(try DigestSource(replica).differences(DigestSource(other)).isEmpty)
    other.tables[ObjectID("Card", 77)]?["note"] = 1
    other.tables[ObjectID("Card", 401)] = nil
    let ranges = try DigestSource(replica).differences(DigestSource(other))
    #expect(ranges.count == 2)
    #expect(ranges.first?.contains(77) == true && ranges.last?.contains(401) == true)
    other.knowledge.vector[world.name()] = EntryMark(1, 1)
    let (here, there) = (DigestSource(replica), DigestSource(other))
    #expect(throws: StorageError.self) { try here.differences(there) }
  }
}
