import QuarryBackend
import QuarryCore

enum CRUDCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("CRUD.insert-get", ["CRUD-1"], "What was inserted is read back equal.") { kit in
      let store = try kit.store(Item.self)
      let item = Item(1, rank: 3, name: "é", score: -0.5, note: "n", tags: ["a", ""])
      try store.insert(item)
      try expectEqual(try store.get(Item.self, 1), item)
    },
    ConformanceCase("CRUD.insert-duplicate-key", ["CRUD-2"], "A primary key that exists is duplicateKey.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, name: "first"))
      let error = try expectError(.duplicateKey) { try store.insert(Item(1, code: "other", name: "second")) }
      try expectEqual(error.model, "Item")
      try expectEqual(try store.get(Item.self, 1)?.name, "first")
    },
    ConformanceCase("CRUD.get-missing", ["CRUD-3"], "A key that is not there is nil.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      try expect(try store.get(Item.self, 2) == nil)
      try expect(try !store.exists(Item.self, 2) && store.exists(Item.self, 1))
    },
  ]
}
