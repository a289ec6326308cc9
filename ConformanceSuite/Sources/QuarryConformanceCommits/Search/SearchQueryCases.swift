import QuarryConformanceKit
import QuarryCore
import QuarryText

/// Which objects queries find: typed ones, and built ones in every front.
enum SearchQueryCases {
  private static func library(
    _ name: String, _ clauses: [String], _ summary: String, _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("SEARCH.\(name)", clauses, summary, within: .seconds(20)) { kit in
      let store = try kit.store(Leaflet.self)
      try store.insert(contentsOf: Leaflet.library)
      try body(store)
    }
  }

  private static let typedRows: [(name: String, clause: Int, typed: String, found: [Int])] = [
    ("one-word", 9, "swift", [1, 2, 7]), ("two-words", 9, "swift storage", [2]),
    ("in-several-properties", 22, "concurrency tasks language", [1]), ("not-together", 9, "storage tasks", []),
    ("other-order", 9, "STORAGE Swift", [2]), ("beginning", 12, "conc*", [1]),
    ("short-beginning", 12, "t*", [1, 6, 7, 8]),
    ("lone-star", 10, "*", []), ("whole-word-as-beginning", 12, "swift*", [1, 2, 7]),
    ("exclusion", 10, "-swift", [3, 4, 5, 6, 8]), ("exclusions", 10, "-swift -tea", [3, 4, 5, 6]),
    ("word-and-exclusion", 9, "tea -milk", [7]), ("excluded-beginning", 9, "tea -mil*", [7]),
    ("word-and-its-exclusion", 9, "swift -swift", []), ("excluded-phrase", 9, "tea -\"cup of\"", [7]),
    ("phrase", 11, "\"unit of work\"", [2]), ("phrase-of-a-title", 11, "\"the unit\"", [6]),
    ("phrase-with-a-gap", 11, "\"unit work\"", []), ("phrase-in-an-array", 23, "\"tea time\"", [7]),
    ("phrase-and-beginning", 9, "\"unit of\" wo*", [2]), ("phrase-as-beginning", 12, "\"unit of wo\"*", [2]),
    ("two-phrases", 9, "\"unit\"\"work\"", [2, 6]), ("repeated-phrase", 11, "\"cup of tea\" \"cup of milk\"", [8]),
    ("unclosed-quote", 9, "\"unit of", [2]), ("empty-quotes", 10, "\"\"", []), ("empty", 10, "", []),
    ("spaces", 10, " \n\t ", []), ("lone-hyphen", 10, "-", []), ("hyphens", 10, "---", []), ("marks", 10, "?! .", []),
    ("hyphen-inside", 9, "well-known", [5]), ("doubled", 9, "swift swift SWIFT", [1, 2, 7]),
    ("han", 11, "東京", [5]), ("han-with-a-gap", 11, "東都", []), ("number", 9, "3.14", [5]),
    ("part-of-a-number", 9, "14", []), ("beginning-of-a-number", 12, "3*", [5]),
    ("nul", 9, "swift\u{0}storage", [2]), ("new-line", 9, "swift\nstorage", [2]),
    ("no-break-space", 9, "swift\u{A0}storage", [2]),
    ("marks-around", 9, "(swift)", [1, 2, 7]), ("single-quotes", 9, "'swift'", [1, 2, 7]),
    ("other-language", 9, "'; DROP TABLE Leaflet; --", []), ("no-operator", 9, "swift OR java", []),
    ("no-field", 9, "title:swift", []), ("pattern", 10, "%", []), ("absent", 9, "nowhere", []),
    ("invisible", 9, "swi\u{200D}ft", [1, 2, 7]), ("replacement-character", 10, "\u{FFFD}", []),
    ("beyond-the-limit", 9, "swift" + String(repeating: " ", count: 70_000) + "nowhere", [1, 2, 7]),
    ("very-many-words", 9, "swift " + (0..<20_000).map { "w\($0)" }.joined(separator: " "), []),
    ("very-many-quotes", 10, String(repeating: "\"", count: 10_000), []),
  ]

  private static let typed: [ConformanceCase] = typedRows.map { row in
    library("typed.\(row.name)", ["SEARCH-\(row.clause)"], "A typed text finds what it says, and is never an error.") {
      store in
      try expectEqual(try store.fetch(Leaflet.where { $0.search(row.typed) }).map(\.id), row.found)
      try expectEqual(try store.count(Leaflet.where { !$0.search(row.typed) }), Leaflet.library.count - row.found.count)
      let hits = try store.ranked(Leaflet.all, by: SearchQuery(typed: row.typed))
      try expectEqual(hits.map(\.object.id).sorted(), row.found, "ranked")
    }
  }

  private static let builtRows: [(name: String, clause: Int, query: SearchQuery, found: [Int])] = [
    ("word", 11, .word("swift"), [1, 2, 7]), ("word-of-several", 11, .word("well-known"), [5]),
    ("no-word", 11, .word("..."), []), ("not-no-word", 14, .not(.word("...")), [1, 2, 3, 4, 5, 6, 7, 8]),
    ("phrase", 11, .phrase("of work"), [2]), ("long-phrase", 11, .phrase("a cup of tea and a cup of milk"), [8]),
    ("phrase-past-the-end", 11, .phrase("cup of milk and"), []), ("beginning", 12, .prefix("act"), [1]),
    ("beginning-of-a-phrase", 12, .prefix("unit of w"), [2]), ("beginning-of-nothing", 12, .prefix(""), []),
    ("near", 13, .near("unit", "work", within: 2), [2]), ("not-near", 13, .near("unit", "work", within: 1), []),
    ("near-in-other-order", 13, .near("work", "unit", within: 2), [2]),
    ("near-itself", 13, .near("swift", "swift", within: 0), [1, 2, 7]),
    ("near-phrases", 13, .near("swift storage", "of work", within: 6), [2]),
    ("not-near-phrases", 13, .near("swift storage", "of work", within: 5), []),
    ("near-in-one-property", 13, .near("green", "milk", within: 100), []),
    ("near-elements", 23, .near("unit", "work", within: 2_000), [2]), ("near-nothing", 13, .near([], within: 3), []),
    ("near-with-no-word", 13, .near("unit", "...", within: 9), []),
    ("all", 14, .all("swift", "storage"), [2]), ("all-of-nothing", 14, .all([]), [1, 2, 3, 4, 5, 6, 7, 8]),
    ("any", 14, .any("java", "milk"), [3, 8]), ("any-of-nothing", 14, .any([]), []),
    ("not", 14, .not("swift"), [3, 4, 5, 6, 8]), ("not-twice", 14, .not(.not("swift")), [1, 2, 7]),
    ("all-and-not", 14, .all("swift", .not("tasks")), [2, 7]),
    ("not-any", 14, .not(.any("swift", "tea")), [3, 4, 5, 6]),
    ("not-all", 14, .not(.all("swift", "storage")), [1, 3, 4, 5, 6, 7, 8]),
    ("any-of-all", 14, .any(.all("swift", "tea"), .all("unit", "art")), [6, 7]),
    ("all-of-any", 14, .all(.any("swift", "green"), .any("tea", "tasks")), [1, 7, 8]),
    ("nested", 14, .all(.any(.phrase("cup of"), .prefix("conc")), .not(.near("cup", "milk", within: 2))), [1]),
    ("quotation-mark-in-a-word", 16, .word("\"swift\""), [1, 2, 7]), ("backslash", 16, .word("swift\\storage"), [2]),
  ]

  private static let built: [ConformanceCase] = builtRows.map { row in
    library(
      "built.\(row.name)", ["SEARCH-\(row.clause)", "SEARCH-16", "SEARCH-24"],
      "A built query, and its text, find the same."
    ) { store in
      try expectEqual(try store.fetch(Leaflet.where { $0.search(row.query) }).map(\.id), row.found)
      try expectEqual(
        try store.fetch(Leaflet.where { !$0.search(row.query) }).map(\.id),
        Leaflet.library.map(\.id).filter { !row.found.contains($0) }, "negated")
      let read = try SearchQuery(parsing: row.query.description)
      try expectEqual(read, row.query, "the query of its text")
      // In one property: as a closure, and as text.
      let titles = try store.fetch(Leaflet.where { $0.title.search(row.query) }).map(\.id)
      let text = row.query.description.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
      let records = try store.records.fetch(in: "Leaflet", where: "title SEARCHQUERY '\(text)'")
      try expectEqual(records.compactMap { $0["id"] }, titles.map { .int(Int64($0)) }, "as text")
    }
  }

  private static let bounds: [ConformanceCase] = [
    library("deepest", ["SEARCH-15"], "A query of the largest depth works, and one level more is refused.") { store in
      func nested(_ levels: Int) -> SearchQuery {
        (1..<levels).reduce(.word("swift")) { query, level in level % 2 == 0 ? .all(query) : .any(query) }
      }
      try expectEqual(try store.count(Leaflet.where { $0.search(nested(SearchQuery.maximumDepth)) }), 3)
      try expectError(.limitExceeded) {
        try store.count(Leaflet.where { $0.search(nested(SearchQuery.maximumDepth + 1)) })
      }
      try expectError(.limitExceeded) { try store.ranked(Leaflet.all, by: nested(100_000)) }
    },
    library("largest", ["SEARCH-15"], "A query of the largest number of texts works, and one more is refused.") {
      store in
      func wide(_ count: Int) -> SearchQuery { .any((0..<count).map { .word($0 == 7 ? "java" : "w\($0)") }) }
      try expectEqual(try store.fetch(Leaflet.where { $0.search(wide(SearchQuery.maximumWords)) }).map(\.id), [3])
      try expectError(.limitExceeded) {
        try store.count(Leaflet.where { $0.search(wide(SearchQuery.maximumWords + 1)) })
      }
      let phrase = (0...TextSearch.maximumTerms).map { "w\($0)" }.joined(separator: " ")
      try expectError(.limitExceeded) { try store.count(Leaflet.where { $0.search(.phrase(phrase)) }) }
    },
    library("in-conditions", ["SEARCH-24"], "A search stands in conditions of any depth, and twice in one.") { store in
      func ids(_ condition: (Leaflet.Columns) -> Condition) throws -> [Int] {
        try store.fetch(Leaflet.where(condition)).map(\.id)
      }
      try expectEqual(try ids { $0.title.search("swift") && $0.body.search("actors") }, [1])
      try expectEqual(try ids { $0.title.search("tea") || $0.labels.search("tea") }, [7, 8])
      try expectEqual(try ids { !($0.search("swift") || $0.search("tea")) && $0.rank == 0 }, [6])
      try expectEqual(
        try ids { ($0.search("swift") && $0.rank == 0) || ($0.search("unit") && $0.rank > 0) }, [1, 2, 7])
      try expectEqual(try ids { $0.search("swift") && $0.search("storage") }, [2])
      try expectEqual(try ids { $0.search("swift") && $0.id >= 2 && $0.id < 7 }, [2])
      try expectEqual(try ids { $0.search("swift") && $0.note.search("swift") }, [])
    },
    library("paged", ["SEARCH-24"], "Searches are sorted, limited and paged.") { store in
      let query = Leaflet.where { $0.search("-java") }.sorted(by: \.rank, order: .reverse)
      let whole = try store.fetch(query).map(\.id)
      try expectEqual(whole, [5, 4, 2, 8, 7, 6, 1])
      var paged: [Int] = []
      var position: PagePosition?
      repeat {
        let page = try store.page(query.after(position), size: 3)
        paged += page.elements.map(\.id)
        position = page.next
      } while position != nil
      try expectEqual(paged, whole)
      try expectEqual(try store.fetch(query.offset(2).limit(3)).map(\.id), [2, 8, 7])
    },
    library("aggregated", ["SEARCH-24"], "Searches are counted, summed and grouped.") { store in
      try expectEqual(try store.sum(Leaflet.where { $0.search("-swift") }, of: \.rank), 71)
      try expectEqual(try store.max(Leaflet.where { $0.search("swift") }, of: \.rank), 10)
      try expectEqual(try store.exists(Leaflet.where { $0.search("milk") }), true)
      try expectEqual(try store.exists(Leaflet.where { $0.search("nowhere") }), false)
      try expectEqual(try store.keys(Leaflet.where { $0.search("tea") }), [7, 8])
      try expectEqual(try store.distinct(Leaflet.where { $0.search("swift") }, \.rank).sorted(), [0, 10])
    },
  ]

  static let all: [ConformanceCase] = typed + built + bounds
}
