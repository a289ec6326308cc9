import QuarryBackend
import Testing

@testable import QuarrySync

@Suite struct HeldTests {
  private struct Pair {
    let world = World()
    var a: SyncReplica
    var b: SyncReplica

    init(hasHub: Bool = false) {
      a = SyncReplica(world.name(), Models.first, world.environment(0), isHub: hasHub)
      b = SyncReplica(world.name(), Models.first, world.environment(1), hasHub: hasHub)
    }

    mutating func meet() {
      for _ in 0..<3 {
        a.receive(a.session, b.serve(a.hello()))
        b.receive(b.session, a.serve(b.hello()))
      }
    }
  }

  private func write(_ replica: inout SyncReplica, _ body: (inout Draft) -> Bool) throws {
    var draft = Draft(replica)
    #expect(body(&draft))
    #expect(try draft.commit(&replica) != nil)
  }

  @Test func laterClaimIsHeldAndComesBack() throws {
    var pair = Pair()
    let (first, second) = (ObjectID("Team", 1), ObjectID("Team", 2))
    try write(&pair.a) { $0.insert(first, ["name": 1]) }
    try write(&pair.b) { $0.insert(second, ["name": 1]) }
    pair.meet()
    for replica in [pair.a, pair.b] {
      let held = replica.view.held()
      #expect(held.map(\.object) == [second] && held[0].reason == .unique && held[0].waitsFor == [first])
      #expect(replica.tables.keys.map(\.self) == [first])
    }
    try write(&pair.a) { $0.delete(first) }
    pair.meet()
    #expect(pair.b.view.held().isEmpty && pair.b.tables[second] != nil)
  }

  @Test func childrenOfDeletedObjectsAreHeld() throws {
    var pair = Pair()
    let (parent, child) = (ObjectID("Folder", 1), ObjectID("Folder", 2))
    try write(&pair.a) { $0.insert(parent, ["tag": 1]) }
    pair.meet()
    try write(&pair.a) { $0.delete(parent) }
    try write(&pair.b) { $0.insert(child, ["tag": 2, "parent": 1]) }
    pair.meet()
    let held = pair.a.view.held()
    #expect(held.map(\.object) == [child] && held[0].reason == .parent && held[0].waitsFor == [parent])
    #expect(pair.a.tables.isEmpty && pair.b.tables.isEmpty)
  }

  @Test func editsThatADeleteDidNotSeeAreHeld() throws {
    var pair = Pair()
    let card = ObjectID("Card", 1)
    try write(&pair.a) { $0.insert(card, ["note": 1]) }
    pair.meet()
    try write(&pair.a) { $0.delete(card) }
    try write(&pair.b) { $0.update(card, ["note": 2]) }
    pair.meet()
    #expect(pair.b.tables.isEmpty)
    #expect(pair.b.lostEdits.map(\.content) == [.value(2)] && pair.a.lostEdits.isEmpty)
  }

  @Test func refusedEntryIsHeldAtItsAuthor() throws {
    var pair = Pair(hasHub: true)
    let (first, second) = (ObjectID("Team", 1), ObjectID("Team", 2))
    try write(&pair.a) { $0.insert(first, ["name": 1]) && $0.insert(second, ["name": 2]) }
    pair.meet()
    try write(&pair.a) { $0.update(first, ["name": 3]) }
    try write(&pair.b) { $0.update(second, ["name": 3]) }
    pair.meet()
    #expect(pair.b.refusedEntries.count == 1)
    #expect(pair.b.tables == pair.a.tables && pair.b.tables[second]?["name"] == 2)
    #expect(pair.b.knowledge == pair.a.knowledge)
  }

  @Test func denyBringsBackAmongPeers() throws {
    var pair = Pair()
    let (team, user, task) = (ObjectID("Team", 1), ObjectID("User", 1), ObjectID("Task", 1))
    try write(&pair.a) { $0.insert(team, ["name": 1]) && $0.insert(user, ["nick": 1, "team": 1]) }
    pair.meet()
    try write(&pair.a) { $0.delete(user) }
    try write(&pair.b) { $0.insert(task, ["owner": 1]) }
    pair.meet()
    #expect(pair.a.tables[user] != nil && pair.a.tables[task] != nil && pair.a.tables == pair.b.tables)
  }

  @Test func valuesWithoutAStoredFormAreRefused() throws {
    var pair = Pair()
    let card = ObjectID("Card", 1)
    let before = pair.a.clock
    #expect(throws: StorageError.self) {
      try pair.a.record([LocalChange(card, before: nil, after: ["note": .decimal(.nan)])])
    }
    #expect(throws: StorageError.self) { try pair.a.record([LocalChange(card, before: ["note": 1], after: nil)]) }
    #expect(throws: StorageError.self) {
      try pair.a.record([LocalChange(ObjectID("Nothing", 1), before: nil, after: [:])])
    }
    #expect(pair.a.clock == before && pair.a.log.isEmpty)
  }

  /// References as deep as there are objects end no process.
  @Test func deepReferencesAreDecided() throws {
    var pair = Pair()
    try write(&pair.a) { draft in
      (0..<600).allSatisfy { number in
        draft.insert(
          ObjectID("Folder", .int(number)), ["tag": .int(number), "parent": number == 0 ? .null : .int(number - 1)])
      }
    }
    pair.meet()
    #expect(pair.b.tables.count == 600)
    #expect(pair.b.view.needs(ObjectID("Folder", 599)).count == 599)
  }
}
