import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarrySync
import Testing

@testable import QuarryStudio

/// The page of what sync holds.
@Suite struct HeldTests {
  /// Two stores that were apart: both have a team of the same name, and one has an edit of a person whom the other deleted.
  private func stores(_ first: StoreURL? = nil) throws -> (a: Store, b: Store) {
    let models = [
      ModelSchema(
        id: ModelID(1), name: "Person",
        properties: [PropertySchema(name: "id", type: .string), PropertySchema(name: "name", type: .string)],
        primaryKey: 0),
      ModelSchema(
        id: ModelID(2), name: "Team",
        properties: [PropertySchema(name: "id", type: .string), PropertySchema(name: "name", type: .string)],
        primaryKey: 0, indexes: [IndexSchema(name: "names", columns: [.init(slot: 1)], isUnique: true)]),
    ]
    let stores = try [first, nil].map { url in
      let store = try Store(opening: url ?? StoreURL(parsing: "memory:"))
      try Shop.write(store) { tx in for model in models { try tx.apply(.createModel(model)) } }
      try store.enableSync(named: ["Person", "Team"])
      return store
    }
    let (a, b) = (stores[0], stores[1])
    try Shop.insert("Person", Record(["id": "ada", "name": "Ada"]), a)
    _ = try Store.replicate(a, b)
    try Shop.insert("Team", Record(["id": "a", "name": "<b>red</b>"]), a)
    try Shop.insert("Team", Record(["id": "b", "name": "<b>red</b>"]), b)
    try Shop.write(a) { tx in
      try tx.records.upsert(into: "Person", [Record(["id": "ada", "name": "Ada L."])], updating: ["name"])
    }
    try Shop.write(b) { tx in try tx.records.delete(in: "Person", keys: ["ada"]) }
    _ = try Store.replicate(a, b)
    return (a, b)
  }

  private func items(_ browser: Browser) async throws -> [[String: Any]] {
    let answer = try await browser.get("/held.json")
    let page = try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
    #expect(page["isSynced"] as? Bool == true)
    return try #require(page["held"] as? [[String: Any]])
  }

  @Test func whatIsHeldIsListedWithItsReason() async throws {
    let (a, _) = try stores()
    let browser = try await Browser.entered(a, writes: true)
    let page = try await browser.get("/held").body
    #expect(page.contains("2 held"))
    #expect(page.contains("Another object has its unique value."))
    #expect(page.contains("The object was deleted elsewhere"))
    #expect(page.contains("&lt;b&gt;red&lt;/b&gt;") && !page.contains("<b>red"))
    #expect(page.contains("Ada L."))
    let items = try await items(browser)
    #expect(Set(items.compactMap { $0["reason"] as? String }) == ["unique", "lostEdit"])
    let team = try #require(items.first { $0["reason"] as? String == "unique" })
    #expect((team["waitsFor"] as? [[String: Any]])?.count == 1)
    // The navigation leads to it.
    #expect(try await browser.get("/").body.contains("href=\"/held\""))
  }

  @Test func aDiscardNeedsWritingAndTheItemAsItWasSeen() async throws {
    let (a, b) = try stores()
    let reader = try await Browser.entered(a)
    let token = reader.studio.site.guardian.formToken
    #expect(!(try await reader.get("/held").body.contains("Discard")))
    #expect(try await reader.post("/discard", [("token", token), ("id", "x"), ("digest", "x")]).status == 403)

    let browser = try await Browser.entered(a, writes: true)
    let page = try await browser.get("/held").body
    let id = try #require(try await items(browser).first { $0["reason"] as? String == "unique" }?["id"] as? String)
    let row = String(page[try #require(page.range(of: "data-key=\"\(id)\"")).lowerBound...])
    let fields = ["token", "id", "digest"].map { ($0, Browser.hidden($0, in: row)) }
    #expect(fields[1].1 == id)
    let stale = try await browser.post("/discard", [fields[0], fields[1], ("digest", "0")])
    #expect(stale.status == 409)
    #expect(stale.body.contains("Nothing was discarded."))
    #expect(try await browser.post("/discard", [("token", ""), fields[1], fields[2]]).status == 403)
    let done = try await browser.post("/discard", fields)
    #expect(done.status == 303)
    #expect(try await browser.get(done.header("Location") ?? "").body.contains("is discarded."))
    #expect(try await items(browser).count == 1)
    #expect(try await browser.post("/discard", fields).status == 404)
    _ = try Store.replicate(a, b)
    #expect(try b.enableSync().held().isEmpty)
  }

  @Test func aStoreWithoutSyncHasNoSuchPageInItsNavigation() async throws {
    let browser = try await Browser.entered(try Shop.store())
    #expect(!(try await browser.get("/").body.contains("href=\"/held\"")))
    let page = try await browser.get("/held")
    #expect(page.status == 200)
    #expect(page.body.contains("The store is not synced."))
  }

  private static func version(_ store: Store) throws -> CommitVersion { try store.read { tx in try tx.version } }

  /// Another program syncs the store: looking at it neither begins to sync here nor changes anything.
  @Test func lookingBeginsNoSync() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "studio-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = try StoreURL(parsing: "sqlite:\(folder.path)/shop.db")
    let (a, _) = try stores(url)
    let store = try Store(opening: url)
    let version = try Self.version(store)
    let browser = try await Browser.entered(store, writes: true)
    #expect(try await items(browser).count == 2)
    #expect(try await browser.get("/").body.contains("href=\"/held\""))
    #expect(store.sync == nil)
    #expect(try Self.version(store) == version)
    let row = try await browser.get("/held").body
    let refused = try await browser.post(
      "/discard", ["token", "id", "digest"].map { ($0, Browser.hidden($0, in: row)) })
    #expect(refused.status == 400)
    #expect(try a.enableSync().held().count == 2)
    try store.close()
    try a.close()
  }

  @Test func whatAHubRefusedIsWrittenAgainOrDiscarded() async throws {
    let (hub, a) = try stores()
    // Both stores end sync, so that one of them can become a hub.
    for store in [hub, a] { try store.endSync() }
    try hub.enableSync(named: ["Person", "Team"], as: .hub)
    hub.sync?.authorize { change, _ in
      change.objects.contains { $0.after?["name"] == "<i>Eve</i>" } ? .refuse("not <i>here</i>") : .accept
    }
    try a.enableSync(named: ["Person", "Team"])
    _ = try Store.replicate(a, hub)
    try Shop.insert("Person", Record(["id": "eve", "name": "<i>Eve</i>"]), a)
    try Shop.insert("Person", Record(["id": "eva", "name": "<i>Eve</i>"]), a)
    _ = try Store.replicate(a, hub)
    let browser = try await Browser.entered(a, writes: true)
    let page = try await browser.get("/held").body
    #expect(page.contains("The hub refused it.") && page.contains("not &lt;i&gt;here") && page.contains("Write again"))
    let items = try await items(browser).filter { $0["reason"] as? String == "refused" }
    #expect(items.compactMap { $0["message"] as? String } == ["not <i>here</i>", "not <i>here</i>"])
    let sync = try #require(a.sync)
    let held = try sync.held().filter { $0.reason == .refused }
    for (place, item) in zip(["/accept", "/discard"], held) {
      let start = try #require(page.range(of: "data-key=\"\(item.id)\""))
      let row = String(page[start.upperBound...])
      let answer = try await browser.post(place, ["token", "id", "digest"].map { ($0, Browser.hidden($0, in: row)) })
      #expect(answer.status == 303)
    }
    #expect(try sync.held().allSatisfy { $0.reason != .refused })
    #expect(try await a.records.fetch(in: "Person").count == 1)
  }
}
