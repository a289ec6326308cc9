import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import Testing

@testable import QuarryStudio

@Suite struct LiveTests {
  private func address(_ browser: Browser, _ page: String) async throws -> String {
    let body = try await browser.get(page).body
    let start = try #require(body.range(of: "data-live=\""))
    return String(body[start.upperBound...].prefix { $0 != "\"" }).replacingOccurrences(of: "&amp;", with: "&")
  }

  private func change(_ model: String, _ key: Int64, _ property: String, _ value: Value, _ store: Store) throws {
    try store.write { tx in
      try tx.records.upsert(
        into: model, [Record([("id", .int(key)), (property, value)])], updating: [property])
    }
  }

  @Test(arguments: ["/", "/grid?model=Order", "/object?model=Order&key=1", "/edit?model=Order&key=1"])
  func aCommitIsAnEvent(page: String) async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let text = try await browser.events(try await address(browser, page), until: "event: change") {
      try change("Order", 1, "amount", 7, store)
    }
    #expect(text.hasPrefix("retry: 2000\n\n"))
    #expect(text.components(separatedBy: "event: change").count == 2)
    // Nothing of the store is in it.
    #expect(!text.contains("Order"))
  }

  @Test func aCommitBeforeTheStreamIsNotMissed() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store)
    let address = try await address(browser, "/grid?model=Order")
    try change("Order", 1, "amount", 7, store)
    let text = try await browser.events(address, until: "event: change") {}
    #expect(text.contains("event: change"))
    // The stream is opened again from the last event on.
    let last = try #require(text.components(separatedBy: "id: ").last?.prefix { $0.isNumber })
    let again = try await browser.events(
      address, until: "event: change", headers: ["Last-Event-ID": String(last)]
    ) { try change("Order", 1, "amount", 8, store) }
    #expect(!again.contains("id: \(last)\n"))
  }

  @Test func otherModelsDoNotConcernAGrid() async throws {
    let store = try Shop.store()
    try Shop.write(store) { tx in
      try tx.apply(
        .createModel(
          ModelSchema(
            id: ModelID(3), name: "Alone",
            properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "n", type: .int64)],
            primaryKey: 0)))
      try tx.records.insert(into: "Alone", [Record(["id": 1, "n": 1])])
    }
    let models = try LiveScope.model("Order").models(in: store)
    #expect(models == ["Order", "Customer"])
    #expect(try LiveScope.model("Alone").models(in: store) == ["Alone"])
    let browser = try await Browser.entered(store)
    let text = try await browser.events(try await address(browser, "/grid?model=Order"), until: "event: change") {
      try change("Alone", 1, "n", 2, store)
      try change("Customer", 1, "name", "Other", store)
    }
    let version = try Store.newest(store)
    #expect(text.components(separatedBy: "event: change").count == 2)
    #expect(text.contains("id: \(version)\n"))
  }

  @Test(arguments: ["sqlite", "lmdb"]) func aChangeOfAnotherConnectionIsAnEvent(engine: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "studio-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await showTheChangeOfAnother(StoreURL(parsing: "\(engine):\(folder.path)/shop.\(engine)"))
  }

  #if PostgreSQL
    @Test func aChangeOfAnotherConnectionIsAnEventOnPostgreSQL() async throws {
      try await showTheChangeOfAnother(EngineTests.postgres())
    }
  #endif

  private func showTheChangeOfAnother(_ url: StoreURL) async throws {
    let store = try Store(opening: url)
    try Shop.fill(store)
    let other = try Store(opening: url)
    let browser = try await Browser.entered(store)
    let text = try await browser.events(try await address(browser, "/grid?model=Order"), until: "event: change") {
      try change("Order", 1, "amount", 7, other)
    }
    #expect(text.contains("event: change"))
    let page = try await browser.get("/grid?model=Order&limit=25&columns=amount&where=id+%3D%3D+1")
    #expect(page.body.contains("<bdi>7</bdi>"))
    try other.close()
    try store.close()
  }

  @Test func pagesThatStayAsTheyAreHaveNoStream() async throws {
    let browser = try await Browser.entered(try Shop.store(), writes: true)
    for page in ["/schema", "/help", "/check", "/import", "/grid?model=Order&where=%28%28"] {
      #expect(!(try await browser.get(page).body.contains("data-live=")), "\(page)")
    }
  }

  @Test func streamsHaveALimit() async throws {
    let browser = try await Browser.entered(try Shop.store())
    for _ in 0..<LiveEvents.most { browser.studio.site.live.begin() }
    #expect(try await browser.get("/events?since=0").status == 503)
    browser.studio.site.live.end()
    _ = try await browser.events("/events?since=x", until: "event: change") {}
    for _ in 0..<200 where !browser.studio.site.live.hasRoom { try await Task.sleep(for: .milliseconds(10)) }
    #expect(browser.studio.site.live.hasRoom)
  }
}

extension Store {
  fileprivate static func newest(_ store: Store) throws -> CommitVersion {
    try store.read { tx in try tx.version }
  }
}
