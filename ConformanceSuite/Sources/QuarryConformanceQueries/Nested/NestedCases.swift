import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

enum NestedCases {
  private static let model = ModelSchema(
    name: "Columns",
    properties: [
      PropertySchema(name: "id", type: .int64),
      PropertySchema(name: "tags", type: .array, isOptional: true, elementType: .string),
      PropertySchema(name: "counts", type: .array, isOptional: true, elementType: .int64),
      PropertySchema(name: "scores", type: .array, isOptional: true, elementType: .double),
      PropertySchema(name: "part", type: .nested, isOptional: true),
      PropertySchema(name: "parts", type: .array, isOptional: true, elementType: .nested),
    ], primaryKey: 0)

  private static func part(_ city: String, _ floor: Value?, _ more: Value.Member...) -> Value {
    .object(unordered: [.init("city", .string(city))] + (floor.map { [.init("floor", $0)] } ?? []) + more)
  }

  private static let inner = Value.object([
    .init("deep", .object([.init("x", .int(1)), .init("y", .array([.int(1)]))]))
  ])

  private static let rows: [Record] = {
    let counts: [Value] = [
      .null, .array([]), .array([.int(0)]), .array([.int(.min), .int(.max)]), .array([.int(1), .int(2), .int(3)]),
    ]
    let scores: [Value] = [
      .null, .array([]), .array([.double(-0.0)]), .array([.double(.nan)]), .array([.double(0.5), .double(.infinity)]),
      .array([.double(1), .double(2)]),
    ]
    let parts: [Value] = [
      .null, part("Oslo", .int(1)), part("Oslo", nil), part("oslo", .double(1)), part("", .int(-1), .init("in", inner)),
      part("Oslo", .string("1")), .int(7), .string("Oslo"), .array([.int(1), .string("a")]), .object([]), .bool(true),
      part("Rom", .decimal(Samples.decimal("1"))), part("x", .uint(.max)),
    ]
    return (0..<60).map { place in
      Record([
        "id": .int(Int64(place)), "counts": counts[place % 5], "scores": scores[place % 6], "part": parts[place % 13],
      ])
    }
  }()

  private static func path(_ property: String, _ members: String...) -> PropertyPath {
    PropertyPath(property, members: members)
  }

  /// A case that asks every predicate, and its opposite.
  private static func asked(
    _ id: String, _ clauses: [String], _ summary: String, _ predicates: @escaping @Sendable () -> [PredicateTree]
  ) -> ConformanceCase {
    ConformanceCase(id, clauses, summary) { kit in
      let store = try kit.store(making: [model])
      try store.write { try $0.records.insert(into: model.name, rows) }
      let frozen = try store.freeze()
      defer { frozen.close() }
      for source: any ReadableStore in [store, frozen] {
        try source.read { tx in
          let view = ColumnTable.View(name: "", transaction: tx, columns: [], rows: rows)
          for predicate in predicates() {
            try view.expectRows(predicate)
            try view.expectRows(.not(predicate))
          }
        }
      }
    }
  }

  static let all: [ConformanceCase] =
    [
      asked(
        "NEST.any-all-numbers", ["NEST-3", "PRED-6", "PRED-7"], "Conditions on numbers in arrays are those on numbers."
      ) {
        let constants: [Value] = [
          .int(0), .int(2), .double(1.5), .double(.nan), .double(.infinity), .int(.max), .uint(.max),
        ]
        return ["counts", "scores"].flatMap { name in
          Comparison.allCases.flatMap { comparison in
            constants.flatMap { constant -> [PredicateTree] in
              let test = PredicateTree.compare(.property(.element), comparison, .value(constant))
              return [.any(PropertyPath(name), test), .all(PropertyPath(name), test)]
            }
          }
        }
      },
      asked("NEST.members", ["NEST-1", "NEST-2"], "Members are compared by their paths; a missing one is nil.") {
        let constants: [Value] = [
          .null, .int(1), .double(1), .decimal(1), .string("1"), .int(-1), .uint(.max), .bool(true), .double(0.5),
        ]
        return [path("part", "floor"), path("part", "city"), path("part", "no"), path("part", "city", "no")].flatMap {
          path in
          Comparison.allCases.flatMap { comparison in
            (constants + [.string("Oslo"), .string("")]).map {
              PredicateTree.compare(.property(path), comparison, .value($0))
            }
          } + [
            .oneOf(.property(path), [.int(1), .string("Oslo")]), .oneOf(.property(path), [.null]),
            .text(.property(path), .hasPrefix, "O", []), .text(.property(path), .equal, "OSLO", .caseInsensitive),
            .text(.property(path), .contains, "", []),
          ]
        }
      },
    ] + fixed

  private static func nested(_ depth: Int) -> Value {
    (0..<depth).reduce(.int(1)) { value, _ in .array([value]) }
  }

  private static let fixed: [ConformanceCase] = [
    ConformanceCase("NEST.typed", ["NEST-1"], "The typed front asks arrays and nested values.") { kit in
      let store = try kit.store(Everything.self)
      var objects = (0..<4).map { Everything($0) }
      objects[1].strings = ["a", "\u{E9}"]
      objects[1].ints = [1, 2, 3]
      objects[1].maybePlace = Place(
        city: "Oslo", floor: 3, inner: .init(names: ["x"]), others: [.init(), .init(depth: 5)])
      objects[2].strings = []
      objects[2].ints = [-1]
      objects[2].maybePlace = Place(city: "Rom")
      objects[3].strings = ["b"]
      objects[3].colours = [.green]
      objects[3].shape = .circle(radius: 2)
      try store.insert(contentsOf: objects)
      for (query, keys) in [
        (Everything.where { $0.strings == nil }, [0]), (Everything.where { $0.strings.contains("\u{E9}") }, [1]),
        (Everything.where { $0.strings.isEmpty }, [2]), (Everything.where { $0.strings.count >= 1 }, [1, 3]),
        (Everything.where { $0.ints.any { $0 > 2 } }, [1]), (Everything.where { $0.ints.all { $0 > 0 } }, [0, 1, 3]),
        (Everything.where { $0.colours.contains(.green) }, [3]), (Everything.where { $0.ints == [-1] }, [2]),
        (Everything.where { $0.maybePlace.member("city", as: String.self) == "Oslo" }, [1]),
        (Everything.where { $0.maybePlace.member("floor", as: Int?.self) == nil }, [0, 2, 3]),
        (Everything.where { $0.maybePlace.member("inner", "names", as: [String].self).contains("x") }, [1]),
        (Everything.where { $0.maybePlace.member("others", as: [Int].self).count == 2 }, [1]),
        (Everything.where { $0.maybePlace == Place(city: "Rom") }, [2]),
        (Everything.where { $0.shape == .circle(radius: 2) }, [3]),
        (Everything.where { $0.shape == .empty }, [0, 1, 2]),
      ] as [(Query<Everything>, [Int])] {
        try expectEqual(try store.keys(query), keys, "\(query.tree)")
      }
    },
    ConformanceCase("NEST.refused", ["NEST-1", "PRED-8"], "Conditions that a value cannot have are invalidQuery.") {
      kit in
      let store = try kit.store(making: [model])
      for predicate: PredicateTree in [
        .compare(.property(path("tags", "x")), .equal, .value(.int(1))),
        .compare(.count(path("id")), .equal, .value(.int(1))),
        .containsElement(path("tags"), .int(1)), .containsElement(path("id"), .int(1)),
        .any(path("id"), .constant(true)),
        .compare(.property(.element), .equal, .value(.int(1))), .compare(.named("tags"), .less, .value(.array([]))),
        .any(path("tags"), .compare(.named("id"), .equal, .value(.int(1)))),
        .any(path("counts"), .text(.property(.element), .hasPrefix, "a", [])),
        .compare(.named("tags"), .equal, .named("parts")), .any(path("no"), .constant(true)),
      ] {
        let query = QueryTree(model: model.name, predicate: predicate)
        try expectError(.invalidQuery, "\(predicate)") { try store.read { try $0.records.count(query) } }
      }
    },
    ConformanceCase("NEST.depth", ["NEST-5"], "A value 128 deep is stored, one 129 deep is limitExceeded.") { kit in
      let store = try kit.store(making: [model])
      try store.write { tx in
        try tx.records.insert(into: model.name, [Record(["id": .int(1), "part": nested(128)])])
        try expectError(.limitExceeded) {
          try tx.records.insert(into: model.name, [Record(["id": .int(2), "part": nested(129)])])
        }
        try expectError(.limitExceeded) {
          try tx.records.assign(QueryTree(model: model.name), [.init("part", .set, nested(129))])
        }
      }
      try store.read { tx in
        try expectEqual(try tx.records.fetch(QueryTree(model: model.name)).map { $0["part"] }, [nested(128)])
        let isEqual = PredicateTree.compare(.named("part"), .equal, .value(nested(128)))
        try expectEqual(try tx.records.count(QueryTree(model: model.name, predicate: isEqual)), 1)
        let isDeeper = PredicateTree.compare(.named("part"), .equal, .value(nested(129)))
        try expectError(.limitExceeded) { try tx.records.count(QueryTree(model: model.name, predicate: isDeeper)) }
      }
    },
    ConformanceCase(
      "NEST.one-form", ["NEST-5", "VAL-1"], "Members come in the order of their names' bytes, numbers exact."
    ) {
      kit in
      let store = try kit.store(making: [model])
      let names = ["b", "a", "", "\u{E9}", "e\u{301}", "B", "a\0", "\u{10FFFF}"]
      let values: [Value] = [
        .uint(.max), .double(1), .int(1), .float(0.1), .decimal(Samples.decimal("0.1")), .double(-0.0),
        .data(Data([0])),
        .date(Date(timeIntervalSinceReferenceDate: 0.1)),
      ]
      let value = Value.object(unordered: zip(names, values).map { .init($0, $1) })
      try store.write { try $0.records.insert(into: model.name, [Record(["id": .int(1), "part": value])]) }
      let read = try store.read { try $0.records.get(in: model.name, key: .int(1))?["part"] }
      try expectEqual(read, value)
      guard case .object(let members) = read else { return try expect(false, "an object") }
      try expectEqual(
        members.map { Array($0.name.utf8) }, names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    },
  ]
}
