import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Frozen stores that are closed, or whose store is, while a thread reads from them.
enum ClosingSnapshotCases {
  private static let count = 300
  private static let note = String(repeating: "n", count: 200)

  private static func store(_ kit: ConformanceContext, _ place: (any BackendProvider)? = nil) throws -> Store {
    let store = try kit.open([Item.self], at: place ?? kit.makePlace())
    try store.insert(contentsOf: (0..<count).map { Item($0, rank: $0 % 5, name: "old", note: note) })
    return store
  }

  /// Writes what would take the place of what nobody reads any more, and begins and ends reads as others do.
  private static func overwrite(_ store: Store) throws {
    for round in 0..<6 {
      try store.write { tx in
        try tx.delete(Item.all)
        try tx.insert(contentsOf: (0..<count).map { Item($0, rank: round, name: "new \(round)", note: note) })
      }
      let frozen = try store.freeze()
      try store.read { _ = try $0.count(Item.all) }
      try expectEqual(try frozen.get(Item.self, 7)?.name, "new \(round)")
      frozen.close()
    }
  }

  /// Reads on in a snapshot after something was done to it: what it has, or `closed`.
  private static func readOn(
    _ frozen: FrozenStore, _ query: Query<Item>, _ about: String, _ between: @escaping @Sendable () throws -> Void
  ) throws {
    try frozen.read { tx in
      let cursor = try tx.cursor(query)
      var seen: [Int] = []
      for _ in 0..<5 { if let item = try cursor.next() { seen.append(item.id) } }
      try onAnotherThread(between)
      do {
        while let item = try cursor.next() {
          try expectEqual([item.name, item.note], ["old", note], "\(about): object \(item.id)")
          seen.append(item.id)
        }
        try expectEqual(seen.sorted(), Array(0..<count), about)
        for id in [0, 17, count - 1] { try expectEqual(try tx.get(Item.self, id)?.name, "old", about) }
        try expectEqual(try tx.count(Item.where { $0.rank == 3 }), count / 5, about)
      } catch let error as StorageError {
        ProvokedErrors.note(error.code)
        try expectEqual(error.code, .closed, "\(about): \(error)")
      }
    }
  }

  private static let queries: [(String, Query<Item>)] = [
    ("by keys", Item.all), ("by an index", Item.all.sorted(by: \.rank)), ("sorted", Item.all.sorted(by: \.note)),
  ]

  private static func closing(
    _ name: String, _ summary: String, _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "SNAP.closing-\(name)", ["SNAP-1", "SNAP-2", "ERR-1"], summary,
      without: ConformanceVariant.allButFresh.subtracting([.encrypted]), within: .seconds(30)
    ) { kit in try body(kit) }
  }

  static let all: [ConformanceCase] = [
    closing("while-read", "Who reads from a frozen store that is closed sees its state, or is told closed.") { kit in
      for (name, query) in queries {
        let store = try store(kit)
        let frozen = try store.freeze()
        try readOn(frozen, query, name) {
          frozen.close()
          try overwrite(store)
        }
        try expectError(.closed) { try frozen.get(Item.self, 1) }
        try expectError(.closed) { try frozen.read { _ in } }
        try expectEqual(try store.get(Item.self, 7)?.name, "new 5")
      }
    },
    closing("one-of-two", "Of two frozen stores of one state the other goes on when one is closed.") { kit in
      let store = try store(kit)
      let (first, second) = (try store.freeze(), try store.freeze())
      try readOn(second, Item.all, "the other is closed") {
        first.close()
        try overwrite(store)
      }
      try expectEqual(try second.fetch(Item.where { $0.rank == 2 }).map(\.name).count, count / 5)
      try expectEqual(Set(try second.fetch(Item.all).map(\.name)), ["old"])
      second.close()
    },
    closing("twice-by-threads", "A frozen store is closed by many threads at once, and read by others.") { kit in
      let store = try store(kit)
      for _ in 0..<20 {
        let frozen = try store.freeze()
        try onThreads(6) { thread in
          if thread % 2 == 0 { return frozen.close() }
          do {
            try frozen.read { tx in
              try expectEqual(try tx.get(Item.self, 17)?.name, "old")
              try expectEqual(try tx.count(Item.where { $0.rank == 3 }), count / 5)
            }
          } catch let error as StorageError {
            try expectEqual(error.code, .closed)
          }
        }
        try expectError(.closed) { try frozen.count(Item.all) }
      }
      try overwrite(store)
    },
    closing("begins-no-read", "A frozen store that was closed begins no read while somebody still reads from it.") {
      kit in
      let store = try store(kit)
      let frozen = try store.freeze()
      try frozen.read { tx in
        try expectEqual(try tx.get(Item.self, 17)?.name, "old")
        try onAnotherThread {
          frozen.close()
          try expectError(.closed, "nothing") { try frozen.read { _ in } }
          try expectError(.closed, "read") { try frozen.read { _ = try $0.get(Item.self, 17) } }
          try expectError(.closed, "get") { try frozen.get(Item.self, 17) }
          try expectError(.closed, "count") { try frozen.count(Item.all) }
          try expectError(.closed, "fetch") { try frozen.fetch(Item.where { $0.rank == 3 }) }
        }
      }
      try expectError(.closed) { try frozen.get(Item.self, 17) }
    },
    closing("store", "Who reads from a frozen store whose store is closed sees its state, or is told closed.") { kit in
      for (name, query) in queries {
        let store = try store(kit)
        let frozen = try store.freeze()
        try readOn(frozen, query, name) { try store.close() }
        try expectError(.closed) { try frozen.get(Item.self, 1) }
        frozen.close()
      }
    },
    ConformanceCase(
      "SNAP.closing-gives-space-back", ["SNAP-2", "CARE-4"],
      "What a frozen store has kept goes back when the last who reads from it has ended.",
      needs: [.statistics, .compact],
      requiresPersistence: true, without: ConformanceVariant.allButFresh.subtracting([.encrypted])
    ) { kit in
      let store = try store(kit)
      let frozen = try store.freeze()
      try readOn(frozen, Item.all, "kept") {
        frozen.close()
        try store.write { try $0.delete(Item.all) }
      }
      try store.compact()
      let bytes = try store.statistics().bytes
      let fresh = try kit.store(Item.self)
      try fresh.insert(Item(1))
      try fresh.delete(Item.self, 1)
      try fresh.compact()
      guard let bytes, let least = try fresh.statistics().bytes else { return }
      // Files grow by pages, so that small ones are not compared to the byte.
      try expect(bytes <= least + 32 << 10, "\(bytes) bytes, and a fresh store has \(least)")
    },
    ConformanceCase(
      "SNAP.closing-keeps-no-pages", ["SNAP-2", "CARE-4"],
      "A store whose frozen states were closed under readers grows no further than one that had none.",
      needs: [.statistics], without: ConformanceVariant.allButFresh.subtracting([.encrypted]), within: .seconds(30)
    ) { kit in
      var sizes: [Int] = []
      for hasFrozen in [false, true] {
        let store = try store(kit)
        // It is closed, and not yet let go of.
        let frozen = hasFrozen ? try store.freeze() : nil
        defer { withExtendedLifetime(frozen) {} }
        try frozen?.read { tx in
          _ = try tx.get(Item.self, 17)
          try onAnotherThread { frozen?.close() }
        }
        let long = String(repeating: note, count: 25)
        for round in 0..<20 {
          try store.write { tx in
            try tx.delete(Item.all)
            try tx.insert(contentsOf: (0..<20).map { Item($0, rank: round, note: long) })
          }
        }
        if let bytes = try store.statistics().bytes { sizes.append(bytes) }
        try store.close()
      }
      guard sizes.count == 2 else { return }
      try expect(sizes[1] <= 2 * sizes[0] + 64 << 10, "\(sizes[1]) bytes, and \(sizes[0]) without frozen states")
    }.ofFiles(),
  ]
}
