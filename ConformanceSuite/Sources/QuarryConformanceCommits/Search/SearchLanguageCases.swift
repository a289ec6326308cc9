import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryText

/// Searches in properties with a language, and every kind of write to them.
enum SearchLanguageCases {
  private static func search(
    _ name: String, _ clauses: [String], _ summary: String, _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("SEARCH.language.\(name)", clauses, summary, within: .seconds(20)) { kit in
      let store = try kit.store(Essay.self)
      try store.insert(contentsOf: Essay.samples)
      try body(store)
      try expectEqual(try store.check(), [])
    }
  }

  /// Throws unless typed texts find these objects.
  static func expectFound(
    _ scope: some ReadScope, _ found: [(typed: String, keys: [Int])], _ about: String = ""
  ) throws {
    for (typed, keys) in found {
      try expectEqual(try scope.fetch(Essay.where { $0.search(typed) }).map(\.id), keys, "«\(typed)» \(about)")
      let hits = try scope.ranked(Essay.all, by: SearchQuery(typed: typed))
      try expectEqual(hits.map(\.object.id).sorted(), keys, "«\(typed)» ranked \(about)")
    }
  }

  private static let searches: [ConformanceCase] = [
    search("words", ["SEARCH-30", "SEARCH-31"], "A word finds the words with its stem.") { store in
      try expectFound(
        store,
        [
          ("run", [1]), ("running", [1]), ("RUNS", [1]), ("runner", [1]), ("cat", [2]), ("cats", [2]),
          ("connect", [1, 2]),
          ("connecting -rain", [2]), ("dies", [5]), ("generally", [5]), ("generous", []), ("new", []), ("NEWS", [3]),
          ("-run", [2, 3, 4, 5]), ("rains days", [1]), ("cedric", [5]), ("don't", [5]), ("dont", []),
          ("the", [1, 2, 5]),
        ])
    },
    search("phrases", ["SEARCH-11", "SEARCH-31"], "The words of a phrase are compared by their stems.") { store in
      try expectFound(
        store,
        [
          ("\"run in the rains\"", [1]), ("\"cats connected\"", [2]), ("\"cats connected the\"", []),
          ("\"connect cat\"", [2]),
          ("\"cat connections\"", [2]), ("\"the fly\"", [5]), ("\"the die\"", []),
          ("-\"connects cats\"", [1, 3, 4, 5]),
        ])
    },
    search("beginnings", ["SEARCH-12", "SEARCH-31"], "A beginning is compared with the words as they are written.") {
      store in
      try expectFound(
        store,
        [
          ("runn*", [1]), ("running*", [1]), ("connecti*", [2]), ("connecte*", [2]), ("connecting*", []),
          ("cables*", [1]),
          ("fli*", [3, 5]), ("rains*", []), ("dyi*", [5]), ("\"run in the rai\"*", [1]), ("\"runs in the rains\"*", []),
          ("-runn*", [2, 3, 4, 5]),
        ])
    },
    search("built", ["SEARCH-13", "SEARCH-14", "SEARCH-31"], "Built queries join stems.") { store in
      let queries: [(SearchQuery, [Int])] = [
        (.near("cable", "run", within: 4), [1]), (.near("cable", "run", within: 3), []),
        (.near("runs", "connect the", within: 3), [1]), (.any("dies", "connects"), [1, 2, 5]),
        (.all("connects", .not("raining")), [2]), (.not(.any("connect", "fly")), [3, 4]), (.all([]), [1, 2, 3, 4, 5]),
        (.any([]), []), (.all(.prefix("connecti"), "cats"), [2]),
      ]
      for (query, due) in queries {
        try expectEqual(try store.fetch(Essay.where { $0.search(query) }).map(\.id), due, "\(query)")
      }
    },
    search(
      "other-words", ["SEARCH-5", "SEARCH-6", "SEARCH-30"],
      "Words of other letters than a to z are compared as they are written, and long words by their beginnings."
    ) { store in
      let long = String(repeating: "running", count: 60)
      try store.insert(contentsOf: [
        Essay(6, "東京都 mp3s 3.14 бега"), Essay(7, long), Essay(8, "Cafés naïvely"),
      ])
      try expectFound(
        store,
        [
          ("東京", [6]), ("東都", []), ("mp3s", [6]), ("mp3", []), ("mp3*", [6]), ("3.14", [6]), ("бега", [6]), ("бег", []),
          (long, [7]), (long + "s", [7]), ("running", [1]), ("running*", [1, 7]), ("cafe", [8]), ("naive", [8]),
          ("naïvely", [8]),
        ])
    },
    search("mixed", ["SEARCH-22", "SEARCH-32"], "Each property is searched in its own language, or in none.") { store in
      try expectFound(store, [("fly", [5]), ("flies", [3, 5]), ("anna runs", [1]), ("anna run -runner", [])])
      try expectEqual(try store.fetch(Essay.where { $0.title.search("runs") }).map(\.id), [1])
      try expectEqual(try store.fetch(Essay.where { $0.author.search("runs") }).map(\.id), [])
      try expectEqual(try store.fetch(Essay.where { $0.author.search("running") }).map(\.id), [1])
      try expectEqual(try store.fetch(Essay.where { $0.note.search("runs") }).map(\.id), [])
      try expectEqual(
        try store.fetch(Essay.where { $0.note.search("run") || $0.body.search("run") }).map(\.id), [1, 4])
      try expectEqual(try store.ranked(Essay.all, by: "fly", in: [.init(\.author)]).count, 0)
    },
    search("elements", ["SEARCH-23", "SEARCH-32"], "The elements of an array have the language of their property.") {
      store in
      try expectEqual(try store.fetch(Essay.where { $0.labels.search("fly") }).map(\.id), [5])
      try expectEqual(try store.fetch(Essay.where { $0.labels.search("fly died") }).map(\.id), [5])
      try expectEqual(try store.count(Essay.where { $0.labels.search(.phrase("fly die")) }), 0)
      try expectEqual(try store.fetch(Essay.where { $0.labels.any { $0.search("fly") } }).map(\.id), [5])
      try expectEqual(try store.fetch(Essay.where { $0.labels.any { $0.search("days rains") } }).map(\.id), [])
      try expectEqual(try store.fetch(Essay.where { $0.labels.any { $0.search("day") } }).map(\.id), [1])
    },
    search("strings", ["SEARCH-24", "SEARCH-31"], "Predicate strings and records compare stems.") { store in
      func keys(_ text: String) throws -> [Value] {
        try store.records.fetch(in: "Essay", where: text).compactMap { $0["id"] }
      }
      try expectEqual(try keys("title SEARCH 'runs' AND id < 3"), [.int(1)])
      try expectEqual(try keys("NOT title SEARCH 'runs' AND body SEARCH 'connected'"), [.int(2)])
      try expectEqual(try keys("body SEARCHQUERY 'near(4, \"cable\", \"run\")'"), [.int(1)])
      try expectEqual(try keys("author SEARCH 'fly'"), [])
      let hits = try store.records.ranked(in: "Essay", by: "connecting", properties: ["title"])
      try expectEqual(hits.compactMap { $0.record["id"] }, [.int(2)])
    },
    search("ranked", ["SEARCH-17", "SEARCH-27", "SEARCH-31"], "The frequency of a word is that of its stem.") { store in
      try store.delete(Essay.all)
      try store.insert(contentsOf: [
        Essay(11, "", "one runs two three"), Essay(12, "", "one running two three"),
        Essay(13, "", "runs running run three"), Essay(14, "runs"), Essay(15, "", "none of them", author: "runs"),
      ])
      let hits = try store.ranked(Essay.all, by: "run")
      try expectEqual(hits.map(\.object.id), [14, 13, 11, 12])
      try expectEqual(hits[2].score, hits[3].score)
      try expect(hits[0].score > hits[1].score && hits[1].score > hits[2].score)
      try expectEqual(try store.ranked(Essay.all, by: "runs").map(\.object.id).sorted(), [11, 12, 13, 14, 15])
    },
    search("highlights", ["SEARCH-19", "SEARCH-20", "SEARCH-32"], "A search with a language marks what it finds.") {
      store in
      let text = try unwrap(try unwrap(try store.get(Essay.self, 1)).body)
      func marks(_ query: SearchQuery, _ language: SearchLanguage?) throws -> [Substring] {
        try TextSearch(query, language: language).highlights(in: text).map { text[$0] }
      }
      try expectEqual(try marks("running", .english), ["runs"])
      try expectEqual(try marks("running", nil), [])
      try expectEqual(try marks(.phrase("run and connected"), .english), ["runs and connects"])
      try expectEqual(try marks(.all(.prefix("cab"), "connection"), .english), ["connects", "cables"])
      let snippet = try unwrap(try TextSearch("cable", language: .english).snippet(of: text, words: 3))
      try expectEqual(text[snippet.range], "the cables")
    },
    search("update-where", ["SEARCH-24", "SEARCH-31"], "Updates and deletes take searches by stems.") { store in
      try expectEqual(try store.update(Essay.where { $0.search("connects") }) { $0.title = "Sleeping" }, 2)
      try expectFound(store, [("sleep", [1, 2]), ("run", [1]), ("\"connected cat\"", [])])
      try expectEqual(try store.assign(Essay.where { $0.search("sleeps") }) { $0.body = "flew" }, 2)
      try expectFound(store, [("connect", []), ("flew", [1, 2])])
      try expectEqual(try store.delete(Essay.where { $0.search("dies") }), 1)
      try expectFound(store, [("flies", [3]), ("die", [])])
    },
    ConformanceCase(
      "SEARCH.language.references", ["SEARCH-24", "SEARCH-32"], "Searches by stems stand behind references.",
      needs: [.indexPlain]
    ) { kit in
      let store = try kit.store(Essay.self, Remark.self)
      try store.insert(contentsOf: Essay.samples)
      try store.insert(contentsOf: [
        Remark(1, "good runs", essay: 1), Remark(2, "better", essay: 2), Remark(3, "no essays", essay: nil),
        Remark(4, "running late", essay: 3),
      ])
      func ids(_ query: Query<Remark>) throws -> [Int] { try store.fetch(query).map(\.id) }
      try expectEqual(try ids(Remark.where { $0.essay.title.search("runs") }), [1])
      try expectEqual(try ids(Remark.where { $0.essay.search("connecting") }), [1, 2])
      try expectEqual(try ids(Remark.where { !$0.essay.search("connecting") && $0.search("run") }), [4])
      try expectEqual(try ids(Remark.where { $0.essay.author.search("fly") }), [])
      try expectEqual(try ids(Remark.where { $0.essay.author.search("flies") && $0.text.search("runs") }), [4])
      try expectEqual(try store.records.fetch(in: "Remark", where: "essay.body SEARCH 'connected'").count, 2)
    },
  ]

  // MARK: Writes

  private typealias Row = (
    name: String, found: [(typed: String, keys: [Int])], write: @Sendable (WriteTransaction) throws -> Void
  )

  private static let writes: [Row] = [
    ("insert", [("lamp", [9]), ("run", [1, 9])], { try $0.insert(Essay(9, "lamps", "running")) }),
    (
      "insert-many", [("lamp", [9, 10])],
      { try $0.insert(contentsOf: [Essay(9, "lamps"), Essay(10, labels: ["lamp"])]) }
    ),
    ("upsert", [("lamp", [1]), ("run", []), ("running", [])], { try $0.upsert(Essay(1, "lamps")) }),
    ("get-or-insert", [("lamp", [9])], { _ = try $0.getOrInsert(Essay(9, "lamps")) }),
    (
      "update", [("run", [1]), ("lamps", [1]), ("\"run in\"", [])],
      { try $0.update(Essay.self, 1) { $0.title = "lamp" } }
    ),
    (
      "other-form", [("run", [1]), ("runn*", [1]), ("\"runs in the rain\"", [1]), ("ran*", [])],
      { try $0.update(Essay.self, 1) { $0.title = "runs in the rain" } }
    ),
    ("assign", [("lamp", [2]), ("cat", [2])], { try $0.assign(Essay.self, 2) { $0.title = "lamps" } }),
    ("nil", [("run", [1]), ("connect", [2])], { try $0.update(Essay.self, 1) { $0.body = nil } }),
    (
      "elements", [("flies", [3]), ("fly", []), ("lamp", [5])],
      {
        try $0.update(Essay.self, 5) { ($0.labels, $0.title) = (["lamps"], "") }
      }
    ),
    ("delete", [("run", []), ("connect", [2])], { try $0.delete(Essay.self, 1) }),
    ("delete-keys", [("connect", []), ("fly", [5])], { try $0.delete(Essay.self, keys: [1, 2]) }),
    ("delete-all", [("run", []), ("-run", [])], { try $0.delete(Essay.all) }),
    (
      "records", [("lamp", [9])],
      { tx in
        let values: [(String, Value)] = [
          ("id", .int(9)), ("title", .string("lamps")), ("body", .null), ("labels", .array([])),
          ("author", .string("")),
          ("note", .string("")),
        ]
        try tx.records.insert(into: "Essay", [Record(values)])
      }
    ),
    (
      "undone-inside", [("lamp", [9]), ("run", [1]), ("sleep", [])],
      { tx in
        try tx.insert(Essay(9, "lamps"))
        try tx.undoing {
          try tx.update(Essay.self, 1) { $0.title = "sleeping" }
          try tx.delete(Essay.self, 9)
        }
      }
    ),
  ]

  static let all: [ConformanceCase] =
    searches
    + writes.map { row in
      ConformanceCase(
        "SEARCH.language.write.\(row.name)", ["SEARCH-26", "SEARCH-31"],
        "Searches by stems follow a write, before its commit and after it, and nothing of it stays when it is rolled back."
      ) { kit in
        let store = try kit.store(Essay.self)
        try store.insert(contentsOf: Essay.samples)
        try store.rollingBack { tx in
          try row.write(tx)
          try expectFound(tx, row.found, "before the end")
        }
        try expectFound(store, [("run", [1]), ("connects", [1, 2]), ("lamp", []), ("fly", [5])], "rolled back")
        try store.write { tx in
          try row.write(tx)
          try expectFound(tx, row.found, "before the commit")
        }
        try expectFound(store, row.found, "after the commit")
        try expectEqual(try store.check(), [])
      }
    }
    + (1...4).map { number in
      ConformanceCase(
        "SEARCH.language.random-\(number)", ["SEARCH-26", "SEARCH-30", "SEARCH-31", "SEARCH-32"],
        "After random writes, searches find what reading all texts by a list of stems finds.", within: .seconds(120)
      ) { kit in try random(kit, number) }
    }

  private static func random(_ kit: ConformanceContext, _ number: Int) throws {
    struct Undone: Error {}
    var random = kit.random(9_100 + number)
    let store = try kit.store(Essay.self)
    var model: [Int: Essay] = [:]
    for round in 1...5 {
      let before = model
      do {
        try store.write { tx in
          for _ in 0..<8 {
            let fresh = PlainStems.essay(Int.random(in: 0..<24, using: &random), &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
              if try tx.delete(Essay.self, fresh.id) { model[fresh.id] = nil }
            case 1 where model[fresh.id] != nil:
              try tx.update(Essay.self, fresh.id) { $0.title = fresh.title }
              model[fresh.id]?.title = fresh.title
            default:
              try tx.upsert(fresh)
              model[fresh.id] = fresh
            }
          }
          if round == 3 { try PlainStems.expectFound(tx, model, "inside round \(round)") }
          if round == 4 { throw Undone() }
        }
      } catch is Undone { model = before }
      try PlainStems.expectFound(store, model, "after round \(round)")
    }
    try expectEqual(try store.check(), [])
  }
}
