import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What others see of a compaction: cursors, snapshots, stores and processes that have the store open.
enum CompactionBesideCases {
  static let all: [ConformanceCase] = reading + calls + stores + processes

  static func compaction(
    _ name: String, clauses: [String] = ["CARE-4"], _ summary: String, needs: Set<Capability> = [],
    requiresPersistence: Bool = false, within limit: Duration = .seconds(30),
    _ body: @escaping @Sendable (ConformanceContext) async throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "CARE.compact-\(name)", clauses, summary, needs: needs.union([.compact, .check]),
      requiresPersistence: requiresPersistence, without: [.insideTransaction], within: limit, body)
  }

  static let items = (0..<800).map { Item($0, rank: $0 % 7, name: "n\($0)") }

  static func isShared(_ kit: ConformanceContext) -> Bool { kit.manifest.sharing == .manyProcesses }

  // MARK: Reads

  static let reading: [ConformanceCase] = [
    compaction("under-cursor", "A loop over a query goes on over a compaction on its thread.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: items)
      try store.delete(Item.where { $0.rank == 6 })
      var seen: [Int] = []
      try store.read { tx in
        try tx.forEach(Item.all) { item in
          if seen.count % 200 == 50 { try store.compact() }
          seen.append(item.id)
        }
      }
      try expectEqual(seen, items.filter { $0.rank != 6 }.map(\.id))
      try expectEqual(try store.check(), [])
    },
    compaction("under-index-cursor", "A loop over an index goes on over compactions on another thread.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: items)
      let expected = items.filter { $0.rank == 4 }.map(\.id)
      var seen: [Int] = []
      try store.read { tx in
        try tx.forEach(Item.where { $0.rank == 4 }) { item in
          if seen.count % 40 == 7 { try onAnotherThread { try store.compact() } }
          seen.append(item.id)
        }
      }
      try expectEqual(seen, expected)
    },
    compaction(
      "under-frozen-cursor", "A loop over a frozen store goes on over compactions and writes.", needs: [.snapshots]
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: items)
      let frozen = try store.freeze()
      defer { frozen.close() }
      var seen: [Int] = []
      try frozen.read { tx in
        try tx.forEach(Item.all) { item in
          if seen.count % 300 == 100 {
            try onAnotherThread {
              try store.delete(Item.where { $0.rank == seenRank(item) })
              try store.compact()
            }
          }
          seen.append(item.id)
        }
      }
      try expectEqual(seen, items.map(\.id))
    },
    compaction("each-state", "Of states between compactions each snapshot keeps its own.", needs: [.snapshots]) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: items)
      var states: [(FrozenStore, Int, CommitVersion)] = []
      for round in 0..<5 {
        try store.delete(Item.where { $0.rank == round })
        let frozen = try store.freeze()
        states.append((frozen, try store.count(Item.all), try frozen.read { try $0.version }))
        try store.compact()
        try store.insert(Item(10_000 + round, rank: 100))
      }
      for (frozen, count, version) in states {
        try expectEqual(try frozen.count(Item.all), count)
        try expectEqual(try frozen.fetch(Item.all).count, count)
        try expectEqual(try frozen.read { try $0.version }, version)
        frozen.close()
      }
      try expectEqual(try store.count(Item.all), items.filter { ($0.rank ?? 0) > 4 }.count + 5)
      try expectEqual(try store.check(), [])
    },
    compaction("frozen-objects", "Frozen objects stay what they were.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: items)
      let frozen = try store.frozen(Item.where { $0.rank == 3 })
      try store.delete(Item.all)
      try store.compact()
      try store.insert(Item(3, name: "new"))
      try expectEqual(try frozen.map { try $0.thawed() }, items.filter { $0.rank == 3 })
    },
    compaction(
      "space-of-snapshot", "The space that a snapshot needed goes back when it has ended.", needs: [.snapshots]
    ) {
      kit in
      let store = try kit.store(Item.self)
      let large = (0..<1_500).map { Item($0, name: String(repeating: "s", count: 200) + "\($0)") }
      try store.insert(contentsOf: large)
      let frozen = try store.freeze()
      try store.delete(Item.where { $0.id >= 100 })
      try store.compact()
      try expectEqual(try frozen.count(Item.all), 1_500)
      frozen.close()
      try store.insert(Item(5_000))
      try store.compact()
      let fresh = try kit.store(Item.self)
      try fresh.insert(contentsOf: large.prefix(100) + [Item(5_000)])
      try fresh.compact()
      guard let bytes = try store.statistics().bytes, let least = try fresh.statistics().bytes else { return }
      try expect(Double(bytes) <= 1.2 * Double(least), "\(bytes) bytes, and a fresh copy takes \(least)")
    },
    compaction(
      "beside-snapshots", "Snapshots that are made beside compactions see one state each.", needs: [.snapshots]
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: items)
      try onThreads(3) { number in
        for round in 0..<10 {
          if number == 0 {
            try store.write { tx in
              try tx.delete(Item.self, round)
              try tx.insert(Item(1_000 + round))
            }
            try store.compact()
          } else {
            let frozen = try store.freeze()
            defer { frozen.close() }
            try expectEqual(try frozen.count(Item.all), 800)
            try expectEqual(try frozen.fetch(Item.all).count, 800)
          }
        }
      }
      try expectEqual(try store.check(), [])
    },
  ]

  private static func seenRank(_ item: Item) -> Int { (item.rank ?? 0) % 7 }

  // MARK: Calls

  private static let calls: [ConformanceCase] = [
    compaction(
      "inside-write", clauses: ["CARE-9", "REENT-7"], "Inside a write a compaction is reentrant, and the write goes on."
    ) {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: items)
      try store.write { tx in
        try tx.delete(Item.self, 1)
        try expectError(.reentrant) { try store.compact() }
        try tx.insert(Item(1_000))
      }
      try expectEqual(try store.count(Item.all), 800)
      try expect(try store.exists(Item.self, 1_000), "what was written after it is not there")
      try store.compact()
    },
    compaction("inside-savepoint", clauses: ["CARE-9", "REENT-7"], "Inside a savepoint, too, and only that is undone.")
    { kit in
      struct Undone: Error {}
      let store = try kit.store(Item.self)
      try store.write { tx in
        try tx.insert(Item(1))
        try expectThrows(Undone.self) {
          try tx.savepoint {
            try tx.insert(Item(2))
            try expectError(.reentrant) { try store.compact() }
            throw Undone()
          }
        }
      }
      try expectEqual(try store.keys(Item.all), [1])
    },
    compaction("closed", clauses: ["CARE-9", "OPEN-4"], "A store that was closed is not compacted.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      try store.close()
      try expectError(.closed) { try store.compact() }
    },
    compaction(
      "read-only-files", clauses: ["CARE-9", "OPEN-2"],
      "Opened for reading, a store is not compacted, and its files stay as they are.", needs: [.openReadOnly],
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(contentsOf: items)
      try first.delete(Item.all)
      try first.close()
      let files = try kit.files(at: place).map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
      var options = OpenOptions()
      options.isReadOnly = true
      let store = try kit.open([Item.self], at: place, options: options)
      try expectError(.readOnly) { try store.compact() }
      try expectEqual(try store.count(Item.all), 0)
      try store.close()
      try expectEqual(try kit.files(at: place).map { try Data(contentsOf: URL(fileURLWithPath: $0)) }, files)
    },
    compaction("at-once", clauses: ["CARE-9"], "Of compactions at once each is done or busy, and nothing is lost.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: items)
      try onThreads(4) { _ in
        do { try store.compact() } catch let error as StorageError { try expectEqual(error.code, .busy) }
      }
      try expectEqual(try store.fetch(Item.all), items)
      try expectEqual(try store.check(), [])
    },
    compaction("versions", clauses: ["CARE-4", "TXN-1"], "Versions of commits go on rising over compactions.") { kit in
      let store = try kit.store(Item.self)
      var last = try store.read { try $0.version }
      for round in 0..<6 {
        try store.insert(Item(round))
        let version = try store.read { try $0.version }
        try expect(version > last, "version \(version) after \(last)")
        last = version
        try store.compact()
        let compacted = try store.read { try $0.version }
        try expect(compacted >= last, "version \(compacted) after a compaction of \(last)")
        last = compacted
      }
    },
    compaction(
      "new-model", clauses: ["CARE-4", "SCH-1"], "Models and indexes that are made after a compaction are whole.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(contentsOf: items)
      try store.compact()
      try store.close()
      let second = try kit.open([Item.self, Everything.self], at: place)
      try second.insert(contentsOf: (0..<20).map { Everything($0) })
      try second.compact()
      try second.insert(Everything(20))
      try expectEqual(try second.count(Everything.all), 21)
      try expectEqual(try second.fetch(Item.all), items)
      try expectEqual(try second.check(), [])
    },
    compaction(
      "backup", clauses: ["CARE-4", "CARE-7"], "A store that was compacted is backed up like any.", needs: [.backup],
      requiresPersistence: true
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: items)
      try store.delete(Item.where { $0.rank == 1 })
      try store.compact()
      let place = try kit.makePlace()
      guard let path = kit.harness.secondProcess?.address(kit.undecorated(place)) else { return }
      try store.backup(to: path)
      let copy = try kit.open([Item.self], at: place)
      try expectEqual(try copy.fetch(Item.all), try store.fetch(Item.all))
      try copy.compact()
      try copy.insert(Item(1, rank: 1))
      try expectEqual(try copy.check(), [])
    },
  ]

  // MARK: Stores of one process

  private static let stores: [ConformanceCase] = [
    compaction(
      "two-stores", clauses: ["CARE-4"], "Where a store is open twice, both go on after one has compacted.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(contentsOf: items)
      let second = try kit.open([Item.self], at: place)
      try first.delete(Item.where { $0.rank == 2 })
      try second.read { tx in
        try first.compact()
        try expectEqual(try tx.count(Item.all), items.filter { $0.rank != 2 }.count)
      }
      try second.insert(Item(2_000))
      try expect(try first.exists(Item.self, 2_000), "the first store does not see what the second wrote")
      try second.compact()
      try first.insert(Item(2_001))
      try expectEqual(try second.count(Item.all), items.filter { $0.rank != 2 }.count + 2)
      try first.close()
      try second.compact()
      try second.insert(Item(2_002))
      try expectEqual(try second.check(), [])
    },
    compaction(
      "two-stores-snapshot", clauses: ["CARE-4"], "A frozen store of one opening outlives a compaction by another.",
      needs: [.snapshots], requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(contentsOf: items)
      let second = try kit.open([Item.self], at: place)
      let frozen = try second.freeze()
      defer { frozen.close() }
      try first.delete(Item.all)
      try first.compact()
      try first.close()
      try expectEqual(try frozen.fetch(Item.all), items)
      try expectEqual(try second.count(Item.all), 0)
    },
    compaction(
      "two-stores-writing", clauses: ["CARE-9"], "What one opening writes while another compacts is there.",
      requiresPersistence: true, within: .seconds(60)
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      let second = try kit.open([Item.self], at: place)
      try onThreads(3) { number in
        for round in 0..<12 {
          if number == 0 {
            do { try first.compact() } catch let error as StorageError { try expectEqual(error.code, .busy) }
          } else {
            try second.insert(Item(number * 1_000 + round))
          }
        }
      }
      try expectEqual(try first.count(Item.all), 24)
      try expectEqual(try second.keys(Item.all).count, 24)
      try expectEqual(try second.check(), [])
    },
    compaction(
      "opened-beside", clauses: ["CARE-9"], "Stores that this process opens beside compactions have everything.",
      requiresPersistence: true, within: .seconds(60)
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(contentsOf: items)
      let inner = kit.undecorated(place)
      try onThreads(2) { number in
        for round in 0..<12 {
          if number == 0 {
            do { try store.compact() } catch let error as StorageError { try expectEqual(error.code, .busy) }
          } else {
            let other = try Store(models: [Item.self], in: inner)
            try expectEqual(try other.count(Item.all), 800 + round)
            try other.insert(Item(3_000 + round))
            try other.close()
          }
        }
      }
      try expectEqual(try store.count(Item.all), 812)
      try expectEqual(try store.check(), [])
    },
    compaction(
      "reopened-twice", clauses: ["CARE-4"], "Closed and opened between compactions, a store keeps everything.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      for round in 0..<4 {
        let store = try kit.open([Item.self], at: place)
        try store.insert(contentsOf: (0..<100).map { Item(round * 100 + $0) })
        try store.compact()
        try store.delete(Item.self, round * 100)
        try store.close()
      }
      let store = try kit.open([Item.self], at: place)
      try expectEqual(try store.count(Item.all), 396)
      try expectEqual(try store.check(), [])
    },
  ]
}
