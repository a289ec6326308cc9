import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Observers that come while others are there, in a transaction too, and those that stay when others end.
enum LateObserverCases {
  static let all: [ConformanceCase] = [
    insideBesideOthers, commitsInsideBesideOthers, staysBesideOthers, keysBesideOneResult,
  ]

  private static let insideBesideOthers = ConformanceCase(
    "OBS.begun-inside-beside-others", ["OBS-12", "OBS-6", "OBS-1"],
    "An observer that begins inside a transaction beside one of another model is notified of all of the commit."
  ) { kit in
    let store = try kit.store(Item.self, Plain.self)
    try ObservationCases.fill(store)
    // What the transaction remembers is decided when it begins.
    let other = try Watched(store, QueryTree(model: "Plain"))
    let (list, object) = (Told<QueryChange<Item>>(), Told<ObjectChange<Item>>())
    let listToken = try store.write { tx in
      try tx.update(Item.self, 1) { $0.name = "a" }
      let token = try store.observe(Item.where { $0.id < 3 }) { list.note($0) }
      try expectEqual(try list.next("the committed list").objects.map(\.name), ["n1", "n2"])
      return token
    }
    try expectEqual(try list.next("the list").updates.map(\.new.name), ["a"])
    listToken.cancel()
    let objectToken = try store.write { tx in
      try tx.update(Item.self, 1) { $0.name = "b" }
      let token = try store.observe(Item.self, 1) { object.note($0) }
      try expectEqual(try object.next("the committed object").object?.name, "a")
      return token
    }
    try expectEqual(try object.next("the object").object?.name, "b")
    try expectEqual([list.count, object.count, other.told.count], [2, 2, 1])
    objectToken.cancel()
  }

  private static let commitsInsideBesideOthers = ConformanceCase(
    "OBS.commits-begun-inside", ["OBS-7", "OBS-12"],
    "An observer of commits that begins inside a transaction is notified of its commit."
  ) { kit in
    let store = try kit.store(Item.self, Plain.self)
    let other = try Watched(store, QueryTree(model: "Plain"))
    let commits = try store.write { tx in
      try tx.insert(Item(1))
      try tx.insert(Plain(1))
      return Pulled(store.commits())
    }
    let first = try unwrap(try commits.next())
    try expect(first.isUnknown || first["Item"]?.inserted == [.int(1)], "the items are left out: \(first)")
    try expectEqual(first.version, try store.read { try $0.version })
    try store.insert(Item(2))
    try expectEqual(try commits.next()?["Item"]?.inserted, [.int(2)])
    try other.expectTold("the other model")
  }

  private static let staysBesideOthers = ConformanceCase(
    "OBS.list-stays-beside-others", ["OBS-1", "OBS-6", "OBS-10"],
    "When one of two observers of a model ends, the other continues, beside an observer of another model."
  ) { kit in
    let store = try kit.store(Item.self, Plain.self)
    try ObservationCases.fill(store)
    let other = try Watched(store, QueryTree(model: "Plain"))
    let (first, second) = (try Watched(store, Item.all, .items), try Watched(store, Item.all, .items))
    let object = Told<ObjectChange<Item>>()
    var token: ObservationToken? = try store.observe(Item.self, 1) { object.note($0) }
    _ = try object.next()
    first.cancel()
    try second.expectChange("the second list") { try store.update(Item.self, 1) { $0.name = "a" } }
    try expectEqual(try object.next("the object").object?.name, "a")
    token?.cancel()
    token = nil
    try second.expectChange("after the object") { try store.update(Item.self, 1) { $0.name = "b" } }
    _ = try store.cached(Item.all, for: .seconds(600))
    store.clearCache()
    try second.expectChange("after a result") { try store.delete(Item.self, 1) }
    try other.expectChange("the other model") { try store.insert(Plain(1)) }
    try expectEqual([second.told.count, object.count], [4, 2])
  }

  private static let keysBesideOneResult = ConformanceCase(
    "OBS.commits-beside-a-result", ["OBS-7", "OBS-16"],
    "An observer of commits receives the keys of a model of which a result is kept, whichever was first."
  ) { kit in
    let store = try kit.store(Item.self, Plain.self)
    try ObservationCases.fill(store)
    _ = try store.cached(Item.all, for: .seconds(600))
    let commits = Pulled(store.commits())
    _ = try store.cached(Plain.all, for: .seconds(600))
    try store.insert(Item(9))
    try expectEqual(try commits.next()?["Item"]?.inserted, [.int(9)])
    try store.insert(Plain(1))
    try expectEqual(try commits.next()?["Plain"]?.inserted, [.int(1)])
    try expectEqual(try store.cached(Item.all, for: .seconds(600)).count, 6)
    try expectEqual(try store.cached(Plain.all, for: .seconds(600)).count, 1)
  }
}
