import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery
import QuarryText

/// Every kind of write, and what searches find after it: in its transaction, after its commit, and by a check.
enum SearchWriteCases {
  private struct Row: Sendable {
    let name: String
    let write: @Sendable (WriteTransaction) throws -> Void
    let found: [(typed: String, keys: [Int])]

    init(
      _ name: String, _ found: [(typed: String, keys: [Int])],
      _ write: @escaping @Sendable (WriteTransaction) throws -> Void
    ) {
      (self.name, self.found, self.write) = (name, found, write)
    }
  }

  private static func record(_ id: Int, _ title: String) -> Record {
    Record([
      ("id", .int(Int64(id))), ("title", .string(title)), ("body", .null), ("labels", .array([])), ("rank", .int(0)),
      ("note", .string("")),
    ])
  }

  private static let inserts: [Row] = [
    Row("insert", [("lamp", [20]), ("swift", [1, 2, 7, 20])]) { try $0.insert(Leaflet(20, "swift lamp")) },
    Row("insert-many", [("lamp", [20, 21]), ("swift", [1, 2, 7, 21])]) {
      try $0.insert(contentsOf: [Leaflet(20, "lamp"), Leaflet(21, "", "swift", labels: ["lamp"])])
    },
    Row("insert-between", [("swift", [0, 1, 2, 7])]) { try $0.insert(Leaflet(0, "swift")) },
    Row("insert-refused", [("lamp", []), ("swift", [1, 2, 7])]) { tx in
      try expectError(.duplicateKey) { try tx.insert(contentsOf: [Leaflet(20, "lamp"), Leaflet(1, "lamp")]) }
    },
    Row("insert-records", [("lamp", [20])]) { try $0.records.insert(into: "Leaflet", [record(20, "lamp")]) },
    Row("get-or-insert", [("lamp", [20]), ("swift", [1, 2, 7])]) { tx in
      _ = try tx.getOrInsert(Leaflet(20, "lamp"))
      _ = try tx.getOrInsert(Leaflet(1, "lamp"))
    },
    Row("upsert-new", [("lamp", [20])]) { try $0.upsert(Leaflet(20, "lamp")) },
    Row("upsert-old", [("lamp", [1]), ("swift", [2, 7]), ("concurrency", [])]) { try $0.upsert(Leaflet(1, "lamp")) },
    Row("upsert-many", [("lamp", [2, 20]), ("storage", [])]) {
      try $0.upsert(contentsOf: [Leaflet(2, "lamp"), Leaflet(20, "lamp")])
    },
    Row("upsert-some-properties", [("lamp", [1]), ("concurrency", []), ("tasks", [1]), ("water", [])]) {
      try $0.upsert(Leaflet(1, "lamp", "water"), updating: \.title)
    },
    Row("upsert-records", [("lamp", [1, 20]), ("concurrency", [])]) {
      try $0.records.upsert(into: "Leaflet", [record(1, "lamp"), record(20, "lamp")])
    },
  ]

  private static let updates: [Row] = [
    Row("update", [("lamp", [1]), ("concurrency", []), ("swift", [1, 2, 7])]) {
      try $0.update(Leaflet.self, 1) { $0.title = "lamp" }
    },
    Row("update-object", [("lamp", [1]), ("swift", [2, 7])]) { try $0.update(Leaflet(1, "lamp")) },
    Row("update-selection", [("lamp", [1, 2, 7]), ("storage", [2]), ("concurrency", [])]) {
      try $0.update(Leaflet.where { $0.search("swift") }) { $0.title = "lamp" }
    },
    Row("assign", [("lamp", [1]), ("concurrency", [])]) { try $0.assign(Leaflet.self, 1) { $0.title = "lamp" } },
    Row("assign-selection", [("lamp", [7, 8]), ("green", []), ("milk", [8])]) {
      try $0.assign(Leaflet.where { $0.search("tea") }) { $0.title = "lamp" }
    },
    Row("assign-other-property", [("swift", [1, 2, 7]), ("tea", [7, 8])]) {
      try $0.assign(Leaflet.all) { $0.rank += 1 }
    },
    Row("equal-values", [("swift", [1, 2, 7])]) { tx in
      for leaflet in Leaflet.library { try tx.update(leaflet) }
    },
    Row("same-words", [("swift", [1, 2, 7]), ("\"concurrency swift\"", [1]), ("\"swift concurrency\"", [])]) {
      try $0.update(Leaflet.self, 1) { $0.title = "concurrency swift" }
    },
    Row("nil", [("milk", []), ("tea", [7, 8]), ("drink", [8])]) { try $0.update(Leaflet.self, 8) { $0.body = nil } },
    Row("from-nil", [("lamp", [3])]) { try $0.update(Leaflet.self, 3) { $0.body = "lamp" } },
    Row("elements", [("lamp", [8]), ("drink", []), ("\"lamp oil\"", [])]) {
      try $0.update(Leaflet.self, 8) { $0.labels = ["lamp", "oil"] }
    },
    Row("word-to-another-property", [("concurrency", [1])]) {
      try $0.update(Leaflet.self, 1) { ($0.title, $0.body) = ("", "concurrency") }
    },
    Row("exchanged-texts", [("green", [6]), ("\"the unit\"", [8])]) { tx in
      try tx.update(Leaflet.self, 6) { $0.title = "Green tea" }
      try tx.update(Leaflet.self, 8) { $0.title = "The unit" }
    },
    Row("changed-and-back", [("concurrency", [1]), ("lamp", [])]) { tx in
      try tx.update(Leaflet.self, 1) { $0.title = "lamp" }
      try tx.update(Leaflet.self, 1) { $0.title = "Swift concurrency" }
    },
    Row("changed-often", [("lamp9", [1]), ("lamp8", []), ("lamp*", [1])]) { tx in
      for turn in 0..<10 { try tx.update(Leaflet.self, 1) { $0.title = "lamp\(turn)" } }
    },
  ]

  private static let removals: [Row] = [
    Row("delete", [("concurrency", []), ("swift", [2, 7])]) { try $0.delete(Leaflet.self, 1) },
    Row("delete-keys", [("swift", [2]), ("tea", [8])]) { try $0.delete(Leaflet.self, keys: [1, 7, 99]) },
    Row("delete-selection", [("swift", []), ("tea", [8])]) { try $0.delete(Leaflet.where { $0.search("swift") }) },
    Row("delete-all", [("swift", []), ("-swift", [])]) { try $0.delete(Leaflet.all) },
    Row("delete-absent", [("swift", [1, 2, 7])]) { try $0.delete(Leaflet.self, 99) },
    Row("delete-records", [("swift", [2, 7])]) { try $0.records.delete(in: "Leaflet", keys: [.int(1)]) },
    Row("delete-and-insert", [("lamp", [1]), ("concurrency", []), ("swift", [2, 7])]) { tx in
      try tx.delete(Leaflet.self, 1)
      try tx.insert(Leaflet(1, "lamp"))
    },
    Row("insert-and-delete", [("lamp", [])]) { tx in
      try tx.insert(Leaflet(20, "lamp"))
      try tx.delete(Leaflet.self, 20)
    },
    Row("all-and-again", [("swift", [1, 2, 7]), ("concurrency", [1])]) { tx in
      try tx.delete(Leaflet.all)
      try tx.insert(contentsOf: Leaflet.library)
    },
  ]

  private static let savepoints: [Row] = [
    Row("undone-insert", [("lamp", [])]) { tx in try tx.undoing { try tx.insert(Leaflet(20, "lamp")) } },
    Row("undone-update", [("concurrency", [1]), ("lamp", [])]) { tx in
      try tx.undoing { try tx.update(Leaflet.self, 1) { $0.title = "lamp" } }
    },
    Row("undone-delete", [("swift", [1, 2, 7])]) { tx in try tx.undoing { try tx.delete(Leaflet.all) } },
    Row("undone-after-search", [("lamp", [20]), ("oil", [])]) { tx in
      try tx.insert(Leaflet(20, "lamp"))
      try tx.undoing {
        try tx.update(Leaflet.self, 20) { $0.title = "oil" }
        try expectEqual(try tx.count(Leaflet.where { $0.search("oil") }), 1)
        try expectEqual(try tx.count(Leaflet.where { $0.search("lamp") }), 0)
      }
    },
    Row("undone-and-again", [("lamp", [20]), ("oil", [])]) { tx in
      try tx.undoing { try tx.insert(Leaflet(20, "oil")) }
      try tx.insert(Leaflet(20, "lamp"))
    },
    Row("undone-inside", [("lamp", [20]), ("oil", []), ("swift", [2, 7])]) { tx in
      try tx.savepoint {
        try tx.insert(Leaflet(20, "lamp"))
        try tx.undoing {
          try tx.insert(Leaflet(21, "oil"))
          try tx.delete(Leaflet.self, 7)
        }
        try tx.delete(Leaflet.self, 1)
      }
    },
    Row("undone-outside", [("lamp", []), ("oil", []), ("swift", [1, 2, 7])]) { tx in
      try tx.undoing {
        try tx.savepoint { try tx.insert(Leaflet(20, "lamp")) }
        try tx.delete(Leaflet.self, 1)
        try tx.savepoint { try tx.insert(Leaflet(21, "oil")) }
      }
    },
  ]

  static let all: [ConformanceCase] =
    (inserts + updates + removals + savepoints).map { row in
      ConformanceCase(
        "SEARCH.write.\(row.name)", ["SEARCH-24", "SEARCH-26"],
        "Searches follow a write, before its commit and after it.",
        within: .seconds(20)
      ) { kit in
        let store = try kit.store(Leaflet.self)
        try store.insert(contentsOf: Leaflet.library)
        try store.write { tx in
          try row.write(tx)
          try expectFound(tx, row.found, "before the commit")
        }
        try expectFound(store, row.found, "after the commit")
        try expectEqual(try store.check(), [])
      }
    }
    + (inserts + updates + removals).map { row in
      ConformanceCase(
        "SEARCH.rolled-back.\(row.name)", ["SEARCH-26"], "A write that is rolled back leaves the words as they were.",
        within: .seconds(20)
      ) { kit in
        let store = try kit.store(Leaflet.self)
        try store.insert(contentsOf: Leaflet.library)
        try store.rollingBack { tx in
          try row.write(tx)
          try expectFound(tx, row.found, "before the end")
        }
        for typed in ["swift", "tea", "concurrency", "\"the unit\"", "-swift"] {
          let due = Leaflet.library.filter { leaflet in
            let texts = [[leaflet.title], [leaflet.body ?? ""], leaflet.labels]
            return PlainWords.finds(typed, texts)
          }
          try expectFound(store, [(typed, due.map(\.id))], "after the end")
        }
        try expectFound(store, [("lamp", []), ("oil", [])], "after the end")
        try expectEqual(try store.check(), [])
      }
    }

  static func expectFound(
    _ scope: some ReadScope, _ found: [(typed: String, keys: [Int])], _ about: String
  ) throws {
    for (typed, keys) in found {
      try expectEqual(try scope.fetch(Leaflet.where { $0.search(typed) }).map(\.id), keys, "«\(typed)» \(about)")
      let hits = try scope.ranked(Leaflet.all, by: SearchQuery(typed: typed))
      try expectEqual(hits.map(\.object.id).sorted(), keys, "«\(typed)» ranked, \(about)")
    }
  }
}
