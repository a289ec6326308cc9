import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// The ten anomalies of Hermitage (Kleppmann 2014) as scripts over two objects, 1 with 10 and 2 with 20. Where two writers
/// would meet, the second is busy after a short timeout and comes when the first has ended. With many writers it begins at
/// once: `ConflictCases` has the scripts in which both are open.
enum HermitageCases {
  private static func script(
    _ name: String, _ summary: String, _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("ISO.\(name)", ["ISO-1", "ISO-2"], summary) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, rank: 10), Item(2, rank: 20)])
      try body(store)
    }
  }

  private static func set(_ id: Int, _ rank: Int) -> (WriteTransaction) throws -> Void {
    { tx in _ = try tx.update(Item.self, id) { $0.rank = rank } }
  }

  private static func expect(
    _ transaction: ScriptedTransaction, _ id: Int, _ rank: Int?, line: Int = #line
  ) throws {
    try expectEqual(try transaction.run { try $0.get(Item.self, id)?.rank }, rank, "object \(id)", line: line)
  }

  private static func expect(_ store: Store, _ ranks: [Int?], line: Int = #line) throws {
    try expectEqual(try store.fetch(Item.all).map(\.rank), ranks, line: line)
  }

  private static func expectBusy(_ store: Store, line: Int = #line) throws {
    guard store.manifest.writers == .one else { return }
    try expectError(.busy, line: line) { try ScriptedTransaction.write(store, timeout: 0.02) }
  }

  static let all: [ConformanceCase] = [
    script("g0-dirty-write", "The writes of two transactions do not mix.") { store in
      let first = try ScriptedTransaction.write(store)
      try first.write(set(1, 11))
      try expectBusy(store)
      try first.write(set(2, 21))
      try first.commit()
      try expect(store, [11, 21])
      let second = try ScriptedTransaction.write(store, timeout: 1)
      try second.write(set(1, 12))
      try expect(store, [11, 21])
      try second.write(set(2, 22))
      try second.commit()
      try expect(store, [12, 22])
    },
    script("g1a-aborted-read", "What is rolled back was never seen.") { store in
      let before = try ScriptedTransaction.read(store)
      let writer = try ScriptedTransaction.write(store)
      try writer.write(set(1, 101))
      let during = try ScriptedTransaction.read(store)
      for reader in [before, during] { try expect(reader, 1, 10) }
      writer.abort()
      for reader in [before, during] {
        try expect(reader, 1, 10)
        try reader.commit()
      }
      try expect(store, [10, 20])
    },
    script("g1b-intermediate-read", "A state in the middle of a transaction is never seen.") { store in
      let writer = try ScriptedTransaction.write(store)
      try writer.write(set(1, 101))
      let reader = try ScriptedTransaction.read(store)
      try expect(reader, 1, 10)
      try writer.write(set(1, 11))
      try expect(store, [10, 20])
      try writer.commit()
      try expect(reader, 1, 10)
      try reader.commit()
      try expect(store, [11, 20])
    },
    script("g1c-circular-flow", "Of two transactions at most one sees the other.") { store in
      let first = try ScriptedTransaction.write(store)
      try first.write(set(1, 11))
      try expectBusy(store)
      try expect(first, 2, 20)
      try first.commit()
      let second = try ScriptedTransaction.write(store)
      try second.write(set(2, 22))
      try expect(second, 1, 11)
      try second.commit()
      try expect(store, [11, 22])
    },
    script("otv-vanishing", "A transaction that was seen stays seen whole.") { store in
      let first = try ScriptedTransaction.write(store)
      try first.write(set(1, 11))
      try first.write(set(2, 19))
      try expectBusy(store)
      try first.commit()
      let second = try ScriptedTransaction.write(store)
      try second.write(set(1, 12))
      let reader = try ScriptedTransaction.read(store)
      try expect(reader, 1, 11)
      try second.write(set(2, 18))
      try expect(reader, 2, 19)
      try second.commit()
      try expect(reader, 2, 19)
      try expect(reader, 1, 11)
      try reader.commit()
      try expect(store, [12, 18])
    },
    script("pmp-predicate-read", "What a condition finds does not change inside a transaction.") { store in
      let reader = try ScriptedTransaction.read(store)
      try expectEqual(try reader.run { try $0.keys(Item.where { $0.rank == 30 }) }, [])
      let writer = try ScriptedTransaction.write(store)
      try writer.write { try $0.insert(Item(3, rank: 30)) }
      try expectEqual(try reader.run { try $0.count(Item.where { $0.rank >= 20 }) }, 1)
      try writer.commit()
      try expectEqual(try reader.run { try $0.keys(Item.where { $0.rank >= 20 }) }, [2])
      try expectEqual(try reader.run { try $0.sum(Item.all, of: \.rank) }, 30)
      try reader.commit()
      try expectEqual(try store.keys(Item.where { $0.rank >= 20 }), [2, 3])
    },
    script("pmp-predicate-write", "A delete by a condition decides by the newest state.") { store in
      let first = try ScriptedTransaction.write(store)
      try first.write { try $0.assign(Item.all) { $0.rank += 10 } }
      try expectBusy(store)
      try first.commit()
      let second = try ScriptedTransaction.write(store)
      try second.write { try expectEqual(try $0.delete(Item.where { $0.rank == 20 }), 1) }
      try second.commit()
      try expectEqual(try store.fetch(Item.all).map(\.id), [2])
    },
    script("p4-lost-update", "A change that was made from a value that is read first is not lost.") { store in
      let first = try ScriptedTransaction.write(store)
      try expect(first, 1, 10)
      try expectBusy(store)
      try first.write(set(1, 11))
      try first.commit()
      let second = try ScriptedTransaction.write(store)
      try expect(second, 1, 11)
      try second.write(set(1, 12))
      try second.commit()
      try expect(store, [12, 20])
    },
    script("g-single-read-skew", "Two reads of one transaction are of one state.") { store in
      let reader = try ScriptedTransaction.read(store)
      try expect(reader, 1, 10)
      let writer = try ScriptedTransaction.write(store)
      try writer.write(set(1, 12))
      try writer.write(set(2, 18))
      try writer.commit()
      try expect(reader, 2, 20)
      try expectEqual(try reader.run { try $0.fetch(Item.all).map(\.rank) }, [10, 20])
      try reader.commit()
      try expect(store, [12, 18])
    },
    script("g-single-predicate", "A condition and a key are read in one state.") { store in
      let reader = try ScriptedTransaction.read(store)
      try expectEqual(try reader.run { try $0.keys(Item.where { $0.rank < 15 }) }, [1])
      let writer = try ScriptedTransaction.write(store)
      try writer.write { try $0.assign(Item.all) { $0.rank = 12 } }
      try writer.commit()
      try expectEqual(try reader.run { try $0.keys(Item.where { $0.rank == 12 }) }, [])
      try expect(reader, 2, 20)
      try reader.commit()
    },
    script("g-single-write-skew", "What was decided from an old state is not written: the writer sees the newest.") {
      store in
      let reader = try ScriptedTransaction.read(store)
      try expect(reader, 1, 10)
      let writer = try ScriptedTransaction.write(store)
      try writer.write(set(1, 12))
      try writer.write(set(2, 18))
      try writer.commit()
      // A read cannot become a write.
      try expectError(.reentrant) { try reader.run { _ in try store.delete(Item.where { $0.rank == 20 }) } }
      try reader.commit()
      let second = try ScriptedTransaction.write(store)
      try second.write { try expectEqual(try $0.delete(Item.where { $0.rank == 20 }), 0) }
      try second.commit()
      try expect(store, [12, 18])
    },
    script("g2-item-write-skew", "Of two that read both objects and write one each, the second sees the first.") {
      store in
      let first = try ScriptedTransaction.write(store)
      try expectEqual(try first.run { try $0.sum(Item.all, of: \.rank) }, 30)
      try expectBusy(store)
      try first.write(set(1, -10))
      try first.commit()
      let second = try ScriptedTransaction.write(store)
      try expectEqual(try second.run { try $0.sum(Item.all, of: \.rank) }, 10)
      try second.commit()
      try expect(store, [-10, 20])
    },
    script("g2-predicate-write-skew", "Of two that look for nothing and insert, the second finds what the first did.") {
      store in
      let isThird = Item.where { $0.rank == 30 || $0.rank == 60 }
      let first = try ScriptedTransaction.write(store)
      try expectEqual(try first.run { try $0.count(isThird) }, 0)
      try expectBusy(store)
      try first.write { try $0.insert(Item(3, rank: 30)) }
      try first.commit()
      let second = try ScriptedTransaction.write(store)
      try expectEqual(try second.run { try $0.keys(isThird) }, [3])
      second.abort()
      try expectEqual(try store.keys(isThird), [3])
    },
    script("g2-two-edges", "A reader between two writers sees the first and not the second.") { store in
      let first = try ScriptedTransaction.write(store)
      try first.write(set(1, 11))
      try first.commit()
      let reader = try ScriptedTransaction.read(store)
      let second = try ScriptedTransaction.write(store)
      try expect(second, 1, 11)
      try second.write(set(2, 21))
      try second.commit()
      try expect(reader, 1, 11)
      try expect(reader, 2, 20)
      try reader.commit()
      try expect(store, [11, 21])
    },
    script("readers-do-not-wait", "Reads begin and end while a write is open, and the write goes on while they are.") {
      store in
      let writer = try ScriptedTransaction.write(store)
      var readers: [ScriptedTransaction] = []
      for step in 0..<5 {
        try writer.write { try $0.insert(Item(100 + step)) }
        readers.append(try ScriptedTransaction.read(store))
      }
      for reader in readers { try expectEqual(try reader.run { try $0.count(Item.all) }, 2) }
      try writer.commit()
      for reader in readers {
        try expectEqual(try reader.run { try $0.count(Item.all) }, 2)
        try reader.commit()
      }
      try expectEqual(try store.count(Item.all), 7)
    },
    script("states-of-each-age", "Readers of each age see each its own state.") { store in
      var readers: [ScriptedTransaction] = []
      for round in 0..<6 {
        readers.append(try ScriptedTransaction.read(store))
        try store.update(Item.self, 1) { $0.rank = round }
      }
      for (age, reader) in readers.enumerated().reversed() {
        try expect(reader, 1, age == 0 ? 10 : age - 1)
        try reader.commit()
      }
      try expect(store, [5, 20])
    },
    script("busy-then-writes", "A writer that was busy has changed nothing, and its store and thread go on.") { store in
      let first = try ScriptedTransaction.write(store)
      for _ in 0..<3 { try expectBusy(store) }
      try first.write(set(1, 11))
      try first.commit()
      try store.update(Item.self, 2) { $0.rank = 21 }
      try expect(store, [11, 21])
    },
    script("waits-for-writer", "A writer with time waits for the one before it, and sees what that did.") { store in
      let first = try ScriptedTransaction.write(store)
      try first.write(set(1, 11))
      let group = DispatchGroup()
      group.enter()
      let waiting = FirstError()
      Thread {
        waiting.note { try store.write(timeout: 8) { tx in _ = try tx.update(Item.self, 1) { $0.rank? += 1 } } }
        group.leave()
      }.start()
      try first.commit()
      group.wait()
      try waiting.rethrow()
      try expect(store, [12, 20])
    }.only(.one),
  ]
}
