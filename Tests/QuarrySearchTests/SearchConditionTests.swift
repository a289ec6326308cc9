import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport
import QuarryText
import Testing

/// Searches as conditions: joined, observed, written as text, and with bad input.
@Suite struct SearchConditionTests {
  private func store(_ articles: [Article] = samples) throws -> (Place, Store) {
    let place = try Place(#require(EngineDescription.all.first { $0.name == "memory" }))
    let store = try place.open()
    try store.insert(contentsOf: articles)
    return (place, store)
  }

  static let samples = [
    Article("1", "Swift concurrency", "Actors and tasks", tags: ["swift", "language"]),
    Article("2", "Storage", "Swift storage with a unit of work", tags: ["unit", "work"], year: 2010),
    Article("3", "Java", nil, year: 2020), Article("4", "", "", year: 2021),
  ]

  private func ids(_ store: Store, _ text: String) throws -> [String] {
    try store.fetch(Article.where { $0.search(text) }).map(\.id)
  }

  // SEARCH-22, SEARCH-23, SEARCH-24.
  @Test func joinsWithOtherConditions() throws {
    let (_, store) = try store()
    #expect(try ids(store, "swift") == ["1", "2"])
    #expect(try ids(store, "storage tasks") == [])
    #expect(try ids(store, "java") == ["3"])
    #expect(try ids(store, "-swift") == ["3", "4"])
    #expect(try store.fetch(Article.where { $0.search("swift") && $0.year > 2000 }).map(\.id) == ["2"])
    #expect(try store.fetch(Article.where { $0.search("swift") || $0.year > 2020 }).map(\.id) == ["1", "2", "4"])
    #expect(try store.fetch(Article.where { $0.title.search("swift") }).map(\.id) == ["1"])
    #expect(try store.fetch(Article.where { $0.tags.search("language") }).map(\.id) == ["1"])
    #expect(try store.fetch(Article.where { $0.body.search("-swift") }).map(\.id) == ["1", "3", "4"])
    // A phrase does not stand across the elements of an array.
    #expect(try store.count(Article.where { $0.tags.search(.phrase("unit work")) }) == 0)
    #expect(try store.count(Article.where { $0.tags.search("unit work") }) == 1)
    let page = try store.fetch(Article.where { $0.search("swift") }.sorted(by: \.year, order: .reverse).limit(1))
    #expect(page.map(\.id) == ["2"])
  }

  @Test func isWrittenAsText() throws {
    let (_, store) = try store()
    func ids(_ text: String) throws -> [String] {
      try store.records.fetch(in: "Article", where: text).compactMap { record in
        if case .string(let id)? = record["id"] { id } else { nil }
      }
    }
    #expect(try ids("title SEARCH 'concurrency swift'") == ["1"])
    #expect(try ids("body SEARCH 'swift \"unit of work\" -java'") == ["2"])
    #expect(try ids("NOT title SEARCH 'swift' AND year < 2015") == ["2"])
    #expect(try ids("title SEARCHQUERY 'any(\"java\", prefix(\"conc\"))'") == ["1", "3"])
    #expect(throws: StorageError.self) { try ids("title SEARCHQUERY 'any('") }
    #expect(throws: StorageError.self) { try ids("year SEARCH '1'") }
    let query = Article.where { $0.title.search("swift -java") }
    let text = query.tree.predicate.description
    #expect(text == "title SEARCH 'swift -java'" || text == "title SEARCH \"swift -java\"")
  }

  @Test func badInputIsNoError() throws {
    let (_, store) = try store()
    let bad = [
      "", " ", "...", "-", "--", "\"", "\"unit of", "*", "-*", "a\u{0}b", "\u{0}", "🇩", "\u{FFFD}", "'; DROP TABLE",
      "%", "(",
      String(repeating: "word ", count: 100_000), String(repeating: "\"", count: 10_000),
      (0..<100_000).map { "w\($0)" }.joined(separator: " "), String(repeating: "東", count: 50_000),
    ]
    for text in bad {
      _ = try store.count(Article.where { $0.search(text) })
      _ = try store.ranked(Article.all, by: SearchQuery(typed: text), limit: 3)
    }
    #expect(try ids(store, "\"unit of") == ["2"])
    var deep = SearchQuery.word("a")
    for _ in 0..<40 { deep = .not(.all(deep, "b")) }
    #expect { try store.count(Article.where { $0.search(deep) }) } throws: {
      ($0 as? StorageError)?.code == .limitExceeded
    }
    #expect { try store.ranked(Article.all, by: deep) } throws: { ($0 as? StorageError)?.code == .limitExceeded }
    #expect { try store.records.ranked(in: "Article", by: "a", properties: ["year"]) } throws: {
      ($0 as? StorageError)?.code == .invalidQuery
    }
    #expect { try store.records.ranked(in: "Article", by: "a", properties: ["titel"]) } throws: {
      ($0 as? StorageError)?.message.contains("title") ?? false
    }
  }

  @Test func observedSearchesFollow() async throws {
    let (_, store) = try self.store()
    var changes = store.changes(of: Article.where { $0.search("swift") }).makeAsyncIterator()
    #expect(try await changes.next()?.objects.map(\.id) == ["1", "2"])
    try await store.insert(Article("9", "More Swift"))
    #expect(try await changes.next()?.objects.map(\.id) == ["1", "2", "9"])
    try await store.update(Article.self, "1") { article in
      article.title = "Go"
      article.tags = []
    }
    #expect(try await changes.next()?.objects.map(\.id) == ["2", "9"])
  }

  @Test func longTextsAndKeys() throws {
    let (_, store) = try store([])
    let key = String(repeating: "k", count: 300)
    try store.insert(contentsOf: [Article(key + "1", "same"), Article(key + "2", "same"), Article(key + "3", "other")])
    #expect(try ids(store, "same").count == 2)
    #expect(try store.delete(Article.self, key + "1"))
    #expect(try ids(store, "same") == [key + "2"])
    let long = String(repeating: "common ", count: 200_000) + "needle"
    try store.insert(Article("long", long))
    #expect(try ids(store, "needle") == ["long"])
    try store.update(Article.self, "long") { $0.title = "short" }
    #expect(try ids(store, "needle") == [])
    #expect(try store.check() == [])
  }

  // The words of such a text are written in parts, of which one object may be in several.
  @Test func textsOfVeryManyWords() throws {
    let (_, store) = try store([Article("0", "again and again"), Article("9", "the end")])
    func text(_ first: Int) -> String {
      "again " + (first..<first + 120_000).map { String($0, radix: 36) }.joined(separator: " ")
        + " again needle\(first)"
    }
    func found(_ text: String) throws -> [String] { try ids(store, text) }
    let word = String(50_123, radix: 36)
    try store.insert(contentsOf: [Article("1", text(50_000)), Article("2", "again \(word)")])
    #expect(try found("again") == ["0", "1", "2"])
    #expect(try found(word) == ["1", "2"])
    #expect(try found("\"again needle50000\"") == ["1"])
    #expect(try store.check() == [])
    try store.update(Article.self, "1") { $0.title = text(200_000) }
    #expect(try found("again") == ["0", "1", "2"])
    #expect(try found(word) == ["2"])
    #expect(try found("needle50000") == [] && found("needle200000") == ["1"])
    #expect(try store.check() == [])
    try store.delete(Article.self, "1")
    #expect(try found("again") == ["0", "2"])
    #expect(try found(String(250_000, radix: 36)) == [])
    #expect(try store.check() == [])
  }

  @Test func otherStoresHaveTheIndex() throws {
    let (_, store) = try store()
    let target = try Place(#require(EngineDescription.all.first { $0.name == "sqlite" }))
    try store.copy(to: target.provider)
    let copy = try target.open()
    defer { try? copy.close() }
    #expect(copy.openingReport.schemaChanges == [])
    #expect(try copy.fetch(Article.where { $0.search("swift") }).map(\.id) == ["1", "2"])
    #expect(try copy.check() == [])
    #expect(try store.differences(from: copy, limit: 9).isEmpty)
    try copy.insert(Article("5", "Swift again"))
    #expect(try copy.fetch(Article.where { $0.search("swift") }).map(\.id) == ["1", "2", "5"])
  }
}
