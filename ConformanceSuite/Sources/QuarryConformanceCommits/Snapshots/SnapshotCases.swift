import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What a frozen store must go on seeing, whatever is done to its store.
enum SnapshotCases {
  private static let items = (0..<20).map { Item($0, rank: $0 % 5, name: "n\($0)", tags: ["t"]) }

  /// A snapshot that is looked at before and after something is done to its store.
  private static func under(
    _ name: String, _ summary: String, needs: Set<Capability> = [], _ change: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("SNAP.under-\(name)", ["SNAP-1", "ISO-2"], summary, needs: needs) { kit in
      let store = try kit.store(Item.self, Numbered.self)
      try store.insert(contentsOf: items)
      let frozen = try store.freeze()
      defer { frozen.close() }
      for step in 0..<2 {
        try expectEqual(try frozen.fetch(Item.all), items, "step \(step)")
        try expectEqual(try frozen.keys(Item.where { $0.rank == 3 }), [3, 8, 13, 18])
        try expectEqual(try frozen.keys(Item.where { $0.code == "c7" }), [7])
        try expectEqual(try frozen.get(Item.self, 7), items[7])
        try expectEqual(try frozen.count(Item.all), 20)
        try expectEqual(try frozen.read { try $0.sum(Item.all, of: \.rank) }, 40)
        try expectEqual(try frozen.keys(Item.all.sorted(by: \.name).limit(2)), [0, 1])
        try expectEqual(try frozen.count(Numbered.all), 0)
        if step == 0 { try change(store) }
      }
    }
  }

  static let all: [ConformanceCase] = [
    under("insert", "A snapshot does not see what is added.") { try $0.insert(contentsOf: (20..<60).map { Item($0) }) },
    under("update", "A snapshot does not see a changed object.") { store in
      _ = try store.update(Item.self, 7) { $0.name = "changed" }
    },
    under("assignment", "A snapshot does not see an assignment to all.") { store in
      try store.assign(Item.all) { $0.rank += 1 }
    },
    under("index-update", "A snapshot's indexes find the old values.") { store in
      try store.update(Item.all) { $0.code = "x\($0.id)" }
    },
    under("delete", "A snapshot keeps what is deleted.") { try $0.delete(Item.self, 7) },
    under("delete-all", "A snapshot keeps everything when all is deleted.") { try $0.delete(Item.all) },
    under("upsert", "A snapshot does not see what is replaced.") { store in
      try store.upsert(contentsOf: (0..<30).map { Item($0, rank: 3) })
    },
    under("other-model", "A snapshot does not see objects of another model.") { store in
      try store.insert(Numbered(id: 1, number: 1))
    },
    under("rollback", "A snapshot is as it was when a write is rolled back.") { store in
      do {
        try store.write { tx in
          try tx.delete(Item.all)
          throw Abandoned()
        }
      } catch is Abandoned {}
    },
    under("many-commits", "A snapshot outlives two hundred commits.") { store in
      for round in 0..<200 { try store.update(Item.self, round % 20) { $0.rank = round } }
    },
    under("refill", "A snapshot keeps its objects when others take their keys.") { store in
      try store.write { tx in
        try tx.delete(Item.all)
        try tx.insert(contentsOf: (0..<20).map { Item($0, rank: 3, name: "new") })
      }
    },
    under("new-model", "A snapshot is as it was when a model is added.") { store in
      try store.write { tx in try tx.apply(.createModel(ColumnTable.model(.string))) }
    },
    under("large-commit", "A snapshot is as it was when thousands of objects are added.") { store in
      try store.insert(contentsOf: (100..<3100).map { Item($0, rank: 3) })
    },
    ConformanceCase("SNAP.ages", ["SNAP-1", "ISO-3"], "Snapshots of ten ages see each its own state.") { kit in
      let store = try kit.store(Item.self)
      var snapshots: [FrozenStore] = []
      for age in 0..<10 {
        try store.upsert(contentsOf: (0...age).map { Item($0, rank: age) })
        snapshots.append(try store.freeze())
      }
      // Closed in another order than opened, with the others looked at in between.
      for age in [5, 0, 9, 3, 7, 1, 8, 2, 6, 4] {
        for (other, frozen) in snapshots.enumerated() where other >= age && other % 3 == age % 3 {
          guard (try? frozen.count(Item.all)) != nil else { continue }
          try expectEqual(try frozen.fetch(Item.all).map(\.rank), Array(repeating: other, count: other + 1))
        }
        snapshots[age].close()
        try expectError(.closed) { try snapshots[age].count(Item.all) }
      }
      try expectEqual(try store.count(Item.where { $0.rank == 9 }), 10)
    },
    ConformanceCase("SNAP.versions", ["ISO-3", "SNAP-1"], "A snapshot has the version of the state that it pins.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      let first = try store.freeze()
      let version = try store.read { try $0.version }
      try expectEqual(first.version, version)
      try expectEqual(try first.read { try $0.version }, version)
      try store.insert(Item(2))
      let second = try store.freeze()
      try expect(second.version > first.version)
      try expectEqual(try first.read { try $0.version }, version)
    },
    ConformanceCase(
      "SNAP.leaks", ["SNAP-1"], "A thousand snapshots that were closed leave nothing behind in files.",
      within: .seconds(60)
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(contentsOf: items)
      let before = kit.files(at: place).count
      for _ in 0..<1000 {
        let frozen = try store.freeze()
        _ = try frozen.get(Item.self, 1)
        frozen.close()
      }
      try expectEqual(kit.files(at: place).count, before, "files of the store")
      try store.insert(Item(100))
      try expectEqual(try store.freeze().count(Item.all), 21)
    },
    ConformanceCase(
      "SNAP.dropped", ["SNAP-1"], "A thousand snapshots that nobody holds any more close themselves.",
      within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: items)
      for _ in 0..<1000 { _ = try store.freeze().get(Item.self, 1) }
      try expectEqual(try store.freeze().count(Item.all), 20)
    },
    ConformanceCase("SNAP.cursor", ["SNAP-1"], "A cursor of a snapshot goes on under writes.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<300).map { Item($0) })
      let frozen = try store.freeze()
      defer { frozen.close() }
      try frozen.read { tx in
        let cursor = try tx.cursor(Item.all)
        var ids: [Int] = []
        while let item = try cursor.next() {
          if ids.count == 10 { try onAnotherThread { try store.delete(Item.all) } }
          ids.append(item.id)
        }
        try expectEqual(ids, Array(0..<300))
      }
    },
    ConformanceCase("SNAP.closed-inside", ["SNAP-2", "ERR-1"], "Closing a snapshot inside its read ends in closed.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<300).map { Item($0) })
      let frozen = try store.freeze()
      try expectError(.closed) {
        try frozen.read { tx in
          let cursor = try tx.cursor(Item.all)
          _ = try cursor.next()
          frozen.close()
          while try cursor.next() != nil {}
          _ = try tx.count(Item.all)
        }
      }
      try expectError(.closed) { try frozen.count(Item.all) }
      try expectEqual(try store.count(Item.all), 300)
    },
    ConformanceCase(
      "SNAP.closed-by-store", ["SNAP-2", "OPEN-3"], "The snapshots of a store that was closed are closed."
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      let snapshots = try (0..<5).map { _ in try store.freeze() }
      try store.close()
      for frozen in snapshots {
        try expectError(.closed) { try frozen.get(Item.self, 1) }
        try expectError(.closed) { try frozen.read { try $0.count(Item.all) } }
        frozen.close()
      }
    },
    ConformanceCase(
      "SNAP.closed-under-threads", ["SNAP-2", "ERR-1"], "Closing a snapshot under threads that read it ends in closed.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<100).map { Item($0) })
      let frozen = try store.freeze()
      try onThreads(4) { thread in
        do {
          for round in 0..<1_000_000 {
            if thread == 0, round == 20 { frozen.close() }
            try expectEqual(try frozen.count(Item.all), 100)
          }
          throw ConformanceFailure(message: "the snapshot was never closed", file: #fileID, line: #line)
        } catch let error as StorageError {
          try expectEqual(error.code, .closed)
        }
      }
    },
    ConformanceCase("SNAP.objects-threads", ["SNAP-3"], "Frozen objects are read by many threads at once.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: items)
      let objects = try store.frozen(Item.all)
      try onThreads(4) { thread in
        for (place, object) in objects.enumerated() {
          try expectEqual(object.name, items[place].name)
          try expectEqual(try object.thawed(), items[place])
        }
      }
    },
    ConformanceCase("SNAP.after-reopening", ["SNAP-3", "CRUD-1"], "Frozen objects outlive the closing of their store.")
    {
      kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(contentsOf: items)
      let objects = try store.frozen(Item.where { $0.rank == 2 })
      try store.close()
      let second = try kit.open([Item.self], at: place)
      try second.upsert(Item(2, name: "other"))
      try expectEqual(try objects.map { try $0.thawed() }, items.filter { $0.rank == 2 })
    },
  ]
}
