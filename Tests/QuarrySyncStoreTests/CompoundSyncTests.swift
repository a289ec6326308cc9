import Foundation
import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// Models with compound keys in synced stores: contract KEY-15, SYNC-43.
@Suite struct CompoundSyncTests {
  private static func seat(_ type: PropertyType) -> ModelSchema {
    ModelSchema(
      name: "Seat",
      properties: [
        PropertySchema(name: "team", type: .uuid, reference: .init(to: "Team", deleteRule: .cascade)),
        PropertySchema(name: "place", type: type), PropertySchema(name: "color", type: .string, isOptional: true),
        PropertySchema(name: "size", type: .int64, isOptional: true),
        PropertySchema(name: "_key", type: .data, keyMembers: [KeyMember(.uuid), KeyMember(type)]),
      ], primaryKey: 4, indexes: [IndexSchema(name: "Seat_team", columns: [.init(slot: 0)])], keyMembers: [0, 1])
  }

  private let one = TeamModels.key(1)

  private func seats(_ place: SyncedPlace) throws -> [Record] {
    try place.store.records.fetch(in: "Seat", sortedBy: "place")
  }

  private func expectEqual(_ a: SyncedPlace, _ b: SyncedPlace) throws {
    #expect(try Store.replicate(a.store, b.store).isEqual)
    #expect(try a.sync.check() == [] && b.sync.check() == [] && a.store.check() == [] && b.store.check() == [])
    #expect(try seats(a) == seats(b))
  }

  @Test(arguments: SyncedPlace.schemes)
  func objectsTravel(_ scheme: String) throws {
    let models = [TeamModels.team, Self.seat(.string)]
    let (a, b) = (try SyncedPlace(scheme, models: models), try SyncedPlace("memory", models: models))
    try a.insert("Team", Record(["id": one, "name": "red"]))
    try a.insert("Seat", Record(["team": one, "place": "a", "color": "blue"]))
    try expectEqual(a, b)
    #expect(try seats(b).map { $0["_key"] } == [.array([one, "a"])])
    // Both stores add the same key, and each changes another property.
    try a.insert("Seat", Record(["team": one, "place": "b", "size": 1]))
    try b.insert("Seat", Record(["team": one, "place": "b", "size": 2]))
    try a.store.records.upsert(
      into: "Seat", [Record(["team": one, "place": "a", "color": "green"])], updating: ["color"])
    try b.store.records.upsert(into: "Seat", [Record(["team": one, "place": "a", "size": 9])], updating: ["size"])
    try expectEqual(a, b)
    #expect(try seats(a).map { $0["place"] } == ["a", "b"])
    #expect(try seats(a)[0]["color"] == "green" && seats(a)[0]["size"] == 9 && seats(a)[1]["size"] == 2)
    try b.store.records.delete(in: "Seat", keys: [.array([one, "b"])])
    try expectEqual(a, b)
    #expect(try seats(a).count == 1)
    try a.delete("Team", one)
    try expectEqual(a, b)
    #expect(try seats(b).isEmpty)
    try a.reopen()
    try expectEqual(a, b)
  }

  @Test func membersThatCollideAreRefused() throws {
    for type in [PropertyType.int64, .double] {
      let place = try SyncedPlace("memory", models: [TeamModels.team, Self.seat(type)], isSynced: false)
      let error = failure { try place.store.enableSync(named: ["Team", "Seat"]) }
      #expect(error?.code == .unsupported && error?.model == "Seat" && error?.property == "place")
    }
    let natural = try SyncedPlace("memory", models: [TeamModels.team, Self.seat(.int64)], isSynced: false)
    try natural.store.enableSync(named: ["Team", "Seat"], naturalKeys: ["Seat"])
  }
}
