import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What a condition, an order, a limit and an offset choose together, for each statement and question: conditions that
/// engines decide themselves, and ones that are looked at row by row.
enum ChosenRowsCases {
  static let all: [ConformanceCase] = [asked("counted"), asked("totalled"), asked("updated"), asked("deleted")]

  private static let name = "Chosen"

  private static let model = ModelSchema(
    name: name,
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "rank", type: .int32, isOptional: true),
      PropertySchema(name: "word", type: .string, isOptional: true), PropertySchema(name: "score", type: .double),
      PropertySchema(name: "mark", type: .int64),
    ], primaryKey: 0, indexes: [IndexSchema(name: "rank", columns: [.init(slot: 1)])])

  private static let rows: [Record] = (0..<24).map { place in
    let words: [Value] = [.string("a"), .string("A"), .string("b"), .null, .string("\u{E9}")]
    return Record([
      "id": .int(Int64(place * 5 % 24)), "rank": place % 6 == 0 ? .null : .int(Int64(place % 4)),
      "word": words[place % 5], "score": .double(Double(place * 7 % 24) / 2), "mark": .int(0),
    ])
  }

  private static let conditions: [PredicateTree] = [
    .constant(true), .compare(.named("id"), .greaterOrEqual, .value(.int(6))),
    .compare(.named("rank"), .less, .value(.int(3))), .text(.named("word"), .equal, "a", .caseInsensitive),
    .and([
      .compare(.named("rank"), .notEqual, .value(.int(1))),
      .or([
        .text(.named("word"), .like, "?", []), .compare(.named("word"), .equal, .value(.null)),
      ]),
    ]), .oneOf(.named("id"), [.int(3), .int(9), .int(4), .int(21), .int(99)]),
  ]

  private static let orders: [[QueryTree.SortKey]] = [
    [], [.init("rank", isDescending: true)], [.init("score"), .init("rank")], [.init("id", isDescending: true)],
  ]

  private static let pages: [(limit: Int?, offset: Int)] = [
    (nil, 0), (nil, 2), (3, 0), (3, 2), (0, 0), (100, 100), (1, 1),
  ]

  private static func asked(_ name: String) -> ConformanceCase {
    ConformanceCase(
      "STMT.chosen-\(name)", ["STMT-5", "PAGE-1", "AGG-5", "SORT-2"],
      "Condition, order, limit and offset choose the objects that are \(name), each of them and together.",
      needs: [.updateWhere, .deleteWhere, .queryAggregate, .queryText, .queryTextFolding],
      without: ConformanceVariant.ofReads
    ) { kit in
      let store = try kit.store(making: [model])
      try store.write { try $0.records.insert(into: model.name, rows) }
      for predicate in conditions {
        for order in orders {
          for page in pages {
            let query = QueryTree(
              model: model.name, predicate: predicate, order: order, limit: page.limit, offset: page.offset)
            let chosen = Reference.rows(query, from: rows)
            switch name {
            case "counted":
              try expectEqual(try store.read { try $0.records.count(query) }, chosen.count, "\(query)")
              try expectEqual(
                try store.read { try $0.records.fetch(query, columns: ["id"]).count }, chosen.count, "\(query)")
            case "totalled": try store.read { try expectTotals($0, query, chosen) }
            default: try expectChange(store, name, query, chosen)
            }
          }
        }
      }
    }
  }

  private static func expectTotals(_ tx: ReadTransaction, _ query: QueryTree, _ chosen: [Record]) throws {
    let ids = chosen.compactMap { $0["id"]?.integer }
    let ranks = chosen.compactMap { $0["rank"]?.integer }
    func value(_ integer: Int128?) -> Value { integer.map { Value(integer: $0) } ?? .null }
    let row = try unwrap(
      try tx.records.aggregate(
        query, [(.count, nil), (.count, "rank"), (.min, "id"), (.max, "rank"), (.sum, "id"), (.sum, "rank")]
      ).first)
    try expectEqual(
      row.values,
      [
        .int(Int64(chosen.count)), .int(Int64(ranks.count)), value(ids.min()), value(ranks.max()),
        value(ids.isEmpty ? nil : ids.reduce(0, +)), value(ranks.isEmpty ? nil : ranks.reduce(0, +)),
      ], "\(query)")
    let ends = try tx.records.aggregate(query, [(.min, "rank"), (.max, "id"), (.count, nil)])
    try expectEqual(
      ends.map(\.values), [[value(ranks.min()), value(ids.max()), .int(Int64(chosen.count))]], "\(query)")
    let groups = try tx.records.aggregate(query, groupedBy: ["rank"], [(.count, nil)])
    try expectEqual(groups.map { $0.values[0].integer ?? 0 }.reduce(0, +), Int128(chosen.count), "\(query)")
    try expectEqual(groups.count, Set(chosen.map { $0["rank"] ?? .null }).count, "\(query)")
  }

  /// Makes the change, looks, and undoes it.
  private static func expectChange(
    _ store: Store, _ name: String, _ query: QueryTree, _ chosen: [Record]
  ) throws {
    let ids = Set(chosen.map { $0["id"] ?? .null })
    do {
      try store.write { tx in
        if name == "updated" {
          let count = try tx.records.assign(query, [.init("mark", .add, .int(1)), .init("score", .set, .double(0))])
          try expectEqual(count, chosen.count, "\(query)")
          let marked = try tx.records.fetch(QueryTree(model: model.name)).filter { $0["mark"] != .int(0) }
          try expectEqual(Set(marked.map { $0["id"] ?? .null }), ids, "\(query)")
        } else {
          try expectEqual(try tx.records.delete(query), chosen.count, "\(query)")
          let rest = try tx.records.fetch(QueryTree(model: model.name)).map { $0["id"] ?? .null }
          try expectEqual(Set(rest), Set(rows.map { $0["id"] ?? .null }).subtracting(ids), "\(query)")
        }
        throw Abandoned()
      }
    } catch is Abandoned {}
  }
}
