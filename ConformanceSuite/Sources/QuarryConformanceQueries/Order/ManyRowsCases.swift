import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Tables of more rows than a batch, a page or a heap has, where engines take other ways than for a few.
enum ManyRowsCases {
  static let all: [ConformanceCase] = [paged, chosen, grouped, large]

  private static let name = "Many"

  private static let model = ModelSchema(
    name: name,
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "third", type: .int8, isOptional: true),
      PropertySchema(name: "code", type: .string), PropertySchema(name: "word", type: .string, isOptional: true),
      PropertySchema(name: "score", type: .double),
    ], primaryKey: 0,
    indexes: [
      IndexSchema(name: "third", columns: [.init(slot: 1)]), IndexSchema(name: "code", columns: [.init(slot: 2)]),
      IndexSchema(name: "both", columns: [.init(slot: 1, isDescending: true), .init(slot: 4)]),
    ])

  private static func rows(_ count: Int) -> [Record] {
    (0..<count).map { place in
      let word: Value = place % 5 == 0 ? .null : .string(place % 2 == 0 ? "Word" : "other")
      return Record([
        "id": .int(Int64(place)), "third": place % 50 == 7 ? .null : .int(Int64(place % 3)),
        "code": .string("c\(place * 7919 % count)"), "word": word,
        "score": .double(Double(place * 104_729 % 977) - 400),
      ])
    }
  }

  private static func store(_ kit: ConformanceContext, _ rows: [Record]) throws -> Store {
    let store = try kit.store(making: [model])
    try store.write { try $0.records.insert(into: name, rows) }
    return store
  }

  private static let conditions: [PredicateTree] = [
    .constant(true), .text(.named("word"), .equal, "word", .caseInsensitive),
    .compare(.named("third"), .greaterOrEqual, .value(.int(1))), .compare(.named("third"), .equal, .value(.int(2))),
    .and([
      .compare(.named("id"), .less, .value(.int(280))), .not(.text(.named("word"), .hasPrefix, "O", .caseInsensitive)),
    ]), .compare(.named("code"), .less, .value(.string("c9"))),
    .and([
      .compare(.named("third"), .equal, .value(.int(1))), .compare(.named("score"), .greater, .value(.double(10))),
    ]),
  ]

  private static let orders: [[QueryTree.SortKey]] = [
    [], [.init("id", isDescending: true)], [.init("third")], [.init("third", isDescending: true), .init("score")],
    [.init("score", isDescending: true)], [.init("code")], [.init("word"), .init("score")],
  ]

  private static func ask(
    _ tx: ReadTransaction, _ rows: [Record], _ pages: [(limit: Int?, offset: Int)]
  ) throws {
    for predicate in conditions {
      for order in orders {
        var query = QueryTree(model: name, predicate: predicate, order: order)
        let all = Reference.rows(query, from: rows).map { $0["id"] ?? .null }
        for page in pages {
          query.limit = page.limit
          query.offset = page.offset
          let expected = Array(all.dropFirst(page.offset).prefix(page.limit ?? .max))
          try expectEqual(try tx.records.fetch(query, columns: ["id"]).map { $0["id"] ?? .null }, expected, "\(query)")
          try expectEqual(try tx.records.count(query), expected.count, "\(query)")
        }
      }
    }
  }

  private static let paged = ConformanceCase(
    "PAGE.many-rows", ["PAGE-1", "SORT-2", "PRED-12"],
    "Limits and offsets below, at and above the size of a batch choose what they say, of whatever condition.",
    without: ConformanceVariant.ofWrites
  ) { kit in
    let rows = rows(300)
    try store(kit, rows).read { tx in
      try ask(tx, rows, [(nil, 65), (64, 64), (65, 63), (130, 1), (1, 128), (10, 250), (200, 150), (3, 0)])
    }
  }

  private static let chosen = ConformanceCase(
    "IDX.large-table", ["IDX-4", "SORT-2", "PAGE-1"],
    "In a table of thousands the ways that are chosen by counting give what the others do.",
    without: ConformanceVariant.ofWrites, within: .seconds(30)
  ) { kit in
    let rows = rows(1300)
    try store(kit, rows).read { tx in try ask(tx, rows, [(nil, 0), (5, 0), (5, 400)]) }
  }

  private static let grouped = ConformanceCase(
    "AGG.many-groups", ["AGG-4", "AGG-1"], "Hundreds of groups are told apart, and come in their order.",
    without: ConformanceVariant.ofWrites
  ) { kit in
    let rows = rows(900)
    try store(kit, rows).read { tx in
      for property in ["code", "score", "third"] {
        var counts: [Value: Int] = [:]
        for row in rows { counts[row[property] ?? .null, default: 0] += 1 }
        let expected = counts.sorted { Reference.rank($0.key, $1.key) < 0 }
        let found = try tx.records.aggregate(
          QueryTree(model: name), groupedBy: [property], [(.count, nil), (.min, "id")])
        try expectEqual(found.map { $0.groups[0] }, expected.map(\.key), property)
        try expectEqual(found.map { $0.values[0] }, expected.map { .int(Int64($0.value)) }, property)
        try expectEqual(
          found.map { $0.values[1] },
          expected.map { group in rows.first { $0[property] == group.key }?["id"] ?? .null }, property)
      }
      let pairs = try tx.records.aggregate(QueryTree(model: name), groupedBy: ["third", "code"], [(.count, nil)])
      try expectEqual(pairs.count, Set(rows.map { [$0["third"] ?? .null, $0["code"] ?? .null] }).count)
    }
  }

  private static let large = ConformanceCase(
    "SORT.large-rows", ["SORT-2", "PAGE-1"], "The first of many large objects are found in whatever order they come.",
    without: ConformanceVariant.ofWrites, within: .seconds(30)
  ) { kit in
    let store = try kit.store(Item.self)
    // Each comes before all that came before it, and is of another length.
    func note(_ id: Int) -> String { String(repeating: "n", count: 4000 + id * 13 % 3000) }
    try store.insert(
      contentsOf: (0..<500).lazy.map { Item($0, name: "\($0 % 9)", score: Double(500 - $0), note: note($0)) })
    for limit in [1, 7, 60] {
      let rising = try store.fetch(Item.where { $0.tags.isEmpty }.sorted("score,name").limit(limit).offset(2))
      try expectEqual(rising.map(\.id), (0..<limit).map { 497 - $0 })
      try expectEqual(rising.map(\.note), (0..<limit).map { note(497 - $0) })
      let falling = try store.fetch(Item.all.sorted("-score,name").limit(limit))
      try expectEqual(falling.map(\.id), Array(0..<limit))
      try expectEqual(falling.map(\.note), (0..<limit).map { note($0) })
    }
  }
}
