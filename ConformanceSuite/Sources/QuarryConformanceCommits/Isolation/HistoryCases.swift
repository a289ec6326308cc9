import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// Random transactions of several clients over lists, whose history a checker looks at for cycles, and programs whose
/// sums show a state that never was.
enum HistoryCases {
  static let all: [ConformanceCase] =
    (0..<8).map { history($0, .calls) } + (0..<4).map { history($0, .asynchronous) } + [longFork, bank, bankRolledBack]

  private enum Style: String {
    case calls, asynchronous
  }

  private static let workload = HistoryWorkload(keys: 0..<4)

  private static func history(_ number: Int, _ style: Style) -> ConformanceCase {
    ConformanceCase(
      "ISO.history-\(style.rawValue)-\(number)", ["ISO-1", "ISO-2", "TXN-1", "TXN-3", "SNAP-1"],
      "Random appends and reads of five clients have one order that explains them all, the order of time kept.",
      needs: [.savepoints, .snapshots], within: .seconds(30)
    ) { kit in
      let store = try kit.store(Plain.self)
      try await store.insert(contentsOf: workload.keys.map { Plain($0) })
      let recorder = HistoryRecorder()
      var random = kit.random(number)
      var lastValue = 0
      let plans = (0..<5).map { _ in
        (0..<16).map { _ in
          HistoryWorkload.Plan(workload.keys, &random) {
            lastValue += 1
            return lastValue
          }
        }
      }
      switch style {
      case .calls:
        try onThreads(plans.count) { client in
          for plan in plans[client] { try workload.run(plan, store, client, recorder) }
        }
      case .asynchronous:
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (client, plans) in plans.enumerated() {
            group.addTask {
              for plan in plans { try await runAsynchronously(plan, store, client, recorder) }
            }
          }
          try await group.waitForAll()
        }
      }
      // A last look at every list, after everything.
      try workload.readAll(store, recorder)
      let anomalies = HistoryChecker.anomalies(recorder.history)
      try expect(anomalies.isEmpty, anomalies.prefix(3).map(\.description).joined(separator: "\n"))
    }
  }

  private static func runAsynchronously(
    _ plan: HistoryWorkload.Plan, _ store: Store, _ client: Int, _ recorder: HistoryRecorder
  ) async throws {
    let begin = recorder.tick()
    do {
      let outcome: HistoryWorkload.Outcome
      if plan.isWrite {
        outcome = try await store.write(timeout: 30) { tx in
          let outcome = try workload.execute(plan, tx)
          if plan.isAbandoned { throw Abandoned() }
          return outcome
        }
      } else {
        outcome = try await store.read { try workload.execute(plan, $0) }
      }
      let end = recorder.tick()
      recorder.add(.init(client: client, begin: begin, end: end, outcome.done))
      if !outcome.undone.isEmpty {
        recorder.add(.init(client: client, begin: begin, end: end, isCommitted: false, outcome.undone))
      }
    } catch is Abandoned {
      let appends = plan.steps.compactMap { step -> History.Operation? in
        switch step {
        case .append(let key, let value), .undone(let key, let value): .append(key: key, value: value)
        case .read: nil
        }
      }
      recorder.add(.init(client: client, begin: begin, end: recorder.tick(), isCommitted: false, appends))
    }
  }

  // MARK: Programs

  private static let longFork = ConformanceCase(
    "ISO.long-fork", ["ISO-1", "ISO-2"], "No two readers see two writes of different objects in different orders."
  ) { kit in
    let store = try kit.store(Item.self)
    try store.insert(contentsOf: [Item(0, rank: 0), Item(1, rank: 0)])
    let seen = Mutex<[[Int]]>([])
    try onThreads(5) { thread in
      for round in 1...20 {
        if thread < 2 {
          try store.update(Item.self, thread) { $0.rank = round }
        } else {
          let ranks = try store.read { tx in
            // Each reader asks in an order of its own.
            let ids = thread % 2 == 0 ? [0, 1] : [1, 0]
            let values = try ids.map { (id: $0, rank: try tx.get(Item.self, $0)?.rank ?? -1) }
            return values.sorted { $0.id < $1.id }.map(\.rank)
          }
          seen.withLock { $0.append(ranks) }
        }
      }
    }
    // States of one line: of two, one is not behind the other in any object.
    let sorted = seen.withLock { $0 }.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) }
    for (first, second) in zip(sorted, sorted.dropFirst()) {
      try expect(first[1] <= second[1], "one reader saw \(first), another \(second)")
    }
  }

  private static func moves(_ kit: ConformanceContext, abandonsSome: Bool) throws {
    let store = try kit.store(Item.self)
    try store.insert(contentsOf: (0..<8).map { Item($0, rank: 100) })
    try onThreads(6) { thread in
      var random = kit.random(thread)
      for _ in 0..<25 {
        guard thread < 3 else {
          let (sum, count) = try store.read { tx in (try tx.sum(Item.all, of: \.rank), try tx.count(Item.all)) }
          try expectEqual(sum, 800)
          try expectEqual(count, 8)
          continue
        }
        let (from, to) = (Int.random(in: 0..<8, using: &random), Int.random(in: 0..<8, using: &random))
        let isAbandoned = abandonsSome && Bool.random(using: &random)
        do {
          try store.write { tx in
            try tx.assign(Item.where { $0.id == from }) { $0.rank -= 7 }
            if isAbandoned { throw Abandoned() }
            try tx.assign(Item.where { $0.id == to }) { $0.rank += 7 }
          }
        } catch is Abandoned {}
      }
    }
    try expectEqual(try store.read { try $0.sum(Item.all, of: \.rank) }, 800)
  }

  private static let bank = ConformanceCase(
    "ISO.bank-sums", ["ISO-1", "ISO-2"], "A sum that every write keeps is the same in every read."
  ) { kit in
    try moves(kit, abandonsSome: false)
  }

  private static let bankRolledBack = ConformanceCase(
    "ISO.bank-rolled-back", ["ISO-1", "ISO-2", "TXN-1"], "Nor do writes that are rolled back halfway show in a sum."
  ) { kit in
    try moves(kit, abandonsSome: true)
  }
}
