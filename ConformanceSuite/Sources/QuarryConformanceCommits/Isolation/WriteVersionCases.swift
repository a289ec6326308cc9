import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Every kind of call that changes something makes a state with a version of its own, when it is all that a write does.
enum WriteVersionCases {
  private static let calls: [(id: String, call: @Sendable (WriteTransaction) throws -> Void)] = [
    ("insert", { try $0.insert(Item(10)) }),
    ("insert-many", { try $0.insert(contentsOf: [Item(10), Item(11)]) }),
    ("insert-records", { try $0.records.insert(into: "Item", [record(10)]) }),
    ("upsert-new", { _ = try $0.upsert(Item(10)) }),
    ("upsert-old", { _ = try $0.upsert(Item(1, name: "new")) }),
    ("upsert-part", { _ = try $0.upsert(Item(1, name: "new"), updating: \.name) }),
    ("upsert-records", { _ = try $0.records.upsert(into: "Item", [record(1)]) }),
    ("get-or-insert", { _ = try $0.getOrInsert(Item(10)) }),
    ("update", { try $0.update(Item(1, name: "new")) }),
    ("update-closure", { _ = try $0.update(Item.self, 1) { $0.name = "new" } }),
    ("update-if-unchanged", { try $0.update(Item(1, name: "new"), ifUnchangedFrom: Item(1)) }),
    ("update-query", { _ = try $0.update(Item.where { $0.id == 1 }) { $0.name = "new" } }),
    ("assign", { _ = try $0.assign(Item.self, 1) { $0.name = "new" } }),
    ("assign-query", { _ = try $0.assign(Item.where { $0.id == 1 }) { $0.name = "new" } }),
    ("delete", { _ = try $0.delete(Item.self, 1) }),
    ("delete-keys", { _ = try $0.delete(Item.self, keys: [1, 2]) }),
    ("delete-query", { _ = try $0.delete(Item.where { $0.id == 1 }) }),
    (
      "schema",
      { tx in
        let model = try tx.model(named: "Item")
        try tx.apply(.dropIndex(model.id, index: model.indexes[1].id))
      }
    ),
  ]

  private static func record(_ id: Int64) -> Record {
    Record([
      "id": .int(id), "code": .string("new \(id)"), "rank": .null, "name": .string("new"), "score": .double(0),
      "note": .null, "tags": .array([]),
    ])
  }

  static let all: [ConformanceCase] = calls.map { id, call in
    ConformanceCase("ISO.version-of-\(id)", ["ISO-3"], "A write of this one call makes a state with a greater version.")
    {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1), Item(2), Item(3)])
      let before = try store.freeze()
      defer { before.close() }
      let version = try store.read { try $0.version }
      try store.write(call)
      let after = try store.freeze()
      defer { after.close() }
      try expect(try store.read { try $0.version } > version)
      try expect(after.version > before.version)
      try expectEqual(try before.fetch(Item.all), [Item(1), Item(2), Item(3)])
    }
  }
}
