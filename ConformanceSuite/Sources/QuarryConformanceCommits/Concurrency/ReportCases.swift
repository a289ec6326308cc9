import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// What a store reports of its transactions to the reporters of its options.
enum ReportCases {
  static let all: [ConformanceCase] = everywhere + waits.map { $0.only(.one) } + repetitions.map { $0.only(.many) }

  /// The events of transactions, in the order of their reports. A server has events of its own besides.
  private final class Reported: StoreReporter {
    private let events = Mutex<[StoreEvent]>([])

    func report(_ event: StoreEvent) {
      switch event {
      case .retried, .gaveUp, .waited(.turn, _): events.withLock { $0.append(event) }
      default: break
      }
    }

    var all: [StoreEvent] { events.withLock { $0 } }

    /// How long each wait was.
    func waits() throws -> [Double] {
      try all.map { event in
        guard case .waited(.turn, let seconds) = event else {
          throw ConformanceFailure(message: "\(event) is no wait", file: #fileID, line: #line)
        }
        return seconds
      }
    }
  }

  /// The numbers of reporters, in the order in which they were told of a wait.
  private final class Told: Sendable {
    private let list = Mutex<[Int]>([])

    var numbers: [Int] { list.withLock { $0 } }
    func add(_ number: Int) { list.withLock { $0.append(number) } }
  }

  private struct NumberedReporter: StoreReporter {
    let number: Int
    let told: Told

    func report(_ event: StoreEvent) {
      if case .waited(.turn, _) = event { told.add(number) }
    }
  }

  private static func open(_ kit: ConformanceContext, _ reporters: Reported...) throws -> Store {
    var options = OpenOptions()
    options.reporters = reporters
    options.busyTimeout = 60
    return try kit.open([Item.self], at: kit.makePlace(), options: options)
  }

  private static let everywhere: [ConformanceCase] = [
    ConformanceCase(
      "CON.report-nothing", ["TXN-15"], "Transactions that neither wait nor run again are not reported.",
      without: [.otherThread]
    ) { kit in
      let reported = Reported()
      let store = try open(kit, reported)
      try store.insert(contentsOf: [Item(1), Item(2)])
      try store.write { tx in
        try tx.update(Item.self, 1) { $0.rank = 5 }
        try? tx.savepoint {
          try tx.delete(Item.self, 2)
          throw Abandoned()
        }
      }
      try expectError(.duplicateKey) { try store.insert(Item(1)) }
      try expectAbandoned { try store.write { _ in throw Abandoned() } }
      try expectEqual(try store.read { try $0.count(Item.all) }, 2)
      try expectEqual(reported.all, [])
    }
  ]

  private static let waits: [ConformanceCase] = [
    ConformanceCase(
      "CON.report-wait", ["TXN-15", "TXN-16"], "Each write that waits for another is reported once to each reporter.",
      within: .seconds(60)
    ) { kit in
      let (first, second) = (Reported(), Reported())
      let store = try open(kit, first, second)
      let holder = try ScriptedTransaction.write(store)
      let before = store.writesThatWaited
      let thread = ThreadWrite(store, timeout: 50) { try $0.insert(Item(1)) }
      try await store.untilWaiting(before + 1)
      let task = Task.ofCase { try await store.write(timeout: 50) { tx in _ = try tx.insert(Item(2)) } }
      try await store.untilWaiting(before + 2)
      try expectEqual(first.all, [], "while they wait")
      try holder.commit()
      try thread.outcome()
      try await task.value
      let waits = try first.waits()
      try expectEqual(waits.count, 2)
      try expect(waits.allSatisfy { $0 > 0 && $0 < 50 }, "\(waits)")
      try expectEqual(second.all, first.all)
      try ThreadWrite(store) { try $0.insert(Item(3)) }.outcome()
      try expectEqual(first.all.count, 2, "after a write that has not waited")
    },
    ConformanceCase(
      "CON.report-order", ["TXN-16"], "Each event is reported to the reporters in the order of the options.",
      within: .seconds(60)
    ) { kit in
      let told = Told()
      let reporters = (0..<4).map { NumberedReporter(number: $0, told: told) }
      var options = OpenOptions()
      options.reporters = reporters
      options.busyTimeout = 60
      let store = try kit.open([Item.self], at: kit.makePlace(), options: options)
      for round in 1...3 {
        let holder = try ScriptedTransaction.write(store)
        let before = store.writesThatWaited
        let thread = ThreadWrite(store, timeout: 50) { try $0.insert(Item(round)) }
        try await store.untilWaiting(before + 1)
        try holder.commit()
        try thread.outcome()
        try expectEqual(told.numbers, (0..<round).flatMap { _ in 0..<4 }, "after \(round) waits")
      }
    },
    ConformanceCase(
      "CON.report-wait-busy", ["TXN-15", "TXN-10"], "The wait of a write that is busy is reported with its time.",
      within: .seconds(30)
    ) { kit in
      let reported = Reported()
      let store = try open(kit, reported)
      let holder = try ScriptedTransaction.write(store)
      try expectError(.busy) { try ThreadWrite(store, timeout: 0.05) { _ in }.outcome() }
      let waits = try reported.waits()
      try expect(waits.count == 1 && waits[0] >= 0.05, "\(waits)")
      try holder.commit()
    },
  ]

  private static let repetitions: [ConformanceCase] = [
    ConformanceCase(
      "CON.report-retried", ["TXN-15", "TXN-16", "TXN-7"],
      "Each repetition of a transaction is reported with the number of its run, without what was stored.",
      within: .seconds(30)
    ) { kit in
      let (first, second) = (Reported(), Reported())
      let store = try open(kit, first, second)
      try store.insert(Item(1, name: "canary"))
      var runs = 0
      try store.write { tx in
        runs += 1
        let rank = try tx.get(Item.self, 1)?.rank ?? 0
        if runs < 3 {
          let other = 10 * runs
          try ThreadWrite(store) { try $0.upsert(Item(1, rank: other, name: "canary")) }.outcome()
        }
        _ = try tx.update(Item.self, 1) { $0.rank = rank + 1 }
      }
      try expectEqual(runs, 3)
      try expectEqual(first.all, [.retried(.write, attempt: 2), .retried(.write, attempt: 3)])
      try expectEqual(second.all, first.all)
      try expect(!"\(first.all)".contains("canary"), "\(first.all)")
      try expectEqual(try store.get(Item.self, 1)?.rank, 21)
    },
    ConformanceCase(
      "CON.report-gave-up", ["TXN-15", "TXN-7"], "A transaction that conflicts and does not run again is reported.",
      within: .seconds(30)
    ) { kit in
      let reported = Reported()
      let store = try open(kit, reported)
      try store.insert(Item(1))
      try expectError(.conflict) {
        try store.write(retry: 0) { tx in
          _ = try tx.get(Item.self, 1)
          try ThreadWrite(store) { try $0.upsert(Item(1, rank: 5)) }.outcome()
          _ = try tx.update(Item.self, 1) { $0.rank = 6 }
        }
      }
      try expectEqual(reported.all, [.gaveUp(.write, attempts: 1)])
    },
  ]
}
