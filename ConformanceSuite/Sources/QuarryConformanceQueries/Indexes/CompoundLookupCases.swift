import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Look-ups in compound indexes, unique and not, rising and falling: each pair of conditions on their columns.
enum CompoundLookupCases {
  static let all: [ConformanceCase] =
    shapes.flatMap { shape in
      [PropertyType.string, .double, .data].map { lookedUp($0, shape) }
    } + [three]

  private struct Shape {
    let name: String
    let isUnique: Bool
    let isDescending: [Bool]
  }

  private static let shapes: [Shape] = [false, true].flatMap { isUnique in
    [[false, false], [true, false], [false, true], [true, true]].map { isDescending in
      let words = isDescending.map { $0 ? "falling" : "rising" }.joined(separator: "-")
      return Shape(name: "\(words)\(isUnique ? "-unique" : "")", isUnique: isUnique, isDescending: isDescending)
    }
  }

  private static let name = "Looked"

  /// Values that begin one another, zeros and NaN.
  static func values(_ type: PropertyType) -> [Value] {
    switch type {
    case .double: [-.infinity, -1, 0, 2.5, .infinity, .nan].map { .double($0) }
    case .data: [[], [0], [0, 0], [0, 1], [1], [0xFF], [0xFF, 0xFF]].map { .data(Data($0 as [UInt8])) }
    default: ["", "\0", "a", "a\0", "a\0\0", "aa", "a\u{10FFFF}", "b"].map { .string($0) }
    }
  }

  private static func conditions(_ column: String, _ values: [Value]) -> [PredicateTree?] {
    let (low, middle, high) = (values[1], values[2], values[values.count - 1])
    var tests: [PredicateTree?] = [
      nil, .compare(.named(column), .equal, .value(.null)), .compare(.named(column), .notEqual, .value(.null)),
      .compare(.named(column), .equal, .value(middle)), .oneOf(.named(column), [high, low]),
      .oneOf(.named(column), [middle, .null]), .compare(.named(column), .greater, .value(middle)),
      .compare(.named(column), .greaterOrEqual, .value(low)), .compare(.named(column), .less, .value(high)),
      .compare(.named(column), .lessOrEqual, .value(middle)),
    ]
    if case .string = low { tests.append(.text(.named(column), .hasPrefix, "a", [])) }
    return tests
  }

  private static func lookedUp(_ type: PropertyType, _ shape: Shape) -> ConformanceCase {
    ConformanceCase(
      "IDX.compound-\(shape.name).\(type.name)", ["IDX-5", "IDX-4", "IDX-2", "PRED-1", "PRED-12"],
      "Conditions on both columns of a compound index find what they say, nil in a column too.",
      needs: [.indexCompound, .indexDescending], without: ConformanceVariant.ofWrites
    ) { kit in
      let index = IndexSchema(
        name: "i",
        columns: shape.isDescending.enumerated().map { .init(slot: $0.offset + 1, isDescending: $0.element) },
        isUnique: shape.isUnique)
      let model = ModelSchema(
        name: name,
        properties: [
          PropertySchema(name: "id", type: .int64), PropertySchema(name: "a", type: type, isOptional: true),
          PropertySchema(name: "b", type: .int16, isOptional: true),
        ], primaryKey: 0, indexes: [index])
      let (first, second) = (values(type), [-1, 0, 1, 300].map { Value.int($0) })
      var rows: [Record] = []
      for a in first + [.null] {
        for b in second + [.null] {
          // Nil conflicts with nothing, so that it is there twice.
          for _ in 0..<(a.isNull || b.isNull || !shape.isUnique ? 2 : 1) {
            rows.append(Record(["id": .int(Int64(rows.count * 37 % 211)), "a": a, "b": b]))
          }
        }
      }
      let store = try kit.store(making: [model])
      try store.write { try $0.records.insert(into: name, rows) }
      try store.read { tx in
        let view = ColumnTable.View(name: "", transaction: tx, columns: [], rows: rows)
        let turns = Turns(kit, step: 4)
        for left in conditions("a", first) {
          for right in conditions("b", second) where turns.next() {
            let predicate = PredicateTree.and([left, right].compactMap(\.self))
            try view.expectRows(QueryTree(model: name, predicate: predicate))
            try view.expectRows(
              QueryTree(
                model: name, predicate: predicate, order: [.init("b", isDescending: true), .init("a")], limit: 3))
            try view.expectRows(
              QueryTree(model: name, predicate: predicate, order: [.init("a", isDescending: true)], limit: 4, offset: 1)
            )
            try expectEqual(
              try tx.records.count(QueryTree(model: name, predicate: predicate)),
              rows.count { Reference.holds(predicate, $0) }, "the count of \(predicate)")
          }
        }
      }
    }
  }

  private static let three = ConformanceCase(
    "IDX.compound-three-nil", ["IDX-5", "IDX-2"],
    "A unique index of three columns that is asked for nil in one, two or three finds all objects that have it.",
    needs: [.indexCompound], without: ConformanceVariant.ofWrites
  ) { kit in
    let model = ModelSchema(
      name: name,
      properties: [PropertySchema(name: "id", type: .int64)]
        + ["a", "b", "c"].map { PropertySchema(name: $0, type: .int32, isOptional: true) },
      primaryKey: 0,
      indexes: [IndexSchema(name: "i", columns: [.init(slot: 1), .init(slot: 2), .init(slot: 3)], isUnique: true)])
    let values: [Value] = [.null, .int(1), .int(2)]
    var rows: [Record] = []
    for a in values {
      for b in values {
        for c in values {
          for _ in 0..<([a, b, c].contains(where: \.isNull) ? 3 : 1) {
            rows.append(Record(["id": .int(Int64(rows.count)), "a": a, "b": b, "c": c]))
          }
        }
      }
    }
    let store = try kit.store(making: [model])
    try store.write { try $0.records.insert(into: name, rows) }
    try store.read { tx in
      let view = ColumnTable.View(name: "", transaction: tx, columns: [], rows: rows)
      let lists: [[Value]] = [[.null], [.int(1)], [.null, .int(2)]]
      for a in lists {
        for b in lists {
          for c in lists {
            let test = PredicateTree.and([
              .oneOf(.named("a"), a), .oneOf(.named("b"), b), .oneOf(.named("c"), c),
            ])
            try view.expectRows(QueryTree(model: name, predicate: test))
            try view.expectRows(QueryTree(model: name, predicate: test, order: [.init("c"), .init("a")], limit: 4))
            try expectEqual(
              try tx.records.count(QueryTree(model: name, predicate: test)), rows.count { Reference.holds(test, $0) })
          }
        }
      }
    }
  }
}
