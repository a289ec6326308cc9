import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarrySeeds
import QuarryTestSupport
import QuarryText
import Testing

/// The index of words beside a reference that reads every text, on every engine.
@Suite struct SearchIndexTests {
  static let words = [
    "swift", "Swift", "storage", "concurrency", "conc", "naïve", "naive", "東京都", "東京", "京", "привет", "мир", "ΑΒΓ",
    "αβγ",
    "l'amour", "don't", "3.14", "👍", "한국어", "ไทย", "the", "the", "the", "a", "of", "unit", "work",
  ]

  static func text(_ random: inout SeededGenerator, upTo count: Int) -> String {
    (0..<Int.random(in: 0...count, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
      .joined(separator: [" ", ", ", "-", "\n", ""].randomElement(using: &random) ?? " ")
  }

  static func article(_ id: String, _ random: inout SeededGenerator) -> Article {
    Article(
      id, text(&random, upTo: 4), Bool.random(using: &random) ? text(&random, upTo: 30) : nil,
      tags: (0..<Int.random(in: 0...3, using: &random)).map { _ in text(&random, upTo: 3) },
      year: Int.random(in: 1990...2000, using: &random))
  }

  static let queries: [SearchQuery] = [
    "swift", .phrase("unit of work"), .prefix("conc"), .prefix("n"), .not("the"), .all("swift", "storage"),
    .any("東京", "мир"), .all(.not("swift"), .not("the")), .all("the", .not("swift")), .near("swift", "work", within: 3),
    .all([]), .any([]), "東京都", "京", "αβγ", .phrase("the the"), .prefix("東"), "👍", "", .not(""),
    .any(.all("unit", .not("work")), .phrase("a of")), SearchQuery(typed: #"swift "unit of" -a"#),
  ]

  static func check(_ scope: some ReadScope, _ expected: [String: Article], _ at: String) throws {
    for query in queries {
      let found = Set(try scope.fetch(Article.where { $0.search(query) }).map(\.id))
      #expect(found == NaiveSearch.keys(query, expected.values), "\(query) \(at)")
      let others = try scope.count(Article.where { !$0.search(query) })
      #expect(others == expected.count - found.count, "not \(query) \(at)")
    }
  }

  // SEARCH-26.
  @Test(arguments: EngineDescription.all.map(\.name), 1...2)
  func randomWrites(_ engine: String, _ seed: Int) throws {
    let place = try Place(#require(EngineDescription.all.first { $0.name == engine }))
    var random = SeededGenerator(seed: UInt64(seed))
    var model: [String: Article] = [:]
    let store = try place.open()
    defer { try? store.close() }
    for round in 1...12 {
      let before = model
      let fails = round % 5 == 0
      struct Undone: Error {}
      do {
        try store.write { tx in
          for _ in 0..<12 {
            try Self.write(tx, &model, &random)
            if Int.random(in: 0..<6, using: &random) == 0 {
              let kept = model
              try? tx.savepoint {
                for _ in 0..<3 { try Self.write(tx, &model, &random) }
                if Bool.random(using: &random) {
                  model = kept
                  throw Undone()
                }
              }
            }
          }
          if round % 3 == 0 { try Self.check(tx, model, "inside round \(round)") }
          if fails { throw Undone() }
        }
      } catch is Undone {
        model = before
      }
      #expect(Set(try store.fetch(Article.all).map(\.id)) == Set(model.keys))
      try Self.check(store, model, "after round \(round)")
      #expect(try store.check() == [])
    }
  }

  /// One random write, of a random kind.
  static func write(
    _ tx: WriteTransaction, _ model: inout [String: Article], _ random: inout SeededGenerator
  ) throws {
    let id = "a\(Int.random(in: 0..<40, using: &random))"
    let fresh = article(id, &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1:
      if model[id] == nil {
        try tx.insert(fresh)
        model[id] = fresh
      }
    case 2:
      let others = (0..<3).map { article("b\(Int.random(in: 0..<20, using: &random))-\($0)", &random) }
      try tx.upsert(contentsOf: others)
      for other in others { model[other.id] = other }
    case 3:
      try tx.upsert(contentsOf: [fresh])
      model[id] = fresh
    case 4:
      if try tx.delete(Article.self, id) { model[id] = nil }
    case 5:
      let word = words.randomElement(using: &random) ?? ""
      let found = NaiveSearch.keys(SearchQuery(typed: word), model.values).sorted().prefix(2)
      for key in found {
        try tx.update(Article.self, key) { $0.title = fresh.title }
        model[key]?.title = fresh.title
      }
    case 6:
      let year = Int.random(in: 1990...2000, using: &random)
      try tx.update(Article.where { $0.year == year }) { $0.body = fresh.body }
      for key in model.keys where model[key]?.year == year { model[key]?.body = fresh.body }
    default:
      let year = Int.random(in: 1990...2000, using: &random)
      _ = try tx.delete(Article.where { $0.year == year && $0.search("swift") })
      for (key, article) in model where article.year == year {
        if NaiveSearch.finds("swift", NaiveSearch.fields(article)) { model[key] = nil }
      }
    }
  }

  // SEARCH-27.
  @Test(arguments: EngineDescription.all.map(\.name))
  func ranks(_ engine: String) throws {
    let place = try Place(#require(EngineDescription.all.first { $0.name == engine }))
    var random = SeededGenerator(seed: 9)
    let articles = (0..<150).map { Self.article("k\($0)", &random) }
    let store = try place.open()
    defer { try? store.close() }
    try store.insert(contentsOf: articles)
    for words in [["swift"], ["the", "swift"], ["unit", "of"]] {
      let expected = NaiveSearch.ranked(words, articles)
      let found = try store.ranked(Article.all, by: SearchQuery(typed: words.joined(separator: " ")))
      #expect(found.map(\.object.id) == expected.map(\.id))
      for (hit, wanted) in zip(found, expected) { #expect(abs(hit.score - wanted.score) <= 2.0 / 1024) }
      let first = try store.ranked(
        Article.where { $0.year > 1995 }, by: SearchQuery(typed: words.joined(separator: " ")), limit: 5)
      let years = Dictionary(uniqueKeysWithValues: articles.map { ($0.id, $0.year) })
      #expect(first.map(\.object.id) == Array(expected.map(\.id).filter { years[$0] ?? 0 > 1995 }.prefix(5)))
    }
    let titles = try store.ranked(Article.all, by: "swift", in: [.init(\.title)])
    #expect(Set(titles.map(\.object.id)) == Set(articles.filter { NaiveSearch.finds("swift", [[$0.title]]) }.map(\.id)))
  }

  // SEARCH-25, SEARCH-28.
  @Test(arguments: EngineDescription.all.map(\.name))
  func indexComesAndGoes(_ engine: String) throws {
    let place = try Place(#require(EngineDescription.all.first { $0.name == engine }))
    if place.engine.name == "memory" { return }
    var store = try place.open([PlainArticle.self])
    try store.insert(contentsOf: (0..<300).map { PlainArticle("p\($0)", "swift number \($0)") })
    #expect(try store.fetch(PlainArticle.where { $0.title.search("number 7") }).map(\.id) == ["p7"])
    #expect {
      try store.fetch(PlainArticle.where { $0.search("number -two") })
    } throws: {
      ($0 as? StorageError)?.message == "no property of the model is searchable"
    }
    try store.close()

    store = try place.open()
    #expect(store.openingReport.schemaChanges.contains { $0.contains("can be searched") })
    #expect(try store.models().map(\.name) == ["Article"])
    #expect(try store.fetch(Article.where { $0.search("number 7") }).map(\.id) == ["p7"])
    let plan = try store.explain(Article.where { $0.search("number 7") })
    #expect(plan.first == ["Article by words of title, body, tags: 1 keys"])
    #expect(try store.check() == [])
    try store.close()

    store = try place.open()
    #expect(store.openingReport.schemaChanges == [])
    try store.close()

    store = try place.open([PlainArticle.self])
    #expect(store.openingReport.schemaChanges.contains { $0.contains("cannot be searched") })
    try store.insert(PlainArticle("q", "swift late"))
    try store.close()

    store = try place.open()
    defer { try? store.close() }
    #expect(try store.fetch(Article.where { $0.search("late") }).map(\.id) == ["q"])
    #expect(try store.check() == [])
  }
}
