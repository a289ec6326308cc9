import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Positions know their query by all of it, constants of every type too.
enum PagePositionCases {
  static let all: [ConformanceCase] = [constants]

  /// Groups of constants of one type that are different, each beside others that differ from it in one thing.
  private static let different: [(property: String, values: [Value])] = [
    ("bool", [.bool(false), .bool(true)]),
    ("int", [.int(0), .int(1), .int(-1), .int(256), .int(1 << 32), .int(.min)]),
    ("double", [.double(0), .double(1), .double(0.5), .double(-0.5)]),
    (
      "string",
      [.string(""), .string("a"), .string("b"), .string("ab"), .string("ba"), .string("e\u{301}"), .string("\u{E9}")]
    ),
    ("date", [Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: 1)].map { .date($0) }),
    ("data", [.data(Data()), .data(Data([0])), .data(Data([0, 0])), .data(Data([0, 1])), .data(Data([1, 0]))]),
    (
      "uuid",
      [
        .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
        .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))),
        .uuid(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
      ]
    ),
    (
      "decimal",
      [
        .decimal(0), .decimal(1), .decimal(-1), .decimal(10),
        .decimal(Decimal(sign: .plus, exponent: -1, significand: 1)),
      ]
    ),
    ("list", [.array([]), .array([.int(0)]), .array([.int(0), .int(1)]), .array([.int(1), .int(0)])]),
    (
      "part",
      [
        .object([]), .object([.init("a", .int(1))]), .object([.init("b", .int(1))]), .object([.init("a", .int(2))]),
        .object([.init("a", .int(1)), .init("b", .int(1))]), .object([.init("a", .array([.int(1)]))]),
        .object([.init("a", .object([.init("b", .int(1))]))]), .object([.init("a", .object([.init("c", .int(1))]))]),
      ]
    ),
  ]

  private static let model = ModelSchema(
    name: "Held",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "bool", type: .bool),
      PropertySchema(name: "int", type: .int64), PropertySchema(name: "double", type: .double),
      PropertySchema(name: "string", type: .string), PropertySchema(name: "date", type: .date),
      PropertySchema(name: "data", type: .data), PropertySchema(name: "uuid", type: .uuid),
      PropertySchema(name: "decimal", type: .decimal),
      PropertySchema(name: "list", type: .array, elementType: .int64), PropertySchema(name: "part", type: .nested),
    ], primaryKey: 0)

  private static let constants = ConformanceCase(
    "PAGE.of-another-constant", ["PAGE-3"],
    "The position of a query that differs in one constant alone is invalidQuery, whatever its type.",
    without: ConformanceVariant.ofWrites
  ) { kit in
    let store = try kit.store(making: [model])
    // Rows that differ from all constants, so that every query has pages.
    let rows = (1...4).map { id in
      Record([
        "id": .int(Int64(id)), "bool": .bool(true), "int": .int(77), "double": .double(77), "string": .string("x"),
        "date": .date(Date(timeIntervalSinceReferenceDate: 77)), "data": .data(Data([77])),
        "uuid": .uuid(UUID(uuid: (77, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))), "decimal": .decimal(77),
        "list": .array([.int(77)]), "part": .object([.init("z", .int(77))]),
      ])
    }
    try store.write { try $0.records.insert(into: "Held", rows) }
    try store.read { tx in
      for (property, values) in different {
        let queries = values.map { value in
          var query = QueryTree(
            model: "Held",
            predicate: .or([
              .compare(.named("id"), .greater, .value(.int(0))), .compare(.named(property), .equal, .value(value)),
            ]))
          query.limit = 2
          return query
        }
        for (place, query) in queries.enumerated() {
          let first = try tx.records.fetch(query)
          try expectEqual(first.count, 2, "\(property) \(values[place])")
          for (other, base) in queries.enumerated() {
            var next = base
            next.position = QueryTree.PagePosition(
              values: [], key: first.last?["id"] ?? .null, fingerprint: query.fingerprint)
            let about = "\(property): \(values[place]) then \(values[other])"
            if other == place {
              try expectEqual(try tx.records.fetch(next).map { $0["id"] }, [.int(3), .int(4)], about)
            } else {
              try expectError(.invalidQuery, about) { try tx.records.fetch(next) }
            }
          }
        }
      }
    }
  }
}
