import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Frozen stores and frozen objects, whatever becomes of the store.
enum FrozenStoreCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("SNAP.unaffected", ["SNAP-1"], "A frozen store sees its state whatever is written.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<50).map { Item($0, rank: $0) })
      let frozen = try store.freeze()
      for _ in 0..<20 { try store.assign(Item.all) { $0.rank += 1 } }
      try store.delete(Item.where { $0.id < 25 })
      let later = try store.freeze()
      try store.delete(Item.all)
      try expectEqual(try frozen.fetch(Item.all).map(\.rank), (0..<50).map { $0 })
      try expectEqual(try frozen.keys(Item.where { $0.rank == 7 }), [7])
      try expectEqual(try later.keys(Item.all), Array(25..<50))
      try expectEqual(try later.get(Item.self, 30)?.rank, 50)
      try expect(frozen.version < later.version)
      try expectEqual(try store.count(Item.all), 0)
    },
    ConformanceCase(
      "SNAP.threads", ["SNAP-1"], "Many threads read one frozen store at once.", without: ConformanceVariant.ofWriter
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<500).map { Item($0, rank: $0 % 10) })
      let frozen = try store.freeze()
      try store.delete(Item.all)
      try onThreads(6) { thread in
        for _ in 0..<10 {
          try expectEqual(try frozen.count(Item.where { $0.rank == thread }), 50)
          try expectEqual(try frozen.get(Item.self, thread)?.id, thread)
          try expectEqual(try frozen.fetch(Item.where { $0.id < 100 }).count, 100)
        }
      }
    },
    ConformanceCase("SNAP.closed", ["SNAP-2"], "A frozen store that was closed is closed; its store is not.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      let frozen = try store.freeze()
      frozen.close()
      frozen.close()
      try expectError(.closed) { try frozen.get(Item.self, 1) }
      try expectError(.closed) { try frozen.read { try $0.fetch(Item.all) } }
      try expectEqual(try store.count(Item.all), 1)
    },
    ConformanceCase("SNAP.objects", ["SNAP-3"], "Frozen objects outlive transaction, change and store.") { kit in
      let store = try kit.store(Item.self)
      let items = (0..<300).map { Item($0, rank: $0 % 3 == 0 ? nil : $0, name: "n\($0)", tags: ["t"]) }
      try store.insert(contentsOf: items)
      let frozen = try store.frozen(Item.all.sorted(by: \.id, order: .reverse))
      try store.delete(Item.all)
      try store.close()
      try onAnotherThread {
        try expectEqual(frozen.map(\.name), items.reversed().map(\.name))
        try expectEqual(frozen.map(\.rank), items.reversed().map(\.rank))
        try expectEqual(frozen[0].tags, ["t"])
        try expectEqual(try frozen.map { try $0.thawed() }, items.reversed())
      }
    },
    ConformanceCase("SNAP.many", ["SNAP-1"], "Snapshots that are opened and closed by the thousand cost nothing.") {
      kit in
      let store = try kit.store(Item.self)
      for round in 0..<1000 {
        if round % 100 == 0 { try store.upsert(Item(1, rank: round)) }
        let frozen = try store.freeze()
        if round % 50 == 0 { try expectEqual(try frozen.get(Item.self, 1)?.rank, round / 100 * 100) }
        frozen.close()
      }
    },
    ConformanceCase(
      "SNAP.stream", ["SNAP-1"], "An asynchronous stream gives one state in order, in batches.",
      without: ConformanceVariant.ofWriter
    ) { kit in
      let store = try kit.store(Item.self)
      try await store.insert(contentsOf: (0..<1000).map { Item($0, rank: $0 % 7) })
      let query = Item.where { $0.id >= 100 }.sorted(by: \.rank).offset(5).limit(600)
      let expected = try await store.keys(query)
      var keys: [Int] = []
      for try await item in store.stream(query, batchSize: 64) {
        if keys.isEmpty { try await store.delete(Item.all) }
        keys.append(item.id)
      }
      try expectEqual(keys, expected)
    },
  ]
}
