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

  static let all: [ConformanceCase] =
    ends + lists + [
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
    figures("nil-of-ends", ["GRP-4"], "Objects without one of the two values are neither first nor last.") { store in
      let all = try store.figures(of: Figure.all) {
        (number: $0.first(\.number, by: \.id, .reverse), group: $0.last(\.group, by: \.number))
      }
      try expectEqual(all.number, 3)
      try expectEqual(all.group, "b")
      let records = try store.records.grouped(QueryTree(model: "Figure"), "first(value, -number), last(value, id)")
      try expectEqual(records.map(\.values), [[1.5, 16.0]])
    }
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
