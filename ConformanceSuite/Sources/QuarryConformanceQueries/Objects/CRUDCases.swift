import QuarryBackend
import QuarryConformanceKit
import QuarryCore

enum CRUDCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("CRUD.insert-get", ["CRUD-1"], "What was inserted is read back equal.") { kit in
      let store = try kit.store(Item.self)
      let item = Item(1, rank: 3, name: "é", score: -0.5, note: "n", tags: ["a", ""])
      try store.insert(item)
      try expectEqual(try store.get(Item.self, 1), item)
    },
    ConformanceCase(
      "CRUD.reopen", ["CRUD-1"], "A store that was closed and opened has what it had.", requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      let items = (0..<100).map { Item($0, rank: $0 % 7, tags: ["\($0)"]) }
      try first.insert(contentsOf: items)
      try first.close()
      let second = try kit.open([Item.self], at: place)
      try expectEqual(try second.fetch(Item.all), items)
    },
    ConformanceCase("CRUD.insert-duplicate-key", ["CRUD-2"], "A primary key that exists is duplicateKey.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, name: "first"))
      let error = try expectError(.duplicateKey) { try store.insert(Item(1, code: "other", name: "second")) }
      try expectEqual(error.model, "Item")
      try expectEqual(try store.get(Item.self, 1)?.name, "first")
      try expectEqual(try store.count(Item.all), 1)
    },
    ConformanceCase("CRUD.bulk-duplicate-key", ["CRUD-2", "STMT-1"], "A bulk insert with a taken key adds nothing.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(500))
      try store.write { tx in
        try expectError(.duplicateKey) { try tx.insert(contentsOf: (0..<1000).map { Item($0) }) }
        try expectEqual(try tx.count(Item.all), 1)
        try tx.insert(Item(1))
      }
      try expectEqual(try store.keys(Item.all), [1, 500])
    },
    ConformanceCase("CRUD.bulk-repeated-key", ["CRUD-2"], "A key twice in one bulk insert is duplicateKey.") { kit in
      let store = try kit.store(Item.self)
      try expectError(.duplicateKey) { try store.insert(contentsOf: [Item(1), Item(2), Item(1, code: "x")]) }
      try expectEqual(try store.count(Item.all), 0)
    },
    ConformanceCase("CRUD.bulk-empty", ["CRUD-1"], "A bulk insert of nothing does nothing.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item]())
      try expectEqual(try store.count(Item.all), 0)
    },
    ConformanceCase("CRUD.bulk-large", ["CRUD-1"], "A bulk insert larger than one batch comes back.") { kit in
      let store = try kit.store(Item.self)
      let note = String(repeating: "x", count: 200)
      try store.insert(contentsOf: (0..<12_000).lazy.map { Item($0, rank: $0 % 100, note: note) })
      try expectEqual(try store.count(Item.all), 12_000)
      try expectEqual(try store.count(Item.where { $0.rank == 7 }), 120)
      try expectEqual(try store.get(Item.self, 11_999)?.note, note)
    },
    ConformanceCase("CRUD.get-missing", ["CRUD-3"], "A key that is not there is nil.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      try expect(try store.get(Item.self, 2) == nil)
      try expect(try !store.exists(Item.self, 2) && store.exists(Item.self, 1))
    },
    ConformanceCase("CRUD.get-keys", ["CRUD-4"], "Several keys are answered in their order, repeats and gaps too.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (1...5).map { Item($0) })
      try expectEqual(try store.get(Item.self, keys: [4, 9, 1, 4]).map { $0?.id }, [4, nil, 1, 4])
      try expectEqual(try store.get(Item.self, keys: []).count, 0)
    },
    ConformanceCase("CRUD.delete", ["CRUD-5"], "Delete says whether the object was there.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      try expect(try store.delete(Item.self, 1))
      try expect(try !store.delete(Item.self, 1))
      try expect(try store.get(Item.self, 1) == nil)
    },
    ConformanceCase("CRUD.delete-keys", ["CRUD-5"], "Delete of keys says how many were there.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (1...5).map { Item($0) })
      try expectEqual(try store.write { try $0.delete(Item.self, keys: [2, 4, 8, 2]) }, 2)
      try expectEqual(try store.keys(Item.all), [1, 3, 5])
    },
    ConformanceCase("CRUD.delete-object", ["CRUD-5"], "Delete of an object goes by its key.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, name: "stored"))
      try expect(try store.delete(Item(1, name: "other")))
      try expectEqual(try store.count(Item.all), 0)
    },
    ConformanceCase("CRUD.delete-where", ["CRUD-5", "STMT-5"], "Delete of a query removes its objects alone.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<20).map { Item($0, rank: $0 % 2 == 0 ? $0 : nil) })
      try expectEqual(try store.delete(Item.where { $0.rank == nil }), 10)
      try expectEqual(try store.keys(Item.all), stride(from: 0, to: 20, by: 2).map { $0 })
    },
    ConformanceCase("CRUD.delete-limited", ["STMT-5"], "Order, limit and offset choose what a delete removes.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<10).map { Item($0, rank: 100 - $0) })
      let query = Item.where { $0.id < 8 }.sorted(by: \.rank).offset(1).limit(3)
      try expectEqual(try store.delete(query), 3)
      try expectEqual(try store.keys(Item.all), [0, 1, 2, 3, 7, 8, 9])
    },
    ConformanceCase("CRUD.delete-all", ["CRUD-5"], "Delete of all leaves an empty model that can be filled again.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<300).map { Item($0, rank: $0) })
      try expectEqual(try store.delete(Item.all), 300)
      try expectEqual(try store.count(Item.all), 0)
      try expectEqual(try store.count(Item.where { $0.rank >= 0 }), 0)
      try store.insert(Item(1, code: "c2"))
      try expectEqual(try store.fetch(Item.all), [Item(1, code: "c2")])
    },
    ConformanceCase("CRUD.update-closure", ["CRUD-7"], "A closure update changes what it changes and gives it back.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, rank: 1, name: "a", note: "n"))
      let updated = try store.update(Item.self, 1) {
        $0.name = "b"
        $0.note = nil
      }
      try expectEqual(updated, Item(1, rank: 1, name: "b"))
      try expectEqual(try store.get(Item.self, 1), updated)
    },
    ConformanceCase("CRUD.assign", ["CRUD-13", "CRUD-7"], "Assignments by key change what is assigned and no more.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [
        Item(1, code: "c", rank: 1, name: "a", score: 0.5, note: "n", tags: ["t"]), Item(2, rank: 1, name: "a"),
      ])
      try store.assign(Item.self, 1) { $0.name = "b" }
      try expectEqual(
        try store.get(Item.self, 1), Item(1, code: "c", rank: 1, name: "b", score: 0.5, note: "n", tags: ["t"]))
      try store.write { tx in
        let (code, score) = ("d", -0.0)
        try tx.update(Item.self, 1) { $0.rank = 4 }
        try tx.assign(Item.self, 1) {
          $0.score = score
          $0.note = nil
          $0.code = code
        }
        try tx.assign(Item.self, 1) { $0.tags = ["u", "v"] }
        try tx.assign(Item.self, 1) { _ in }
      }
      let expected = Item(1, code: "d", rank: 4, name: "b", score: -0.0, tags: ["u", "v"])
      try expectEqual(try store.fetch(Item.all), [expected, Item(2, rank: 1, name: "a")])
      try expectEqual(try store.keys(Item.where { $0.rank == 4 }), [1])
      try expectEqual(try store.keys(Item.where { $0.code == "c" }), [])
    },
    ConformanceCase("CRUD.assign-calculated", ["CRUD-13", "STMT-6"], "Assignments by key calculate.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, rank: 5, name: "a"), Item(2, name: "b")])
      try store.assign(Item.self, 1) {
        $0.rank *= 3
        $0.name = "c"
      }
      try store.assign(Item.self, 2) { $0.rank += 1 }
      try expectEqual(try store.fetch(Item.all), [Item(1, rank: 15, name: "c"), Item(2, name: "b")])
      try store.assign(Item.self, 1) { $0.rank = Int.max }
      try expectError(.invalidValue) { try store.assign(Item.self, 1) { $0.rank += 1 } }
      try expectEqual(try store.get(Item.self, 1)?.rank, .max)
    },
    ConformanceCase("CRUD.update-nothing", ["CRUD-7"], "A closure that changes nothing leaves the object.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, name: "a"))
      try store.update(Item.self, 1) { _ in }
      try expectEqual(try store.get(Item.self, 1), Item(1, name: "a"))
    },
    ConformanceCase("CRUD.update-index", ["CRUD-7", "PRED-12"], "An updated object is found by its new values only.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<5).map { Item($0, rank: 1) })
      try store.update(Item.self, 3) { $0.rank = 2 }
      try expectEqual(try store.keys(Item.where { $0.rank == 1 }), [0, 1, 2, 4])
      try expectEqual(try store.keys(Item.where { $0.rank == 2 }), [3])
    },
    ConformanceCase("CRUD.update-missing", ["CRUD-6", "CRUD-13"], "An update of a missing key is notFound.") { kit in
      let store = try kit.store(Item.self)
      try expectError(.notFound) { try store.update(Item.self, 1) { $0.name = "x" } }
      try expectError(.notFound) { try store.assign(Item.self, 1) { $0.name = "x" } }
      try expectError(.notFound) { try store.assign(Item.self, 1) { $0.rank += 1 } }
      try expectError(.notFound) { try store.assign(Item.self, 1) { _ in } }
      try expectError(.notFound) { try store.update(Item(1)) }
      try expectEqual(try store.count(Item.all), 0)
    },
    ConformanceCase("CRUD.update-whole", ["CRUD-1"], "An update with an object replaces the stored one.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, rank: 4, name: "a", note: "n", tags: ["x"]))
      try store.update(Item(1, code: "z", name: "b"))
      try expectEqual(try store.get(Item.self, 1), Item(1, code: "z", name: "b"))
    },
    ConformanceCase("CRUD.update-key", ["CRUD-8"], "An update cannot change the primary key.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1), Item(2)])
      try expectError(.invalidValue) { try store.update(Item.self, 1) { $0.id = 7 } }
      try expectError(.invalidValue) { try store.update(Item.all) { $0.id += 10 } }
      try expectEqual(try store.keys(Item.all), [1, 2])
    },
    ConformanceCase("CRUD.if-unchanged", ["CRUD-9"], "An expected object that is still stored lets the update pass.") {
      kit in
      let store = try kit.store(Item.self)
      let old = Item(1, rank: 1, score: -0.0, tags: ["a"])
      try store.insert(old)
      var new = old
      new.name = "new"
      try store.update(new, ifUnchangedFrom: old)
      try expectEqual(try store.get(Item.self, 1)?.name, "new")
    },
    ConformanceCase("CRUD.if-changed", ["CRUD-9"], "An expected object that is not stored any more is conflict.") {
      kit in
      let store = try kit.store(Item.self)
      let old = Item(1, rank: 1, score: -0.0, tags: ["a"])
      try store.insert(old)
      for changed in [
        Item(1, code: "x", rank: 1, score: -0.0, tags: ["a"]), Item(1, rank: nil, score: -0.0, tags: ["a"]),
        Item(1, rank: 1, score: 0.0, tags: ["a"]), Item(1, rank: 1, score: -0.0, note: "", tags: ["a"]),
        Item(1, rank: 1, score: -0.0, tags: ["b"]),
      ] {
        try expectError(.conflict, "\(changed)") { try store.update(Item(1, name: "new"), ifUnchangedFrom: changed) }
      }
      try expectEqual(try store.get(Item.self, 1), old)
      try expectError(.notFound) { try store.update(Item(2), ifUnchangedFrom: Item(2)) }
    },
    ConformanceCase("CRUD.if-version", ["CRUD-9"], "An expected version decides alone.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, rank: 1, name: "a"))
      try store.write { try $0.update(Item(1, rank: 2, name: "b"), ifStored: \.rank, is: 1) }
      try expectError(.conflict) {
        try store.write { try $0.update(Item(1, rank: 2, name: "c"), ifStored: \.rank, is: 1) }
      }
      try expectEqual(try store.get(Item.self, 1), Item(1, rank: 2, name: "b"))
    },
    ConformanceCase("CRUD.get-or-insert", ["CRUD-10"], "The stored object comes back, or the given one is stored.") {
      kit in
      let store = try kit.store(Item.self)
      try expectEqual(try store.getOrInsert(Item(1, name: "first")).name, "first")
      try expectEqual(try store.getOrInsert(Item(1, name: "second")).name, "first")
      try expectEqual(try store.getOrInsert(Item.self, 2) { Item(2, name: "made") }.name, "made")
      try expectEqual(try store.getOrInsert(Item.self, 2) { Item(2, name: "again") }.name, "made")
      try expectEqual(try store.count(Item.all), 2)
    },
    ConformanceCase("CRUD.get-or-insert-unique", ["CRUD-10", "IDX-1"], "A new object still keeps uniqueness.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, code: "x"))
      try expectError(.uniqueViolation) { try store.getOrInsert(Item(2, code: "x")) }
      try expectError(.invalidValue) { try store.getOrInsert(Item.self, 3) { Item(4) } }
      try expectEqual(try store.keys(Item.all), [1])
    },
    ConformanceCase("CRUD.independence", ["CRUD-11"], "Changing a value after it was stored changes nothing.") { kit in
      let store = try kit.store(Item.self)
      var item = Item(1, tags: ["a"])
      try store.insert(item)
      item.tags.append("b")
      var read = try unwrap(store.get(Item.self, 1))
      read.tags = []
      try expectEqual(try store.get(Item.self, 1)?.tags, ["a"])
    },
    ConformanceCase("CRUD.get-between", ["CRUD-3"], "A key that is missing between two others is nil.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [1, 5, 9].map { Item($0) })
      for key in [Int.min, 0, 2, 4, 6, 10, .max] {
        try expect(try store.get(Item.self, key) == nil, "\(key)")
        try expect(try !store.exists(Item.self, key), "\(key)")
        try expect(try store.read { try $0.get(Item.self, key) } == nil, "\(key)")
      }
    },
    ConformanceCase("CRUD.delete-keys-each", ["CRUD-5"], "Each of several keys is deleted, in whatever order.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (1...5).map { Item($0) })
      try expectEqual(try store.write { try $0.delete(Item.self, keys: [5, 1, 3]) }, 3)
      try expectEqual(try store.keys(Item.all), [2, 4])
    },
    ConformanceCase(
      "CRUD.long-keys", ["CRUD-1", "CRUD-2", "IDX-1"], "Long texts that differ at their end are different."
    ) {
      kit in
      let store = try kit.store(Item.self)
      for length in [30, 60, 130, 300, 1000] {
        let start = String(repeating: "k", count: length)
        try store.delete(Item.all)
        try store.insert(contentsOf: (0..<5).map { Item($0, code: "\(start)\($0)") })
        try expectEqual(try store.keys(Item.where { $0.code == "\(start)3" }), [3], "\(length)")
        try expectError(.uniqueViolation, "\(length)") { try store.insert(Item(9, code: "\(start)4")) }
      }
    },
  ]
}
