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
      spans, littleMemory,
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
    ]

  private static let shapes: [ConformanceCase] = [
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

  /// A thousand groups of texts and the figures of each take several times the least bound.
  private static let littleMemory = ConformanceCase(
    "GRP.little-memory", ["GRP-9", "GRP-1", "AGG-4"],
    "Groups beyond the memory of the options have the figures of all their objects, and are in order.",
    within: .seconds(30)
  ) { kit in
    let objects = (0..<3_000).map {
      Figure($0, group: $0 % 1_000 == 7 ? nil : "group \($0 % 1_000)", number: $0, value: Double($0 % 1_000) / 8)
    }
    var expected: [String?] = (0..<1_000).map { $0 == 7 ? nil : "group \($0)" }
    expected.sort { ($0 ?? "").utf8.lexicographicallyPrecedes(($1 ?? "").utf8) }
    for bytes in [.min, 0, 1 << 17, .max] {
      var options = OpenOptions()
      options.workingMemory = bytes
      let store = try kit.open([Figure.self], at: kit.makePlace(), options: options)
      try store.insert(contentsOf: objects)
      let rows = try store.grouped(Figure.all, by: \.group) {
        (
          count: $0.count(), numbers: $0.count(\.number), sum: $0.sum(\.value), mean: $0.average(\.number),
          low: $0.min(\.number), high: $0.max(\.number)
        )
      }
      let medians = try store.grouped(Figure.all, by: \.group) { $0.median(\.number) }
      try expectEqual(rows.map(\.key), expected, "\(bytes) bytes")
      try expectEqual(medians.map(\.key), expected, "\(bytes) bytes")
      for (row, median) in zip(rows, medians) {
        let first = try unwrap(row.low)
        try expectEqual(row.key, first == 7 ? nil : "group \(first)", "\(bytes) bytes")
        try expectEqual([row.count, row.numbers, row.high], [3, 3, first + 2_000], "\(bytes) bytes")
        try expectEqual(row.sum, Double(3 * first) / 8, "\(bytes) bytes")
        try expectEqual([row.mean, median.value], [Double(first + 1_000), Double(first + 1_000)], "\(bytes) bytes")
      }
      try store.close()
    }
  }

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

  /// The typed front of spans; Texts/GroupSpans.case says what they are.
  private static let spans = ConformanceCase(
    "GRP.spans-of-nil", ["GRP-8"], "Nil is a group of its own, and comes first.", within: .seconds(20)
  ) { kit in
    let store = try kit.store(Measurement.self)
    let dates = try ["2024-02-29T23:59:59Z", "2024-03-31T12:00:00Z", "2023-12-31T23:59:59Z"].map {
      try unwrap(ISO8601Text.date($0))
    }
    try store.insert(
      contentsOf: dates.enumerated().map { Measurement($0, $1, checked: $0 == 1 ? nil : $1, value: Double($0)) })
    let rows = try store.grouped(Measurement.all, by: \.checked.month, \.taken.year) { $0.count() }
    let spans = try ["2023-12-01T00:00:00Z", "2024-02-01T00:00:00Z"].map { try unwrap(ISO8601Text.date($0)) }
    try expectEqual(rows.map(\.key.0), [nil] + spans)
    try expectEqual(rows.map(\.value), [1, 1, 1])
    let all = try store.figures(of: Measurement.all) { (days: $0.distinct(\.taken.day), last: $0.max(\.taken.quarter)) }
    try expectEqual(all.days, 3)
    try expectEqual(all.last, ISO8601Text.date("2024-01-01T00:00:00Z"))
  }
}
