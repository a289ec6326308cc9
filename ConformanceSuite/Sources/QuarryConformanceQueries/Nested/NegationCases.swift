import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// `NOT` over each test inside nested values where something on the way is nil, missing or of another kind.
enum NegationCases {
  static let all: [ConformanceCase] =
    Comparison.allCases.map { comparison in
      asked("compare-\(comparison.rawValue)") {
        constants.map { constant in { .compare(.property($0), comparison, .value(constant)) } }
      }
    }
    + TextOperator.allCases.map { operation in
      asked("text-\(operation.rawValue)") {
        ["", "a", "A", "1"].flatMap { needle -> [Test] in
          [
            { .text(.property($0), operation, needle, []) },
            { .text(.property($0), operation, needle, .caseInsensitive) },
          ]
        }
      }
    } + [
      asked("in") {
        [[], [.null], [.int(1), .string("a")], [.null, .int(1)], [.double(.nan), .double(1.5)]].map { list in
          { .oneOf(.property($0), list) }
        }
      },
      asked("count") {
        Comparison.allCases.flatMap { comparison in
          [.int(-1), .int(0), .int(1), .double(0.5), .null].map { (constant: Value) in
            { .compare(.count($0), comparison, .value(constant)) }
          }
        }
      },
      asked("elements") {
        [
          { .containsElement($0, .int(1)) }, { .any($0, .compare(.property(.element), .less, .value(.int(2)))) },
          { .all($0, .compare(.property(.element), .less, .value(.int(2)))) },
          { .any($0, .not(.compare(.property(.element), .less, .value(.int(2))))) },
          { .all($0, .not(.compare(.property(.element), .less, .value(.int(2))))) },
        ]
      },
    ]

  /// A test of what is at a path.
  private typealias Test = (PropertyPath) -> PredicateTree

  private static let constants: [Value] = [
    .null, .int(1), .double(1.5), .double(.nan), .string("a"), .bool(false), .decimal(1),
  ]

  private static let name = "Negated"

  private static let model = ModelSchema(
    name: name,
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "part", type: .nested, isOptional: true),
      PropertySchema(name: "parts", type: .array, isOptional: true, elementType: .nested),
    ], primaryKey: 0)

  /// What the member `x` is: missing, nil, numbers, text, arrays.
  private static let parts: [Value] =
    [.object([])]
    + ([
      .null, .int(1), .int(2), .double(1.5), .double(.nan), .string("a"), .string("1"), .bool(false),
      .array([]), .array([.int(1)]), .array([.int(3), .null]), .object([]),
    ] as [Value]).map { .object([.init("x", $0)]) }

  private static let rows: [Record] =
    ([.null] + parts + [.int(1), .string("a")]).enumerated().map { place, part in
      let list: [Value] = [part] + (place % 2 == 0 ? [parts[place % parts.count]] : [])
      return Record([
        "id": .int(Int64(place)), "part": part,
        "parts": place == 0 ? .null : place == 1 ? .array([]) : .array(list.filter { !$0.isNull }),
      ])
    }

  private static func asked(_ name: String, _ tests: @escaping @Sendable () -> [Test]) -> ConformanceCase {
    ConformanceCase(
      "NEST.not-\(name)", ["NEST-10", "PRED-4", "NEST-2", "NEST-3"],
      "NOT of a test (\(name)) inside a nested value is true where the test is false, of nil and what is missing too.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      let store = try kit.store(making: [model])
      try store.write { try $0.records.insert(into: model.name, rows) }
      try store.read { tx in
        let view = ColumnTable.View(name: "", transaction: tx, columns: [], rows: rows)
        func ask(_ test: PredicateTree) throws { try view.expectRows(QueryTree(model: model.name, predicate: test)) }
        for test in tests() {
          for path in [PropertyPath("part", members: ["x"]), PropertyPath("part", members: ["x", "y"])] {
            let inside = test(path)
            try ask(inside)
            try ask(.not(inside))
            try ask(.not(.not(inside)))
            try ask(.not(.or([inside, .compare(.named("id"), .less, .value(.int(3)))])))
            try ask(.not(.and([inside, .compare(.property(path), .notEqual, .value(.null))])))
          }
          let element = test(PropertyPath("", members: ["x"]))
          for inside: PredicateTree in [
            element, .not(element), .not(.or([element, .constant(false)])),
            .and([.not(element), .compare(.property(PropertyPath("", members: ["x"])), .notEqual, .value(.int(2)))]),
          ] {
            for quantified: PredicateTree in [.any(PropertyPath("parts"), inside), .all(PropertyPath("parts"), inside)]
            {
              try ask(quantified)
              try ask(.not(quantified))
            }
          }
        }
      }
    }
  }
}
