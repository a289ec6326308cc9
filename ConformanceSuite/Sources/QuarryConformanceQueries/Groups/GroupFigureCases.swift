import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What the figures of groups are.
enum GroupFigureCases {
  private static func figures(
    _ name: String, _ clauses: [String], _ summary: String, _ objects: [Figure] = GroupCases.samples,
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase { GroupCases.figures(name, clauses, summary, objects, body) }

  /// Some percentiles of the numbers from 1 to 10, by the definition of GRP-3.
  private static let percentiles: [(percent: Double, number: Int)] = [
    (0, 1), (0.1, 1), (10, 1), (10.1, 2), (50, 5), (50.5, 6), (90, 9), (99.9, 10), (100, 10),
  ]

  static let all: [ConformanceCase] =
    percentiles.map { row in
      figures(
        "percentile-\(row.percent)", ["GRP-3"],
        "A percentile is a value of the column, the least that is great enough.",
        (1...10).reversed().map { Figure($0, number: $0, value: Double($0)) } + [Figure(11)]
      ) { store in
        let figures = try store.figures(of: Figure.all) {
          (number: $0.percentile(\.number, row.percent), value: $0.percentile(\.value, row.percent))
        }
        try expectEqual(figures.number, row.number)
        try expectEqual(figures.value, Double(row.number))
        let records = try store.records.grouped(
          QueryTree(model: "Figure"), "percentile(number, \(row.percent)), p\(row.percent)(value)")
        try expectEqual(records.map(\.values), [[.int(Int64(row.number)), .double(Double(row.number))]])
      }
    } + ends + lists + [
      figures(
        "nil-is-left-out", ["GRP-3"], "Every figure leaves out nil.",
        [Figure(1, group: "a"), Figure(2, group: "a", number: 4), Figure(3, group: "b"), Figure(4, group: "b")]
      ) { store in
        let rows = try store.grouped(Figure.all, by: \.group) {
          (
            count: $0.count(), numbers: $0.count(\.number), distinct: $0.distinct(\.number), sum: $0.sum(\.number),
            mean: $0.average(\.number), low: $0.min(\.number), middle: $0.median(\.number),
            high: $0.percentile(\.number, 90), deviation: $0.standardDeviation(\.number)
          )
        }
        try expectEqual(rows.map(\.count), [2, 2])
        try expectEqual(rows.map(\.numbers), [1, 0])
        try expectEqual(rows.map(\.distinct), [1, 0])
        try expectEqual(rows.map(\.sum), [4, nil])
        try expectEqual(rows.map(\.mean), [4, nil])
        try expectEqual(rows.map(\.low), [4, nil])
        try expectEqual(rows.map(\.middle), [4, nil])
        try expectEqual(rows.map(\.high), [4, nil])
        try expectEqual(rows.map(\.deviation), [nil, nil])
      },
      figures(
        "median-of-integers", ["GRP-3"], "The median of an even number of integers is their exact mean, rounded once.",
        [Figure(1, number: .max), Figure(2, number: .max - 1), Figure(3, number: 0), Figure(4, number: .max)]
      ) { store in
        try expectEqual(
          try store.figures(of: Figure.all) { $0.median(\.number) }.value, Double(Int.max))
        try expectEqual(
          try store.figures(of: Figure.where { $0.id > 1 }) { $0.median(\.number) }.value, Double(Int.max - 1))
        try expectEqual(
          try store.figures(of: Figure.where { $0.id == 3 || $0.id == 4 }) { $0.median(\.number) }.value,
          Double(Int.max / 2) + 0.5)
      },
      figures(
        "median-of-decimals", ["GRP-3"], "The median of decimals is exact.",
        ["0.1", "0.2", "0.30", "7"].enumerated().map { Figure($0.offset, price: Decimal(string: $0.element)) }
      ) { store in
        try expectEqual(try store.figures(of: Figure.all) { $0.median(\.price) }.value, Decimal(string: "0.25"))
        try expectEqual(
          try store.figures(of: Figure.where { $0.id > 0 }) { $0.median(\.price) }.value, Decimal(string: "0.3"))
      },
      figures(
        "deviation", ["GRP-3"], "The standard deviation is of a sample, and nil for fewer than two values.",
        ([2, 4, 4, 4, 5, 5, 7, 9] as [Double]).enumerated().map { Figure($0.offset, group: "a", value: $0.element) }
          + [Figure(20, group: "b", value: 3), Figure(21, group: "c", value: 3), Figure(22, group: "c", value: 3)]
      ) { store in
        let rows = try store.grouped(Figure.all, by: \.group) { $0.standardDeviation(\.value) }
        let first = try unwrap(rows[0].value)
        try expect(abs(first - (32.0 / 7).squareRoot()) < 1e-15, "\(first)")
        try expectEqual(rows.dropFirst().map(\.value), [nil, 0])
      },
      figures(
        "overflow", ["GRP-7"], "A sum that does not fit its type is an error, and no other figure is.",
        [Figure(1, number: .max), Figure(2, number: 1)]
      ) { store in
        try expectError(.invalidValue) { try store.figures(of: Figure.all) { $0.sum(\.number) } }
        try expectError(.invalidValue) {
          try store.figures(of: Figure.all) { (sum: $0.sum(\.number), middle: $0.median(\.number)) }
        }
        try expectEqual(try store.figures(of: Figure.all) { $0.median(\.number) }.value, 4_611_686_018_427_387_904)
      },
      figures("percentages", ["GRP-7"], "A percentage is from 0 to 100.") { store in
        for percent in [-1, -0.001, 100.001, 101, .nan, .infinity, -.infinity, 1e300] {
          try expectError(.invalidQuery, "\(percent)") {
            try store.figures(of: Figure.all) { $0.percentile(\.number, percent) }
          }
        }
        for text in ["p101(number)", "p-1(number)", "percentile(number)", "percentile(number, x)", "p(number)"] {
          try expectError(.invalidQuery, text) { try store.records.grouped(QueryTree(model: "Figure"), text) }
        }
      },
    ] + (0..<4).map(random)

  private static let ends: [ConformanceCase] = [
    figures("first-and-last", ["GRP-4"], "The first and the last object are found by another column.") { store in
      let rows = try store.grouped(Figure.all, by: \.group) {
        (
          first: $0.first(\.id, by: \.value), last: $0.last(\.id, by: \.value),
          turned: $0.first(\.id, by: \.value, .reverse), end: $0.last(\.id, by: \.value, .reverse)
        )
      }
      try expectEqual(rows.map(\.first), [nil, 2, 1])
      try expectEqual(rows.map(\.last), [nil, 5, 6])
      try expectEqual(rows.map(\.turned), [nil, 5, 6])
      try expectEqual(rows.map(\.end), [nil, 2, 1])
    },
    figures("ties-of-ends", ["GRP-4"], "The primary key breaks ties of the first and the last.") { store in
      let rows = try store.grouped(Figure.all, by: \.group) {
        (first: $0.first(\.id, by: \.number), last: $0.last(\.id, by: \.number))
      }
      try expectEqual(rows.map(\.first), [3, 2, 1])
      try expectEqual(rows.map(\.last), [3, 5, 6])
    },
    figures("nil-of-ends", ["GRP-4"], "Objects without one of the two values are neither first nor last.") { store in
      let all = try store.figures(of: Figure.all) {
        (number: $0.first(\.number, by: \.id, .reverse), group: $0.last(\.group, by: \.number))
      }
      try expectEqual(all.number, 3)
      try expectEqual(all.group, "b")
      let records = try store.records.grouped(QueryTree(model: "Figure"), "first(value, -number), last(value, id)")
      try expectEqual(records.map(\.values), [[1.5, 16.0]])
    },
  ]

  private static func list(
    _ name: String, _ summary: String, _ body: @escaping @Sendable (Store, Links<Song>) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("GRP.links-\(name)", ["GRP-6"], summary, needs: [.indexPlain, .indexCompound]) { kit in
      let store = try kit.store(Album.self, Song.self)
      try store.insert(contentsOf: [Song("a", 1), Song("b", 2), Song("c", 4), Song("d", 8)])
      try store.insert(Album(1))
      let played = try unwrap(try store.get(Album.self, 1)).played
      try store.write { tx in try played.append(contentsOf: [Ref("b"), Ref("a"), Ref("b"), Ref("c"), Ref("b")], in: tx)
      }
      try body(store, played)
    }
  }

  private static let lists: [ConformanceCase] = [
    list("figures", "Figures of links count an object as often as it is in the list.") { store, played in
      let all = try store.figures(of: played) {
        (count: $0.count(), sum: $0.sum(\.seconds), middle: $0.median(\.seconds), kinds: $0.distinct(\.seconds))
      }
      try expectEqual(all.count, 5)
      try expectEqual(all.sum, 11)
      try expectEqual(all.middle, 2)
      try expectEqual(all.kinds, 3)
      let rows = try store.grouped(played, by: \.name) { $0.count() }
      try expectEqual(rows.map(\.key), ["a", "b", "c"])
      try expectEqual(rows.map(\.value), [1, 3, 1])
    },
    list("changes", "Calls that change the objects of links change each once.") { store, played in
      try expectEqual(try store.update(played) { $0.seconds += 10 }, 3)
      try expectEqual(try store.assign(played) { $0.seconds += 10 }, 3)
      try expectEqual(try store.fetch(Song.all).map(\.seconds), [21, 22, 24, 8])
    },
    list("pages", "Links have no pages and no streams; their query has.") { store, played in
      try expectError(.invalidQuery) { try store.page(played, size: 2) }
      try expectEqual(try store.page(played.query, size: 2).elements.map(\.name), ["a", "b"])
    },
  ]

  /// Random numbers in random groups, against figures that are worked out from all of them.
  private static func random(_ number: Int) -> ConformanceCase {
    ConformanceCase(
      "GRP.random-\(number)", ["GRP-1", "GRP-3", "GRP-4"], "Figures are those of all objects.", within: .seconds(60)
    ) {
      kit in
      var random = kit.random(number)
      let objects = (0..<200).map { id in
        Figure(
          id, group: ["a", "b", "c", nil][Int.random(in: 0..<4, using: &random)],
          number: Int.random(in: 0..<5, using: &random) == 0 ? nil : Int.random(in: -9...9, using: &random),
          small: Int8.random(in: 0...3, using: &random))
      }
      let store = try kit.store(Figure.self)
      try store.insert(contentsOf: objects)
      let rows = try store.grouped(Figure.all, by: \.group, \.small) {
        (
          count: $0.count(), distinct: $0.distinct(\.number), middle: $0.median(\.number),
          p75: $0.percentile(\.number, 75),
          last: $0.last(\.id, by: \.number)
        )
      }
      var place = 0
      for group in [nil, "a", "b", "c"] {
        for small in Int8(0)...3 {
          let members = objects.filter { $0.group == group && $0.small == small }
          guard !members.isEmpty else { continue }
          let row = rows[place]
          place += 1
          try expect(row.key.0 == group && row.key.1 == small, "\(row.key), not \(group ?? "nil"), \(small)")
          let numbers = members.compactMap(\.number).sorted()
          try expectEqual(row.count, members.count)
          try expectEqual(row.distinct, Set(numbers).count)
          let half = numbers.count / 2
          let middle =
            numbers.isEmpty
            ? nil : numbers.count % 2 == 1 ? Double(numbers[half]) : Double(numbers[half - 1] + numbers[half]) / 2
          try expectEqual(row.middle, middle)
          try expectEqual(row.p75, numbers.isEmpty ? nil : numbers[max(1, (numbers.count * 3 + 3) / 4) - 1])
          let last = members.filter { $0.number != nil }.max { ($0.number ?? 0, $0.id) < ($1.number ?? 0, $1.id) }
          try expectEqual(row.last, last?.id)
        }
      }
      try expectEqual(place, rows.count)
    }
  }
}
