import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What callers do wrong ends in errors with codes, and leaves the store as it was.
enum ErrorCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("CRUD.missing-value", ["CRUD-12"], "Nil for a property that is not optional is missingValue.") {
      kit in
      let store = try kit.store(Plain.self)
      let record = Record(["id": .int(1), "number": .null, "name": .null, "tags": .array([])])
      let error = try expectError(.missingValue) { try store.write { try $0.records.insert(into: "Plain", [record]) } }
      try expectEqual(error.model, "Plain")
      try expectEqual(error.property, "name")
      try expectError(.missingValue) {
        try store.write { try $0.records.insert(into: "Plain", [Record(["id": .int(1), "tags": .array([])])]) }
      }
      try expectEqual(try store.count(Plain.all), 0)
    },
    ConformanceCase("TXN.body-runs-once", ["TXN-7"], "The bodies of reads, writes and savepoints run once each.") {
      kit in
      let store = try kit.store(Item.self)
      var (writes, savepoints, reads) = (0, 0, 0)
      try store.write { tx in
        writes += 1
        try tx.savepoint {
          savepoints += 1
          try tx.insert(Item(1))
        }
        try expectError(.duplicateKey) { try tx.insert(Item(1)) }
      }
      try store.read { tx in
        reads += 1
        try expectEqual(try tx.count(Item.all), 1)
      }
      try expectEqual([writes, savepoints, reads], [1, 1, 1])
    },
    ConformanceCase("ERR.wrong-types", ["ERR-1", "ERR-2"], "Values of the wrong type are invalidValue, with names.") {
      kit in
      let store = try kit.store(Plain.self)
      let wrong: [(String, Value)] = [
        ("id", .string("1")), ("number", .double(1.5)), ("number", .uint(.max)), ("name", .int(1)),
        ("tags", .string("x")), ("tags", .array([.int(1)])),
      ]
      for (name, value) in wrong {
        let right: [(String, Value)] = [
          ("id", .int(1)), ("number", .int(1)), ("name", .string("a")), ("tags", .array([])),
        ]
        let fields = right.map { (name: $0.0, value: $0.0 == name ? value : $0.1) }
        let error = try expectError(.invalidValue, name) {
          try store.write { try $0.records.insert(into: "Plain", [Record(fields)]) }
        }
        try expectEqual([error.model, error.property], ["Plain", name])
      }
      try expectEqual(try store.count(Plain.all), 0)
    },
    ConformanceCase("ERR.unknown-names", ["ERR-1", "ERR-2"], "Unknown models and properties are errors, no crash.") {
      kit in
      let store = try kit.store(Plain.self)
      try store.read { tx in
        try expectError(.invalidQuery) { try tx.records.fetch(QueryTree(model: "Nothing")) }
        try expectError(.invalidQuery) { try tx.records.count(QueryTree(model: "")) }
        try expectError(.invalidQuery) {
          try tx.records.fetch(QueryTree(model: "Plain", predicate: .compare(.named("\0"), .equal, .value(.null))))
        }
        try expectError(.invalidQuery) {
          try tx.records.aggregate(QueryTree(model: "Plain"), [(.sum, "nothing")])
        }
      }
      try expectError(.invalidQuery) {
        try store.write { tx in
          try tx.records.insert(into: "Plain", [Record(["id": .int(1), "nothing": .int(1)])])
        }
      }
      try expectEqual(try store.count(Plain.all), 0)
    },
    ConformanceCase("ERR.no-values-in-messages", ["ERR-2"], "Messages carry no stored values but keys.") { kit in
      let store = try kit.store(Item.self)
      let secret = "s3cret-value"
      try store.insert(Item(1, code: secret, name: secret, note: secret))
      for error in [
        try expectError(.uniqueViolation) { try store.insert(Item(2, code: secret)) },
        try expectError(.duplicateKey) { try store.insert(Item(1, code: "other", note: secret)) },
        try expectError(.conflict) { try store.update(Item(1), ifUnchangedFrom: Item(1, code: secret)) },
      ] {
        try expect(!error.description.contains(secret), "the message has the stored value")
      }
    },
  ]
}
