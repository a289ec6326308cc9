import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// Writers that wait for another: threads and tasks in one line.
///
/// Who holds the store ends only when the case has heard what it waits for, so that no case depends on how quick the
/// machine is.
enum WaitingCases {
  static let all: [ConformanceCase] = order + (time + endings).map { $0.only(.one) }

  /// Something that is there as long as a body that refers to it.
  private final class Token: Sendable {}

  private static func task(
    _ store: Store, timeout: Double? = nil, _ body: @escaping @Sendable (WriteTransaction) throws -> Void
  ) -> Task<Void, any Error> {
    Task.ofCase { try await store.write(timeout: timeout) { try body($0) } }
  }

  /// What a task threw.
  private static func failure(_ task: Task<Void, any Error>) async throws -> any Error {
    switch await task.result {
    case .success: throw ConformanceFailure(message: "a write that had to wait was done", file: #fileID, line: #line)
    case .failure(let error): return error
    }
  }

  private static func expectFailure(_ code: StorageError.Code, _ task: Task<Void, any Error>) async throws {
    let error = try await failure(task)
    try expectEqual((error as? StorageError)?.code, code, "\(error)")
  }

  // MARK: Order

  private static let order: [ConformanceCase] = [
    ConformanceCase(
      "CON.wait-order", ["TXN-9", "ISO-1"], "Threads and tasks that wait write in the order of their calls.",
      within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      let seen = Mutex<[Int]>([])
      let holder = try ScriptedTransaction.write(store)
      var threads: [ThreadWrite] = []
      var tasks: [Task<Void, any Error>] = []
      let before = store.writesThatWaited
      for number in 0..<6 {
        let body: @Sendable (WriteTransaction) throws -> Void = { tx in
          seen.withLock { $0.append(number) }
          try tx.insert(Item(number))
        }
        if number % 2 == 0 {
          threads.append(ThreadWrite(store, timeout: 30, body))
        } else {
          tasks.append(task(store, timeout: 30, body))
        }
        try await store.untilWaiting(before + number + 1)
      }
      try holder.commit()
      for thread in threads { try thread.outcome() }
      for task in tasks { try await task.value }
      try expectEqual(seen.withLock { $0 }, Array(0..<6))
    }.only(.one),
    ConformanceCase(
      "CON.wait-pool", ["TXN-8", "CRUD-14"],
      "Tasks that wait, in whatever call of a store, keep no thread from other tasks.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      let holder = try ScriptedTransaction.write(store)
      // More than a machine has processors; this task, too, goes on only if they hold none of them.
      let tasks = (0..<200).map { number in
        Task.ofCase {
          switch number % 4 {
          case 0: try await store.insert(Item(number))
          case 1: try await store.insert(contentsOf: [Item(number)])
          case 2: try await store.upsert(Item(number))
          default: _ = try await store.getOrInsert(Item(number))
          }
        }
      }
      try await Task.sleep(for: .milliseconds(50))
      try await Task.ofCase {}.value
      try holder.commit()
      for task in tasks { try await task.value }
      let count = try await store.count(Item.all)
      try expectEqual(count, 200)
    },
    ConformanceCase(
      "CON.wait-nobody", ["TXN-9", "TXN-10"],
      "A write without time to wait is done when no other write is open, in threads and tasks."
    ) { kit in
      let store = try kit.store(Item.self)
      for round in 0..<20 {
        try await store.write(timeout: 0) { try $0.insert(Item(round * 2)) }
        try ThreadWrite(store, timeout: 0) { try $0.insert(Item(round * 2 + 1)) }.outcome()
      }
      let count = try await store.read { try $0.count(Item.all) }
      try expectEqual(count, 40)
    },
  ]

  // MARK: Time

  private static let time: [ConformanceCase] = [
    ConformanceCase(
      "CON.wait-busy-task", ["TXN-10", "ISO-1"], "A task whose time is over is busy while another write is open.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      let runs = Atomic(0)
      let holder = try ScriptedTransaction.write(store)
      let none = task(store, timeout: 0) { _ in runs.add(1, ordering: .relaxed) }
      try await expectFailure(.busy, none)
      let short = task(store, timeout: 0.05) { _ in runs.add(1, ordering: .relaxed) }
      try await expectFailure(.busy, short)
      try holder.commit()
      try await store.write { try $0.insert(Item(1)) }
      try expectEqual(runs.load(ordering: .relaxed), 0)
    },
    ConformanceCase(
      "CON.wait-busy-behind", ["TXN-10", "ISO-1"],
      "The time counts from the call, also behind others that wait longer, of threads and tasks.", within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      let runs = Atomic(0)
      let holder = try ScriptedTransaction.write(store)
      let patient = (0..<4).map { number in
        task(store, timeout: 60) { try $0.insert(Item(number)) }
      }
      let thread = ThreadWrite(store, timeout: 60) { try $0.insert(Item(4)) }
      // Behind these, if they came first; with nothing of the kind in front otherwise, which is the easier case.
      try await Task.sleep(for: .milliseconds(50))
      let late = ThreadWrite(store, timeout: 0.1) { _ in runs.add(1, ordering: .relaxed) }
      let lateTask = task(store, timeout: 0.1) { _ in runs.add(1, ordering: .relaxed) }
      try expectError(.busy) { try late.outcome() }
      try await expectFailure(.busy, lateTask)
      try holder.commit()
      for task in patient { try await task.value }
      try thread.outcome()
      try expectEqual(runs.load(ordering: .relaxed), 0)
      let keys = try await store.read { try $0.keys(Item.all) }
      try expectEqual(keys, [0, 1, 2, 3, 4])
    },
    ConformanceCase(
      "CON.wait-own-timeout", ["TXN-10", "ISO-1"], "Threads and tasks wait as long as the store was opened to.",
      within: .seconds(30)
    ) { kit in
      var options = OpenOptions()
      options.busyTimeout = 0.1
      let store = try kit.open([Item.self], at: kit.makePlace(), options: options)
      let holder = try ScriptedTransaction.write(store)
      let thread = ThreadWrite(store) { try $0.insert(Item(1)) }
      let waiting = task(store) { try $0.insert(Item(2)) }
      try expectError(.busy) { try thread.outcome() }
      try await expectFailure(.busy, waiting)
      // Who says otherwise waits otherwise.
      let patient = task(store, timeout: 30) { try $0.insert(Item(3)) }
      try await Task.sleep(for: .milliseconds(300))
      try holder.commit()
      try await patient.value
      let keys = try await store.read { try $0.keys(Item.all) }
      try expectEqual(keys, [3])
    },
  ]

  // MARK: Ends of a wait

  private static let endings: [ConformanceCase] = [
    ConformanceCase(
      "CON.wait-cancelled", ["TXN-8"],
      "A task that is cancelled while it waits ends at once, and its body never runs.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      let runs = Atomic(0)
      let holder = try ScriptedTransaction.write(store)
      for pause in [0, 0, 20, 100] {
        let waiting = task(store, timeout: 60) { _ in runs.add(1, ordering: .relaxed) }
        try await Task.sleep(for: .milliseconds(pause))
        waiting.cancel()
        // The other still writes.
        let error = try await failure(waiting)
        try expect(error is CancellationError, "\(error)")
      }
      try holder.commit()
      try await store.write { try $0.insert(Item(1)) }
      try expectEqual(runs.load(ordering: .relaxed), 0)
      let count = try await store.read { try $0.count(Item.all) }
      try expectEqual(count, 1)
    },
    ConformanceCase(
      "CON.wait-cancelled-between", ["TXN-8", "TXN-9"], "A writer behind a cancelled task has its turn.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      let holder = try ScriptedTransaction.write(store)
      let tasks = (0..<30).map { number in task(store, timeout: 60) { try $0.insert(Item(number)) } }
      let thread = ThreadWrite(store, timeout: 60) { try $0.insert(Item(100)) }
      for (number, task) in tasks.enumerated() where number % 3 != 0 { task.cancel() }
      for (number, task) in tasks.enumerated() where number % 3 != 0 {
        let error = try await failure(task)
        try expect(error is CancellationError, "\(error)")
      }
      try holder.commit()
      for (number, task) in tasks.enumerated() where number % 3 == 0 { try await task.value }
      try thread.outcome()
      let keys = try await store.read { try $0.keys(Item.all) }
      try expectEqual(keys, (0..<30).filter { $0 % 3 == 0 } + [100])
    },
    ConformanceCase(
      "CON.wait-closed", ["TXN-9", "OPEN-3"],
      "Threads and tasks that wait when their store is closed are closed at once.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      let runs = Atomic(0)
      let holder = try ScriptedTransaction.write(store)
      let threads = (0..<2).map { _ in ThreadWrite(store, timeout: 60) { _ in runs.add(1, ordering: .relaxed) } }
      let tasks = (0..<2).map { _ in task(store, timeout: 60) { _ in runs.add(1, ordering: .relaxed) } }
      try await Task.sleep(for: .milliseconds(50))
      try store.close()
      // The other has not ended.
      for thread in threads { try expectError(.closed) { try thread.outcome() } }
      for task in tasks { try await expectFailure(.closed, task) }
      holder.abort()
      try expectEqual(runs.load(ordering: .relaxed), 0)
    },
    ConformanceCase(
      "CON.wait-released", ["TXN-8", "TXN-10"], "The captured values of a body that never began are released.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      let holder = try ScriptedTransaction.write(store)
      var token: Token? = Token()
      weak let held = token
      do {
        let tasks = [0.02, 60].map { seconds in
          task(store, timeout: seconds) { [token] _ in withExtendedLifetime(token) {} }
        }
        try await expectFailure(.busy, tasks[0])
        tasks[1].cancel()
        _ = try await failure(tasks[1])
      }
      token = nil
      // A task that has ended is let go of by its executor in its own time; the other still writes.
      for _ in 0..<500 where held != nil { try await Task.sleep(for: .milliseconds(10)) }
      try expect(held == nil, "a body that never ran is still held")
      try holder.commit()
    },
    ConformanceCase(
      "CON.wait-after-throw", ["TXN-9", "TXN-1"], "A writer behind a write that throws has its turn.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      let holder = try ScriptedTransaction.write(store)
      let failing = task(store, timeout: 60) { tx in
        try tx.insert(Item(1))
        throw Abandoned()
      }
      let thread = ThreadWrite(store, timeout: 60) { try $0.insert(Item(2)) }
      let waiting = task(store, timeout: 60) { try $0.insert(Item(3)) }
      holder.abort()
      let error = try await failure(failing)
      try expect(error is Abandoned, "\(error)")
      try thread.outcome()
      try await waiting.value
      let keys = try await store.read { try $0.keys(Item.all) }
      try expectEqual(keys, [2, 3])
    },
  ]
}
