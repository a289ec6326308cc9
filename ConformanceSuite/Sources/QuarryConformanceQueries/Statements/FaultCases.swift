import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Each writing call with each fault that it can meet: the error, and nothing of the call behind it.
enum FaultCases {
  private struct Fault: Sendable {
    let name: String
    let code: StorageError.Code?
    let clauses: [String]
    let call: @Sendable (WriteTransaction) throws -> Void

    /// - Parameter code: Nil for an error of the body's own.
    init(
      _ name: String, _ code: StorageError.Code?, _ clauses: [String],
      _ call: @escaping @Sendable (WriteTransaction) throws -> Void
    ) {
      self.name = name
      self.code = code
      self.clauses = clauses
      self.call = call
    }
  }

  private static let items = [
    Item(1, code: "a", rank: 1, name: "one"), Item(2, code: "b", rank: .max, name: "two"),
    Item(3, code: "c", name: "three", tags: ["t"]),
  ]

  private static func record(_ id: Int, _ fields: (String, Value)...) -> Record {
    Record(
      [("id", .int(Int64(id))), ("code", .string("r\(id)")), ("name", .string("r")), ("score", .double(0))] + fields)
  }

  private static func bad(_ property: String) -> QueryTree {
    QueryTree(model: "Item", predicate: .compare(.named(property), .equal, .value(.string("x"))))
  }

  static let all: [ConformanceCase] = (objects + updates + records).map { fault in
    ConformanceCase(
      "STMT.fault.\(fault.name)", ["STMT-1"] + fault.clauses,
      "\(fault.name): \(fault.code.map(\.description) ?? "the body's error") comes out, and nothing was changed.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: items)
      try store.write { tx in
        for _ in 0..<2 {
          if let code = fault.code {
            try expectError(code) { try fault.call(tx) }
          } else {
            do {
              try fault.call(tx)
              throw ConformanceFailure(message: "the body's error did not come out", file: #fileID, line: #line)
            } catch is Abandoned {}
          }
          try expectEqual(try tx.fetch(Item.all), items)
        }
        // The transaction goes on: what the failed call wanted to take is free, what it wanted to free is taken.
        try tx.insert(contentsOf: [Item(50, code: "new"), Item(51, code: "other")])
        try expectError(.uniqueViolation) { try tx.insert(Item(52, code: "a")) }
      }
      try expectEqual(try store.keys(Item.all), [1, 2, 3, 50, 51])
      try expectEqual(try store.keys(Item.where { $0.code == "a" || $0.rank == 1 }), [1])
    }
  }

  private static let objects: [Fault] = [
    Fault("insert.duplicate-key", .duplicateKey, ["CRUD-2"]) { try $0.insert(Item(1, code: "new")) },
    Fault("insert.unique", .uniqueViolation, ["IDX-1"]) { try $0.insert(Item(9, code: "a")) },
    Fault("insert.both", .duplicateKey, ["STMT-3"]) { try $0.insert(Item(1, code: "b")) },
    Fault("insert-many.duplicate-key-last", .duplicateKey, ["CRUD-2"]) { tx in
      try tx.insert(contentsOf: [Item(8, code: "new"), Item(9, code: "other"), Item(3)])
    },
    Fault("insert-many.duplicate-key-inside", .duplicateKey, ["CRUD-2"]) { tx in
      try tx.insert(contentsOf: [Item(8, code: "new"), Item(8, code: "other")])
    },
    Fault("insert-many.unique-last", .uniqueViolation, ["IDX-1"]) { tx in
      try tx.insert(contentsOf: [Item(8, code: "new"), Item(9, code: "c")])
    },
    Fault("insert-many.unique-inside", .uniqueViolation, ["IDX-1"]) { tx in
      try tx.insert(contentsOf: [Item(8, code: "new"), Item(9, code: "new")])
    },
    Fault("upsert.unique-new", .uniqueViolation, ["UPS-2"]) { _ = try $0.upsert(Item(9, code: "a")) },
    Fault("upsert.unique-old", .uniqueViolation, ["UPS-2"]) { _ = try $0.upsert(Item(2, code: "a")) },
    Fault("upsert-many.unique-last", .uniqueViolation, ["UPS-2"]) { tx in
      _ = try tx.upsert(contentsOf: [Item(1, code: "new"), Item(9, code: "other"), Item(2, code: "c")])
    },
    Fault("upsert-many.unique-inside", .uniqueViolation, ["UPS-2"]) { tx in
      _ = try tx.upsert(contentsOf: [Item(1, code: "new"), Item(2, code: "new")])
    },
    Fault("upsert-partial.unique", .uniqueViolation, ["UPS-2", "UPS-3"]) { tx in
      _ = try tx.upsert(Item(2, code: "a", name: "x"), updating: \.code)
    },
    Fault("upsert-partial.unique-new", .uniqueViolation, ["UPS-2", "UPS-3"]) { tx in
      _ = try tx.upsert(Item(9, code: "a", name: "x"), updating: \.name)
    },
    Fault("get-or-insert.unique", .uniqueViolation, ["CRUD-10", "IDX-1"]) { tx in
      _ = try tx.getOrInsert(Item(9, code: "a"))
    },
    Fault("get-or-insert.body-throws", nil, ["CRUD-10"]) { tx in
      _ = try tx.getOrInsert(Item.self, 9) { throw Abandoned() }
    },
  ]

  private static let updates: [Fault] = [
    Fault("update-closure.not-found", .notFound, ["CRUD-6"]) { tx in
      _ = try tx.update(Item.self, 9) { $0.name = "x" }
    },
    Fault("update-closure.unique", .uniqueViolation, ["IDX-1"]) { tx in
      _ = try tx.update(Item.self, 2) { $0.code = "a" }
    },
    Fault("update-closure.key", .invalidValue, ["CRUD-8"]) { tx in _ = try tx.update(Item.self, 2) { $0.id = 9 } },
    Fault("update-closure.body-throws", nil, ["TXN-1"]) { tx in
      _ = try tx.update(Item.self, 2) { item in
        item.name = "x"
        throw Abandoned()
      }
    },
    Fault("assign-key.not-found", .notFound, ["CRUD-13"]) { tx in
      try tx.assign(Item.self, 9) { $0.name = "x" }
    },
    Fault("assign-key.unique", .uniqueViolation, ["CRUD-13", "IDX-1"]) { tx in
      try tx.assign(Item.self, 2) { $0.code = "a" }
    },
    Fault("assign-key.key", .invalidQuery, ["CRUD-13", "STMT-7"]) { tx in
      try tx.assign(Item.self, 2) { $0.id = 9 }
    },
    Fault("assign-key.twice", .invalidQuery, ["CRUD-13", "STMT-7"]) { tx in
      try tx.assign(Item.self, 2) {
        $0.name = "x"
        $0.name = "y"
      }
    },
    Fault("update-whole.not-found", .notFound, ["CRUD-6"]) { try $0.update(Item(9)) },
    Fault("update-whole.unique", .uniqueViolation, ["IDX-1"]) { try $0.update(Item(2, code: "c")) },
    Fault("update-if-unchanged.not-found", .notFound, ["CRUD-9"]) { tx in
      try tx.update(Item(9, name: "x"), ifUnchangedFrom: Item(9))
    },
    Fault("update-if-unchanged.conflict", .conflict, ["CRUD-9"]) { tx in
      try tx.update(Item(1, code: "new"), ifUnchangedFrom: Item(1, code: "a", rank: 2, name: "one"))
    },
    Fault("update-if-unchanged.conflict-of-nil", .conflict, ["CRUD-9", "VAL-3"]) { tx in
      try tx.update(Item(3, code: "new"), ifUnchangedFrom: Item(3, code: "c", name: "three", note: "", tags: ["t"]))
    },
    Fault("update-if-unchanged.conflict-of-zero", .conflict, ["CRUD-9"]) { tx in
      try tx.update(Item(1, code: "new"), ifUnchangedFrom: Item(1, code: "a", rank: 1, name: "one", score: -0.0))
    },
    Fault("update-if-unchanged.unique", .uniqueViolation, ["CRUD-9", "IDX-1"]) { tx in
      try tx.update(Item(1, code: "b"), ifUnchangedFrom: items[0])
    },
    Fault("update-if-unchanged.key", .invalidValue, ["CRUD-8"]) { tx in
      try tx.update(Item(9, code: "new"), ifUnchangedFrom: items[0])
    },
    Fault("update-if-stored.not-found", .notFound, ["CRUD-9"]) { tx in
      try tx.update(Item(9, name: "x"), ifStored: \.rank, is: nil)
    },
    Fault("update-if-stored.conflict", .conflict, ["CRUD-9"]) { tx in
      try tx.update(Item(1, code: "new"), ifStored: \.rank, is: nil)
    },
    Fault("update-if-stored.unique", .uniqueViolation, ["CRUD-9", "IDX-1"]) { tx in
      try tx.update(Item(1, code: "b"), ifStored: \.rank, is: 1)
    },
    Fault("assign.unique", .uniqueViolation, ["STMT-2", "IDX-1"]) { tx in
      _ = try tx.assign(Item.all) { $0.code = "new" }
    },
    Fault("assign.unique-of-another", .uniqueViolation, ["STMT-2", "IDX-1"]) { tx in
      _ = try tx.assign(Item.where { $0.id == 1 }) { $0.code = "c" }
    },
    Fault("assign.past-range", .invalidValue, ["STMT-6"]) { tx in
      _ = try tx.assign(Item.all) { $0.rank += 1 }
    },
    Fault("assign.key", .invalidQuery, ["STMT-7"]) { tx in _ = try tx.assign(Item.all) { $0.id = 9 } },
    Fault("assign.negative-limit", .invalidQuery, ["PAGE-1"]) { tx in
      _ = try tx.assign(Item.all.limit(-1)) { $0.name = "x" }
    },
    Fault("update-query.unique", .uniqueViolation, ["STMT-2", "IDX-1"]) { tx in
      _ = try tx.update(Item.all) { $0.code = "new" }
    },
    Fault("update-query.key", .invalidValue, ["CRUD-8"]) { tx in
      _ = try tx.update(Item.all) { item in
        item.name = "x"
        if item.id == 3 { item.id = 9 }
      }
    },
    Fault("update-query.body-throws", nil, ["STMT-5"]) { tx in
      _ = try tx.update(Item.all) { item in
        item.code = "x\(item.id)"
        if item.id == 3 { throw Abandoned() }
      }
    },
    Fault("delete-query.negative-offset", .invalidQuery, ["PAGE-1"]) { _ = try $0.delete(Item.all.offset(-1)) },
    Fault("delete-query.other-model", .schemaMismatch, ["SCH-1"]) { _ = try $0.delete(Numbered.all) },
    Fault("insert.other-model", .schemaMismatch, ["SCH-1"]) { try $0.insert(Numbered(id: 1, number: 1)) },
    Fault("savepoint.body-throws", nil, ["TXN-3"]) { tx in
      try tx.savepoint {
        _ = try tx.delete(Item.all)
        throw Abandoned()
      }
    },
    Fault("savepoint.statement-throws", .duplicateKey, ["TXN-3"]) { tx in
      try tx.savepoint {
        _ = try tx.assign(Item.all) { $0.name = "x" }
        try tx.insert(Item(1, code: "new"))
      }
    },
  ]

  private static let records: [Fault] =
    ["insert", "upsert"].flatMap { verb -> [Fault] in
      @Sendable func write(_ tx: WriteTransaction, _ record: Record, into model: String = "Item") throws {
        let both = [Self.record(8, ("code", .string("new"))), record]
        if verb == "insert" {
          try tx.records.insert(into: model, both)
        } else {
          try tx.records.upsert(into: model, both)
        }
      }
      return [
        Fault("\(verb)-records.missing", .missingValue, ["CRUD-12"]) { try write($0, Record(["id": .int(9)])) },
        Fault("\(verb)-records.nil", .missingValue, ["CRUD-12"]) { try write($0, record(9, ("name", .null))) },
        Fault("\(verb)-records.no-key", .missingValue, ["CRUD-12"]) { tx in
          try write(tx, Record(["code": .string("x"), "name": .string(""), "score": .double(0)]))
        },
        Fault("\(verb)-records.wrong-type", .invalidValue, ["VAL-1"]) { try write($0, record(9, ("name", .int(1)))) },
        Fault("\(verb)-records.wrong-element", .invalidValue, ["VAL-1"]) { tx in
          try write(tx, record(9, ("tags", .array([.int(1)]))))
        },
        Fault("\(verb)-records.unknown-property", .invalidQuery, ["PRED-9"]) { tx in
          try write(tx, record(9, ("nmae", .string("x"))))
        },
        Fault("\(verb)-records.unknown-model", .invalidQuery, ["PRED-9"]) { try write($0, record(9), into: "Itme") },
        Fault("\(verb)-records.unique", .uniqueViolation, ["IDX-1"]) { tx in
          try write(tx, record(9, ("code", .string("a"))))
        },
      ]
    } + [
      Fault("assign-records.nil", .missingValue, ["CRUD-12"]) { tx in
        try tx.records.assign(
          QueryTree(model: "Item"), [.init("note", .set, .string("x")), .init("name", .set, .null)])
      },
      Fault("assign-records.unknown-property", .invalidQuery, ["PRED-9"]) { tx in
        try tx.records.assign(QueryTree(model: "Item"), [.init("nmae", .set, .string("x"))])
      },
      Fault("assign-records.unknown-condition", .invalidQuery, ["PRED-9"]) { tx in
        try tx.records.assign(bad("nmae"), [.init("name", .set, .string("x"))])
      },
      Fault("assign-records.incomparable", .invalidQuery, ["PRED-8"]) { tx in
        try tx.records.assign(bad("rank"), [.init("name", .set, .string("x"))])
      },
      Fault("delete-records.unknown-condition", .invalidQuery, ["PRED-9"]) { try $0.records.delete(bad("nmae")) },
      Fault("delete-records.incomparable", .invalidQuery, ["PRED-8"]) { try $0.records.delete(bad("score")) },
      Fault("delete-records.unknown-model", .invalidQuery, ["PRED-9"]) {
        try $0.records.delete(QueryTree(model: "Itme"))
      },
    ]
}
