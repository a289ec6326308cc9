import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Pages whose positions are values that begin others, nil or NaN, in each direction and along each index.
enum PagePrefixCases {
  static let all: [ConformanceCase] =
    [PropertyType.string, .data].flatMap { type in shapes.map { paged(type, $0.name, $0.index) } }
    + [PropertyType.double, .url].flatMap { type in
      shapes.filter { ["bare", "falling", "unique-falling"].contains($0.name) }.map { paged(type, $0.name, $0.index) }
    }

  private static let shapes: [(name: String, index: IndexSchema?)] = [
    ("bare", nil), ("rising", IndexSchema(name: "i", columns: [.init(slot: 1)])),
    ("falling", IndexSchema(name: "i", columns: [.init(slot: 1, isDescending: true)])),
    ("compound", IndexSchema(name: "i", columns: [.init(slot: 1), .init(slot: 2)])),
    ("compound-mixed", IndexSchema(name: "i", columns: [.init(slot: 1, isDescending: true), .init(slot: 2)])),
    ("compound-falling", IndexSchema(name: "i", columns: [.init(slot: 1), .init(slot: 2, isDescending: true)])),
    ("unique", IndexSchema(name: "i", columns: [.init(slot: 1), .init(slot: 2), .init(slot: 3)], isUnique: true)),
    (
      "unique-falling",
      IndexSchema(
        name: "i", columns: [.init(slot: 1, isDescending: true), .init(slot: 3, isDescending: true)], isUnique: true)
    ),
  ]

  private static let name = "Paged"

  private static func values(_ type: PropertyType) -> [Value] {
    guard type == .url else { return CompoundLookupCases.values(type) }
    return ["a:", "a:b", "a:bc", "b:"].compactMap { URL(string: $0).map { .url($0) } }
  }

  private static func paged(_ type: PropertyType, _ shape: String, _ index: IndexSchema?) -> ConformanceCase {
    ConformanceCase(
      "PAGE.prefix-\(shape).\(type.name)", ["PAGE-4", "PAGE-2", "SORT-1", "SORT-2", "IDX-4"],
      "Pages go on after values that begin others, and after nil (\(type.name), \(shape)).",
      needs: [.indexCompound, .indexDescending], without: ConformanceVariant.ofWrites
    ) { kit in
      let model = ModelSchema(
        name: name,
        properties: [
          PropertySchema(name: "id", type: .int64), PropertySchema(name: "a", type: type, isOptional: true),
          PropertySchema(name: "b", type: type, isOptional: true), PropertySchema(name: "c", type: .int32),
        ], primaryKey: 0, indexes: index.map { [$0] } ?? [])
      let values = values(type) + [.null]
      var rows: [Record] = []
      for (place, a) in values.enumerated() {
        for b in [a, values[(place + 1) % values.count], values[(place + 3) % values.count]] {
          rows.append(Record(["id": .int(Int64(rows.count * 17 % 29)), "a": a, "b": b, "c": .int(Int64(rows.count))]))
        }
      }
      let store = try kit.store(making: [model])
      try store.write { try $0.records.insert(into: name, rows) }
      let bounds: [PredicateTree] =
        [
          .constant(true), .compare(.named("a"), .greaterOrEqual, .value(values[1])),
          .compare(.named("a"), .lessOrEqual, .value(values[2])), .compare(.named("a"), .equal, .value(values[2])),
          .compare(.named("a"), .equal, .value(.null)), .oneOf(.named("a"), [values[0], values[2], .null]),
        ] + (type == .string ? [.text(.named("a"), .hasPrefix, "a", [])] : [])
      try store.read { tx in
        let view = ColumnTable.View(name: shape, transaction: tx, columns: [], rows: rows)
        for isDescending in [false, true] {
          let order = ["a", "b"].map { QueryTree.SortKey($0, isDescending: isDescending) }
          try view.expectPages(QueryTree(model: name, order: order), sizes: [1])
        }
        for predicate in bounds {
          for first in [false, true] {
            for order: [QueryTree.SortKey] in [
              [.init("a", isDescending: first)],
              [.init("a", isDescending: first), .init("b", isDescending: first)],
              [.init("a", isDescending: first), .init("b", isDescending: !first)],
              [.init("a", isDescending: first), .init("c", isDescending: !first)],
              [.init("b", isDescending: first), .init("a", isDescending: first)],
              [.init("a", isDescending: first), .init("id", isDescending: !first)],
            ] {
              try view.expectPages(QueryTree(model: name, predicate: predicate, order: order), sizes: [2])
            }
          }
        }
      }
    }
  }
}
