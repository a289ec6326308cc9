import Foundation
import QuarryBackend
import QuarryCore
import Synchronization

/// Writers that share a commit.
///
/// A body that takes long ends the sharing, and on a busy machine any may; there calls come to the line in another order
/// than they were meant to, too. So a case that has to see them share, or in their order, tries again with longer pauses, and
/// says so when it never was in two dozen times.
enum GroupCommitCases {
  static let all: [ConformanceCase] = order + undone + failures + alone + told + misuse

  private typealias Writer = WaitingWriters.Writer

  /// Threads and tasks in turn, each with its number.
  private static func writers(
    _ count: Int, _ body: @escaping @Sendable (Int, WriteTransaction) throws -> Void
  ) -> [Writer] {
    (0..<count).map { number in Writer(isTask: number % 2 == 1) { try body(number, $0) } }
  }

  /// Runs a script on new stores of items until it says that it saw what it is about.
  ///
  /// - Parameter others: Models that are there besides, and that the store is not opened for.
  private static func untilShared(
    _ kit: ConformanceContext, _ others: [any Model.Type] = [],
    _ script: (SharedCommits, Store, _ pause: Int) async throws -> Bool
  ) async throws {
    try await untilInOrder("writers that waited in one line never shared a commit") { pause in
      let place = SharedCommits(try kit.makePlace())
      if !others.isEmpty { try kit.open(others, at: place).close() }
      let store = try kit.open([Item.self], at: place)
      // That made the model.
      place.set(\.commits, 0)
      let isSeen = try await script(place, store, pause)
      try store.close()
      return isSeen
    }
  }

  /// Runs a script until its writers have come to the line in their order, and it says that it saw what it is about.
  private static func untilInOrder(
    _ failure: String = "writers never came to the line in the order of their calls",
    _ script: (_ pause: Int) async throws -> Bool
  ) async throws {
    // Longer pauses help calls that overtake each other; bodies that took long are helped by another try alone.
    for pause in [15, 15, 30, 30, 60, 60, 120, 120, 250, 250, 400, 400] + Array(repeating: 60, count: 12) {
      do {
        if try await script(pause) { return }
      } catch is WaitingWriters.OutOfOrder {}
    }
    try expect(false, failure)
  }

  // Not asynchronous, which an expectation does not take.
  private static func keys(_ store: Store, _ query: Query<Item> = Item.all) throws -> [Int] { try store.keys(query) }

  private static func names(_ store: Store) throws -> [String] { try store.models().map(\.name).sorted() }

  private static func codes(_ outcomes: [Result<Void, any Error>]) -> [String] {
    outcomes.map { outcome in
      switch outcome {
      case .success: "done"
      case .failure(let error as StorageError): "\(error.code)"
      case .failure(let error): "\(type(of: error))"
      }
    }
  }

  // MARK: Order

  private static let order: [ConformanceCase] = [
    ConformanceCase(
      "CON.group-order", ["TXN-11", "TXN-9"],
      "Threads and tasks that wait share a commit: each sees those before it, in the order of their calls.",
      // Behind that decorator seven bodies take longer than followers are let in.
      without: [.overwritten], within: .seconds(60)
    ) { kit in
      try await untilShared(kit) { place, store, pause in
        let seen = Mutex<[[Int]]>([])
        let waiting = try await WaitingWriters(
          store,
          writers(7) { number, tx in
            let keys = try tx.keys(Item.all)
            seen.withLock { $0.append(keys) }
            try tx.insert(Item(number))
          }, pause: pause)
        let before = place.get(\.commits)
        for outcome in try await waiting.run() { try outcome.get() }
        try expectEqual(try keys(store), Array(0..<7))
        // The one that was waited for, and one for all.
        return seen.withLock { $0 } == (0..<7).map { Array(0..<$0) } && place.get(\.commits) - before == 2
      }
    },
    ConformanceCase(
      "CON.group-threads", ["TXN-8", "TXN-11"],
      "Each thread runs its own body, and no body of a task, whoever begins the transaction.", within: .seconds(60)
    ) { kit in
      for tasksFirst in [false, true] {
        try await untilShared(kit) { place, store, pause in
          let ran = Mutex<[Int: Int]>([:])
          let list = (0..<6).map { number in
            // Threads behind threads, tasks behind tasks, and the one behind the other.
            Writer(isTask: ([0, 1, 3].contains(number)) == tasksFirst) { tx in
              ran.withLock { $0[number] = WaitingWriters.ofThisThread ?? -1 }
              try tx.insert(Item(number))
            }
          }
          let waiting = try await WaitingWriters(store, list, pause: pause)
          for outcome in try await waiting.run() { try outcome.get() }
          let threads = ran.withLock { ran in (0..<6).map { ran[$0] } }
          try expectEqual(threads, (0..<6).map { list[$0].isTask ? -1 : $0 })
          return place.get(\.commits) == 2
        }
      }
    },
    ConformanceCase(
      "CON.group-not-early", ["TXN-11", "ISO-2"],
      "No call returns, and nobody reads what it wrote, before the commit that it shares.", within: .seconds(60)
    ) { kit in
      try await untilShared(kit) { place, store, pause in
        let waiting = try await WaitingWriters(
          store, writers(5) { number, tx in try tx.insert(Item(number)) }, pause: pause)
        let gate = Gate()
        let isFirst = Flag()
        place.set(\.beforeCommit) {
          // The first is that of the one who was waited for.
          if !isFirst.take() { gate.hold() }
        }
        try waiting.begin()
        try await gate.reached()
        // Longer than a call that does not wait takes to return.
        try await Task.sleep(for: .milliseconds(30))
        let returned = waiting.ended.filter { $0 != nil }.count
        let read = try keys(store)
        gate.open()
        for outcome in try await waiting.all() { try outcome.get() }
        try expectEqual(try keys(store), Array(0..<5))
        try expectEqual(returned, 0, "calls that returned before the first commit after theirs")
        try expectEqual(read, [], "what was read before it was committed")
        return place.get(\.commits) == 2
      }
    },
    ConformanceCase(
      "CON.group-versions", ["TXN-13", "ISO-3"],
      "Transactions that share a commit have the version of the state before it, and it makes one.",
      within: .seconds(60)
    ) { kit in
      try await untilShared(kit) { place, store, pause in
        let before = try await store.read { try $0.version }
        let versions = Mutex<[CommitVersion]>([])
        let waiting = try await WaitingWriters(
          store,
          writers(5) { number, tx in
            let version = try tx.version
            versions.withLock { $0.append(version) }
            try tx.insert(Item(number))
            try expectEqual(try tx.version, version)
          }, pause: pause)
        for outcome in try await waiting.run() { try outcome.get() }
        let after = try await store.read { try $0.version }
        try expect(after > before, "five commits made no version")
        try expect(versions.withLock { $0.allSatisfy { $0 >= before && $0 < after } }, "a version of no state before")
        // The one that was waited for has changed nothing, and may have made a version all the same.
        return versions.withLock { $0.count == 5 && Set($0).count == 1 } && place.get(\.commits) == 2
      }
    },
    ConformanceCase(
      "CON.group-adds-up", ["TXN-11", "TXN-12", "ISO-1", "TXN-7"],
      "Many threads and tasks, of which some throw, some undo a part and some write alone, add up.",
      within: .seconds(60)
    ) { kit in
      let place = SharedCommits(try kit.makePlace())
      let store = try kit.open([Item.self], at: place)
      try await store.insert(contentsOf: [Item(1, rank: 0), Item(2, rank: 0)])
      let runs = Atomic(0)
      let body: @Sendable (Int, WriteTransaction) throws -> Void = { number, tx in
        runs.add(1, ordering: .relaxed)
        let ranks = try [1, 2].map { try tx.get(Item.self, $0)?.rank ?? 0 }
        try expectEqual(ranks[0], ranks[1], "a body saw the half of another")
        try tx.update(Item.self, 1) { $0.rank? += 1 }
        if number % 4 == 1 { throw Abandoned() }
        if number % 5 == 2 {
          do {
            try tx.savepoint {
              try tx.assign(Item.all) { $0.rank += 100 }
              throw Abandoned()
            }
          } catch is Abandoned {}
        }
        try tx.update(Item.self, 2) { $0.rank? += 1 }
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<12 {
          group.addTask {
            for round in 0..<8 {
              do {
                try await store.write(timeout: 60, alone: round == 5) { try body(task + round, $0) }
              } catch is Abandoned {}
            }
          }
        }
        try onThreads(6) { thread in
          for round in 0..<12 {
            do {
              try store.write(timeout: 60, alone: round == 7) { try body(thread + round, $0) }
            } catch is Abandoned {}
          }
        }
        try await group.waitForAll()
      }
      let tasks = (0..<12).map { task in (0..<8).filter { (task + $0) % 4 != 1 }.count }.reduce(0, +)
      let threads = (0..<6).map { thread in (0..<12).filter { (thread + $0) % 4 != 1 }.count }.reduce(0, +)
      let ranks = try await store.fetch(Item.all).map(\.rank)
      try expectEqual(ranks, [tasks + threads, tasks + threads])
      try expectEqual(runs.load(ordering: .relaxed), 12 * 8 + 6 * 12)
      try expectEqual(try keys(store, Item.where { $0.rank == tasks + threads }).count, 2)
    },
  ]

  // MARK: What is undone

  private static let undone: [ConformanceCase] = [
    ConformanceCase(
      "CON.group-undone-alone", ["TXN-12", "TXN-3"],
      "A body that throws is undone alone, with its index entries, and its call throws what it threw.",
      within: .seconds(60)
    ) { kit in
      try await untilShared(kit) { place, store, pause in
        let seen = Mutex<[[Int]]>([])
        let waiting = try await WaitingWriters(
          store,
          writers(6) { number, tx in
            let found = try tx.fetch(Item.where { $0.rank == 7 }).map(\.id)
            seen.withLock { $0.append(found) }
            try tx.insert(Item(number, code: "same \(number / 2)", rank: 7))
            if number % 2 == 0 {
              try tx.delete(Item.where { $0.rank == 7 })
              throw Abandoned()
            }
          }, pause: pause)
        let before = place.get(\.commits)
        // Each odd one has the unique value that the one before it had, which was undone.
        let ended = codes(try await waiting.run())
        try expectEqual(ended, ["Abandoned", "done", "Abandoned", "done", "Abandoned", "done"])
        try expectEqual(try keys(store, Item.where { $0.rank == 7 }), [1, 3, 5])
        try expectEqual(try keys(store, Item.where { $0.rank == 7 }).count, 3)
        let defects = store.manifest.capabilities[.check]?.isSupported == true ? try await store.check() : []
        try expectEqual(defects, [])
        // The first one is rolled back with its transaction: the next one leads.
        return seen.withLock { $0 } == [[], [], [1], [1], [1, 3], [1, 3]] && place.get(\.commits) - before == 2
      }
    },
    ConformanceCase(
      "CON.group-thrown-late", ["TXN-12", "ISO-3"],
      "Who throws hears of it when what its body saw is committed, so that it reads nothing older.",
      within: .seconds(60)
    ) { kit in
      try await untilShared(kit) { place, store, pause in
        let saw = Atomic(-1)
        let waiting = try await WaitingWriters(
          store,
          [
            Writer { try $0.insert(Item(1)) },
            Writer(isTask: pause > 100) { tx in
              saw.store(try tx.count(Item.all), ordering: .relaxed)
              throw Abandoned()
            },
            Writer { try $0.insert(Item(2)) },
          ], pause: pause)
        let reads = Atomic(-1)
        place.set(\.beforeCommit) {
          // A commit that takes its time: a call that did not wait for it would be over.
          Thread.sleep(forTimeInterval: 0.03)
        }
        try waiting.begin()
        while waiting.ended[1] == nil { try await Task.sleep(for: .milliseconds(1)) }
        reads.store(try keys(store).count, ordering: .relaxed)
        let ended = codes(try await waiting.all())
        try expectEqual(ended, ["done", "Abandoned", "done"])
        try expect(
          reads.load(ordering: .relaxed) >= saw.load(ordering: .relaxed),
          "\(saw.load(ordering: .relaxed)) objects were seen, and then \(reads.load(ordering: .relaxed)) read")
        return place.get(\.commits) == 2
      }
    },
  ]

  // MARK: What fails

  private static let failures: [ConformanceCase] = [
    ConformanceCase(
      "CON.group-commit-fails", ["TXN-12"],
      "A commit that fails is the error of every call that shares it, and nothing of any is stored.",
      within: .seconds(60)
    ) { kit in
      try await untilShared(kit) { place, store, pause in
        try await store.insert(Item(100))
        let waiting = try await WaitingWriters(
          store,
          writers(5) { number, tx in
            try tx.insert(Item(number))
            // What it saw has never been, so that what it threw is not what is told.
            if number == 3 { throw Abandoned() }
          }, pause: pause)
        let isFirst = Flag()
        place.set(\.beforeCommit) { [weak place] in
          if !isFirst.take() { place?.set(\.failsCommits, true) }
        }
        let outcomes = codes(try await waiting.run())
        let isShared = place.get(\.commits) == 3
        place.set(\.beforeCommit, nil)
        place.set(\.failsCommits, false)
        try expectEqual(
          outcomes, isShared ? Array(repeating: "io", count: 5) : ["io", "io", "io", outcomes[3], "io"])
        try expectEqual(try keys(store), [100])
        try await store.insert(Item(1))
        try expectEqual(try keys(store), [1, 100])
        return isShared
      }
    },
    ConformanceCase(
      "CON.group-engine-fails", ["TXN-12"],
      "Where a part cannot be undone all are rolled back, and every call throws the engine's error.",
      within: .seconds(60)
    ) { kit in
      try await untilShared(kit) { place, store, pause in
        let ran = Mutex<[Int]>([])
        let waiting = try await WaitingWriters(
          store,
          writers(5) { number, tx in
            ran.withLock { $0.append(number) }
            try tx.insert(Item(number))
            if number == 2 {
              place.set(\.failsUndoing, true)
              throw Abandoned()
            }
            place.set(\.failsUndoing, false)
          }, pause: pause)
        let outcomes = codes(try await waiting.run())
        place.set(\.failsUndoing, false)
        // Who had not begun has a transaction of its own.
        let isShared = place.get(\.commits) == 2
        try expectEqual(ran.withLock { $0 }.count, 5)
        if isShared {
          try expectEqual(outcomes, ["io", "io", "io", "done", "done"])
          try expectEqual(try keys(store), [3, 4])
        }
        return isShared
      }
    },
    ConformanceCase(
      "CON.group-no-savepoints", ["TXN-11", "TXN-1"],
      "Where there is no savepoint for them, those who wait have commits of their own.", within: .seconds(60)
    ) { kit in
      try await untilInOrder { pause in
        let place = SharedCommits(try kit.makePlace())
        let store = try kit.open([Item.self], at: place)
        let waiting = try await WaitingWriters(
          store, writers(4) { number, tx in try tx.insert(Item(number)) }, pause: pause)
        let before = place.get(\.commits)
        place.set(\.failsSavepoints, true)
        let ended = codes(try await waiting.run())
        try expectEqual(ended, Array(repeating: "done", count: 4))
        try expectEqual(place.get(\.commits) - before, 5)
        try expectEqual(try keys(store), [0, 1, 2, 3])
        return true
      }
    },
    ConformanceCase(
      "CON.group-savepoint-fails", ["TXN-12", "TXN-3"],
      "Where a savepoint inside a body cannot be undone nothing of the commit stays, whatever the body makes of it.",
      within: .seconds(60)
    ) { kit in
      try await untilShared(kit) { place, store, pause in
        let waiting = try await WaitingWriters(
          store,
          writers(4) { number, tx in
            try tx.insert(Item(number))
            guard number == 1 else { return }
            place.set(\.failsUndoing, true)
            defer { place.set(\.failsUndoing, false) }
            // It goes on as if nothing were wrong.
            try? tx.savepoint { throw Abandoned() }
          }, pause: pause)
        let ended = codes(try await waiting.run())
        try expectEqual(ended[1], "io")
        let isShared = ended[0] == "io"
        try expectEqual(ended, [isShared ? "io" : "done", "io", "done", "done"])
        try expectEqual(try keys(store), isShared ? [2, 3] : [0, 2, 3])
        return isShared
      }
    },
    ConformanceCase(
      "CON.group-engine-ends", ["TXN-12", "LIM-2"],
      "Where the engine ends the transaction inside a body, every call that shares it throws why.", within: .seconds(60)
    ) { kit in
      try await untilShared(kit) { place, store, pause in
        let waiting = try await WaitingWriters(
          store,
          writers(5) { number, tx in
            defer { place.set(\.insertionEnds, nil) }
            if number == 2 { place.set(\.insertionEnds, StorageError(.full, "told to be full")) }
            try tx.insert(Item(number))
          }, pause: pause)
        let ended = codes(try await waiting.run())
        try expectEqual(ended[2], "full")
        let isShared = ended[0] == "full"
        if isShared {
          try expectEqual(ended, ["full", "full", "full", "done", "done"])
          try expectEqual(try keys(store), [3, 4])
        }
        try await store.insert(Item(5))
        return isShared
      }
    },
    ConformanceCase(
      "CON.group-two-stores", ["TXN-11", "ISO-1"],
      "Who writes inside a write of another store waits for no body that waits for that.", within: .seconds(60)
    ) { kit in
      let other = try kit.store(Item.self)
      let store = try kit.open([Item.self], at: SharedCommits(try kit.makePlace()))
      let holder = try ScriptedTransaction.write(store)
      let inner = ThreadWrite(other, timeout: 30) { tx in
        try tx.insert(Item(1))
        try store.write(timeout: 30) { try $0.insert(Item(1)) }
      }
      try await Task.sleep(for: .milliseconds(60))
      let outer = ThreadWrite(store, timeout: 30) { tx in
        try tx.insert(Item(2))
        try other.write(timeout: 5) { try $0.insert(Item(2)) }
      }
      try await Task.sleep(for: .milliseconds(60))
      try holder.commit()
      try inner.outcome(within: 20, "the write inside waits for one that waits for it")
      try outer.outcome(within: 20, "the write waits for one that waits for it")
      try expectEqual(try keys(store), [1, 2])
      try expectEqual(try keys(other), [1, 2])
    },
    ConformanceCase(
      "CON.group-closed", ["TXN-11", "OPEN-3", "REENT-7"],
      "A body that closes the store ends all that share its commit, and all that wait: closed.", within: .seconds(60)
    ) { kit in
      for closer in [0, 1, 2] {
        try await untilInOrder { pause in
          let place = SharedCommits(try kit.makePlace())
          let store = try kit.open([Item.self], at: place)
          let waiting = try await WaitingWriters(
            store,
            writers(4) { number, tx in
              try tx.insert(Item(number))
              if number == closer { try store.close() }
            }, pause: pause)
          let outcomes = codes(try await waiting.run())
          // Those before it may have had a commit of their own where the machine was slow.
          try expectEqual(Array(outcomes[closer...]), Array(repeating: "closed", count: 4 - closer))
          try expect(outcomes.allSatisfy { ["done", "closed"].contains($0) }, "\(outcomes)")
          let again = try kit.open([Item.self], at: place)
          // A store that does not persist may be gone with its last closing.
          let kept = try keys(again)
          let done = outcomes.indices.filter { outcomes[$0] == "done" }
          try expectEqual(kept, kit.harness.isPersistent || !kept.isEmpty ? done : [])
          try again.close()
          return true
        }
      }
    },
    ConformanceCase(
      "CON.group-late", ["TXN-10", "TXN-8", "TXN-11"],
      "Who waits behind those that share is busy when its time is over, and is cancelled at once; neither runs.",
      within: .seconds(60)
    ) { kit in
      try await untilInOrder { pause in
        let place = SharedCommits(try kit.makePlace())
        let store = try kit.open([Item.self], at: place)
        let gate = Gate()
        let ran = Numbers()
        let waiting = try await WaitingWriters(
          store,
          [
            Writer { try $0.insert(Item(0)) },
            Writer { tx in
              gate.hold()
              try tx.insert(Item(1))
            },
            Writer(timeout: 0.5) { _ in ran.add(2) },
            Writer(isTask: true, timeout: 0.5) { _ in ran.add(3) },
            Writer(isTask: true) { try $0.insert(Item(4)) },
          ], pause: pause)
        let cancelled = Task.ofCase { try await store.write(timeout: 60) { _ in ran.add(5) } }
        try await Task.sleep(for: .milliseconds(20))
        try waiting.begin()
        try await gate.reached()
        cancelled.cancel()
        switch await cancelled.result {
        case .success: try expect(false, "a write that had to wait was done")
        case .failure(let error): try expect(error is CancellationError, "\(error)")
        }
        while waiting.ended[2] == nil || waiting.ended[3] == nil { try await Task.sleep(for: .milliseconds(5)) }
        gate.open()
        let ended = codes(try await waiting.all())
        try expectEqual(ended, ["done", "done", "busy", "busy", "done"])
        try expectEqual(ran.all, [])
        try expectEqual(try keys(store), [0, 1, 4])
        return true
      }
    },
  ]

  // MARK: Who does not share

  private static let alone: [ConformanceCase] = [
    ConformanceCase(
      "CON.group-alone", ["TXN-11", "TXN-9"],
      "Who writes alone shares with nobody, and comes in its place in the line.", within: .seconds(60)
    ) { kit in
      try await untilShared(kit) { place, store, pause in
        let seen = Mutex<[[Int]]>([])
        var list = writers(7) { number, tx in
          let keys = try tx.keys(Item.all)
          seen.withLock { $0.append(keys) }
          try tx.insert(Item(number))
        }
        list[2].isAlone = true
        list[3].isAlone = true
        let waiting = try await WaitingWriters(store, list, pause: pause)
        let before = place.get(\.commits)
        for outcome in try await waiting.run() { try outcome.get() }
        // The one that was waited for, 0 and 1, 2, 3, and the others.
        let count = place.get(\.commits) - before
        try expect(count >= 5, "\(count) commits of seven writers, of whom two write alone")
        return seen.withLock { $0 } == (0..<7).map { Array(0..<$0) } && count == 5
      }
    },
    ConformanceCase(
      "CON.group-schema", ["TXN-11", "SCH-2"], "A body that changes the schema is the last of its commit.",
      needs: [.schemaCreateIndex, .schemaDropIndex], within: .seconds(60)
    ) { kit in
      try await untilShared(kit) { place, store, pause in
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
          }, pause: pause)
        for outcome in try await waiting.run() { try outcome.get() }
        try expectEqual(try keys(store, Item.where { $0.rank == 1 }), [1, 3])
        let count = place.get(\.commits)
        try expect(count >= 3, "a schema that was changed was shared")
        return count == 3
      }
    },
    ConformanceCase(
      "CON.group-schema-refused", ["TXN-12", "REL-9"],
      "A body that drops what others refer to is undone alone, as it would be by a commit of its own.",
      needs: [.schemaDropModel], requiresPersistence: true, within: .seconds(60)
    ) { kit in
      try await untilShared(kit, [Poem.self]) { place, store, pause in
        let waiting = try await WaitingWriters(
          store,
          writers(3) { number, tx in
            try tx.insert(Item(number))
            if number == 1 { try tx.apply(.dropModel(try tx.model(named: "Poet").id)) }
          }, pause: pause)
        let ended = codes(try await waiting.run())
        try expectEqual(ended, ["done", "schemaMismatch", "done"])
        try expectEqual(try keys(store), [0, 2])
        try expectEqual(try names(store), ["Item", "Poem", "Poet"])
        return place.get(\.commits) == 3
      }
    },
    ConformanceCase(
      "CON.group-long", ["TXN-11"], "Behind a body that has taken long nobody comes in.", within: .seconds(60)
    ) { kit in
      try await untilInOrder { pause in
        let place = SharedCommits(try kit.makePlace())
        let store = try kit.open([Item.self], at: place)
        let waiting = try await WaitingWriters(
          store,
          writers(4) { number, tx in
            try tx.insert(Item(number))
            if number == 1 { Thread.sleep(forTimeInterval: 0.02) }
          }, pause: pause)
        let before = place.get(\.commits)
        for outcome in try await waiting.run() { try outcome.get() }
        let count = place.get(\.commits) - before
        try expect(count >= 3, "\(count) commits of one that was waited for, and of four of which the second was long")
        return true
      }
    },
  ]

  // MARK: Who is told

  private static let told: [ConformanceCase] = [
    ConformanceCase(
      "CON.group-told", ["TXN-13", "OBS-1", "OBS-3"],
      "Observers are told of a shared commit as of one, without what was undone.", needs: [.captureRows],
      within: .seconds(60)
    ) { kit in
      try await untilShared(kit) { place, store, pause in
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
          }, pause: pause)
        let ended = codes(try await waiting.run())
        try expectEqual(ended, ["done", "done", "Abandoned", "done", "done"])
        let end = ContinuousClock.now + .seconds(20)
        while changes.withLock({ $0.last != [0, 1, 3, 4, 101] }) {
          try expect(ContinuousClock.now < end, "told of \(changes.withLock { $0 })")
          try await Task.sleep(for: .milliseconds(2))
        }
        return place.get(\.commits) == 3 && changes.withLock { $0.count == 2 }
      }
    },
    ConformanceCase(
      "CON.group-muted", ["TXN-11", "OBS-11"],
      "A write that some are not told of shares its commit with nobody.", needs: [.captureRows], within: .seconds(60)
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
      try await Task.sleep(for: .milliseconds(60))
      try holder.commit()
      for other in others { try other.outcome(within: 20) }
      try await muted.value
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
      "A transaction that was kept is ended for those that come after it in its commit, and nothing of it is done.",
      within: .seconds(60)
    ) { kit in
      try await untilShared(kit) { place, store, pause in
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
          }, pause: pause)
        for outcome in try await waiting.run() { try outcome.get() }
        try expectEqual(try keys(store), [0, 1, 2, 3])
        return place.get(\.commits) == 2
      }
    },
    ConformanceCase(
      "CON.group-cursor", ["TXN-11", "STMT-8"],
      "A body that leaves a cursor open is the last of its commit; the cursor has ended.", within: .seconds(60)
    ) { kit in
      try await untilShared(kit) { place, store, pause in
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
          }, pause: pause)
        for outcome in try await waiting.run() { try outcome.get() }
        for cursor in kept.withLock({ $0 }) { try expectError(.transactionEnded) { _ = try cursor.content.next() } }
        try expectEqual(try keys(store, Item.where { $0.id < 100 }), [0, 1, 2, 3])
        let count = place.get(\.commits)
        try expect(count >= 4, "the commit of a body that left a cursor was shared with those behind it")
        return count == 4
      }
    },
    ConformanceCase(
      "CON.group-nested", ["TXN-4", "TXN-5", "TXN-11"],
      "Writes, reads and savepoints inside a body that shares its commit join it.", within: .seconds(60)
    ) { kit in
      try await untilShared(kit) { place, store, pause in
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
          }, pause: pause)
        for outcome in try await waiting.run() { try outcome.get() }
        try expectEqual(try keys(store), Array(0..<5))
        return place.get(\.commits) == 2
      }
    },
  ]
}

/// Something of a transaction that is kept beyond it, against its documentation.
private struct Kept<Content>: @unchecked Sendable {
  // Unchecked: what is kept is used by one body at a time, each after the one before.
  let content: Content
}

/// Numbers that several have put together.
private final class Numbers: Sendable {
  private let list = Mutex<[Int]>([])

  var all: [Int] { list.withLock { $0 } }
  func add(_ number: Int) { list.withLock { $0.append(number) } }
}

/// Is there once.
private final class Flag: Sendable {
  private let isThere = Atomic(true)

  func take() -> Bool { isThere.exchange(false, ordering: .relaxed) }
}

/// Holds threads until they may go on.
private final class Gate: Sendable {
  private let isReached = Atomic(false)
  private let isOpen = Atomic(false)

  func hold() {
    isReached.store(true, ordering: .sequentiallyConsistent)
    while !isOpen.load(ordering: .sequentiallyConsistent) { Thread.sleep(forTimeInterval: 0.001) }
  }

  /// Waits until somebody is held.
  func reached() async throws {
    while !isReached.load(ordering: .sequentiallyConsistent) { try await Task.sleep(for: .milliseconds(1)) }
  }

  func open() { isOpen.store(true, ordering: .sequentiallyConsistent) }
}
