import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryText

/// Second cases of rules about words: what a repetition, a removal, a pair of letters or a second property changes.
enum SearchCornerCases {
  /// The properties of ``Leaflet`` in a store whose program searches none.
  private static let unsearched = ModelSchema(
    name: "Leaflet",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "title", type: .string),
      PropertySchema(name: "body", type: .string, isOptional: true),
      PropertySchema(name: "labels", type: .array, elementType: .string), PropertySchema(name: "rank", type: .int64),
      PropertySchema(name: "note", type: .string),
    ], primaryKey: 0)

  private static func record(_ leaflet: Leaflet) -> Record {
    Record([
      "id": .int(Int64(leaflet.id)), "title": .string(leaflet.title), "body": leaflet.body.map { .string($0) } ?? .null,
      "labels": .array(leaflet.labels.map { .string($0) }), "rank": .int(Int64(leaflet.rank)), "note": "",
    ])
  }

  /// Queries as they are typed, and what they find in a library.
  private static let typed: [(text: String, finds: @Sendable ([String]) -> Bool)] = [
    ("swift swift unit", { $0.contains("swift") && $0.contains("unit") }),
    ("tea tea -green -cup", { $0.contains("tea") && !$0.contains("green") && !$0.contains("cup") }),
    ("tea -time -green", { $0.contains("tea") && !$0.contains("time") && !$0.contains("green") }),
    ("-swift -tea", { !$0.contains("swift") && !$0.contains("tea") }),
    ("-swift -swift -unit", { !$0.contains("swift") && !$0.contains("unit") }),
    ("of of of a", { $0.contains("of") && $0.contains("a") }),
  ]

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "SEARCH.insert-after-removal", ["SEARCH-26"], "What is inserted after a removal in the same write is found."
    ) { kit in
      let store = try kit.store(Leaflet.self)
      try store.insert(contentsOf: Leaflet.library)
      try store.write { tx in
        try tx.delete(Leaflet.self, 7)
        try tx.update(Leaflet.self, 3) { $0.title = "Kotlin" }
        try tx.insert(contentsOf: [Leaflet(20, "lamp oil"), Leaflet(21, "lamp"), Leaflet(7, "oil")])
        try tx.insert(Leaflet(22, "oil lamp"))
      }
      for (word, due) in [
        ("lamp", [20, 21, 22]), ("oil", [7, 20, 22]), ("kotlin", [3]), ("java", []), ("swift", [1, 2]),
      ] {
        try expectEqual(try store.keys(Leaflet.where { $0.search(word) }), due, word)
      }
      try expectEqual(try store.check(), [])
    },
    ConformanceCase(
      "SEARCH.typed-repeated", ["SEARCH-9", "SEARCH-14"],
      "A part that is typed twice counts once, and each exclusion counts."
    ) { kit in
      let store = try kit.store(Leaflet.self)
      try store.insert(contentsOf: Leaflet.library)
      for (text, finds) in typed {
        let due = Leaflet.library.filter { leaflet in
          finds(([leaflet.title, leaflet.body ?? ""] + leaflet.labels).flatMap(PlainWords.words(of:)))
        }
        try expectEqual(try store.keys(Leaflet.where { $0.search(text) }), due.map(\.id), text)
      }
      let excluding = SearchQuery.all("tea", .not("green"), .not("time"))
      try expectEqual(try store.keys(Leaflet.where { $0.search(excluding) }), [])
      let some = SearchQuery.all("swift", .not(.any("storage", "tea")), .not("java"))
      try expectEqual(try store.keys(Leaflet.where { $0.search(some) }), [1])
    },
    ConformanceCase(
      "SEARCH.ranked-pairs", ["SEARCH-17"], "A letter and the pair that it begins are one place of a beginning."
    ) { kit in
      let store = try kit.store(Leaflet.self)
      try store.insert(contentsOf: [
        Leaflet(1, "東 x y"), Leaflet(2, "東京 x"), Leaflet(3, "x 京 y"), Leaflet(4, "東 東 x"),
      ])
      let hits = try store.ranked(Leaflet.all, by: .prefix("東"))
      try expectEqual(hits.map(\.object.id), [4, 1, 2])
      try expectEqual(hits[1].score, hits[2].score)
      try expect(hits[0].score > hits[1].score)
    },
    ConformanceCase(
      "SEARCH.read-only-properties", ["SEARCH-28"],
      "Without an index of its own, a store is searched in all properties.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let plain = try kit.open([], at: place)
      try plain.write { tx in
        try tx.apply(.createModel(unsearched))
        try tx.records.insert(into: "Leaflet", Leaflet.library.map(record))
      }
      try plain.close()
      var options = OpenOptions()
      options.isReadOnly = true
      let reading = try kit.open([Leaflet.self], at: place, options: options)
      let library = Dictionary(uniqueKeysWithValues: Leaflet.library.map { ($0.id, $0) })
      try PlainWords.expectFound(reading, library, "without an index")
      for word in ["storage", "tasks", "milk", "drink", "language"] {
        let due = Leaflet.library.filter { PlainWords.finds(word, PlainWords.texts($0)) }
        try expectEqual(try reading.keys(Leaflet.where { $0.search(word) }), due.map(\.id), word)
      }
    },
  ]
}
