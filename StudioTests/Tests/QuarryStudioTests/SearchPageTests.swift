import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import Testing

@testable import QuarryStudio

/// Searches by words, on the pages that have a field for them.
@Suite struct SearchPageTests {
  private func browser() async throws -> Browser {
    let store = try Store(opening: StoreURL(parsing: "memory:"))
    let leaflet = ModelSchema(
      id: ModelID(1), name: "Leaflet",
      properties: [
        PropertySchema(name: "id", type: .int64),
        PropertySchema(name: "title", type: .string, search: .init(weight: 3, language: .english)),
        PropertySchema(name: "text", type: .string, search: .init()),
      ], primaryKey: 0)
    try Shop.write(store) { tx in
      try tx.apply(.createModel(leaflet))
      try tx.records.insert(
        into: "Leaflet",
        [
          Record(["id": 1, "title": "Harbours", "text": "ships and boats"]),
          Record(["id": 2, "title": "Ships", "text": "nothing else"]),
          Record(["id": 3, "title": "Gardens", "text": "roses"]),
        ])
    }
    return try await Browser.entered(store)
  }

  private func keys(_ browser: Browser, _ words: String, _ more: String = "") async throws -> [Int] {
    let answer = try await browser.get("/grid.json?model=Leaflet&find=\(Browser.encoded(words))\(more)")
    let page = try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
    return try #require(page["objects"] as? [[String: Any]]).compactMap { $0["id"] as? Int }
  }

  @Test func theGridFindsWordsTheBestFirst() async throws {
    let browser = try await browser()
    // The title counts three times, and there the stem of a word is enough.
    #expect(try await keys(browser, "ship") == [2])
    #expect(try await keys(browser, "ships") == [2, 1])
    #expect(try await keys(browser, "ships -boats") == [2])
    #expect(try await keys(browser, "\"and boats\"") == [1])
    #expect(try await keys(browser, "ros*") == [3])
    #expect(try await keys(browser, "ships", "&where=" + Browser.encoded("id == 1")) == [1])
    #expect(try await keys(browser, "!?") == [])
  }

  @Test func theGridHasAFieldForWordsAndKeepsThem() async throws {
    let browser = try await browser()
    let page = try await browser.get("/grid?model=Leaflet&find=" + Browser.encoded("\"<b> ships"))
    #expect(page.status == 200)
    #expect(page.body.contains("Find words in title, text"))
    #expect(page.body.contains("value=\"&quot;&lt;b&gt; ships\""))
  }

  @Test func theSchemaNamesWeightsAndLanguages() async throws {
    let browser = try await browser()
    let page = try await browser.get("/schema")
    #expect(page.body.contains("searchable in english with the weight 3"))
    let answer = try await browser.get("/schema.json")
    let schema = try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
    let models = try #require(schema["models"] as? [[String: Any]])
    let properties = try #require(models.first?["properties"] as? [[String: Any]])
    let searches = properties.map { $0["search"] as? [String: Any] }
    #expect(searches.map { $0?["weight"] as? Int } == [nil, 3, 1])
    #expect(searches.map { $0?["language"] as? String } == [nil, "english", nil])
  }
}
