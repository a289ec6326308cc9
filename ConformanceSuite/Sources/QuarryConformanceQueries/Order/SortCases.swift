import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

enum SortCases {
  static let all: [ConformanceCase] =
    Samples.orderedTypes.flatMap { [sorted($0, false), sorted($0, true), key($0)] } + fixed

  private static func sorted(_ type: PropertyType, _ isDescending: Bool) -> ConformanceCase {
    ConformanceCase(
      "SORT.\(type.name).\(isDescending ? "descending" : "ascending")",
      ["SORT-1", "SORT-2", "SORT-3", "SORT-4", "PAGE-1", "IDX-4"],
      "Values of \(type.name) are in their order, with nil at its end and ties by the key."
    ) { kit in
      try ColumnTable.inspect(kit, type) { view in
        for column in view.columns {
          var query = QueryTree(model: ColumnTable.name, order: [.init(column, isDescending: isDescending)])
          try view.expectRows(query)
          query.limit = 5
          query.offset = 2
          try view.expectRows(query)
          query.predicate = .compare(.named(column), .notEqual, .value(.null))
          try view.expectRows(query)
        }
      }
    }
  }

  private static func key(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "SORT.\(type.name).key", ["SORT-2", "SORT-3", "SORT-4", "CRUD-2", "CRUD-3"],
      "Primary keys of \(type.name) are found, unique and in their order."
    ) { kit in
      let model = ModelSchema(
        name: "Keyed",
        properties: [PropertySchema(name: "key", type: type), PropertySchema(name: "half", type: .int64)],
        primaryKey: 0, indexes: [IndexSchema(name: "half", columns: [.init(slot: 1)])])
      let store = try kit.store(making: [model])
      var rows: [Record] = []
      var repeated: [Value] = []
      for value in Samples.values(type).reversed() {
        if rows.contains(where: { Reference.rank($0["key"] ?? .null, value) == 0 }) {
          repeated.append(value)
        } else {
          rows.append(Record(["key": value, "half": .int(Int64(rows.count % 2))]))
        }
      }
      try store.write { try $0.records.insert(into: "Keyed", rows) }
      for value in repeated {
        try expectError(.duplicateKey, "\(value)") {
          try store.write { try $0.records.insert(into: "Keyed", [Record(["key": value, "half": .int(9)])]) }
        }
      }
      try store.read { tx in
        for row in rows { try expectEqual(try tx.records.get(in: "Keyed", key: row["key"] ?? .null), row) }
        for value in repeated { try expect(try tx.records.get(in: "Keyed", key: value) != nil, "\(value)") }
        for order: [QueryTree.SortKey] in [
          [], [.init("key")], [.init("key", isDescending: true)], [.init("half")], [.init("half", isDescending: true)],
        ] {
          let query = QueryTree(model: "Keyed", order: order)
          try expectEqual(try tx.records.fetch(query), Reference.rows(query, from: rows, key: "key"), "\(query)")
        }
      }
    }
  }

  private static let fixed: [ConformanceCase] = [
    ConformanceCase("SORT.large", ["SORT-2"], "Thousands of objects are sorted as a few are.") { kit in
      let store = try kit.store(Item.self)
      var random = kit.random(7)
      let ids = (0..<5000).shuffled(using: &random)
      try store.insert(contentsOf: ids.map { Item($0, name: "\($0 * 7919 % 100)", note: "\($0 * 104_729 % 1000)") })
      let expected = (0..<5000).sorted {
        let (left, right) = ("\($0 * 104_729 % 1000)", "\($1 * 104_729 % 1000)")
        return left == right ? $0 < $1 : left < right
      }
      try expectEqual(try store.keys(Item.all.sorted(by: \.note)), expected)
      try expectEqual(
        try store.keys(Item.all.sorted(by: \.note).offset(4000).limit(10)), Array(expected[4000..<4010]))
    }
  ]
}
