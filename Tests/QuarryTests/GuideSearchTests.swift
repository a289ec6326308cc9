import Quarry
import QuarryEngines
import Testing

@Suite struct GuideSearchTests {
  @Test func theGuideRuns() throws {
    let store = try Store(for: Letter.self, in: .memory)
    try store.insert(contentsOf: [
      Letter(id: 1, title: "Swift concurrency", body: "Swift actors", labels: ["language"], year: 2021),
      Letter(id: 2, title: "Storage", body: "A unit of work in Swift", labels: [], year: 2022),
      Letter(id: 3, title: "Java and Swift", body: nil, labels: [], year: 2023),
      Letter(id: 4, title: "Old Swift", body: nil, labels: [], year: 1999),
    ])
    #expect(try GuideSearch.finding(store, "swift -java") == [1, 2])
    #expect(try GuideSearch.conditions(store) == [3, 1, 1, 1])
    #expect(try GuideSearch.ranking(store, "swift") == ["Swift", "Swift", "", "1"])
  }

  @Test func theGuideFindsStems() throws {
    let store = try Store(for: Recipe.self, in: .memory)
    try store.insert(Recipe(id: 1, name: "Onion soup", steps: "Chop the onion."))
    #expect(try store.count(Recipe.where { $0.search("chopped onions") }) == 1)
    #expect(try store.count(Recipe.where { $0.steps.search("chopp*") }) == 0)
  }
}
