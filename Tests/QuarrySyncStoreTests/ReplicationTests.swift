import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport
import Testing

@testable import QuarrySync

@Suite struct ReplicationTests {
  private let one = TeamModels.key(1)
  private let two = TeamModels.key(2)

  private func expectEqual(_ a: SyncedPlace, _ b: SyncedPlace) throws {
    let report = try Store.replicate(a.store, b.store)
    #expect(report.isEqual)
    #expect(try a.sync.check() == [] && b.sync.check() == [])
    for model in a.models.map(\.name) { #expect(try a.rows(model) == b.rows(model)) }
  }

  @Test(arguments: SyncedPlace.schemes)
  func rowsFromBeforeSyncAndLaterChangesTravel(_ scheme: String) throws {
    let a = try SyncedPlace(scheme, isSynced: false)
    try a.insert("Team", Record(["id": one, "name": "red", "size": 3]))
    try a.store.enableSync(named: TeamModels.names)
    let b = try SyncedPlace("memory")
    try expectEqual(a, b)
    #expect(try b.value("Team", one, "name") == "red")
    try a.update("Team", one, "size", 4)
    try b.update("Team", one, "name", "blue")
    try b.insert("Person", Record(["id": two, "name": "Ann", "team": one]))
    try expectEqual(a, b)
    #expect(try a.value("Team", one, "name") == "blue" && a.value("Team", one, "size") == 4)
    try a.delete("Team", one)
    try expectEqual(a, b)
    #expect(try b.rows("Team").isEmpty && b.value("Person", two, "team") == .null)
    let report = try Store.replicate(a.store, b.store)
    #expect(report.taken == (0, 0) && report.rounds == 1)
    #expect(try a.sync.status().pending == 0 && a.sync.status().peers.count == 1)
  }

  @Test func aUniqueValueHasOneHolder() throws {
    let (a, b) = (try SyncedPlace("sqlite"), try SyncedPlace("lmdb"))
    try a.insert("Team", Record(["id": one, "name": "red"]))
    try b.insert("Team", Record(["id": two, "name": "red"]))
    try b.insert("Person", Record(["id": two, "name": "Ann", "team": two]))
    try expectEqual(a, b)
    let held = try a.sync.held()
    #expect(try a.rows("Team").count == 1 && b.sync.held() == held)
    let team = try #require(held.first { $0.object.model == "Team" })
    #expect(team.reason == .unique && team.object.key == two && team.values["name"] == "red" && !team.isShown)
    #expect(team.waitsFor.map(\.key) == [one])
    // The person is there without the team, and has it back with the team.
    #expect(try a.value("Person", two, "team") == .null)
    try a.update("Team", one, "name", "green")
    try expectEqual(a, b)
    #expect(try b.sync.held().isEmpty && b.value("Person", two, "team") == two)
  }

  @Test func aHeldObjectIsCorrectedOrDiscarded() throws {
    let (a, b) = (try SyncedPlace("memory"), try SyncedPlace("file"))
    try a.insert("Team", Record(["id": one, "name": "red"]))
    try b.insert("Team", Record(["id": two, "name": "red"]))
    try expectEqual(a, b)
    try b.insert("Team", Record(["id": two, "name": "blue"]))
    try expectEqual(a, b)
    #expect(try a.rows("Team").count == 2 && a.sync.held().isEmpty)
    let three = TeamModels.key(3)
    try a.insert("Team", Record(["id": three, "name": "gold"]))
    try b.insert("Team", Record(["id": TeamModels.key(4), "name": "gold"]))
    try expectEqual(a, b)
    let item = try #require(try a.sync.held().first)
    try a.sync.discard(item)
    #expect(throws: StorageError.self) { try a.sync.discard(item) }
    try expectEqual(a, b)
    #expect(try b.sync.held().isEmpty && b.rows("Team").count == 3)
  }

  @Test func aDeleteBeatsAnEditWhichIsHeld() throws {
    let (a, b) = (try SyncedPlace("lmdb"), try SyncedPlace("memory"))
    try a.insert("Team", Record(["id": one, "name": "red"]))
    try expectEqual(a, b)
    try a.delete("Team", one)
    try b.update("Team", one, "name", "blue")
    try expectEqual(a, b)
    #expect(try a.rows("Team").isEmpty)
    let held = try b.sync.held()
    #expect(held.map(\.reason) == [.lostEdit] && held.first?.values == ["name": "blue"])
    try b.sync.discard(held[0])
    #expect(try b.sync.held().isEmpty)
  }

  @Test func deleteRulesMeetNewReferences() throws {
    let (a, b) = (try SyncedPlace("sqlite"), try SyncedPlace("memory"))
    for number in 1...2 { try a.insert("Person", Record(["id": TeamModels.key(number), "name": "Ann"])) }
    try expectEqual(a, b)
    try a.delete("Person", one)
    try a.delete("Person", two)
    try b.insert("Badge", Record(["id": one, "color": "red", "person": one]))
    try b.insert("Job", Record(["id": one, "title": "cook", "person": two]))
    try expectEqual(a, b)
    // By deny the person is back, by cascade the job is held.
    #expect(try Set(a.rows("Person").keys) == [one] && a.rows("Badge").count == 1 && a.rows("Job").isEmpty)
    #expect(try a.sync.held().map(\.reason) == [.parent])
    try a.insert("Person", Record(["id": two, "name": "Bea"]))
    try expectEqual(a, b)
    #expect(try b.rows("Job").count == 1 && b.sync.held().isEmpty)
  }

  @Test func aWriteThatThrowsRecordsNothing() throws {
    let (a, b) = (try SyncedPlace("sqlite"), try SyncedPlace("file"))
    let before = try a.sync.status()
    #expect(throws: StorageError.self) {
      try a.store.write { tx in
        try tx.records.insert(into: "Team", [Record(["id": one, "name": "red"])])
        throw StorageError(.conflict, "no")
      }
    }
    #expect(try a.sync.status() == before)
    try expectEqual(a, b)
    #expect(try b.rows("Team").isEmpty)
  }

  @Test(arguments: SyncedPlace.schemes)
  func aStoreThatComesAfterTrimmingGetsRecords(_ scheme: String) throws {
    let (a, b, c) = (try SyncedPlace(scheme), try SyncedPlace("memory"), try SyncedPlace(scheme))
    for number in 1...5 { try a.insert("Team", Record(["id": TeamModels.key(number), "name": "\(number)"])) }
    try c.insert("Team", Record(["id": TeamModels.key(6), "name": "3"]))
    try expectEqual(a, b)
    try a.delete("Team", one)
    try expectEqual(a, b)
    #expect(try a.sync.status().entries == 6)
    try a.sync.trim(keeping: 0)
    #expect(try a.sync.status().entries == 0)
    try expectEqual(a, c)
    #expect(try c.rows("Team").count == 4 && c.sync.held().count == 1)
    try expectEqual(b, c)
    try expectEqual(a, b)
  }

  @Test func syncInsideATransactionIsRefused() throws {
    let (a, b) = (try SyncedPlace("memory"), try SyncedPlace("memory"))
    try b.insert("Team", Record(["id": one, "name": "red"]))
    try a.store.write { tx in
      try tx.records.insert(into: "Team", [Record(["id": two, "name": "blue"])])
      #expect(throws: StorageError.self) { try Store.replicate(a.store, b.store) }
      #expect(throws: StorageError.self) { try a.store.enableSync() }
    }
    try expectEqual(a, b)
    #expect(try b.rows("Team").count == 2)
  }

  @Test func aCopiedStoreTakesANewName() throws {
    let (a, b) = (try SyncedPlace("sqlite"), try SyncedPlace("memory"))
    try a.insert("Team", Record(["id": one, "name": "red"]))
    try expectEqual(a, b)
    let folder = try ScratchFolder(in: ScratchFolder.memory)
    try a.store.close()
    let path = folder.path + "/copy"
    try FileManager.default.copyItem(atPath: a.path, toPath: path)
    let copy = try Store(program: TeamModels.all, in: try StoreURL(parsing: "sqlite:\(path)"))
    try a.reopenClosed()
    try copy.enableSync()
    try copy.records.insert(into: "Team", [Record(["id": two, "name": "blue"])])
    try a.insert("Team", Record(["id": TeamModels.key(3), "name": "green"]))
    try expectEqual(a, b)
    #expect(try Store.replicate(copy, b.store).isEqual)
    #expect(try copy.sync?.status().replica != a.sync.status().replica)
    try expectEqual(a, b)
    #expect(try a.rows("Team").count == 3)
    try copy.close()
  }
}
