import QuarryBackend
import QuarryCore

/// Cases that planted faults asked for: each finds a fault that passed all others.
enum GapCases {
  static let all: [ConformanceCase] = reading + writing + transactions + stores

  private static let reading: [ConformanceCase] = [
    ConformanceCase("CRUD.get-between", ["CRUD-3"], "A key that is missing between two others is nil.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [1, 5, 9].map { Item($0) })
      for key in [Int.min, 0, 2, 4, 6, 10, .max] {
        try expect(try store.get(Item.self, key) == nil, "\(key)")
        try expect(try !store.exists(Item.self, key), "\(key)")
        try expect(try store.read { try $0.get(Item.self, key) } == nil, "\(key)")
      }
    },
    ConformanceCase("PRED.three-conditions", ["PRED-4"], "Each of three conditions counts in AND and in OR.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(
        contentsOf: (0..<8).map { Item($0, rank: $0 & 1, name: $0 & 2 > 0 ? "x" : "", score: $0 & 4 > 0 ? 1 : 0) })
      let all = Item.where { $0.rank == 1 && $0.name == "x" && $0.score == 1 }
      try expectEqual(try store.keys(all), [7])
      let any = Item.where { $0.rank == 1 || $0.name == "x" || $0.score == 1 }
      try expectEqual(try store.keys(any), Array(1...7))
      try expectEqual(try store.keys(Item.where { !($0.rank == 1 || $0.name == "x" || $0.score == 1) }), [0])
    },
    ConformanceCase(
      "TEXT.nested-empty-needle", ["TEXT-3", "NEST-1"], "Elements of an array have an empty needle, too."
    ) {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, tags: ["a"]), Item(2), Item(3, tags: [""])])
      for operation in [TextOperator.contains, .hasPrefix, .hasSuffix] {
        let test = PredicateTree.any(PropertyPath("tags"), .text(.property(.element), operation, "", []))
        let rows = try store.read { try $0.rows(QueryTree(model: "Item", predicate: test)) }
        try expectEqual(rows.map { $0["id"] }, [.int(1), .int(3)], operation.rawValue)
      }
    },
    ConformanceCase(
      "IDX.bounds", ["IDX-4", "PRED-3", "PRED-6"], "Ranges of an index have the bounds that were asked for."
    ) {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<10).map { Item($0, rank: $0) } + [Item(10)])
      try expectEqual(try store.keys(Item.where { $0.rank >= 7 }), [7, 8, 9])
      try expectEqual(try store.keys(Item.where { $0.rank > 7 }), [8, 9])
      try expectEqual(try store.keys(Item.where { $0.rank <= 2 }), [0, 1, 2])
      try expectEqual(try store.keys(Item.where { $0.rank < 2 }), [0, 1])
      try expectEqual(try store.keys(Item.where { $0.rank >= 3 && $0.rank <= 5 }), [3, 4, 5])
      try expectEqual(try store.keys(Item.where { $0.id >= 3 && $0.id < 5 }), [3, 4])
      try expectEqual(try store.count(Item.where { $0.rank >= 3 && $0.rank <= 5 }), 3)
    },
    ConformanceCase("AGG.average-exact", ["AGG-3"], "An average is rounded once, to a Double.") { kit in
      let store = try kit.store(Figure.self)
      try store.insert(contentsOf: (0..<3).map { Figure($0, value: 0.1) })
      try expectEqual(try store.read { try $0.average(Figure.all, of: \.value) }, 0.1)
    },
  ]

  private static let writing: [ConformanceCase] = [
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
        try store.deleteAll(Item.self)
        try store.insert(contentsOf: (0..<5).map { Item($0, code: "\(start)\($0)") })
        try expectEqual(try store.keys(Item.where { $0.code == "\(start)3" }), [3], "\(length)")
        try expectError(.uniqueViolation, "\(length)") { try store.insert(Item(9, code: "\(start)4")) }
      }
    },
    ConformanceCase("STMT.add-nil", ["STMT-6"], "Nil plus or minus a number is nil.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, rank: nil), Item(2, rank: 4)])
      try store.assign(Item.all) { $0.rank += 3 }
      try expectEqual(try store.fetch(Item.self).map(\.rank), [nil, 7])
      try store.assign(Item.all) { $0.rank -= 1 }
      try expectEqual(try store.fetch(Item.self).map(\.rank), [nil, 6])
    },
    ConformanceCase("IDX.bulk", ["IDX-1", "STMT-1"], "A bulk insert keeps uniqueness, or adds nothing.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, code: "a"))
      try expectError(.uniqueViolation) { try store.insert(contentsOf: [Item(2, code: "b"), Item(3, code: "a")]) }
      try expectError(.uniqueViolation) { try store.insert(contentsOf: [Item(4, code: "c"), Item(5, code: "c")]) }
      try expectEqual(try store.keys(Item.all), [1])
      try store.insert(contentsOf: [Item(2, code: "b"), Item(4, code: "c")])
    },
    ConformanceCase("LIM.key-at-limit", ["LIM-1"], "Keys up to the declared limit are stored and found.") { kit in
      let model = ModelSchema(name: "Keyed", properties: [PropertySchema(name: "key", type: .string)], primaryKey: 0)
      let store = try kit.store(making: [model])
      let longest = min(kit.manifest.limits.keyBytes ?? 4000, 4000)
      for count in max(1, longest - 20)...longest {
        let key = Value.string(String(repeating: "k", count: count))
        do {
          try store.write { try $0.insertRows(into: "Keyed", [Record(["key": key])]) }
        } catch let error as StorageError where error.code == .limitExceeded {
          // The key format may take a few bytes more than the text.
          try expect(count > longest - 8, "a key of \(count) bytes was refused")
          continue
        }
        try expect(try store.read { try $0.row(in: "Keyed", key: key) } != nil, "\(count) bytes")
      }
    },
  ]

  private static let transactions: [ConformanceCase] = [
    ConformanceCase("TXN.own-count", ["TXN-2"], "A transaction counts what it has written.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<5).map { Item($0, rank: 1) })
      try store.write { tx in
        try tx.insert(contentsOf: [Item(10, rank: 1), Item(11, rank: 2)])
        try expectEqual(try tx.count(Item.self), 7)
        try expectEqual(try tx.count(Item.where { $0.rank == 1 }), 6)
        try tx.delete(Item.where { $0.id < 5 })
        try expectEqual(try tx.count(Item.self), 2)
      }
    },
    ConformanceCase("ISO.no-dirty-read", ["ISO-1", "ISO-2"], "What is not committed is seen by no other, by any read.")
    {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, rank: 1))
      try store.write { tx in
        try tx.insert(Item(2, rank: 2))
        try tx.update(Item.self, 1) { $0.rank = 9 }
        try TransactionCases.onAnotherThread {
          try expect(try store.get(Item.self, 2) == nil)
          try expect(try !store.exists(Item.self, 2))
          try expectEqual(try store.get(Item.self, 1)?.rank, 1)
          try expectEqual(try store.get(Item.self, keys: [1, 2]).map { $0?.rank }, [1, nil])
          try expectEqual(try store.fetch(Item.self).map(\.rank), [1])
          try expectEqual(try store.count(Item.where { $0.rank >= 2 }), 0)
        }
      }
    },
    ConformanceCase(
      "TXN.savepoint-in-rollback", ["TXN-1", "TXN-3", "TXN-4"], "What a savepoint kept goes with its write.",
      needs: [.savepoints]
    ) {
      kit in
      struct Abandoned: Error {}
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      do {
        try store.write { tx in
          try tx.savepoint { try tx.insert(Item(2)) }
          try store.write { try $0.insert(Item(3)) }
          throw Abandoned()
        }
      } catch is Abandoned {}
      try expectEqual(try store.keys(Item.all), [1])
    },
  ]

  private static let stores: [ConformanceCase] = [
    ConformanceCase(
      "CAP.destroyed", ["CAP-1", "OPEN-3"], "A store that was destroyed is closed, and empty when it is made again.",
      needs: [.destroy], requiresPersistence: true, without: [.reopened]
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(Item(1))
      do {
        try store.destroy()
      } catch let error as StorageError where error.code == .inUse {
        // Something else holds the place open: refused, and nothing is lost.
        return try expectEqual(try store.count(Item.self), 1)
      }
      try expectError(.closed) { try store.count(Item.self) }
      try expectEqual(try kit.open([Item.self], at: place).count(Item.self), 0)
    },
    ConformanceCase(
      "IDX.reopened", ["CRUD-1", "IDX-4", "PRED-12"], "The indexes of a store that is opened again have every object.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      for id in 0..<6 { try first.insert(Item(id, rank: id % 2, name: "n\(id)")) }
      try first.update(Item.self, 3) { $0.name = "m" }
      try first.close()
      let second = try kit.open([Item.self], at: place)
      try expectEqual(try second.keys(Item.where { $0.rank == 1 }), [1, 3, 5])
      try expectEqual(try second.keys(Item.where { $0.name == "m" }), [3])
      try expectEqual(try second.keys(Item.where { $0.name == "n5" }), [5])
      try expectEqual(try second.keys(Item.where { $0.code == "c4" }), [4])
      try expectEqual(try second.keys(Item.all.sorted(by: \.name)), [3, 0, 1, 2, 4, 5])
      try expectError(.uniqueViolation) { try second.insert(Item(9, code: "c4")) }
    },
  ]
}
