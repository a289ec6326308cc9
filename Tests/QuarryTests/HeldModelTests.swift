import Foundation
import Quarry
import QuarryEngines
import QuarrySync
import Testing

/// Held objects of models: SYNC-64.
@Suite struct HeldModelTests {
  /// It travels by other names than its own.
  @Model(syncName: "Login") struct Account {
    let id: UUID
    @Attribute(.unique, syncName: "nick") var name: String
    var size: Int
  }

  private func stores() throws -> (hub: Store, a: Store, b: Store) {
    let stores = try (0..<3).map { number in
      let store = try Store(for: Account.self, in: .memory)
      try store.enableSync(Account.self, as: number == 0 ? .hub : nil)
      return store
    }
    return (stores[0], stores[1], stores[2])
  }

  @Test func whatWasRefusedIsEdited() throws {
    let (hub, a, b) = try stores()
    let (one, two) = (Account(id: UUID(), name: "one", size: 1), Account(id: UUID(), name: "two", size: 2))
    try a.insert(contentsOf: [one, two])
    for store in [a, b] { try Store.replicate(store, hub) }
    var changed = one
    changed.name = "three"
    try a.upsert(changed)
    changed = two
    (changed.name, changed.size) = ("three", 20)
    try b.upsert(changed)
    for store in [a, b] { try Store.replicate(store, hub) }
    let held = try #require(try b.held(Account.self).first)
    #expect(held.reason == .refused && held.mine?.name == "three" && held.mine?.size == 20)
    #expect(held.theirs?.name == "two" && held.theirs?.size == 2)
    // The constraints of the store hold, and a call that throws changes nothing.
    #expect(throws: StorageError.self) { try held.accept() }
    #expect(throws: StorageError.self) { try held.edit { $0.size = 21 } }
    #expect(try b.held(Account.self).count == 1 && b.get(Account.self, two.id)?.size == 2)
    try held.edit { $0.name = "four" }
    #expect(throws: StorageError.self) { try held.discard() }
    #expect(try Store.replicate(b, hub).isEqual)
    #expect(try hub.get(Account.self, two.id)?.name == "four" && hub.get(Account.self, two.id)?.size == 20)
  }

  @Test func aHeldObjectIsRenamedOrDiscarded() throws {
    let (hub, a, b) = try stores()
    let (one, two) = (Account(id: UUID(), name: "one", size: 1), Account(id: UUID(), name: "one", size: 2))
    try a.insert(one)
    try b.insert(two)
    for store in [a, b, a] { try Store.replicate(store, hub) }
    let held = try #require(try a.held(Account.self).first)
    #expect(held.reason == .unique && held.mine?.id == two.id && held.theirs == nil)
    try held.edit { $0.name = "two" }
    for store in [a, b] { try Store.replicate(store, hub) }
    #expect(try b.count(Account.all) == 2 && b.held(Account.self).isEmpty)
  }

  @Test func anEditOfADeletedObjectIsNoObject() throws {
    let (hub, a, b) = try stores()
    var one = Account(id: UUID(), name: "one", size: 1)
    try a.insert(one)
    for store in [a, b] { try Store.replicate(store, hub) }
    try a.delete(Account.self, one.id)
    one.size = 9
    try b.upsert(one)
    for store in [a, b] { try Store.replicate(store, hub) }
    let held = try #require(try b.held(Account.self).first)
    #expect(held.reason == .lostEdit && held.mine == nil && held.theirs == nil)
    #expect(throws: StorageError.self) { try held.accept() }
    #expect(throws: StorageError.self) { try held.edit { $0.size = 3 } }
    // The object is there again, and takes the edit.
    try b.insert(Account(id: one.id, name: "new", size: 0))
    #expect(try b.held(Account.self).first?.mine?.size == 9)
    try b.held(Account.self)[0].accept()
    #expect(try b.get(Account.self, one.id)?.size == 9 && b.held(Account.self).isEmpty)
  }
}
