import QuarryBackend
import QuarryConformanceKit
import QuarryCore

extension StatementInsideCases {
  static let large: [ConformanceCase] = [
    inside(
      "many-batches-fail", ["STMT-1"], "A statement of several megabytes that fails in its last object leaves nothing.",
      within: .seconds(60)
    ) { store in
      let objects = (100..<110).map { large($0) }
      for last in [large(1), large(200, code: "c2")] {
        try store.write { tx in
          try tx.insert(Numbered(id: 50, number: 50))
          _ = try firstStorageError { try tx.insert(contentsOf: objects + [last]) }
          if last.id != 1 { _ = try firstStorageError { try tx.upsert(contentsOf: objects + [last]) } }
          try expectEqual(try tx.count(Item.all), 4)
          try tx.delete(Numbered.self, 50)
        }
        try expectEqual(try TwoModels(store), TwoModels.before)
      }
      _ = try firstStorageError { try store.insert(contentsOf: objects + [large(1)]) }
      try expectEqual(try TwoModels(store), TwoModels.before)
    },
    inside(
      "many-batches-write-inside", ["REENT-2", "REENT-3", "STMT-1"],
      "What a sequence of several megabytes writes is kept or undone whole, wherever it is written.",
      within: .seconds(60)
    ) { store in
      for fails in [true, false] {
        try store.write { tx in
          let objects = (100..<108).lazy.map { id in
            _ = try? tx.insert(Numbered(id: id, number: id))
            return large(id == 107 && fails ? 1 : id)
          }
          if fails {
            _ = try firstStorageError { try tx.insert(contentsOf: objects) }
            try expectEqual(try TwoModels(tx), TwoModels.before)
          } else {
            try tx.insert(contentsOf: objects)
          }
        }
      }
      try expectEqual(try store.count(Numbered.all), 11)
      try expectEqual(try store.fetch(Item.all).suffix(8), (100..<108).map { large($0) }[...])
    },
  ]

  static let makers: [ConformanceCase] = [
    inside(
      "maker-stores-it", ["CRUD-10"], "Where the closure of getOrInsert stores the object itself, that one is given."
    ) {
      store in
      let item = try store.write { tx in
        try tx.getOrInsert(Item.self, 20) {
          try tx.insert(Item(20, name: "by the closure"))
          return Item(20, name: "made")
        }
      }
      try expectEqual(item, Item(20, name: "by the closure"))
      try expectEqual(try store.get(Item.self, 20), item)
    },
    inside("maker-throws", ["REENT-3", "STMT-1"], "What the closure of getOrInsert writes is undone when it throws.") {
      store in
      try store.write { tx in
        do {
          _ = try tx.getOrInsert(Item.self, 20) {
            try tx.insert(Numbered(id: 50, number: 50))
            throw Undone()
          }
          throw ConformanceFailure(message: "the closure's error did not come out", file: #fileID, line: #line)
        } catch is Undone {}
        try expectError(.invalidValue) {
          _ = try tx.getOrInsert(Item.self, 20) {
            try tx.insert(Numbered(id: 50, number: 50))
            return Item(21)
          }
        }
        try expectEqual(try TwoModels(tx), TwoModels.before)
      }
    },
    inside(
      "update-throws", ["REENT-3", "STMT-1", "TXN-1"], "What an update's closure writes is undone when it throws."
    ) {
      store in
      try store.write { tx in
        let statements: [() throws -> Void] = [
          {
            try tx.update(Item.self, 1) { _ in
              try tx.insert(Numbered(id: 50, number: 50))
              throw Undone()
            }
          },
          {
            _ = try tx.update(Item.all) { item in
              try tx.insert(Numbered(id: 50 + item.id, number: 50 + item.id))
              if item.id == 3 { throw Undone() }
            }
          },
          {
            _ = try tx.update(Item.all) { item in
              try tx.insert(Numbered(id: 50 + item.id, number: 50 + item.id))
              item.code = "same"
            }
          },
        ]
        for (place, statement) in statements.enumerated() {
          do {
            try statement()
            throw ConformanceFailure(message: "statement \(place) did not fail", file: #fileID, line: #line)
          } catch is Undone {
          } catch let error as StorageError { try expectEqual(error.code, .uniqueViolation) }
          try expectEqual(try TwoModels(tx), TwoModels.before, "\(place)")
        }
      }
    },
  ]

  /// The storage error that the body throws.
}
