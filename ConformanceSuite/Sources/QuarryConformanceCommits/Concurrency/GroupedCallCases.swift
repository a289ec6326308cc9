import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// Calls of a store that are one statement each and wait for another writer: what shares a commit without a savepoint, and
/// without the thread of the call.
enum GroupedCallCases {
  /// Calls wait for as long as a case has: on a busy machine those that follow take their time to come.
  private static var patient: OpenOptions {
    var options = OpenOptions()
    options.busyTimeout = 60
    return options
  }

  private enum Call: Sendable {
    case thread(@Sendable (Store) throws -> Void)
    case task(@Sendable (Store) async throws -> Void)
  }

  /// Calls behind a writer that is long.
  private struct Waiting {
    let holder: ScriptedTransaction
    private let outcomes: Outcomes

    private final class Outcomes: Sendable {
      let codes: Mutex<[String?]>
      init(_ count: Int) { codes = Mutex(Array(repeating: nil, count: count)) }

      func set(_ number: Int, _ error: (any Error)?) {
        let code = error.map { ($0 as? StorageError).map { "\($0.code)" } ?? "\(type(of: $0))" } ?? "done"
        codes.withLock { $0[number] = code }
      }
    }

    init(_ store: Store, _ calls: [Call]) async throws {
      holder = try ScriptedTransaction.write(store, alone: true)
      let before = store.writesThatWaited
      let outcomes = Outcomes(calls.count)
      self.outcomes = outcomes
      for (number, call) in calls.enumerated() {
        switch call {
        case .thread(let call):
          Thread {
            do {
              try call(store)
              outcomes.set(number, nil)
            } catch {
              outcomes.set(number, error)
            }
          }.start()
        case .task(let call):
          _ = Task.ofCase {
            do {
              try await call(store)
              outcomes.set(number, nil)
            } catch {
              outcomes.set(number, error)
            }
          }
        }
        try await store.untilWaiting(before + number + 1)
      }
    }

    /// How the calls have ended that have.
    var ended: [String?] { outcomes.codes.withLock { $0 } }

    /// How they end.
    func all() async throws -> [String] {
      let end = ContinuousClock.now + .seconds(50)
      while ended.contains(where: { $0 == nil }) {
        try expect(ContinuousClock.now < end, "calls were forgotten: \(ended)")
        try await Task.sleep(for: .milliseconds(2))
      }
      return ended.compactMap { $0 }
    }
  }

  /// Runs a script on a store whose writers share commits as long as any machine needs.
  private static func shared(
    _ kit: ConformanceContext, _ script: (SharedCommits, Store) async throws -> Void
  ) async throws {
    let place = SharedCommits(try kit.makePlace())
    let store = try kit.open([Item.self], at: place, options: patient)
    store.shareCommits(for: .seconds(60))
    try await store.insert(contentsOf: (100..<104).map { Item($0) })
    place.set(\.commits, 0)
    try await script(place, store)
    try store.close()
  }

  // Not asynchronous, which an expectation does not take.
  private static func keys(_ store: Store) throws -> [Int] { try store.keys(Item.all) }

  static let all: [ConformanceCase] = cases.map { $0.only(.one) }

  private static let cases: [ConformanceCase] = [
    ConformanceCase(
      "CON.group-calls", ["TXN-11", "TXN-12", "STMT-1"],
      "Calls of threads and tasks that wait share a commit; one that fails leaves nothing and spoils no other.",
      within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        let calls: [Call] = [
          .thread { try $0.insert(Item(1)) },
          .task { try await $0.insert(Item(2)) },
          .thread { try $0.insert(Item(100, code: "another")) },
          .task { try await $0.insert(Item(3, code: "c101")) },
          .thread { try $0.insert(Item(4, code: "c101")) },
          .thread { try expect(try !$0.upsert(Item(101, rank: 5))) },
          .task { try await $0.update(Item(999)) },
          .thread { try expect(try $0.delete(Item.self, 102)) },
          .task { try await $0.update(Item(103, rank: 6)) },
          .thread { try $0.insert(Item(5, score: .infinity)) },
        ]
        let waiting = try await Waiting(store, calls)
        try waiting.holder.commit()
        let ended = try await waiting.all()
        try expectEqual(
          ended,
          [
            "done", "done", "duplicateKey", "uniqueViolation", "uniqueViolation", "done", "notFound", "done", "done",
            "done",
          ])
        try expectEqual(try keys(store), [1, 2, 5, 100, 101, 103])
        let ranks = try await store.fetch(Item.all).map(\.rank)
        try expectEqual(ranks, [nil, nil, nil, nil, 5, 6])
        let defects = store.manifest.capabilities[.check]?.isSupported == true ? try await store.check() : []
        try expectEqual(defects, [])
        // The one that was waited for, and one for all.
        try expectEqual(place.get(\.commits), 2)
      }
    },
    ConformanceCase(
      "CON.group-calls-not-early", ["TXN-11", "TXN-12", "ISO-2"],
      "No call returns before the commit that it shares, and one that fails is the error of all.", within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        let waiting = try await Waiting(
          store,
          (1...6).map { number in
            number % 3 == 0
              ? .task { try await $0.insert(Item(number)) } : .thread { try $0.insert(Item(number)) }
          })
        let early = Mutex<[String?]>([])
        let isHolders = Atomic(true)
        place.set(\.beforeCommit) { [weak place] in
          // The first is that of the one who was waited for.
          if isHolders.exchange(false, ordering: .relaxed) { return }
          // Longer than a call that does not wait takes to return.
          Thread.sleep(forTimeInterval: 0.03)
          early.withLock { $0 += waiting.ended }
          place?.set(\.failsCommits, true)
        }
        try waiting.holder.commit()
        let ended = try await waiting.all()
        try expectEqual(place.get(\.commits), 2)
        place.set(\.beforeCommit, nil)
        place.set(\.failsCommits, false)
        try expectEqual(ended, Array(repeating: "io", count: 6))
        try expectEqual(early.withLock { $0 }.compactMap(\.self), [], "calls that returned early")
        try expectEqual(try keys(store), [100, 101, 102, 103])
        try await store.insert(Item(1))
        try expectEqual(try keys(store), [1, 100, 101, 102, 103])
      }
    },
    ConformanceCase(
      "CON.group-calls-engine-ends", ["TXN-12", "LIM-2"],
      "If the engine ends the transaction inside a call, every call that shares it throws the engine's error.",
      within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        let waiting = try await Waiting(
          store,
          [
            .thread { store in
              try store.write { tx in
                try tx.insert(Item(1))
                place.set(\.insertionEnds, StorageError(.full, "told to be full"))
              }
            },
            .thread { try $0.insert(Item(2)) },
            .task { try await $0.insert(Item(3)) },
          ])
        try waiting.holder.commit()
        let ended = try await waiting.all()
        place.set(\.insertionEnds, nil)
        try expectEqual(ended, ["full", "full", "full"])
        try expectEqual(try keys(store), [100, 101, 102, 103])
        try await store.insert(Item(4))
      }
    },
    ConformanceCase(
      "CON.group-calls-coding", ["REENT-4", "TXN-11"],
      "While a call waits, too, the code that writes its row makes no calls of the store's transactions.",
      within: .seconds(60)
    ) { kit in
      let place = SharedCommits(try kit.makePlace())
      let store = try kit.open([Item.self, Meddler.self], at: place, options: patient)
      let codes = Mutex<[String]>([])
      let probe = Probe {
        func note(_ body: () throws -> Void) {
          let code: String
          do {
            try body()
            code = "done"
          } catch {
            code = (error as? StorageError).map { "\($0.code)" } ?? "\(error)"
          }
          codes.withLock { $0.append(code) }
        }
        note { try store.read { _ in } }
        note { try store.write { _ in } }
        note { try store.insert(Item(1)) }
        note { _ = try store.freeze() }
      }
      let waiting = try await Waiting(
        store, [.thread { store in try Meddler.$probe.withValue((.writing, probe)) { try store.insert(Meddler(1)) } }],
      )
      try waiting.holder.commit()
      let ended = try await waiting.all()
      try expectEqual(ended, ["done"])
      try expectEqual(codes.withLock { $0 }, Array(repeating: "reentrant", count: 4))
      let found = try await store.fetch(Meddler.all)
      try expectEqual(found, [Meddler(1)])
      try expectEqual(try keys(store), [])
      try store.close()
    },
    ConformanceCase(
      "CON.group-calls-closed", ["TXN-9"], "Calls that wait end when the store is closed.", within: .seconds(60)
    ) { kit in
      let place = SharedCommits(try kit.makePlace())
      let store = try kit.open([Item.self], at: place, options: patient)
      let waiting = try await Waiting(
        store, [.thread { try $0.insert(Item(1)) }, .task { try await $0.insert(Item(2)) }])
      try store.close()
      let ended = try await waiting.all()
      try expectEqual(ended, ["closed", "closed"])
      _ = try? waiting.holder.commit()
    },
  ]
}
