import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryText

/// Searches for words, as conditions and ranked.
enum SearchCases {
  private static func search(
    _ name: String, _ clauses: [String], _ summary: String, within limit: Duration = .seconds(20),
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("SEARCH.\(name)", clauses, summary, within: limit) { kit in
      let store = try kit.store(Leaflet.self)
      try store.insert(contentsOf: Leaflet.samples)
      try body(store)
    }
  }

  private static func ids(_ scope: some ReadScope, _ query: SearchQuery) throws -> [Int] {
    try scope.fetch(Leaflet.where { $0.search(query) }).map(\.id)
  }

  static let all: [ConformanceCase] =
    [
      search(
        "typed", ["SEARCH-9", "SEARCH-10", "SEARCH-11"], "Typed words, phrases, beginnings and exclusions find texts."
      ) {
        store in
        for (text, due) in [
          ("swift", [1, 2]), ("SWIFT", [1, 2]), ("swift storage", [2]), ("storage tasks", []), ("java", [3]),
          ("-swift", [3, 4, 5]), ("swift -tasks", [2]), ("\"unit of work\"", [2]), ("\"unit work\"", []),
          ("conc*", [1]),
          ("", []), ("...", []), ("\"unit of", [2]), ("-", []), ("cafe strasse", [5]), ("東京", [5]), ("東都", []),
          ("3.14", [5]), ("14", []), ("known", [5]), ("\"well known\"", [5]),
        ] {
          try expectEqual(try store.fetch(Leaflet.where { $0.search(text) }).map(\.id), due, "«\(text)»")
        }
      },
      search("built", ["SEARCH-13", "SEARCH-14"], "Built queries join words, phrases and distances.") { store in
        let queries: [(SearchQuery, [Int])] = [
          (.all("swift", .not("tasks")), [2]), (.any("java", .prefix("act")), [1, 3]),
          (.near("unit", "work", within: 2), [2]),
          (.near("unit", "work", within: 1), []), (.all([]), [1, 2, 3, 4, 5]), (.any([]), []),
          (.not(.any("swift", "java")), [4, 5]), (.phrase("of work"), [2]),
        ]
        for (query, due) in queries { try expectEqual(try ids(store, query), due, "\(query)") }
      },
      search(
        "columns", ["SEARCH-22", "SEARCH-23"], "A search may be in one property, where nil and elements stand alone."
      ) {
        store in
        try expectEqual(try store.fetch(Leaflet.where { $0.title.search("swift") }).map(\.id), [1])
        try expectEqual(try store.fetch(Leaflet.where { $0.body.search("swift") }).map(\.id), [2])
        try expectEqual(try store.fetch(Leaflet.where { $0.body.search("-swift") }).map(\.id), [1, 3, 4, 5])
        try expectEqual(try store.fetch(Leaflet.where { $0.labels.search("unit work") }).map(\.id), [2])
        try expectEqual(try store.count(Leaflet.where { $0.labels.search(.phrase("unit work")) }), 0)
        // Each word in another property.
        try expectEqual(try ids(store, .all("concurrency", "tasks", "language")), [1])
      },
      search("joined", ["SEARCH-24"], "A search is joined with other conditions, negated, ordered and paged.") {
        store in
        try expectEqual(try store.fetch(Leaflet.where { $0.search("swift") && $0.rank > 5 }).map(\.id), [2])
        try expectEqual(try store.fetch(Leaflet.where { $0.search("swift") || $0.rank > 20 }).map(\.id), [1, 2, 4, 5])
        try expectEqual(try store.count(Leaflet.where { !$0.search("swift") }), 3)
        let sorted = Leaflet.where { $0.search("swift") }.sorted(by: \.rank, order: .reverse)
        try expectEqual(try store.fetch(sorted.limit(1)).map(\.id), [2])
        try expectEqual(try store.records.fetch(in: "Leaflet", where: "title SEARCH 'swift' AND rank < 5").count, 1)
      },
      search("statements", ["SEARCH-24", "SEARCH-26"], "Updates and deletes take searches, and searches follow them.") {
        store in
        try expectEqual(try store.update(Leaflet.where { $0.search("swift") }) { $0.title = "Tea" }, 2)
        try expectEqual(try ids(store, "tea"), [1, 2])
        try expectEqual(try ids(store, "concurrency"), [])
        try expectEqual(try ids(store, "swift"), [1, 2])
        try expectEqual(try store.delete(Leaflet.where { $0.search("tasks") }), 1)
        try expectEqual(try ids(store, "tea"), [2])
        try expectEqual(try store.check(), [])
      },
      search(
        "savepoints", ["SEARCH-26"], "A transaction finds its own writes, and nothing that a savepoint has undone."
      ) { store in
        struct Undone: Error {}
        try store.write { tx in
          try tx.insert(Leaflet(9, "green swift"))
          try expectEqual(try ids(tx, "swift"), [1, 2, 9])
          do {
            try tx.savepoint {
              try tx.insert(Leaflet(10, "swift again"))
              try tx.delete(Leaflet.self, 1)
              try expectEqual(try ids(tx, "swift"), [2, 9, 10])
              throw Undone()
            }
          } catch is Undone {}
          try expectEqual(try ids(tx, "swift"), [1, 2, 9])
          try expectEqual(try ids(tx, "again"), [])
        }
        try expectEqual(try ids(store, "swift"), [1, 2, 9])
      },
      search("rolled-back", ["SEARCH-26"], "A transaction that is rolled back leaves no word.") { store in
        struct Undone: Error {}
        try expectThrows(Undone.self) {
          try store.write { tx in
            try tx.insert(Leaflet(9, "ephemeral"))
            try tx.delete(Leaflet.self, 1)
            throw Undone()
          }
        }
        try expectEqual(try ids(store, "ephemeral"), [])
        try expectEqual(try ids(store, "concurrency"), [1])
        try expectEqual(try store.check(), [])
      },
      search("frozen", ["SEARCH-26"], "A frozen store finds the words of its state.") { store in
        let frozen = try store.freeze()
        try store.update(Leaflet.self, 1) { $0.title = "Go" }
        try expectEqual(try ids(frozen, "concurrency"), [1])
        try expectEqual(try ids(store, "concurrency"), [])
        frozen.close()
      },
      search("refused", ["SEARCH-15", "SEARCH-16", "SEARCH-25"], "A query that is too deep, or no query, is refused.") {
        store in
        var deep = SearchQuery.word("a")
        for _ in 0..<40 { deep = .not(.all(deep, "b")) }
        try expectError(.limitExceeded) { try store.count(Leaflet.where { $0.search(deep) }) }
        try expectError(.invalidQuery) { try store.records.fetch(in: "Leaflet", where: "title SEARCHQUERY 'any('") }
        try expectError(.invalidQuery) { try store.records.fetch(in: "Leaflet", where: "rank SEARCH '1'") }
        try expectError(.invalidQuery) { try store.records.ranked(in: "Leaflet", by: "a", properties: ["rank"]) }
        try expectEqual(try ids(store, "swift"), [1, 2])
      },
      search("ranked", ["SEARCH-17", "SEARCH-27"], "Hits come by their scores, in which weights count.") { store in
        try expectEqual(try store.ranked(Leaflet.all, by: "swift").map(\.object.id), [1, 2])
        try store.insert(contentsOf: [
          Leaflet(11, "tea", "milk and sugar and water"), Leaflet(12, "milk", "tea and sugar and water"),
          Leaflet(13, "milk", "sugar and water and tea"), Leaflet(14, "milk", "no such word here, none"),
        ])
        let hits = try store.ranked(Leaflet.all, by: "tea")
        try expectEqual(hits.map(\.object.id), [11, 12, 13])
        try expect(hits[0].score > hits[1].score)
        try expectEqual(hits[1].score, hits[2].score)
        try expectEqual(try store.ranked(Leaflet.where { $0.id > 11 }, by: "tea", limit: 1).map(\.object.id), [12])
        try expectEqual(try store.ranked(Leaflet.all, by: "nowhere").count, 0)
        for hit in hits { try expectEqual(hit.score * 1024, (hit.score * 1024).rounded(), "a multiple of 1/1024") }
      },
      search("long-texts", ["SEARCH-26", "SEARCH-29"], "Long texts and many words in one text are found and removed.") {
        store in
        try store.insert(Leaflet(20, String(repeating: "common ", count: 20_000) + "needle"))
        try store.insert(Leaflet(21, (0..<5_000).map { "w\($0)" }.joined(separator: " ")))
        try expectEqual(try ids(store, "needle"), [20])
        try expectEqual(try ids(store, "w4999"), [21])
        try store.update(Leaflet.self, 20) { $0.title = "short" }
        try store.delete(Leaflet.self, 21)
        try expectEqual(try ids(store, "needle"), [])
        try expectEqual(try ids(store, "w4999"), [])
        try expectEqual(try store.check(), [])
      },
    ]
    + (1...6).map { number in
      ConformanceCase(
        "SEARCH.random-\(number)", ["SEARCH-22", "SEARCH-24", "SEARCH-26"],
        "After random writes, searches find what reading all texts finds.", within: .seconds(120)
      ) { kit in try random(kit, number) }
    }

  private static func random(_ kit: ConformanceContext, _ number: Int) throws {
    struct Undone: Error {}
    var random = kit.random(7_300 + number)
    let store = try kit.store(Leaflet.self)
    var model: [Int: Leaflet] = [:]
    for round in 1...6 {
      let before = model
      do {
        try store.write { tx in
          for _ in 0..<8 { try write(tx, &model, &random) }
          let kept = model
          do {
            try tx.savepoint {
              for _ in 0..<3 { try write(tx, &model, &random) }
              if Bool.random(using: &random) { throw Undone() }
            }
          } catch is Undone { model = kept }
          if round == 3 { try PlainWords.expectFound(tx, model, "inside round \(round)") }
          if round == 4 { throw Undone() }
        }
      } catch is Undone { model = before }
      try PlainWords.expectFound(store, model, "after round \(round)")
    }
    try expectEqual(try store.check(), [])
  }

  private static func write(
    _ tx: WriteTransaction, _ model: inout [Int: Leaflet], _ random: inout SeededGenerator
  ) throws {
    let fresh = PlainWords.leaflet(Int.random(in: 0..<24, using: &random), &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      if try tx.delete(Leaflet.self, fresh.id) { model[fresh.id] = nil }
    case 1 where model[fresh.id] != nil:
      try tx.update(Leaflet.self, fresh.id) { $0.title = fresh.title }
      model[fresh.id]?.title = fresh.title
    default:
      try tx.upsert(fresh)
      model[fresh.id] = fresh
    }
  }
}
