import Foundation
import QuarryConformanceKit
import QuarryCore
import QuarryText

/// The order of hits, against scores that are computed from the words of all objects.
enum SearchRankCases {
  /// The scores of the objects that have all the words, by the formula of SEARCH-17 and SEARCH-27.
  static func scores(_ words: [String], _ leaflets: [Leaflet], weights: [Double] = [3, 1, 1]) -> [Int: Double] {
    let objects = leaflets.map { leaflet in
      (
        leaflet.id,
        [[leaflet.title], [leaflet.body ?? ""], leaflet.labels].map { texts in texts.flatMap(PlainWords.words(of:)) }
      )
    }
    func weighted(_ fields: [[String]], _ count: ([String]) -> Int) -> Double {
      zip(fields, weights).reduce(0) { $0 + Double(count($1.0)) * $1.1 }
    }
    let average = objects.reduce(0) { $0 + weighted($1.1, \.count) } / Double(max(1, objects.count))
    var result: [Int: Double] = [:]
    for (id, fields) in objects {
      var score = 0.0
      let frequencies = words.map { word in weighted(fields) { field in field.count { $0 == word } } }
      guard frequencies.allSatisfy({ $0 > 0 }) else { continue }
      for (word, f) in zip(words, frequencies) {
        let n = Double(objects.count { weighted($0.1) { field in field.count { $0 == word } } > 0 })
        let rarity = log(1 + (Double(objects.count) - n + 0.5) / (n + 0.5))
        score += rarity * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * weighted(fields, \.count) / average))
      }
      result[id] = score
    }
    return result
  }

  /// Throws unless the hits of words have these scores and are in their order.
  static func expectRanked(_ scope: some ReadScope, _ words: [String], _ leaflets: [Leaflet], _ about: String = "")
    throws
  {
    let expected = scores(words, leaflets)
    let hits = try scope.ranked(Leaflet.all, by: .all(words.map(SearchQuery.word)))
    try expectEqual(Set(hits.map(\.object.id)), Set(expected.keys), "the hits of \(words) \(about)")
    for hit in hits {
      let due = expected[hit.object.id] ?? 0
      try expect(abs(hit.score - due) <= 1.0 / 1024, "\(words) in \(hit.object.id): \(hit.score), not \(due) \(about)")
      try expectEqual(hit.score * 1024, (hit.score * 1024).rounded(), "a multiple of 1/1024")
    }
    for (before, hit) in zip(hits, hits.dropFirst()) {
      try expect(
        (hit.score, before.object.id) < (before.score, hit.object.id),
        "\(before.object.id) before \(hit.object.id) \(about)")
    }
  }

  private static func ranked(
    _ name: String, _ summary: String, _ leaflets: [Leaflet] = plain,
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("SEARCH.rank.\(name)", ["SEARCH-17", "SEARCH-18", "SEARCH-27"], summary, within: .seconds(20)) {
      kit in
      let store = try kit.store(Leaflet.self)
      try store.insert(contentsOf: leaflets)
      try body(store)
    }
  }

  /// The texts of the library in which words are what stands between spaces.
  private static let plain = Leaflet.library.filter { $0.id != 5 }

  private static let crowd = (1...60).map { number in
    Leaflet(
      number, number % 3 == 0 ? "common rare" : "common", (0..<number).map { _ in "filler" }.joined(separator: " "),
      labels: number % 10 == 0 ? ["rare", "common"] : [])
  }

  static let all: [ConformanceCase] =
    [
      ranked("formula", "Scores are those of the formula.") { store in
        for words in [["swift"], ["tea"], ["unit"], ["swift", "storage"], ["a", "cup"], ["of", "work"], ["nowhere"]] {
          try expectRanked(store, words, plain)
        }
      },
      ranked("crowd", "Scores of many objects are those of the formula.", crowd) { store in
        for words in [["common"], ["rare"], ["common", "rare"], ["filler"]] { try expectRanked(store, words, crowd) }
      },
      ranked("after-writes", "N, n and the average length follow each write.") { store in
        var leaflets = plain
        try store.delete(Leaflet.self, 8)
        leaflets.removeAll { $0.id == 8 }
        try expectRanked(store, ["tea"], leaflets, "after a removal")
        let long = Leaflet(9, "tea", String(repeating: "water ", count: 200))
        try store.insert(long)
        leaflets.append(long)
        try expectRanked(store, ["tea"], leaflets, "after an insertion")
        try store.update(Leaflet.self, 9) { $0.body = nil }
        leaflets[leaflets.count - 1].body = nil
        try expectRanked(store, ["tea"], leaflets, "after an update")
      },
      ranked("in-a-transaction", "Scores are of the state that is read, unsaved writes included.") { store in
        try store.write { tx in
          try tx.insert(Leaflet(9, "tea tea"))
          try expectRanked(tx, ["tea"], plain + [Leaflet(9, "tea tea")], "in the transaction")
        }
        let frozen = try store.freeze()
        defer { frozen.close() }
        try store.delete(Leaflet.self, 9)
        try expectRanked(frozen, ["tea"], plain + [Leaflet(9, "tea tea")], "in the frozen store")
        try expectRanked(store, ["tea"], plain, "in the store")
      },
      ranked("ties", "Equal scores are in the order of keys, however they were stored.", []) { store in
        for id in [5, 1, 9, 3, 7] { try store.insert(Leaflet(id, "same words")) }
        try expectEqual(try store.ranked(Leaflet.all, by: "same").map(\.object.id), [1, 3, 5, 7, 9])
        try expectEqual(try store.ranked(Leaflet.all, by: "same", limit: 2).map(\.object.id), [1, 3])
      },
      ranked("order-of-storing", "The order in which texts were stored has no effect.", []) { store in
        try store.insert(contentsOf: plain.reversed())
        for id in [3, 1, 8] {
          let leaflet = try unwrap(try store.get(Leaflet.self, id))
          try store.delete(Leaflet.self, id)
          try store.insert(leaflet)
        }
        for words in [["swift"], ["tea"], ["of"]] { try expectRanked(store, words, plain) }
      },
      ranked("limit", "A limit keeps the best, and its bounds are no error.", crowd) { store in
        let whole = try store.ranked(Leaflet.all, by: "common").map(\.object.id)
        for limit in [0, 1, 7, 59, 60, 61, Int.max] {
          try expectEqual(
            try store.ranked(Leaflet.all, by: "common", limit: limit).map(\.object.id), Array(whole.prefix(limit)))
        }
      },
      ranked("chosen", "Hits are chosen by a condition; scores stay those of all objects.", crowd) { store in
        let whole = try store.ranked(Leaflet.all, by: "rare")
        let some = try store.ranked(Leaflet.where { $0.id > 30 }, by: "rare")
        try expectEqual(some.map(\.object.id), whole.map(\.object.id).filter { $0 > 30 })
        let scores = Dictionary(uniqueKeysWithValues: whole.map { ($0.object.id, $0.score) })
        for hit in some { try expectEqual(hit.score, scores[hit.object.id]) }
        try expectEqual(try store.ranked(Leaflet.where { $0.id > 99 }, by: "rare").count, 0)
      },
      ranked("one-property", "A search in one property knows no other.") { store in
        try expectEqual(try store.ranked(Leaflet.all, by: "swift", in: [.init(\.body)]).map(\.object.id), [2])
        try expectEqual(try store.ranked(Leaflet.all, by: "swift", in: [.init(\.labels)]).map(\.object.id), [1])
        let titles = try store.ranked(Leaflet.all, by: "swift", in: [.init(\.title)])
        try expectEqual(Set(titles.map(\.object.id)), [1, 7])
      },
      ranked("weights", "A word in a property of weight 3 counts three times.", []) { store in
        try store.insert(contentsOf: [Leaflet(1, "lamp", "one two three"), Leaflet(2, "one", "lamp two three")])
        let hits = try store.ranked(Leaflet.all, by: "lamp")
        try expectEqual(hits.map(\.object.id), [1, 2])
        try expectRanked(store, ["lamp"], [Leaflet(1, "lamp", "one two three"), Leaflet(2, "one", "lamp two three")])
      },
      ranked("exclusions", "What is excluded adds nothing to a score.") { store in
        let plain = try store.ranked(Leaflet.all, by: "tea")
        let without = try store.ranked(Leaflet.all, by: SearchQuery(typed: "tea -milk"))
        try expectEqual(without.map(\.object.id), [7])
        try expectEqual(without[0].score, plain.first { $0.object.id == 7 }?.score)
        // Around which the number of negations is even, it counts.
        let twice = try store.ranked(Leaflet.all, by: .not(.all(.not("tea"))))
        try expectEqual(twice.map(\.score), plain.map(\.score))
      },
      ranked("only-exclusions", "A search of exclusions alone finds all others with the score 0.") { store in
        let hits = try store.ranked(Leaflet.all, by: SearchQuery(typed: "-swift"))
        try expectEqual(hits.map(\.object.id), [3, 4, 6, 8])
        try expect(hits.allSatisfy { $0.score == 0 })
      },
      ranked("parts", "Each part of a query adds its score.") { store in
        let (cup, milk) = (try store.ranked(Leaflet.all, by: "cup"), try store.ranked(Leaflet.all, by: "milk"))
        let both = try store.ranked(Leaflet.all, by: .all("cup", "milk"))
        try expect(abs(both[0].score - cup[0].score - milk[0].score) <= 2.0 / 1024)
        let any = try store.ranked(Leaflet.all, by: .any("milk", "java"))
        try expectEqual(Set(any.map(\.object.id)), [3, 8])
        let phrase = try store.ranked(Leaflet.all, by: "cup of")
        try expectEqual(phrase.map(\.object.id), [8])
      },
      ranked("records", "Records are ranked as objects.") { store in
        let objects = try store.ranked(Leaflet.all, by: "swift")
        let records = try store.records.ranked(in: "Leaflet", by: "swift")
        try expectEqual(records.map(\.score), objects.map(\.score))
        try expectEqual(records.compactMap { $0.record["id"] }, objects.map { .int(Int64($0.object.id)) })
        let some = try store.records.ranked(
          in: "Leaflet", by: "swift", properties: ["title"], where: "id > 1", limit: 3)
        try expectEqual(some.compactMap { $0.record["id"] }, [.int(7)])
        try expectError(.invalidQuery) { try store.records.ranked(in: "Leaflet", by: "swift", properties: ["note"]) }
        try expectError(.invalidQuery) { try store.records.ranked(in: "Leaflet", by: "swift", properties: ["nothing"]) }
      },
      ranked("empty", "A store without objects, and a query without words, have no hits.", []) { store in
        try expectEqual(try store.ranked(Leaflet.all, by: "swift").count, 0)
        try store.insert(Leaflet(1))
        try expectEqual(try store.ranked(Leaflet.all, by: "swift").count, 0)
        try expectEqual(try store.ranked(Leaflet.all, by: SearchQuery(typed: "")).count, 0)
        try expectEqual(try store.ranked(Leaflet.all, by: .all([])).map(\.object.id), [1])
      },
    ] + places

  /// A search in a text, and the parts of it that are marked.
  private static let marked: [(name: String, typed: String, text: String, marks: [String])] = [
    ("words", "tea milk", "Tea, and a cup of MILK", ["Tea", "MILK"]),
    ("phrase", "\"cup of milk\"", "a cup of milk", ["cup of milk"]),
    ("beginning", "mil*", "milk and millet", ["milk", "millet"]), ("exclusion", "tea -milk", "tea with milk", ["tea"]),
    ("accents", "cafe", "the Café, the CAFE\u{301}", ["Café", "CAFE\u{301}"]), ("han", "京都", "東京都庁", ["京都"]),
    ("overlapping", "\"a b\" \"b c\"", "a b c", ["a b c"]), ("none", "lamp", "tea", []),
    ("part", "foo", "foo_bar", ["foo"]), ("pictograph", "👍", "nice 👍🏽!", ["👍🏽"]),
  ]

  private static let places: [ConformanceCase] =
    marked.map { row in
      ConformanceCase("SEARCH.marks.\(row.name)", ["SEARCH-19"], "Highlights are ranges of the stored text.") { kit in
        let store = try kit.store(Leaflet.self)
        try store.insert(Leaflet(1, row.text))
        let text = try unwrap(try store.get(Leaflet.self, 1)).title
        let marks = try TextSearch(SearchQuery(typed: row.typed)).highlights(in: text)
        try expectEqual(marks.map { String(text[$0]) }.map { Array($0.utf8) }, row.marks.map { Array($0.utf8) })
        for (left, right) in zip(marks, marks.dropFirst()) { try expect(left.upperBound <= right.lowerBound) }
      }
    } + [
      ConformanceCase("SEARCH.snippets", ["SEARCH-20"], "A snippet has the most parts of the query in few words.") {
        kit in
        let store = try kit.store(Leaflet.self)
        let text = "tea and tea, then much later a cup of milk with tea and honey at the end"
        try store.insert(Leaflet(1, text))
        let stored = try unwrap(try store.get(Leaflet.self, 1)).title
        let search = try TextSearch(SearchQuery(typed: "tea milk"))
        let snippet = try unwrap(search.snippet(of: stored, words: 3))
        try expectEqual(String(stored[snippet.range]), "milk with tea")
        try expectEqual(snippet.highlights.map { String(stored[$0]) }, ["milk", "tea"])
        try expect(snippet.omitsStart && snippet.omitsEnd)
        let start = try unwrap(try TextSearch("nowhere").snippet(of: stored, words: 2))
        try expectEqual(String(stored[start.range]), "tea and")
        let phrase = try unwrap(try TextSearch("cup of milk").snippet(of: stored, words: 1))
        try expectEqual(String(stored[phrase.range]), "cup of milk")
        try expect(search.snippet(of: "...", words: 3) == nil)
      }
    ]
}
