import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// Writers that share a commit.
///
/// A body that takes long ends the sharing, and on a busy machine any may. So these stores let others in for a minute, but for
/// the case about that.
enum GroupCommitCases {
  static let all: [ConformanceCase] = (order + undone + failures + limits).map { $0.only(.one) }

  typealias Writer = WaitingWriters.Writer

  /// Threads and tasks in turn, each with its number.
  static func writers(
    _ count: Int, _ body: @escaping @Sendable (Int, WriteTransaction) throws -> Void
  ) -> [Writer] {
    (0..<count).map { number in Writer(isTask: number % 2 == 1) { try body(number, $0) } }
  }

  /// Runs a script on a store of items, from whose opening on commits are counted, and in which none is too late to share.
  ///
  /// - Parameter others: Models that are there besides, and that the store is not opened for.
  static func shared(
    _ kit: ConformanceContext, _ others: [any Model.Type] = [],
    _ script: (SharedCommits, Store) async throws -> Void
  ) async throws {
    let place = SharedCommits(try kit.makePlace())
    if !others.isEmpty { try kit.open(others, at: place).close() }
    let store = try kit.open([Item.self], at: place)
    store.shareCommits(for: .seconds(60))
    // That made the model.
    place.set(\.commits, 0)
    try await script(place, store)
    try store.close()
  }

  // Not asynchronous, which an expectation does not take.
  static func keys(_ store: Store, _ query: Query<Item> = Item.all) throws -> [Int] { try store.keys(query) }

  static func names(_ store: Store) throws -> [String] { try store.models().map(\.name).sorted() }

  static func codes(_ outcomes: [Result<Void, any Error>]) -> [String] {
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
      without: [.overwritten], within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        let seen = Mutex<[[Int]]>([])
        let waiting = try await WaitingWriters(
          store,
          writers(7) { number, tx in
            let keys = try tx.keys(Item.all)
            seen.withLock { $0.append(keys) }
            try tx.insert(Item(number))
          })
        let before = place.get(\.commits)
        for outcome in try await waiting.run() { try outcome.get() }
        try expectEqual(try keys(store), Array(0..<7))
        try expectEqual(seen.withLock { $0 }, (0..<7).map { Array(0..<$0) })
        // The one that was waited for, and one for all.
        try expectEqual(place.get(\.commits) - before, 2)
      }
    },
    ConformanceCase(
      "CON.group-threads", ["TXN-8", "TXN-11"],
      "Each thread runs its own body and no body of a task, whichever of them begins the transaction.",
      within: .seconds(60)
    ) { kit in
      for tasksFirst in [false, true] {
        try await shared(kit) { place, store in
          let ran = Mutex<[Int: Int]>([:])
          let list = (0..<6).map { number in
            // Threads behind threads, tasks behind tasks, and the one behind the other.
            Writer(isTask: ([0, 1, 3].contains(number)) == tasksFirst) { tx in
              ran.withLock { $0[number] = WaitingWriters.ofThisThread ?? -1 }
              try tx.insert(Item(number))
            }
          }
          let waiting = try await WaitingWriters(store, list)
          for outcome in try await waiting.run() { try outcome.get() }
          let threads = ran.withLock { ran in (0..<6).map { ran[$0] } }
          try expectEqual(threads, (0..<6).map { list[$0].isTask ? -1 : $0 })
          try expectEqual(place.get(\.commits), 2)
        }
      }
    },
    ConformanceCase(
      "CON.group-not-early", ["TXN-11", "ISO-2"],
      "No call returns, and no read sees its write, before the shared commit.", within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        let waiting = try await WaitingWriters(
          store, writers(5) { number, tx in try tx.insert(Item(number)) })
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
        try expectEqual(place.get(\.commits), 2)
      }
    },
    ConformanceCase(
      "CON.group-versions", ["TXN-13", "ISO-3"],
      "Transactions that share a commit have the version of the state before it, and it makes one.",
      within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        let before = try await store.read { try $0.version }
        let versions = Mutex<[CommitVersion]>([])
        let waiting = try await WaitingWriters(
          store,
          writers(5) { number, tx in
            let version = try tx.version
            versions.withLock { $0.append(version) }
            try tx.insert(Item(number))
            try expectEqual(try tx.version, version)
          })
        for outcome in try await waiting.run() { try outcome.get() }
        let after = try await store.read { try $0.version }
        try expect(after > before, "five commits made no version")
        try expect(versions.withLock { $0.allSatisfy { $0 >= before && $0 < after } }, "a version of no state before")
        try expectEqual(versions.withLock { $0.count }, 5)
        try expectEqual(versions.withLock { Set($0).count }, 1)
        // The one that was waited for has changed nothing, and may have made a version all the same.
        try expectEqual(place.get(\.commits), 2)
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
      "A body that throws is undone by itself, with its index entries, and its call throws the error.",
      within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
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
          })
        let before = place.get(\.commits)
        // Each odd one has the unique value that the one before it had, which was undone.
        let ended = codes(try await waiting.run())
        try expectEqual(ended, ["Abandoned", "done", "Abandoned", "done", "Abandoned", "done"])
        try expectEqual(try keys(store, Item.where { $0.rank == 7 }), [1, 3, 5])
        try expectEqual(try keys(store, Item.where { $0.rank == 7 }).count, 3)
        let defects = store.manifest.capabilities[.check]?.isSupported == true ? try await store.check() : []
        try expectEqual(defects, [])
        // The first one is rolled back with its transaction: the next one leads.
        try expectEqual(seen.withLock { $0 }, [[], [], [1], [1], [1, 3], [1, 3]])
        try expectEqual(place.get(\.commits) - before, 2)
      }
    },
    ConformanceCase(
      "CON.group-thrown-late", ["TXN-12", "ISO-3"],
      "A call whose body throws returns after the shared commit, so that its caller reads nothing older.",
      within: .seconds(60)
    ) { kit in
      for isTask in [false, true] {
        try await shared(kit) { place, store in
          let saw = Atomic(-1)
          let waiting = try await WaitingWriters(
            store,
            [
              Writer { try $0.insert(Item(1)) },
              Writer(isTask: isTask) { tx in
                saw.store(try tx.count(Item.all), ordering: .relaxed)
                throw Abandoned()
              },
              Writer { try $0.insert(Item(2)) },
            ])
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
          try expectEqual(place.get(\.commits), 2)
        }
      }
    },
  ]
}
