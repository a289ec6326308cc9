import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What readers and writers see of one another.
enum IsolationCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("ISO.no-dirty-read", ["ISO-1", "ISO-2"], "What is not committed is seen by no other, by any read.")
    {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, rank: 1))
      try store.write { tx in
        try tx.insert(Item(2, rank: 2))
        try tx.update(Item.self, 1) { $0.rank = 9 }
        try onAnotherThread {
          try expect(try store.get(Item.self, 2) == nil)
          try expect(try !store.exists(Item.self, 2))
          try expectEqual(try store.get(Item.self, 1)?.rank, 1)
          try expectEqual(try store.get(Item.self, keys: [1, 2]).map { $0?.rank }, [1, nil])
          try expectEqual(try store.fetch(Item.all).map(\.rank), [1])
          try expectEqual(try store.count(Item.where { $0.rank >= 2 }), 0)
        }
      }
    },
    ConformanceCase("ISO.stable-read", ["ISO-2"], "A read sees one state while others commit.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<100).map { Item($0, rank: 0) })
      try store.read { tx in
        let cursor = try tx.cursor(Item.all)
        let first = try unwrap(cursor.next())
        try onAnotherThread {
          try store.assign(Item.all) { $0.rank = 1 }
          try store.delete(Item.where { $0.id >= 50 })
        }
        var ranks = [first.rank]
        while let item = try cursor.next() { ranks.append(item.rank) }
        try expectEqual(ranks, Array(repeating: 0, count: 100))
        try expectEqual(try tx.count(Item.where { $0.rank == 0 }), 100)
      }
      try expectEqual(try store.count(Item.where { $0.rank == 1 }), 50)
    },
    ConformanceCase("ISO.writers-wait", ["ISO-1"], "Writers of many threads lose no update.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, rank: 0))
      try onThreads(8) { _ in
        for _ in 0..<25 { try store.update(Item.self, 1) { $0.rank = ($0.rank ?? 0) + 1 } }
      }
      try expectEqual(try store.get(Item.self, 1)?.rank, 200)
    },
    ConformanceCase("ISO.busy", ["ISO-1"], "A writer that waits too long is busy, and can write later.") { kit in
      let store = try kit.store(Item.self)
      try store.write { tx in
        try tx.insert(Item(1))
        try onAnotherThread {
          try expectError(.busy) { try store.write(timeout: 0.05) { try $0.insert(Item(2)) } }
        }
      }
      try onAnotherThread { try store.insert(Item(2)) }
      try expectEqual(try store.count(Item.all), 2)
    }.only(.one),
    ConformanceCase(
      "ISO.busy-engine", ["ISO-1"],
      "The engine says busy, too, when a writer of another store waits too long, and gives the turn on afterwards.",
      without: ConformanceVariant.allButFresh
    ) { kit in
      let backend = try kit.makePlace().open(OpenOptions())
      defer { try? backend.close() }
      let first = try backend.beginWrite(WriteOptions())
      for timeout in [0, 0.05] {
        try onAnotherThread {
          try expectError(.busy) { try backend.beginWrite(WriteOptions(timeout: timeout)).rollback() }
        }
      }
      first.rollback()
      try onAnotherThread { try backend.beginWrite(WriteOptions(timeout: 5)).rollback() }
    }.only(.one),
    ConformanceCase("ISO.bank", ["ISO-1", "ISO-2"], "Readers of many threads see every total whole.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<10).map { Item($0, rank: 100) })
      try onThreads(6) { thread in
        var generator = kit.random(thread)
        for _ in 0..<60 {
          if thread < 3 {
            let (from, to) = (Int.random(in: 0..<10, using: &generator), Int.random(in: 0..<10, using: &generator))
            let amount = Int.random(in: 1...20, using: &generator)
            try store.write { tx in
              try tx.update(Item.self, from) { $0.rank = ($0.rank ?? 0) - amount }
              try tx.update(Item.self, to) { $0.rank = ($0.rank ?? 0) + amount }
            }
          } else {
            try expectEqual(try store.read { try $0.fetch(Item.all).reduce(0) { $0 + ($1.rank ?? 0) } }, 1000)
          }
        }
      }
    },
    ConformanceCase("ISO.versions", ["ISO-3"], "A later state has a greater version.") { kit in
      let store = try kit.store(Item.self)
      var last = try store.read { try $0.version }
      for id in 0..<5 {
        try store.insert(Item(id))
        let version = try store.read { try $0.version }
        try expect(version > last, "\(version) after \(last)")
        try expectEqual(try store.read { try $0.version }, version)
        last = version
      }
    },
  ]
}
