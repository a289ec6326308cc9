import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Savepoints that are kept, undone and nested.
enum SavepointCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("TXN.savepoint-kept", ["TXN-3"], "A savepoint that returns is kept.", needs: [.savepoints]) { kit in
      let store = try kit.store(Item.self)
      try store.write { tx in
        try expectEqual(
          try tx.savepoint {
            try tx.insert(Item(1))
            return 3
          }, 3)
        try tx.insert(Item(2))
      }
      try expectEqual(try store.keys(Item.all), [1, 2])
    },
    ConformanceCase(
      "TXN.savepoint-undone", ["TXN-3"], "A savepoint that throws is undone with its index entries.",
      needs: [.savepoints]
    ) {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<10).map { Item($0, rank: $0) })
      try store.write { tx in
        try tx.insert(Item(10, rank: 10))
        try expectAbandoned {
          try tx.savepoint {
            try tx.assign(Item.all) { $0.rank *= 100 }
            try tx.delete(Item.self, 3)
            try tx.insert(Item(11, code: "c4x", rank: 4))
            throw Abandoned()
          }
        }
        try expectEqual(try tx.keys(Item.where { $0.rank == 4 }), [4])
        try expectEqual(try tx.keys(Item.where { $0.rank == 400 }), [])
        try tx.insert(Item(12, code: "c4x"))
      }
      try expectEqual(try store.keys(Item.all), Array(0...10) + [12])
      try expectEqual(try store.keys(Item.where { $0.rank >= 9 }), [9, 10])
    },
    ConformanceCase("TXN.savepoints-nest", ["TXN-3"], "Savepoints nest to a depth of fifty.", needs: [.savepoints]) {
      kit in
      let store = try kit.store(Item.self)
      func nest(_ tx: WriteTransaction, _ depth: Int) throws {
        guard depth < 50 else { return }
        try tx.insert(Item(depth, rank: depth))
        // Every odd level abandons what is below it.
        do {
          try tx.savepoint {
            try nest(tx, depth + 1)
            if depth % 10 == 9 { throw Abandoned() }
          }
        } catch is Abandoned {}
      }
      try store.write { try nest($0, 0) }
      try expectEqual(try store.keys(Item.all), Array(0...9))
      try expectEqual(try store.count(Item.where { $0.rank >= 0 }), 10)
    },
    ConformanceCase("TXN.error-in-savepoint", ["TXN-3", "STMT-1"], "An error inside a savepoint leaves it usable.") {
      kit in
      let store = try kit.store(Item.self)
      try store.write { tx in
        try tx.savepoint {
          try tx.insert(Item(1))
          try expectError(.duplicateKey) { try tx.insert(Item(1)) }
          try tx.insert(Item(2))
        }
      }
      try expectEqual(try store.keys(Item.all), [1, 2])
    },
    ConformanceCase(
      "TXN.savepoint-in-rollback", ["TXN-1", "TXN-3", "TXN-4"], "What a savepoint kept goes with its write.",
      needs: [.savepoints]
    ) {
      kit in
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
}
