import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Defaults of arrays.
enum ArrayDefaultCases {
  static let all: [ConformanceCase] = [
    ConformanceCase(
      "SCH.default-of-array", ["SCH-2"], "The default of an array has elements of its type, or the model is refused."
    ) { kit in
      let store = try kit.open([], at: kit.makePlace())
      func model(_ value: Value) -> ModelSchema {
        .migrating("M", PropertySchema(name: "v", type: .array, elementType: .int8, defaultValue: value))
      }
      for value: Value in [.array([.string("x")]), .array([.int(1), .int(200)]), .int(1), .array([.double(1)])] {
        try expectError(.schemaMismatch, "\(value)") { try store.write { try $0.apply(.createModel(model(value))) } }
      }
      try store.write { try $0.apply(.createModel(model(.array([.int(1), .int(-128)])))) }
      try store.records.insert(into: "M", [Record(["id": .int(1)])])
      try expectEqual(try store.records.fetch(in: "M").map { $0["v"] }, [.array([.int(1), .int(-128)])])
    }
  ]
}
