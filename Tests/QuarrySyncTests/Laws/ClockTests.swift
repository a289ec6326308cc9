import QuarryBackend
import Testing

@testable import QuarrySync

@Suite struct ClockTests {
  private func write(_ replica: inout SyncReplica, _ key: Int64) throws -> SyncEntry {
    var draft = Draft(replica)
    let isNew = draft.insert(ObjectID("Card", .int(key)), ["note": .int(key)])
    #expect(isNew)
    return try #require(try draft.commit(&replica))
  }

  @Test func stampsRiseThoughTheClockGoesBack() throws {
    let world = World()
    var replica = SyncReplica(world.name(), Models.first, world.environment(0))
    let first = try write(&replica, 1)
    world.now = 2
    let second = try write(&replica, 2)
    #expect(second.mark.hlc == first.mark.hlc + 1)
    world.now = 100
    #expect(try write(&replica, 3).mark.hlc == 1600)
  }

  /// A stamp far ahead is refused, moves no clock, and is sent again after healing: SYNC-3.
  @Test func stampsFarAheadAreRefused() throws {
    let world = World()
    var wrong = SyncReplica(world.name(), Models.first, world.environment(0))
    var right = SyncReplica(world.name(), Models.first, world.environment(1))
    world.skew(0, 51)
    _ = try write(&wrong, 1)
    let before = right.clock.last
    let refused1 = right.receive(right.session, wrong.serve(right.hello()))
    #expect(refused1 == 1)
    #expect(right.clock.last == before && right.tables.isEmpty)
    world.clearSkews()
    wrong.heal()
    let refused2 = right.receive(right.session, wrong.serve(right.hello()))
    #expect(refused2 == 0)
    #expect(right.tables == wrong.tables && right.tables.count == 1)
  }

  @Test func stampsAtTheLimitAreTaken() throws {
    let world = World()
    var ahead = SyncReplica(world.name(), Models.first, world.environment(0))
    var right = SyncReplica(world.name(), Models.first, world.environment(1))
    world.skew(0, 50)
    _ = try write(&ahead, 1)
    let refused3 = right.receive(right.session, ahead.serve(right.hello()))
    #expect(refused3 == 0)
    #expect(right.tables.count == 1)
  }

  /// An entry that carries a later stamp than its own would move the receiver's clock.
  @Test func entriesWithLaterStampsAreRefused() throws {
    let world = World()
    var sender = SyncReplica(world.name(), Models.first, world.environment(0))
    var right = SyncReplica(world.name(), Models.first, world.environment(1))
    var entry = try write(&sender, 1)
    let object = entry.changes[0].object
    let birth = entry.stamp
    entry.changes[0].births[birth]?.columns["note"] = Register(Stamp(.max, sender.id), 9)
    let yours = sender.serve(right.hello())[0]
    let refused4 = right.receive(right.session, [yours, NumberedMessage(1, .log(entry))])
    #expect(refused4 == 1)
    #expect(right.records[object] == nil && right.clock.last == 0)
  }

  @Test(arguments: [UInt64.max, 1 << 63, 1 << 48]) func noTimeOverflows(_ time: UInt64) {
    var clock = HybridClock()
    let scale = ClockScale.milliseconds
    let first = clock.tick(scale, at: time)
    let second = clock.tick(scale, at: time)
    #expect(second == first + 1)
    #expect(scale.limit(at: time) > first)
  }

  @Test func renewedNamesKeepTheirPlace() {
    let name = ReplicaID(high: 7, low: 0x0102_0304_0506_0708)
    #expect(name.renewed(.max).bytes.prefix(12) == name.bytes.prefix(12))
    #expect(ReplicaID(bytes: name.bytes) == name)
    #expect(ReplicaID(bytes: [1]) == nil)
    #expect(ReplicaID(bytes: [UInt8](repeating: 255, count: 16))! > name)
  }
}
