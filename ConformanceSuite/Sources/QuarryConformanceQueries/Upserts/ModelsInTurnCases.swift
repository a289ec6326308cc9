import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Statements over models of different shapes, one after the other in one transaction: what a backend keeps from one call to
/// the next is not taken for another model's.
enum ModelsInTurnCases {
  private static let narrow = ModelSchema.migrating("Narrow", .int("a"), .string("b"))
  private static let wide = ModelSchema.migrating(
    "Wide", .string("b"), .string("c"), PropertySchema(name: "d", type: .double), .int("a"))

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "UPS.models-in-turn", ["UPS-3", "CRUD-16"],
      "Partial upserts of two models in turn replace only what they name, in each."
    ) { kit in
      let store = try kit.open([], at: kit.makePlace())
      try store.write { tx in
        try tx.apply(.createModel(narrow))
        try tx.apply(.createModel(wide))
        try tx.records.insert(
          into: "Narrow", (0..<6).map { Record(["id": .int($0), "a": .int($0), "b": .string("b\($0)")]) })
        try tx.records.insert(
          into: "Wide",
          (0..<6).map {
            Record(["id": .int($0), "a": .int($0), "b": .string("B\($0)"), "c": .string("C\($0)"), "d": .double(0.5)])
          })
      }
      try store.write { tx in
        for id in 0..<6 as Range<Int64> {
          try tx.records.upsert(into: "Narrow", [Record(["id": .int(id), "a": .int(100 + id)])], updating: ["a"])
          try tx.records.upsert(into: "Wide", [Record(["id": .int(id), "c": .string("new \(id)")])], updating: ["c"])
          try tx.records.upsert(into: "Wide", [Record(["id": .int(id), "a": .int(-id)])], updating: ["a"])
          try tx.records.upsert(into: "Narrow", [Record(["id": .int(id), "b": .string("new \(id)")])], updating: ["b"])
        }
      }
      try expectEqual(
        try store.records.fetch(in: "Narrow"),
        (0..<6).map { Record(["id": .int($0), "a": .int(100 + $0), "b": .string("new \($0)")]) })
      try expectEqual(
        try store.records.fetch(in: "Wide", columns: ["id", "a", "b", "c", "d"]),
        (0..<6).map {
          Record([
            "id": .int($0), "a": .int(-$0), "b": .string("B\($0)"), "c": .string("new \($0)"), "d": .double(0.5),
          ])
        })
      try expectEqual(try store.check(), [])
    }
  ]
}
