import QuarryBackend
import Testing

@testable import QuarrySync

/// Resolvers of a hub with another version of the models than its clients: SYNC-11 and SYNC-32.
@Suite struct ConflictTests {
  private func write(_ replica: inout SyncReplica, _ body: (inout Draft) -> Bool) throws {
    var draft = Draft(replica)
    #expect(body(&draft))
    #expect(try draft.commit(&replica) != nil)
  }

  private func exchange(_ client: inout SyncReplica, _ hub: inout SyncReplica) {
    for _ in 0..<2 {
      client.receive(client.session, hub.serve(client.hello()))
      hub.receive(hub.session, client.serve(hub.hello()))
    }
    client.receive(client.session, hub.serve(client.hello()))
  }

  @Test func columnsThatTheHubDoesNotHaveStay() throws {
    let world = World()
    var hub = SyncReplica(world.name(), Models.first, world.environment(0), isHub: true)
    var a = SyncReplica(world.name(), Models.first, world.environment(1), hasHub: true)
    var b = SyncReplica(world.name(), Models.second, world.environment(2), hasHub: true)
    hub.resolve("Task") { conflict in
      #expect(conflict.mine["prio"] == nil && conflict.base["title"] == 1)
      var result = conflict.mine
      guard case .int(let mine)? = conflict.mine["title"], case .int(let theirs)? = conflict.theirs["title"] else {
        throw StorageError(.invalidValue, "a title is a number")
      }
      result["title"] = .int(10 * theirs + mine)
      return result
    }
    let task = ObjectID("Task", 1)
    try write(&hub) { draft in
      draft.insert(ObjectID("Team", 1), ["name": 1])
        && draft.insert(ObjectID("User", 1), ["nick": 1, "team": 1])
        && draft.insert(task, ["owner": 1, "title": 1])
    }
    exchange(&a, &hub)
    exchange(&b, &hub)
    try write(&a) { $0.update(task, ["title": 4]) }
    try write(&b) { $0.update(task, ["title": 7, "prio": 9]) }
    exchange(&a, &hub)
    exchange(&b, &hub)
    exchange(&a, &hub)
    for replica in [hub, a, b] { #expect(replica.tables[task]?["title"] == 47) }
    #expect(b.tables[task]?["prio"] == 9 && b.tables[task]?["label"] == "<47>")
    hub.upgrade(Models.second)
    #expect(hub.tables[task]?["prio"] == 9 && hub.records == a.records && hub.records == b.records)
  }

  /// An edit of an insert that the hub has deleted is held, although another insert of the key is there.
  @Test func editsOfADeletedInsertAreNoConflict() throws {
    let world = World()
    var hub = SyncReplica(world.name(), Models.first, world.environment(0), isHub: true)
    var a = SyncReplica(world.name(), Models.first, world.environment(1), hasHub: true)
    hub.resolve("Card") { _ in throw StorageError(.invalidValue, "nobody asks") }
    let card = ObjectID("Card", 1)
    try write(&hub) { $0.insert(card, ["note": 1]) }
    exchange(&a, &hub)
    try write(&hub) { $0.delete(card) }
    try write(&hub) { $0.insert(card, ["note": 2]) }
    try write(&a) { $0.update(card, ["note": 3]) }
    exchange(&a, &hub)
    #expect(hub.tables[card]?["note"] == 2 && a.tables[card]?["note"] == 2)
    #expect(a.lostEdits.map(\.content) == [.value(3)] && a.refusedEntries.isEmpty)
  }
}
