import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// Rules that models declare with `@Merge`: SYNC-8, contract SYNC-43, SYNC-46 and SYNC-48.
@Suite struct MergeRuleTests {
  private let one = TeamModels.key(1)

  private func pair(_ scheme: String) throws -> (SyncedPlace, SyncedPlace) {
    let a = try SyncedPlace(scheme, models: ShopModels.all, declarations: ShopModels.declarations)
    let b = try SyncedPlace("memory", models: ShopModels.all, declarations: ShopModels.declarations)
    try a.insert("Item", ShopModels.item(one, views: 10))
    try expectEqual(a, b)
    return (a, b)
  }

  private func expectEqual(_ a: SyncedPlace, _ b: SyncedPlace) throws {
    #expect(try Store.replicate(a.store, b.store).isEqual)
    for place in [a, b] { #expect(try place.sync.check() == [] && place.store.check() == []) }
    for model in a.models.map(\.name) { #expect(try a.rows(model) == b.rows(model)) }
  }

  @Test(arguments: SyncedPlace.schemes)
  func countersAddUpAndSetsUnite(_ scheme: String) throws {
    let (a, b) = try pair(scheme)
    try a.update("Item", one, "views", 13)
    try b.update("Item", one, "views", 8)
    try a.update("Item", one, "tags", ["red", "blue", "red"])
    try b.update("Item", one, "tags", ["gold"])
    // The store keeps a set sorted, and each element once.
    #expect(try a.value("Item", one, "tags") == ["blue", "red"])
    try expectEqual(a, b)
    #expect(try a.value("Item", one, "views") == 11)
    #expect(try a.value("Item", one, "tags") == ["blue", "gold", "red"])
    try a.update("Item", one, "tags", ["gold", "red"])
    try b.update("Item", one, "tags", ["blue", "gold", "pink", "red"])
    try a.reopen()
    try expectEqual(a, b)
    #expect(try b.value("Item", one, "tags") == ["gold", "pink", "red"])
    try a.store.write { tx in
      for _ in 0..<3 {
        let views = try tx.records.fetch(in: "Item").first?["views"]?.intValue ?? 0
        try tx.records.upsert(
          into: "Item", [Record(["id": one, "views": .int(Int64(views + 1))])], updating: ["views"])
      }
    }
    try b.update("Item", one, "views", 0)
    try expectEqual(a, b)
    #expect(try a.value("Item", one, "views") == 3)
  }

  @Test(arguments: SyncedPlace.schemes)
  func theGreatestAndTheLeastWin(_ scheme: String) throws {
    let (a, b) = try pair(scheme)
    try b.update("Item", one, "best", 7)
    try b.update("Item", one, "least", 3)
    try a.update("Item", one, "best", 5)
    try a.update("Item", one, "least", 4)
    try expectEqual(a, b)
    #expect(try a.value("Item", one, "best") == 7 && a.value("Item", one, "least") == 3)
    // Against the rule the object gets a new version.
    try a.update("Item", one, "best", 2)
    try expectEqual(a, b)
    #expect(try b.value("Item", one, "best") == 2 && b.value("Item", one, "views") == 10)
  }

  @Test(arguments: SyncedPlace.schemes)
  func aGroupIsWrittenTogether(_ scheme: String) throws {
    let (a, b) = try pair(scheme)
    try a.update("Item", one, "currency", "USD")
    try a.update("Item", one, "title", "new")
    try b.insert("Guest", Record(["id": one, "name": "Ann"]))
    try b.update("Item", one, "amount", 2)
    try expectEqual(a, b)
    #expect(try a.value("Item", one, "amount") == 2 && a.value("Item", one, "currency") == "EUR")
    #expect(try b.value("Item", one, "title") == "new")
  }

  @Test func theStoreKeepsTheRulesForProgramsWithoutThem() throws {
    let (a, b) = try pair("sqlite")
    try a.reopen(declaring: [])
    try a.update("Item", one, "views", 11)
    try b.update("Item", one, "views", 11)
    try expectEqual(a, b)
    #expect(try a.value("Item", one, "views") == 12)
    // A store that a tool makes takes the rules of the other one.
    let c = try SyncedPlace("memory", models: ShopModels.all, isSynced: false)
    try c.store.enableSync(named: ShopModels.names, naturalKeys: [], like: a.store)
    try expectEqual(a, c)
  }

  @Test func storesOfDifferentRulesDoNotExchange() throws {
    let (a, _) = try pair("memory")
    let c = try SyncedPlace("memory", models: ShopModels.all)
    let error = failure { try Store.replicate(a.store, c.store) }
    #expect(error?.code == .schemaMismatch && error?.model == "Item")
    #expect(error?.message.contains("merge rules") == true)
  }

  @Test func aRuleMayComeLater() throws {
    let a = try SyncedPlace("sqlite", models: ShopModels.all)
    let b = try SyncedPlace("lmdb", models: ShopModels.all)
    try a.insert("Item", ShopModels.item(one, views: 10))
    try a.update("Item", one, "tags", ["red", "blue"])
    try expectEqual(a, b)
    let later = [
      SyncDeclaration(
        model: "Item", merges: ["views": .counter, "tags": .set, "amount": .row("p"), "title": .row("p")])
    ]
    try a.reopen(declaring: later)
    try b.reopen(declaring: later)
    try expectEqual(a, b)
    #expect(try b.value("Item", one, "views") == 10)
    try a.update("Item", one, "views", 11)
    try b.update("Item", one, "views", 11)
    try a.update("Item", one, "tags", ["blue"])
    try b.update("Item", one, "tags", ["blue", "gold", "red"])
    try expectEqual(a, b)
    #expect(try a.value("Item", one, "views") == 12 && a.value("Item", one, "tags") == ["blue", "gold"])
    let back = failure { try a.reopen(declaring: [SyncDeclaration(model: "Item")]) }
    #expect(back?.code == .unsupported && back?.model == "Item")
    let order = failure {
      try b.reopen(declaring: [SyncDeclaration(model: "Item", merges: later[0].merges.merging(["least": .min]) { $1 })])
    }
    #expect(order?.code == .unsupported && order?.property == "least")
  }

  @Test(arguments: [
    ("title", MergeOption.counter), ("best", .counter), ("title", .set), ("views", .set), ("tags", .max),
    ("best", .min), ("id", .lww), ("id", .row("a")),
  ])
  func aRuleThatDoesNotFitIsRefused(_ property: String, _ rule: MergeOption) throws {
    let place = try SyncedPlace("memory", models: ShopModels.all, isSynced: false)
    let error = failure {
      try place.enable([SyncDeclaration(model: "Item", merges: [property: rule]), SyncDeclaration(model: "Guest")])
    }
    if rule == .lww {
      #expect(error == nil)
    } else {
      #expect(error?.code == .unsupported && error?.model == "Item" && error?.property == property)
    }
  }

  @Test func rulesOfReferencesAndUniqueValuesAreRefused() throws {
    let place = try SyncedPlace("memory", isSynced: false)
    for (model, property) in [("Person", "team"), ("Person", "nick"), ("Team", "name")] {
      let error = failure {
        try place.enable(
          TeamModels.names.map { SyncDeclaration(model: $0, merges: $0 == model ? [property: .max] : [:]) })
      }
      #expect(error?.code == .unsupported && error?.model == model && error?.property == property)
    }
    try place.store.records.insert(into: "Team", [Record(["id": one, "name": "red"])])
  }
}
