import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// Writes that share no commit, notifications of shared commits, and misuse of transactions in them. See ``GroupCommitCases``.
extension GroupCommitCases {
  static let limits: [ConformanceCase] = alone + told + misuse

  // MARK: Writes that share no commit

  private static let alone: [ConformanceCase] = [
    ConformanceCase(
      "CON.group-alone", ["TXN-11", "TXN-9"],
      "A write with a commit of its own shares it with no other write, and keeps its place in the queue.",
      within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        let seen = Mutex<[[Int]]>([])
        var list = writers(7) { number, tx in
          let keys = try tx.keys(Item.all)
          seen.withLock { $0.append(keys) }
          try tx.insert(Item(number))
        }
        list[2].isAlone = true
        list[3].isAlone = true
        let waiting = try await WaitingWriters(store, list)
        let before = place.get(\.commits)
        for outcome in try await waiting.run() { try outcome.get() }
        // The one that was waited for, 0 and 1, 2, 3, and the others.
        try expectEqual(place.get(\.commits) - before, 5, "commits of seven writers, of whom two write alone")
        try expectEqual(seen.withLock { $0 }, (0..<7).map { Array(0..<$0) })
      }
    },
    ConformanceCase(
      "CON.group-schema", ["TXN-11", "SCH-2"], "A body that changes the schema is the last of its commit.",
      needs: [.schemaCreateIndex, .schemaDropIndex], within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        let waiting = try await WaitingWriters(
          store,
          writers(5) { number, tx in
            try tx.insert(Item(number, rank: number % 2))
            if number == 2 {
              let model = try tx.model(named: "Item")
              let index = try unwrap(model.indexes.first { $0.name.contains("rank") })
              try tx.apply(.dropIndex(model.id, index: index.id))
            }
            try expectEqual(try tx.count(Item.where { $0.rank == 0 }), number / 2 + 1)
          })
        for outcome in try await waiting.run() { try outcome.get() }
        try expectEqual(try keys(store, Item.where { $0.rank == 1 }), [1, 3])
        try expectEqual(place.get(\.commits), 3, "commits, of which one that changed the schema is the last")
      }
    },
    ConformanceCase(
      "CON.group-schema-first", ["TXN-11", "SCH-2"],
      "No write joins the commit of a first body that changed the schema.",
      needs: [.schemaCreateIndex, .schemaDropIndex], within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        let waiting = try await WaitingWriters(
          store,
          writers(3) { number, tx in
            if number == 0 {
              let model = try tx.model(named: "Item")
              let index = try unwrap(model.indexes.first { $0.name.contains("rank") })
              try tx.apply(.dropIndex(model.id, index: index.id))
            }
            try tx.insert(Item(number, rank: 7))
          })
        for outcome in try await waiting.run() { try outcome.get() }
        try expectEqual(try keys(store, Item.where { $0.rank == 7 }), [0, 1, 2])
        // The one that was waited for, the one that changed the schema, and one for the others.
        try expectEqual(place.get(\.commits), 3)
      }
    },
    ConformanceCase(
      "CON.group-schema-refused", ["TXN-12", "REL-9"],
      "A body that drops a model with references to it is undone by itself, as it would be in a commit of its own.",
      needs: [.schemaDropModel], requiresPersistence: true, within: .seconds(60)
    ) { kit in
      try await shared(kit, [Poem.self]) { place, store in
        let waiting = try await WaitingWriters(
          store,
          writers(3) { number, tx in
            try tx.insert(Item(number))
            if number == 1 { try tx.apply(.dropModel(try tx.model(named: "Poet").id)) }
          })
        let ended = codes(try await waiting.run())
        try expectEqual(ended, ["done", "schemaMismatch", "done"])
        try expectEqual(try keys(store), [0, 2])
        try expectEqual(try names(store), ["Item", "Poem", "Poet"])
        try expectEqual(place.get(\.commits), 3)
      }
    },
    ConformanceCase(
      "CON.group-long", ["TXN-11"], "No write joins a commit after a body that has taken long.", within: .seconds(60)
    ) { kit in
      let place = SharedCommits(try kit.makePlace())
      let store = try kit.open([Item.self], at: place)
      let waiting = try await WaitingWriters(
        store,
        writers(4) { number, tx in
          try tx.insert(Item(number))
          if number == 1 { Thread.sleep(forTimeInterval: 0.02) }
        })
      let before = place.get(\.commits)
      for outcome in try await waiting.run() { try outcome.get() }
      let count = place.get(\.commits) - before
      try expect(count >= 3, "\(count) commits of one that was waited for, and of four of which the second was long")
    },
  ]

  // MARK: Notifications

  private static let told: [ConformanceCase] = [
    ConformanceCase(
      "CON.group-told", ["TXN-13", "OBS-1", "OBS-3"],
      "Observers are notified of a shared commit once, without the undone writes.", needs: [.captureRows],
      within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        try await store.insert(contentsOf: [Item(100, rank: 1), Item(101, rank: 1)])
        let changes = Mutex<[[Int]]>([])
        let token = try store.observe(Item.all) { change in
          changes.withLock { $0.append(change.objects.map(\.id)) }
        }
        defer { token.cancel() }
        let waiting = try await WaitingWriters(
          store,
          writers(5) { number, tx in
            try tx.insert(Item(number))
            if number == 1 { try tx.delete(Item.self, 100) }
            if number == 2 {
              try tx.delete(Item.self, 101)
              throw Abandoned()
            }
          })
        let ended = codes(try await waiting.run())
        try expectEqual(ended, ["done", "done", "Abandoned", "done", "done"])
        let end = ContinuousClock.now + .seconds(20)
        while changes.withLock({ $0.last != [0, 1, 3, 4, 101] }) {
          try expect(ContinuousClock.now < end, "told of \(changes.withLock { $0 })")
          try await Task.sleep(for: .milliseconds(2))
        }
        try expectEqual(place.get(\.commits), 3)
        try expectEqual(changes.withLock { $0.count }, 2)
      }
    },
    ConformanceCase(
      "CON.group-muted", ["TXN-11", "OBS-11"],
      "A write that excludes observers shares its commit with no other write.", needs: [.captureRows],
      within: .seconds(60)
    ) { kit in
      let place = SharedCommits(try kit.makePlace())
      let store = try kit.open([Item.self], at: place)
      let told = Mutex<Set<Int>>([])
      let token = try store.observe(Item.all) { change in
        let new = change.insertions.map(\.object.id)
        told.withLock { $0.formUnion(new) }
      }
      defer { token.cancel() }
      let holder = try ScriptedTransaction.write(store)
      let others = [0, 2].map { id in
        ThreadWrite(store, timeout: 30) { try $0.insert(Item(id)) }
      }
      let muted = Task.ofCase {
        try await store.write(withoutNotifying: [token], timeout: 60) { try $0.insert(Item(1)) }
      }
      try await store.untilWaiting(3)
      try holder.commit()
      for other in others { try other.outcome(within: 20) }
      _ = try await muted.value
      let end = ContinuousClock.now + .seconds(20)
      while told.withLock({ !$0.isSuperset(of: [0, 2]) }) {
        try expect(ContinuousClock.now < end, "told of \(told.withLock { $0 })")
        try await Task.sleep(for: .milliseconds(2))
      }
      try expectEqual(told.withLock { $0 }, [0, 2])
    },
  ]

  // MARK: Misuse

  private static let misuse: [ConformanceCase] = [
    ConformanceCase(
      "CON.group-kept", ["TXN-6", "TXN-11"],
      "A transaction that a body keeps has ended for later bodies of the commit, and its calls do nothing.",
      within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        let kept = Mutex<[Kept<WriteTransaction>]>([])
        let waiting = try await WaitingWriters(
          store,
          writers(4) { number, tx in
            for old in kept.withLock({ $0 }) {
              try expectError(.transactionEnded) { try old.content.insert(Item(number + 100)) }
              try expectError(.transactionEnded) { _ = try old.content.count(Item.all) }
            }
            try tx.insert(Item(number))
            kept.withLock { $0.append(Kept(content: tx)) }
          })
        for outcome in try await waiting.run() { try outcome.get() }
        try expectEqual(try keys(store), [0, 1, 2, 3])
        try expectEqual(place.get(\.commits), 2)
      }
    },
    ConformanceCase(
      "CON.group-cursor", ["TXN-11", "STMT-8"],
      "A body that leaves a cursor open is the last of its commit; the cursor has ended.", within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        try await store.insert(contentsOf: (100..<300).map { Item($0) })
        let kept = Mutex<[Kept<ModelCursor<Item>>]>([])
        let waiting = try await WaitingWriters(
          store,
          writers(4) { number, tx in
            try tx.insert(Item(number))
            guard number == 1 else { return }
            let cursor = try tx.cursor(Item.all)
            _ = try cursor.next()
            kept.withLock { $0.append(Kept(content: cursor)) }
          })
        for outcome in try await waiting.run() { try outcome.get() }
        for cursor in kept.withLock({ $0 }) { try expectError(.transactionEnded) { _ = try cursor.content.next() } }
        try expectEqual(try keys(store, Item.where { $0.id < 100 }), [0, 1, 2, 3])
        try expectEqual(place.get(\.commits), 4, "commits, of which that of a body that left a cursor is not shared")
      }
    },
    ConformanceCase(
      "CON.group-nested", ["TXN-4", "TXN-5", "TXN-11"],
      "Writes, reads and savepoints inside a body that shares its commit join it.", within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        let waiting = try await WaitingWriters(
          store,
          writers(5) { number, tx in
            try store.write { inner in try inner.insert(Item(number)) }
            try expectEqual(try store.read { try $0.count(Item.all) }, number + 1)
            do {
              try store.write { inner in
                try inner.insert(Item(number + 50))
                throw Abandoned()
              }
            } catch is Abandoned {}
            try expectError(.reentrant) { _ = try store.freeze() }
            try expectEqual(try tx.count(Item.all), number + 1)
          })
        for outcome in try await waiting.run() { try outcome.get() }
        try expectEqual(try keys(store), Array(0..<5))
        try expectEqual(place.get(\.commits), 2)
      }
    },
  ]
}

/// Something of a transaction that is kept beyond it, against its documentation.
private struct Kept<Content>: @unchecked Sendable {
  // Unchecked: what is kept is used by one body at a time, each after the one before.
  let content: Content
}
