import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What a write keeps and undoes, what it sees, how transactions nest, and how they end.
enum TransactionCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("TXN.commit", ["TXN-1"], "A write whose body returns happens, and gives the body's value.") { kit in
      let store = try kit.store(Item.self)
      let value = try store.write { tx in
        try tx.insert(Item(1))
        try tx.insert(Item(2))
        return 7
      }
      try expectEqual(value, 7)
      try expectEqual(try store.count(Item.all), 2)
    },
    ConformanceCase("TXN.rollback", ["TXN-1"], "A write whose body throws does not happen.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<10).map { Item($0, rank: $0) })
      let before = try store.fetch(Item.all)
      try expectAbandoned {
        try store.write { tx in
          try tx.insert(Item(100))
          try tx.delete(Item.where { $0.rank < 5 })
          try tx.assign(Item.all) { $0.rank += 1 }
          throw Abandoned()
        }
      }
      try expectEqual(try store.fetch(Item.all), before)
      try expectEqual(try store.keys(Item.where { $0.rank == 3 }), [3])
      try store.insert(Item(100))
    },
    ConformanceCase("TXN.own-writes", ["TXN-2"], "A transaction sees what it has written, in every kind of read.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<5).map { Item($0, rank: $0) })
      try store.write { tx in
        try tx.insert(Item(9, rank: 9))
        try tx.delete(Item.self, 0)
        try tx.update(Item.self, 1) { $0.rank = 50 }
        try expectEqual(try tx.keys(Item.where { $0.rank >= 0 }.sorted(by: \.rank)), [2, 3, 4, 9, 1])
        try expectEqual(try tx.count(Item.all), 5)
        try expectEqual(try tx.sum(Item.all, of: \.rank), 68)
        try expect(try tx.get(Item.self, 0) == nil)
        try expectEqual(try tx.get(Item.self, 1)?.rank, 50)
        try expectEqual(try tx.max(Item.all, of: \.rank), 50)
      }
    },
    ConformanceCase("TXN.own-count", ["TXN-2"], "A transaction counts what it has written.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<5).map { Item($0, rank: 1) })
      try store.write { tx in
        try tx.insert(contentsOf: [Item(10, rank: 1), Item(11, rank: 2)])
        try expectEqual(try tx.count(Item.all), 7)
        try expectEqual(try tx.count(Item.where { $0.rank == 1 }), 6)
        try tx.delete(Item.where { $0.id < 5 })
        try expectEqual(try tx.count(Item.all), 2)
      }
    },
    ConformanceCase("TXN.write-joins-write", ["TXN-4"], "A write inside a write is a savepoint of it.") { kit in
      let store = try kit.store(Item.self)
      try store.write { tx in
        try tx.insert(Item(1))
        try store.write { inner in
          try inner.insert(Item(2))
          try expectEqual(try inner.count(Item.all), 2)
        }
        try expectAbandoned {
          try store.write { inner in
            try inner.insert(Item(3))
            throw Abandoned()
          }
        }
        try store.insert(Item(4))
      }
      try expectEqual(try store.keys(Item.all), [1, 2, 4])
    },
    ConformanceCase("TXN.inner-write-of-undone", ["TXN-4"], "An inner write does not survive its outer one.") { kit in
      let store = try kit.store(Item.self)
      try expectAbandoned {
        try store.write { _ in
          try store.insert(Item(1))
          throw Abandoned()
        }
      }
      try expectEqual(try store.count(Item.all), 0)
    },
    ConformanceCase("TXN.read-in-write", ["TXN-4"], "A read inside a write sees that write.") { kit in
      let store = try kit.store(Item.self)
      try store.write { tx in
        try tx.insert(Item(1))
        try expectEqual(try store.read { try $0.count(Item.all) }, 1)
        try expectEqual(try store.get(Item.self, 1), Item(1))
      }
    },
    ConformanceCase(
      "TXN.read-in-read", ["TXN-4", "ISO-2"], "A read inside a read sees the same state.",
      without: ConformanceVariant.ofWriter
    ) { kit in
      let store = try kit.store(Item.self)
      try store.read { tx in
        try expectEqual(try tx.count(Item.all), 0)
        try onAnotherThread { try store.insert(Item(1)) }
        try expectEqual(try store.read { try $0.count(Item.all) }, 0)
        try expectEqual(try store.count(Item.all), 0)
        try expect(try store.get(Item.self, 1) == nil)
      }
      try expectEqual(try store.count(Item.all), 1)
    },
    ConformanceCase("TXN.write-in-read", ["TXN-5"], "A write inside a read is reentrant.") { kit in
      let store = try kit.store(Item.self)
      try store.read { tx in
        try expectError(.reentrant) { try store.insert(Item(1)) }
        try expectEqual(try tx.count(Item.all), 0)
      }
      try store.insert(Item(1))
    },
    ConformanceCase("TXN.freeze-in-write", ["TXN-5"], "Freezing inside a write is reentrant.") { kit in
      let store = try kit.store(Item.self)
      try store.write { tx in
        try tx.insert(Item(1))
        try expectError(.reentrant) { try store.freeze() }
      }
      try expectEqual(try store.freeze().count(Item.all), 1)
    },
    ConformanceCase("TXN.two-stores", ["TXN-5"], "Stores do not nest into each other.") { kit in
      let first = try kit.store(Item.self)
      let second = try kit.store(Item.self)
      _ = try first.read { _ in try second.insert(Item(1)) }
      try first.write { tx in
        try tx.insert(Item(1))
        try second.read { other in
          try expectEqual(try other.count(Item.all), 1)
          try first.insert(Item(2))
        }
      }
      try expectEqual(try first.count(Item.all), 2)
    },
    ConformanceCase("TXN.after-end", ["TXN-6"], "A transaction that ended is transactionEnded in every call.") { kit in
      let store = try kit.store(Item.self)
      var escaped: WriteTransaction?
      var cursor: ModelCursor<Item>?
      try store.insert(contentsOf: (0..<100).map { Item($0) })
      try store.write { escaped = $0 }
      let tx = try unwrap(escaped)
      try expectError(.transactionEnded) { try tx.get(Item.self, 1) }
      try expectError(.transactionEnded) { try tx.fetch(Item.all) }
      try expectError(.transactionEnded) { try tx.count(Item.all) }
      try expectError(.transactionEnded) { try tx.insert(Item(500)) }
      try expectError(.transactionEnded) { try tx.update(Item.self, 1) { $0.rank = 1 } }
      try expectError(.transactionEnded) { try tx.delete(Item.self, 1) }
      try expectError(.transactionEnded) { try tx.savepoint {} }
      try store.read { cursor = try $0.cursor(Item.all) }
      try expectError(.transactionEnded) { try cursor?.next() }
      try expectEqual(try store.count(Item.all), 100)
    },
    ConformanceCase("TXN.other-thread", ["TXN-6"], "A transaction on another thread is wrongThread.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      try store.write { tx in
        nonisolated(unsafe) let tx = tx
        try onAnotherThread {
          try expectError(.wrongThread) { try tx.get(Item.self, 1) }
          try expectError(.wrongThread) { try tx.insert(Item(2)) }
        }
        try tx.insert(Item(3))
      }
      try expectEqual(try store.keys(Item.all), [1, 3])
    },
    ConformanceCase("TXN.after-close", ["TXN-6", "OPEN-3"], "A closed store is closed in every call, twice too.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      let frozen = try store.freeze()
      let object = try unwrap(store.frozen(Item.self, 1))
      try store.close()
      try store.close()
      try expectError(.closed) { try store.get(Item.self, 1) }
      try expectError(.closed) { try store.fetch(Item.all) }
      try expectError(.closed) { try store.insert(Item(2)) }
      try expectError(.closed) { try store.read { _ in } }
      try expectError(.closed) { try store.write { _ in } }
      try expectError(.closed) { try store.freeze() }
      try expectError(.closed) { try store.statistics() }
      try expectError(.closed) { try frozen.get(Item.self, 1) }
      try expectEqual(object.name, "")
    },
    ConformanceCase("TXN.close-inside", ["TXN-6", "OPEN-3"], "Closing inside a transaction ends in errors, no crash.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<200).map { Item($0) })
      try store.read { tx in
        let cursor = try tx.cursor(Item.all)
        _ = try cursor.next()
        try store.close()
        try expectError(.closed) { try tx.fetch(Item.all) }
        try expectError(.closed) { while try cursor.next() != nil {} }
      }
      let other = try kit.store(Item.self)
      try expectError(.closed) {
        try other.write { tx in
          try tx.insert(Item(1))
          try other.close()
          try tx.insert(Item(2))
        }
      }
    },
  ]
}
