import Foundation
import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// Stores with a hub: SYNC-61 to SYNC-66.
@Suite struct HubTests {
  static let pairs = SyncedPlace.schemes.flatMap { hub in SyncedPlace.schemes.map { (hub, $0) } }
  private let one = TeamModels.key(1)
  private let two = TeamModels.key(2)

  private func expectEqual(_ hub: SyncedPlace, _ client: SyncedPlace) throws {
    let report = try Store.replicate(client.store, hub.store)
    #expect(report.isEqual, "\(report)")
    #expect(try hub.sync.check() == [] && client.sync.check() == [] && hub.store.check() == [])
    for model in hub.models.map(\.name) { #expect(try hub.rows(model) == client.rows(model)) }
  }

  private func hub(_ scheme: String) throws -> SyncedPlace {
    let place = try SyncedPlace(scheme)
    try place.store.enableSync(as: .hub)
    return place
  }

  private func denial(_ body: () throws -> Void) -> SyncDenial? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StorageError)?.cause as? SyncDenial
    }
  }

  @Test(arguments: pairs) func theHubRefusesWhatTakesAVisibleValue(_ first: String, _ second: String) throws {
    let (hub, a, b) = (try hub(first), try SyncedPlace(second), try SyncedPlace("memory"))
    try a.insert("Team", Record(["id": one, "name": "red"]))
    try a.insert("Team", Record(["id": two, "name": "blue"]))
    try expectEqual(hub, a)
    try expectEqual(hub, b)
    #expect(try a.sync.status().role == .client && hub.sync.status().role == .hub)
    try a.update("Team", one, "name", "gold")
    try b.store.write { tx in
      try tx.records.upsert(into: "Team", [Record(["id": two, "name": "gold"])], updating: ["name"])
      try tx.records.insert(into: "Person", [Record(["id": two, "name": "Ann", "team": two])])
    }
    try b.update("Person", two, "nick", "annie")
    try b.update("Team", one, "size", 7)
    try expectEqual(hub, a)
    try expectEqual(hub, b)
    // The whole transaction is refused, and what follows it is written on the hub's state.
    #expect(try b.value("Team", two, "name") == "blue" && b.rows("Person").isEmpty)
    #expect(try hub.value("Team", one, "size") == 7)
    let held = try b.sync.held()
    #expect(held.map(\.reason) == [.refused, .refused])
    #expect(held.map(\.object.model) == ["Person", "Team"])
    #expect(held.map(\.message) == Array(repeating: "another object has a unique value that it takes", count: 2))
    #expect(held.first?.values["nick"] == "annie" && held.last?.values == ["name": "gold"])
    #expect(try b.sync.status().held == 2 && b.sync.status().pending == 0)
    try b.reopen()
    #expect(try b.sync.held() == held)
    // At rest nothing is said again.
    let report = try Store.replicate(b.store, hub.store)
    #expect(report.taken == (0, 0) && report.rounds == 1)
    #expect(try hub.sync.serve(b.sync.hello()).count == 1)
    try expectEqual(hub, a)
    #expect(try hub.sync.held().isEmpty && a.sync.held().isEmpty)
  }

  @Test(arguments: SyncedPlace.schemes) func aRefusedItemIsAcceptedEditedOrDiscarded(_ scheme: String) throws {
    let (hub, a, b) = (try hub("sqlite"), try SyncedPlace("memory"), try SyncedPlace(scheme))
    for number in 1...4 { try a.insert("Team", Record(["id": TeamModels.key(number), "name": .string("\(number)")])) }
    try expectEqual(hub, a)
    try expectEqual(hub, b)
    for number in 1...3 {
      try a.update("Team", TeamModels.key(number), "name", .string("new \(number)"))
      try b.update("Team", TeamModels.key(number), "size", .int(Int64(number)))
    }
    try b.update("Team", TeamModels.key(4), "name", "new 1")
    try b.store.write { tx in
      try tx.records.upsert(into: "Team", [Record(["id": TeamModels.key(4), "name": "new 2"])], updating: ["name"])
      try tx.records.insert(into: "Person", [Record(["id": one, "name": "Ann"]), Record(["id": two, "name": "Bea"])])
    }
    try expectEqual(hub, a)
    try expectEqual(hub, b)
    let held = try b.sync.held()
    #expect(held.count == 4)
    let people = held.filter { $0.object.model == "Person" }
    try b.sync.accept(people[0])
    try b.sync.edit(people[1], ["name": "Cid"])
    let teams = held.filter { $0.object.model == "Team" }
    #expect(throws: StorageError.self) { try b.sync.accept(teams[0]) }
    #expect(throws: StorageError.self) { try b.sync.accept(people[0]) }
    try b.sync.edit(teams[0], ["name": "free"])
    #expect(try b.sync.held() == [teams[1]])
    try b.sync.discard(teams[1])
    #expect(try b.sync.held().isEmpty && b.sync.status().held == 0)
    try expectEqual(hub, b)
    #expect(try hub.value("Person", two, "name") == "Cid" && hub.value("Team", TeamModels.key(4), "name") == "free")
  }

  @Test func theHubRefusesADeleteOfWhatIsNeeded() throws {
    let (hub, a, b) = (try hub("lmdb"), try SyncedPlace("sqlite"), try SyncedPlace("memory"))
    try a.insert("Person", Record(["id": one, "name": "Ann"]))
    try expectEqual(hub, a)
    try expectEqual(hub, b)
    try a.insert("Badge", Record(["id": one, "color": "red", "person": one]))
    try b.delete("Person", one)
    try expectEqual(hub, a)
    try expectEqual(hub, b)
    #expect(try b.rows("Person").count == 1 && b.rows("Badge").count == 1)
    let held = try b.sync.held()
    #expect(held.map(\.isDeletion) == [true] && held.first?.message == "another object refers to what it deletes")
    #expect(throws: StorageError.self) { try b.sync.accept(held[0]) }
    try b.delete("Badge", one)
    try b.sync.accept(held[0])
    try expectEqual(hub, b)
    #expect(try hub.rows("Person").isEmpty)
  }

  @Test func aNewObjectWithATakenValueIsHeldAndWhatTheHubShowsStays() throws {
    let (hub, a, b) = (try hub("sqlite"), try SyncedPlace("lmdb"), try SyncedPlace("memory"))
    // The older claim comes last.
    try b.insert("Team", Record(["id": two, "name": "red"]))
    try a.insert("Team", Record(["id": one, "name": "red"]))
    try expectEqual(hub, a)
    try expectEqual(hub, b)
    try expectEqual(hub, a)
    #expect(try Set(hub.rows("Team").keys) == [one])
    #expect(try b.sync.held().map(\.reason) == [.unique] && hub.sync.held() == b.sync.held())
  }

  @Test(arguments: SyncedPlace.schemes) func theProgramOfTheHubDecides(_ scheme: String) throws {
    let (hub, a) = (try hub(scheme), try SyncedPlace("memory"))
    try hub.sync.authorize { change, who in
      #expect(who == nil)
      let teams = change.objects.filter { $0.model == "Team" }
      return teams.contains { $0.after?["size"] == 13 && $0.before?["size"] != 13 } ? .refuse("no 13") : .accept
    }
    try a.insert("Team", Record(["id": one, "name": "red", "size": 1]))
    try a.update("Team", one, "size", 13)
    try a.update("Team", one, "name", "blue")
    try a.insert("Team", Record(["id": two, "name": "gold", "size": 13]))
    try a.update("Team", two, "name", "pink")
    try expectEqual(hub, a)
    #expect(
      try a.rows("Team").count == 1 && a.value("Team", one, "size") == 1 && a.value("Team", one, "name") == "blue")
    let held = try a.sync.held()
    #expect(held.map(\.message) == ["no 13", "no 13"])
    #expect(held.last?.values == ["name": "pink", "size": 13])
  }

  @Test func rolesDoNotMix() throws {
    let (hub, other) = (try hub("memory"), try hub("memory"))
    let (a, b) = (try SyncedPlace("memory"), try SyncedPlace("memory"))
    #expect(denial { try Store.replicate(hub.store, other.store) } == .twoHubs)
    try expectEqual(hub, a)
    #expect(denial { try Store.replicate(a.store, b.store) } == .hasHub)
    #expect(denial { try Store.replicate(b.store, a.store) } == .otherHasHub)
    #expect(denial { try Store.replicate(a.store, other.store) } == .anotherHub)
    #expect(throws: StorageError.self) { try hub.store.enableSync(as: .peer) }
    #expect(throws: StorageError.self) { try b.store.enableSync(as: .client) }
    try a.store.enableSync(as: .peer)
    #expect(try Store.replicate(a.store, b.store).isEqual)
    try expectEqual(other, a)
    #expect(try a.sync.status().role == .client)
  }

  @Test func aHubThatWasPutBackTakesWhatItLost() throws {
    let (hub, a, b) = (try hub("sqlite"), try SyncedPlace("memory"), try SyncedPlace("lmdb"))
    try a.insert("Team", Record(["id": one, "name": "red"]))
    try expectEqual(hub, a)
    try expectEqual(hub, b)
    try hub.store.close()
    let backup = hub.path + ".backup"
    try FileManager.default.copyItem(atPath: hub.path, toPath: backup)
    try hub.reopenClosed()
    try a.update("Team", one, "name", "blue")
    try b.insert("Team", Record(["id": two, "name": "gold"]))
    try a.update("Team", one, "size", 3)
    try expectEqual(hub, a)
    try expectEqual(hub, b)
    try expectEqual(hub, a)
    try hub.store.close()
    try FileManager.default.removeItem(atPath: hub.path)
    try FileManager.default.copyItem(atPath: backup, toPath: hub.path)
    try hub.reopenClosed()
    #expect(denial { try Store.replicate(a.store, hub.store) } == .wentBack)
    try hub.insert("Team", Record(["id": TeamModels.key(4), "name": "pink"]))
    #expect(denial { try Store.replicate(a.store, hub.store) } == .wentBack)
    try hub.sync.restored()
    try a.update("Team", one, "size", 4)
    try expectEqual(hub, a)
    try expectEqual(hub, b)
    try expectEqual(hub, a)
    #expect(try hub.rows("Team").count == 3 && hub.value("Team", one, "size") == 4)
    #expect(try a.sync.status().role == .client && a.sync.held().isEmpty && b.sync.held().isEmpty)
  }

  @Test func massDeletesStop() throws {
    let (hub, a) = (try hub("sqlite"), try SyncedPlace("memory"))
    try a.store.write { tx in
      try tx.records.insert(
        into: "Person", (1...240).map { Record(["id": TeamModels.key($0), "name": "Ann"]) })
    }
    try expectEqual(hub, a)
    for number in 1...120 { try a.delete("Person", TeamModels.key(number)) }
    let error = #expect(throws: StorageError.self) { try Store.replicate(a.store, hub.store) }
    #expect(
      error?.code == .limitExceeded
        && error?.cause as? MassDeletion == MassDeletion(model: "Person", count: 120, total: 240))
    #expect(try hub.rows("Person").count == 240 && hub.sync.check() == [])
    #expect(throws: StorageError.self) { try Store.replicate(a.store, hub.store, allowingDeletes: 119) }
    #expect(try Store.replicate(a.store, hub.store, allowingDeletes: 120).isEqual)
    #expect(try hub.rows("Person").count == 120)
    // A hundred go without asking.
    try a.store.records.delete(in: "Person", keys: (121...220).map { TeamModels.key($0) })
    try expectEqual(hub, a)
  }

  @Test func aReplicaBelongsToItsPrincipal() throws {
    let (hub, a, b) = (try hub("lmdb"), try SyncedPlace("memory"), try SyncedPlace("sqlite"))
    let (anna, ben) = (SyncPrincipal("anna", claims: ["team": "red"]), SyncPrincipal("ben"))
    try hub.sync.authorize { change, who in
      who?["team"] == nil && change.objects.contains { $0.model == "Team" } ? .refuse("no team") : .accept
    }
    func push(_ client: SyncedPlace, as principal: SyncPrincipal, origin: SyncedPlace? = nil) throws -> SyncIntake {
      try client.sync.follow(hub.sync.hello())
      let hello = try hub.sync.hello()
      let part = try (origin ?? client).sync.part(for: hello, bytes: 1 << 20)
      return try hub.sync.take(StoreSync.messages(of: part.bytes), SyncTerms(principal: principal))
    }
    try a.insert("Team", Record(["id": one, "name": "red"]))
    try b.insert("Team", Record(["id": two, "name": "gold"]))
    #expect(try push(a, as: anna).refused == 0)
    _ = try push(b, as: ben)
    #expect(try Set(hub.rows("Team").keys) == [one])
    try hub.reopen()
    try a.insert("Person", Record(["id": one, "name": "Ann"]))
    #expect(denial { _ = try push(b, as: ben, origin: a) } == .foreign)
    #expect(denial { try hub.sync.admit(a.sync.hello(), of: ben) } == .foreign)
    #expect(denial { try hub.sync.admit(hub.sync.hello(), of: ben) } == .foreign)
    try hub.sync.admit(a.sync.hello(), of: anna)
    #expect(try hub.rows("Person").isEmpty)
    // What a client says of the hub's entries gives the hub no new name.
    try hub.insert("Team", Record(["id": TeamModels.key(3), "name": "pink"]))
    let before = try hub.sync.hello()
    let mark = before.knowledge.mark(before.replica)
    let forged = KnownOrigin(name: before.replica, last: mark, tags: [mark.hlc: 7], trimmed: 0, voids: [])
    let lie = NumberedMessage.numbered([
      .yours(
        Introduction(
          replica: try a.sync.hello().replica, session: before.session, known: [forged], doubts: [], rules: before.rules
        ))
    ])
    _ = try hub.sync.take(lie, SyncTerms(principal: anna))
    #expect(try hub.sync.hello().replica == before.replica)
    // Records come only to a hub that was put back.
    try a.sync.changing { work in try work.trim(keeping: 0) }
    var hello = try hub.sync.hello()
    hello.knowledge = Knowledge()
    let rows = NumberedMessage.numbered([
      .yours(
        Introduction(
          replica: try a.sync.hello().replica, session: hello.session, known: [], doubts: [], rules: hello.rules)),
      .end(RowsHeader(knowledge: try a.sync.knowledge(), collected: [:], isWhole: true), after: nil),
    ])
    #expect(denial { _ = try hub.sync.take(rows, SyncTerms(principal: anna)) } == .rows)
  }
}
