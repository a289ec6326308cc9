import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// Lists of links in synced stores: SYNC-20, contract SYNC-43 and SYNC-47.
@Suite struct LinkSyncTests {
  private static let lists = ["Item_fans", "Item_visits"]
  private let one = TeamModels.key(1)

  private func guest(_ number: Int) -> Value { TeamModels.key(100 + number) }

  private func pair(_ scheme: String) throws -> (SyncedPlace, SyncedPlace) {
    let a = try SyncedPlace(scheme, models: ShopModels.all)
    let b = try SyncedPlace("memory", models: ShopModels.all)
    for number in 1...2 { try a.insert("Item", ShopModels.item(TeamModels.key(number))) }
    for number in 1...6 { try a.insert("Guest", Record(["id": guest(number), "name": "\(number)"])) }
    try expectEqual(a, b)
    return (a, b)
  }

  private func expectEqual(_ a: SyncedPlace, _ b: SyncedPlace) throws {
    #expect(try Store.replicate(a.store, b.store).isEqual)
    for place in [a, b] { #expect(try place.sync.check() == [] && place.store.check() == []) }
    for model in a.models.map(\.name) { #expect(try a.rows(model) == b.rows(model)) }
  }

  @Test(arguments: SyncedPlace.schemes)
  func listsOfBothStoresUnite(_ scheme: String) throws {
    let (a, b) = try pair(scheme)
    for name in Self.lists {
      let (left, right) = (ListHandle(a, name, one), ListHandle(b, name, one))
      for number in 1...3 { try left.append(guest(number)) }
      try expectEqual(a, b)
      #expect(try right.targets == (1...3).map(guest))
      // The same one and others, at the same place.
      try left.append(guest(4))
      try left.append(guest(5))
      try right.append(guest(4))
      try right.append(guest(6))
      try expectEqual(a, b)
      let targets = try left.targets
      #expect(Array(targets.prefix(3)) == (1...3).map(guest))
      let isOnce = name == "Item_fans"
      #expect(targets.count == (isOnce ? 6 : 7) && Set(targets) == Set((1...6).map(guest)))
      #expect(targets.filter { $0 == guest(4) }.count == (isOnce ? 1 : 2))
      #expect(try right.targets == targets)
      try a.reopen()
      try expectEqual(a, b)
    }
    #expect(try a.sync.held().isEmpty)
  }

  @Test(arguments: SyncedPlace.schemes)
  func aRemovalMeetsAnAppendAndMovesMeet(_ scheme: String) throws {
    let (a, b) = try pair(scheme)
    for name in Self.lists {
      let (left, right) = (ListHandle(a, name, one), ListHandle(b, name, one))
      for number in 1...4 { try left.append(guest(number)) }
      try expectEqual(a, b)
      try left.remove(guest(2))
      try right.append(guest(5))
      try left.move(guest(4), to: 0)
      try right.move(guest(3), to: 0)
      try expectEqual(a, b)
      let targets = try left.targets
      #expect(try targets == right.targets)
      #expect(Set(targets.prefix(2)) == [guest(3), guest(4)] && Array(targets.suffix(2)) == [guest(1), guest(5)])
      // Both move the same one: the later move wins.
      try left.move(guest(1), to: 0)
      try b.insert("Guest", Record(["id": guest(name == "Item_fans" ? 7 : 8), "name": .string(name)]))
      try right.move(guest(1), to: 4)
      try expectEqual(a, b)
      #expect(try left.targets.last == guest(1) && right.targets == left.targets)
      // One removes it, the other removes it and adds it again: the new one stays.
      try left.remove(guest(5))
      try right.remove(guest(5))
      try right.append(guest(5))
      try expectEqual(a, b)
      #expect(try left.targets.filter { $0 == guest(5) }.count == 1)
    }
  }

  @Test(arguments: SyncedPlace.schemes)
  func aLinkToADeletedObjectIsHeld(_ scheme: String) throws {
    let (a, b) = try pair(scheme)
    for name in Self.lists + ["Item_buyers"] { try ListHandle(a, name, one).append(guest(1)) }
    try expectEqual(a, b)
    // The target goes, and its links with it.
    try a.delete("Guest", guest(1))
    for name in Self.lists { try ListHandle(b, name, one).append(guest(2)) }
    try expectEqual(a, b)
    for name in Self.lists { #expect(try ListHandle(b, name, one).targets == [guest(2)]) }
    // The owner goes while the other store appends: the link waits for it.
    try a.delete("Item", one)
    for name in Self.lists { try ListHandle(b, name, one).append(guest(3)) }
    try expectEqual(a, b)
    #expect(try Self.lists.allSatisfy { try b.rows($0).isEmpty })
    let held = try b.sync.held().filter { $0.reason == .parent }
    #expect(Set(held.map(\.object.model)) == Set(Self.lists) && held.allSatisfy { $0.waitsFor.map(\.key) == [one] })
    try a.insert("Item", ShopModels.item(one))
    try expectEqual(a, b)
    for name in Self.lists { #expect(try ListHandle(a, name, one).targets == [guest(3)]) }
    // By deny the owner comes back.
    let two = TeamModels.key(2)
    try a.delete("Item", two)
    try ListHandle(b, "Item_buyers", two).append(guest(2))
    try expectEqual(a, b)
    #expect(try a.rows("Item")[two] != nil && ListHandle(a, "Item_buyers", two).targets == [guest(2)])
  }

  @Test(arguments: SyncedPlace.schemes)
  func listsFromBeforeSyncTravel(_ scheme: String) throws {
    let a = try SyncedPlace(scheme, models: ShopModels.all, isSynced: false)
    let b = try SyncedPlace("sqlite", models: ShopModels.all, isSynced: false)
    for place in [a, b] {
      try place.insert("Item", ShopModels.item(one))
      for number in 1...3 { try place.insert("Guest", Record(["id": guest(number), "name": "\(number)"])) }
      for name in Self.lists {
        for number in 1...3 { try ListHandle(place, name, one).append(guest(number)) }
      }
      try place.store.enableSync(named: ShopModels.names)
      #expect(try place.sync.check() == [])
    }
    try expectEqual(a, b)
    // Both had the same lists, which are not doubled.
    for name in Self.lists { #expect(try ListHandle(a, name, one).targets == (1...3).map(guest)) }
    #expect(try Set(a.sync.status().models) == Set(ShopModels.all.map(\.name)))
  }

  @Test func aListIsReplacedInOneTransaction() throws {
    let (a, b) = try pair("lmdb")
    for name in Self.lists {
      let list = ListHandle(a, name, one)
      for number in 1...3 { try list.append(guest(number)) }
      try expectEqual(a, b)
      try a.store.write { tx in
        try tx.records.delete(in: name, keys: list.rows().compactMap { $0["id"] })
        for (place, number) in [3, 2].enumerated() {
          try tx.records.insert(
            into: name,
            [
              Record([
                "id": .int(Int64(place + 1)), "owner": one, "target": guest(number), "position": .int(Int64(place)),
              ])
            ])
        }
      }
      try expectEqual(a, b)
      #expect(try ListHandle(b, name, one).targets == [guest(3), guest(2)])
    }
  }

  @Test func aListOfAModelThatIsNotSyncedIsRefused() throws {
    let place = try SyncedPlace("memory", models: ShopModels.all, isSynced: false)
    let error = failure { try place.store.enableSync(named: ["Item"]) }
    #expect(error?.code == .unsupported && error?.model == "Item" && error?.property == "buyers")
    #expect(failure { try place.store.enableSync(named: ["Guest"]) }?.model == "Item")
  }
}
