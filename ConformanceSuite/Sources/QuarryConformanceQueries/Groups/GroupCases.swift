import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Which groups there are, in which order, and which conditions and orders choose among them.
enum GroupCases {
  static let samples = [
    Figure(1, group: "b", number: 3, value: 1.5, price: 1), Figure(2, group: "a", number: 1, value: 2, price: 2),
    Figure(3, group: nil, number: 2, value: nil, price: nil), Figure(4, group: "b", number: nil, value: 4, price: 3),
    Figure(5, group: "a", number: 1, value: 8, price: 4), Figure(6, group: "b", number: 3, value: 16, price: 8),
  ]

  /// A case about a store with figures.
  static func figures(
    _ name: String, _ clauses: [String], _ summary: String, _ objects: [Figure] = samples,
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("GRP.\(name)", clauses, summary, within: .seconds(20)) { kit in
      let store = try kit.store(Figure.self)
      try store.insert(contentsOf: objects)
      try body(store)
    }
  }

  /// A case about poems, whose references lead to poets and their teachers.
  private static func poems(
    _ name: String, _ clauses: [String], _ summary: String, _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("GRP.\(name)", clauses, summary, needs: [.indexPlain], within: .seconds(20)) { kit in
      let store = try kit.store(Poet.self, Poem.self)
      try store.insert(contentsOf: [Poet(1, "Ada"), Poet(2, "Bea", teacher: 1), Poet(3, "Cid", teacher: 1)])
      try store.insert(contentsOf: [
        Poem(1, "x", poet: 2), Poem(2, "y", poet: 3), Poem(3, "z", poet: 1), Poem(4, "z"), Poem(5, "w", poet: 2),
      ])
      try body(store)
    }
  }

  static let all: [ConformanceCase] =
    shapes + paths + [
      figures("condition-on-groups", ["GRP-5"], "A condition on groups may name any figure.") { store in
        let query = QueryTree(model: "Figure")
        func groups(_ having: String) throws -> [Value] {
          try store.records.grouped(query, by: ["group"], "count", having: having).map { $0.values[0] }
        }
        try expectEqual(try groups("count > 1"), ["a", "b"])
        try expectEqual(try groups("sum(value) > 10.0"), ["b"], "a figure that is not in the result")
        try expectEqual(try groups("group == nil"), [.null])
        try expectEqual(try groups("max(number) == 3 OR median(number) == 2.0"), [.null, "b"])
        try expectEqual(try groups("count > 9"), [])
      },
      figures("order-of-groups", ["GRP-5"], "Groups that tie stay in the order of their values; the limit is last.") {
        store in
        let query = QueryTree(model: "Figure")
        func groups(_ order: String, _ limit: Int? = nil, having: String? = nil) throws -> [Value] {
          try store.records.grouped(query, by: ["group"], "count", having: having, sortedBy: order, limit: limit)
            .map { $0.values[0] }
        }
        try expectEqual(try groups("-count"), ["b", "a", .null])
        try expectEqual(try groups("-count", 1), ["b"])
        try expectEqual(try groups("-count", 1, having: "count < 3"), ["a"])
        try expectEqual(try groups("-group"), ["b", "a", .null])
        try expectEqual(
          try groups("distinct(number)"), [.null, "a", "b"], "ties in a figure that is not in the result")
        try expectEqual(try groups("count", 0), [])
        try expectEqual(try groups("count", 99), [.null, "a", "b"])
      },
      figures("names", ["GRP-5"], "A figure can have a name, by which conditions and orders know it.") { store in
        let rows = try store.records.grouped(
          QueryTree(model: "Figure"), by: ["group"], "count as n, sum(price) as `all of it`", having: "n > 1",
          sortedBy: "-`all of it`")
        try expectEqual(rows.map { $0["n"] }, [3, 2])
        try expectEqual(rows.map { $0["all of it"] }, [.decimal(12), .decimal(6)])
      },
      figures("records", ["GRP-1", "GRP-3"], "Records have the groups and figures of objects.") { store in
        let typed = try store.grouped(Figure.all, by: \.group, \.number) {
          (count: $0.count(), sum: $0.sum(\.value), middle: $0.median(\.price))
        }
        let records = try store.records.grouped(
          QueryTree(model: "Figure"), by: ["group", "number"], "count, sum(value), median(price)")
        try expectEqual(records.count, typed.count)
        for (record, row) in zip(records, typed) {
          try expectEqual(
            record.values,
            [
              try row.key.0.storedValue(), try row.key.1.storedValue(), .int(Int64(row.count)),
              try row.sum.storedValue(),
              try row.middle.storedValue(),
            ])
        }
      },
      figures("wrong-names", ["GRP-7"], "Unknown names, and columns of one name twice, are no query.") { store in
        let query = QueryTree(model: "Figure")
        for figures in [
          "sum(nothing)", "nothing(value)", "count, count", "sum(value) as a, count as a", "", "sum", "sum(value",
        ] {
          try expectError(.invalidQuery, figures) { try store.records.grouped(query, figures) }
        }
        try expectError(.invalidQuery) { try store.records.grouped(query, by: ["nothing"], "count") }
        try expectError(.invalidQuery) { try store.records.grouped(query, "count", having: "nothing > 1") }
        try expectError(.invalidQuery) { try store.records.grouped(query, "count", sortedBy: "nothing") }
        try expectError(.invalidQuery) { try store.records.grouped(query, "count", limit: -1) }
        try expectError(.invalidQuery) { try store.records.grouped(QueryTree(model: "Nothing"), "count") }
      },
      ConformanceCase("GRP.wrong-types", ["GRP-7"], "A function that a type does not have is no query.") { kit in
        let store = try kit.store(Item.self)
        try store.insert(Item(1, tags: ["x"]))
        for figure in ["sum(name)", "average(note)", "deviation(code)", "min(tags)", "distinct(tags)", "median(tags)"] {
          try expectError(.invalidQuery, figure) { try store.records.grouped(QueryTree(model: "Item"), figure) }
        }
        try expectError(.invalidQuery, "a group of arrays") {
          try store.records.grouped(QueryTree(model: "Item"), by: ["tags"], "count")
        }
      },
      figures("empty-store", ["GRP-7"], "What is wrong is wrong without objects too.", []) { store in
        try expectError(.invalidQuery) { try store.records.grouped(QueryTree(model: "Figure"), "sum(group)") }
        try expectError(.invalidQuery) { try store.figures(of: Figure.all) { $0.percentile(\.value, 101) } }
      },
    ]

  private static let shapes: [ConformanceCase] = [
    figures("ascending", ["GRP-1"], "Groups come in ascending order of their values, nil first.") { store in
      let rows = try store.grouped(Figure.all, by: \.group) { $0.count() }
      try expectEqual(rows.map(\.key), [nil, "a", "b"])
      try expectEqual(rows.map(\.value), [1, 2, 3])
      // The same where the figures are computed above the engine.
      let streamed = try store.grouped(Figure.all, by: \.group) { $0.distinct(\.id) }
      try expectEqual(streamed.map(\.key), [nil, "a", "b"])
      try expectEqual(streamed.map(\.value), [1, 2, 3])
    },
    figures("several-columns", ["GRP-1"], "Groups of several columns come column by column.") { store in
      let rows = try store.grouped(Figure.all, by: \.group, \.number) { (count: $0.count(), ids: $0.distinct(\.id)) }
      try expectEqual(rows.map(\.key.0), [nil, "a", "b", "b"])
      try expectEqual(rows.map(\.key.1), [2, 1, nil, 3])
      try expectEqual(rows.map(\.count), [1, 2, 1, 2])
      try expectEqual(rows.map(\.ids), [1, 2, 1, 2])
      let turned = try store.grouped(Figure.all, by: \.number, \.group) { $0.count() }
      try expectEqual(turned.map(\.key.0), [nil, 1, 2, 3])
    },
    figures(
      "equal-numbers", ["GRP-1"], "Zeros are one group, and so are NaNs.",
      [
        Figure(1, value: -0.0, ratio: 0), Figure(2, value: 0, ratio: -0.0), Figure(3, value: .nan, ratio: .nan),
        Figure(4, value: -Double.nan, ratio: -Float.nan), Figure(5, value: .infinity, ratio: 1),
        Figure(6, value: -1, ratio: -1),
      ]
    ) { store in
      for rows in [
        try store.grouped(Figure.all, by: \.value) { $0.count() }.map(\.value),
        try store.grouped(Figure.all, by: \.value) { $0.distinct(\.id) }.map(\.value),
        try store.grouped(Figure.all, by: \.ratio) { $0.distinct(\.id) }.map(\.value),
      ] { try expectEqual(rows.sorted(), [1, 1, 2, 2]) }
      try expectEqual(try store.figures(of: Figure.all) { $0.distinct(\.value) }.value, 4)
    },
    figures(
      "equal-decimals", ["GRP-1"], "Decimals of one value are one group.",
      [
        Figure(1, price: Decimal(string: "1")), Figure(2, price: Decimal(string: "1.00")),
        Figure(3, price: Decimal(string: "1.01")),
      ]
    ) { store in
      try expectEqual(try store.grouped(Figure.all, by: \.price) { $0.count() }.map(\.value), [2, 1])
      try expectEqual(try store.grouped(Figure.all, by: \.price) { $0.distinct(\.id) }.map(\.value), [2, 1])
    },
    figures("no-objects", ["GRP-1"], "Without objects there are no groups; figures are of one.", []) { store in
      try expectEqual(try store.grouped(Figure.all, by: \.group) { $0.count() }.count, 0)
      try expectEqual(try store.grouped(Figure.all, by: \.group) { $0.median(\.value) }.count, 0)
      let all = try store.figures(of: Figure.all) {
        (count: $0.count(), sum: $0.sum(\.number), middle: $0.median(\.value), last: $0.last(\.group, by: \.id))
      }
      try expect(all.count == 0 && all.sum == nil && all.middle == nil && all.last == nil)
    },
    figures("chosen", ["GRP-1"], "Groups are those of the chosen objects.") { store in
      let some = Figure.where { $0.number > 1 }
      try expectEqual(try store.grouped(some, by: \.group) { $0.count() }.map(\.key), [nil, "b"])
      try expectEqual(try store.grouped(some, by: \.group) { $0.distinct(\.number) }.map(\.value), [1, 1])
      try expectEqual(try store.figures(of: some) { (n: $0.count(), sum: $0.sum(\.number)) }.sum, 8)
    },
    figures("state", ["GRP-1"], "Groups are of the state that is read.") { store in
      let frozen = try store.freeze()
      defer { frozen.close() }
      let later: [String?] = ["a", "b", "c"]
      try store.write { tx in
        try tx.insert(Figure(7, group: "c", number: 9))
        try tx.delete(Figure.self, 3)
        try expectEqual(try tx.grouped(Figure.all, by: \.group) { $0.count() }.map(\.key), later)
        try expectEqual(try tx.grouped(Figure.all, by: \.group) { $0.median(\.number) }.map(\.value), [1, 3, 9])
      }
      try expectEqual(try frozen.grouped(Figure.all, by: \.group) { $0.count() }.map(\.key), [nil, "a", "b"])
      try expectEqual(try store.grouped(Figure.all, by: \.group) { $0.count() }.map(\.key), later)
    },
    figures(
      "many-groups", ["GRP-1", "GRP-3"], "Hundreds of groups are complete and in order.",
      (0..<1_500).map { Figure($0, group: "g\($0 % 500)", number: $0, value: Double($0)) }
    ) { store in
      let rows = try store.grouped(Figure.all, by: \.group) {
        (count: $0.count(), middle: $0.median(\.number), sum: $0.sum(\.number))
      }
      let names: [String?] = (0..<500).map { "g\($0)" }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      try expectEqual(rows.map(\.key), names)
      try expect(rows.allSatisfy { $0.count == 3 })
      for row in rows {
        let place = try unwrap(Int(try unwrap(row.key).dropFirst()))
        try expectEqual(row.middle, Double(place + 500))
        try expectEqual(row.sum, 3 * place + 1_500)
      }
    },
  ]

  private static let paths: [ConformanceCase] = [
    poems("path", ["GRP-2", "GRP-1"], "A column may lead through a reference, nil where that is nil.") { store in
      let rows = try store.grouped(Poem.all, by: \.poet.name) { (count: $0.count(), titles: $0.distinct(\.title)) }
      try expectEqual(rows.map(\.key), [nil, "Ada", "Bea", "Cid"])
      try expectEqual(rows.map(\.count), [1, 1, 2, 1])
      try expectEqual(rows.map(\.titles), [1, 1, 2, 1])
    },
    poems("long-path", ["GRP-2"], "A path of two references is nil where either is.") { store in
      let rows = try store.grouped(Poem.all, by: \.poet.teacher.name) { $0.count() }
      try expectEqual(rows.map(\.key), [nil, "Ada"])
      try expectEqual(rows.map(\.value), [2, 3])
      let records = try store.records.grouped(QueryTree(model: "Poem"), by: ["poet.teacher.name"], "count")
      try expectEqual(records.map(\.values), [[.null, 2], ["Ada", 3]])
    },
    poems("figures-of-paths", ["GRP-2", "GRP-3", "GRP-4"], "Figures may be of columns behind references.") { store in
      let rows = try store.grouped(Poem.all, by: \.title) {
        (
          poets: $0.count(\.poet.name), kinds: $0.distinct(\.poet.name), high: $0.max(\.poet.name),
          first: $0.first(\.poet.name, by: \.id)
        )
      }
      try expectEqual(rows.map(\.key), ["w", "x", "y", "z"])
      try expectEqual(rows.map(\.poets), [1, 1, 1, 1])
      try expectEqual(rows.map(\.kinds), [1, 1, 1, 1])
      try expectEqual(rows.map(\.high), ["Bea", "Bea", "Cid", "Ada"])
      try expectEqual(rows.map(\.first), ["Bea", "Bea", "Cid", "Ada"])
    },
    poems("other-side", ["GRP-1"], "The objects on the other side of a reference are a selection.") { store in
      let ada = try unwrap(try store.get(Poet.self, 1))
      try expectEqual(try store.grouped(ada.pupils, by: \.name) { $0.count() }.map(\.key), ["Bea", "Cid"])
      try expectEqual(try store.figures(of: ada.pupils) { $0.distinct(\.teacher) }.value, 1)
    },
  ]
}
