import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// Space that is given back, and everything else as it was.
enum CompactionCases {
  private static func compaction(
    _ name: String, _ summary: String, needs: Set<Capability> = [], requiresPersistence: Bool = false,
    within limit: Duration = .seconds(20), _ body: @escaping @Sendable (ConformanceContext) async throws -> Void
  ) -> ConformanceCase {
    // It takes turns with writers, and in that variant a read is one.
    ConformanceCase(
      "CARE.compact-\(name)", ["CARE-4"], summary, needs: needs.union([.compact, .check]),
      requiresPersistence: requiresPersistence, without: [.insideTransaction], within: limit, body)
  }

  private static func items(_ ids: Range<Int>, _ kit: ConformanceContext) -> [Item] {
    var random = kit.random(11)
    return ids.map { id in
      Item(id, code: "\(id)", rank: id % 7, name: (0..<12).map { _ in String(random.next(), radix: 36) }.joined())
    }
  }

  static let all: [ConformanceCase] = alone + beside

  private static let alone: [ConformanceCase] = [
    compaction("empty", "A store without objects is compacted, and is one still.") { kit in
      let store = try kit.store(Item.self)
      try store.compact()
      try expectEqual(try store.count(Item.all), 0)
      try store.insert(Item(1))
      try expectEqual(try store.check(), [])
    },
    compaction("most-deleted", "After nine of ten objects went, a compacted store is about as small as a fresh one.") {
      kit in
      let store = try kit.store(Item.self)
      let items = items(0..<6_000, kit)
      try store.insert(contentsOf: items)
      try store.delete(Item.where { $0.id >= 600 })
      try store.compact()
      try expectEqual(try store.fetch(Item.all), Array(items.prefix(600)))
      try expectEqual(try store.check(), [])
      let fresh = try kit.store(Item.self)
      try fresh.insert(contentsOf: items.prefix(600))
      try fresh.compact()
      guard let bytes = try store.statistics().bytes, let least = try fresh.statistics().bytes else { return }
      try expect(Double(bytes) <= 1.2 * Double(least), "\(bytes) bytes, and a fresh copy takes \(least)")
    },
    compaction("twice", "A second compaction changes nothing more.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: items(0..<200, kit))
      try store.delete(Item.where { $0.rank == 1 })
      let before = try store.fetch(Item.all)
      try store.compact()
      try store.compact()
      try expectEqual(try store.fetch(Item.all), before)
      try expectEqual(try store.check(), [])
    },
    compaction("as-before", "Rows, models, indexes and versions are as before, and everything goes on.") { kit in
      let store = try kit.store(Item.self, Everything.self)
      let items = items(0..<300, kit)
      try store.insert(contentsOf: items)
      try store.insert(contentsOf: (0..<30).map { Everything($0) })
      let models = try store.models()
      let version = try store.read { try $0.version }
      try store.compact()
      try expectEqual(try store.models(), models)
      try expect(try store.read { try $0.version } >= version, "the version went back")
      try expectEqual(try store.fetch(Item.where { $0.rank == 2 }), items.filter { $0.rank == 2 })
      try expectEqual(try store.count(Everything.all), 30)
      try expectError(.uniqueViolation) { try store.insert(Item(1_000, code: "7")) }
      try store.insert(Item(1_000))
      try store.update(Item.self, 3) { $0.name = "new" }
      try expectEqual(try store.get(Item.self, 3)?.name, "new")
      try expectEqual(try store.check(), [])
    },
    compaction("after-rollback", "What was rolled back before a compaction does not come back.") { kit in
      struct Undone: Error {}
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      try expectThrows(Undone.self) {
        try store.write { tx in
          try tx.insert(contentsOf: (2..<200).map { Item($0) })
          throw Undone()
        }
      }
      try store.compact()
      try expectEqual(try store.fetch(Item.all), [Item(1)])
    },
    compaction("reopened", "A store that was compacted and closed has everything.", requiresPersistence: true) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      let items = items(0..<300, kit)
      try store.insert(contentsOf: items)
      try store.delete(Item.where { $0.rank == 0 })
      try store.compact()
      try store.insert(Item(1_000))
      try store.close()
      let again = try kit.open([Item.self], at: place)
      try expectEqual(try again.fetch(Item.all), items.filter { $0.rank != 0 } + [Item(1_000)])
      try expectEqual(try again.check(), [])
    },
    compaction("read-only", "A store that is opened for reading alone is not compacted.", requiresPersistence: true) {
      kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(Item(1))
      try first.close()
      var options = OpenOptions()
      options.isReadOnly = true
      let store = try kit.open([Item.self], at: place, options: options)
      try expectError(.readOnly) { try store.compact() }
      try expectEqual(try store.fetch(Item.all), [Item(1)])
    },
  ]

  private static let beside: [ConformanceCase] = [
    compaction("snapshots", "Frozen stores and open reads see what they saw, all of it.", needs: [.snapshots]) { kit in
      let store = try kit.store(Item.self)
      let items = items(0..<1_000, kit)
      try store.insert(contentsOf: items)
      let frozen = try store.freeze()
      try store.delete(Item.where { $0.id >= 100 })
      let second = try store.freeze()
      try store.read { tx in
        try store.compact()
        try expectEqual(try tx.fetch(Item.all), Array(items.prefix(100)))
      }
      try expectEqual(try frozen.fetch(Item.all), items)
      try expectEqual(try second.fetch(Item.all), Array(items.prefix(100)))
      try store.insert(Item(5_000))
      try store.compact()
      try expectEqual(try frozen.fetch(Item.where { $0.rank == 4 }), items.filter { $0.rank == 4 })
      try expectEqual(try store.count(Item.all), 101)
      try expectEqual(try store.check(), [])
    },
    compaction("busy", "A compaction that a write keeps waiting is busy, and nothing happened.") { kit in
      let place = try kit.makePlace()
      var options = OpenOptions()
      options.busyTimeout = 0.1
      let store = try kit.open([Item.self], at: place, options: options)
      try store.insert(Item(1))
      try store.write { tx in
        try tx.insert(Item(2))
        try onAnotherThread { try expectError(.busy) { try store.compact() } }
        try tx.insert(Item(3))
      }
      try expectEqual(try store.count(Item.all), 3)
      try store.compact()
      try expectEqual(try store.check(), [])
    },
    compaction("beside-readers", "Readers beside compactions see one state each.", within: .seconds(60)) { kit in
      let store = try kit.store(Item.self)
      let items = items(0..<300, kit)
      try store.insert(contentsOf: items)
      try onThreads(3) { number in
        for _ in 0..<8 {
          if number == 0 {
            try store.compact()
          } else {
            try store.read { tx in
              try expectEqual(try tx.count(Item.all), 300)
              try expectEqual(try tx.fetch(Item.where { $0.rank == 5 }), items.filter { $0.rank == 5 })
            }
          }
        }
      }
      try expectEqual(try store.check(), [])
    },
    compaction("beside-writers", "Nothing that is written beside compactions is lost.", within: .seconds(60)) { kit in
      let store = try kit.store(Item.self)
      try onThreads(3) { number in
        for round in 0..<12 {
          if number == 0 {
            do {
              try store.compact()
            } catch let error as StorageError {
              // Writers may hold it off for as long as the store waits.
              try expectEqual(error.code, .busy)
            }
          } else {
            try store.insert(Item(number * 100 + round))
            if round % 3 == 2 { try store.delete(Item.self, number * 100 + round - 1) }
          }
        }
      }
      try expectEqual(try store.count(Item.all), 16)
      try expectEqual(try store.check(), [])
    },
  ]
}
