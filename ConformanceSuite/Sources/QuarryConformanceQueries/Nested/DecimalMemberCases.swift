import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// A literal with a point beside members without a schema, where Doubles and decimals stand side by side.
enum DecimalMemberCases {
  private static let model = ModelSchema(
    name: "Rated",
    properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "part", type: .nested)], primaryKey: 0)

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "NEST.decimal-beside-double", ["NEST-1", "NEST-2", "PRED-6"],
      "A literal with a point finds the decimal of that value and the nearest Double, on the right side of both."
    ) { kit in
      let store = try kit.store(making: [model])
      let scores: [Value] = [
        .double(0.1), .decimal(Samples.decimal("0.1")), .double(0.1.nextDown), .double(0.1.nextUp), .double(0.5),
        .decimal(Samples.decimal("0.5")), .int(0), .int(1), .double(.nan), .string("0.1"),
      ]
      try store.write { tx in
        let records = scores.enumerated().map { place, score in
          Record(["id": .int(Int64(place)), "part": .object([.init("score", score)])])
        }
        try tx.records.insert(into: "Rated", records)
      }
      for (text, keys) in [
        ("part.score == 0.1", [0, 1]), ("part.score < 0.1", [2, 6]), ("part.score <= 0.1", [0, 1, 2, 6]),
        ("part.score > 0.1", [3, 4, 5, 7]), ("part.score >= 0.1", [0, 1, 3, 4, 5, 7]),
        ("part.score == 0.5", [4, 5]), ("part.score < 0.5", [0, 1, 2, 3, 6]), ("part.score >= 0.5", [4, 5, 7]),
        ("part.score IN {0.1, 1}", [0, 1, 7]), ("part.score BETWEEN {0.1, 0.5}", [0, 1, 3, 4, 5]),
      ] {
        let found = try store.read { try $0.records.fetch(in: "Rated", where: text) }
        try expectEqual(found.map { $0["id"]?.integer }, keys.map { Int128($0) }, text)
      }
    }
  ]
}
