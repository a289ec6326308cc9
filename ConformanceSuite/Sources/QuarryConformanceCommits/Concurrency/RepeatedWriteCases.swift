import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// Writes whose commits meet conflicts, on every engine: the conflicts are those of a ``ConflictingPlace``.
enum RepeatedWriteCases {
  static let all: [ConformanceCase] = repetitions + ends

  /// The events of repetitions, and what is done when one is reported.
  private final class Repetitions: StoreReporter {
    private let events = Mutex<[StoreEvent]>([])
    private let action = Mutex<(@Sendable (Int) -> Void)?>(nil)

    func report(_ event: StoreEvent) {
      switch event {
      case .retried(_, let attempt):
        events.withLock { $0.append(event) }
        action.withLock { $0 }?(attempt)
      case .gaveUp: events.withLock { $0.append(event) }
      default: break
      }
    }

    func whenRepeated(_ body: @escaping @Sendable (Int) -> Void) { action.withLock { $0 = body } }

    /// The events since the last call.
    func taken() -> [StoreEvent] {
      events.withLock { events in
        defer { events = [] }
        return events
      }
    }
  }

  /// A store of two items whose commits conflict on request.
  private struct Stage {
    let place: ConflictingPlace
    let reported = Repetitions()
    let store: Store

    init(_ kit: ConformanceContext) throws {
      var options = OpenOptions()
      options.reporters = [reported]
      options.busyTimeout = 30
      place = ConflictingPlace(try kit.makePlace())
      store = try kit.open([Item.self], at: place, options: options)
      try store.insert(contentsOf: [Item(1, rank: 10), Item(2, rank: 20)])
    }
  }

  private static func repeated(
    _ name: String, _ clauses: [String], _ summary: String, line: Int = #line,
    _ body: @escaping @Sendable (ConflictingPlace, Store, Repetitions) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("CON.repeated-\(name)", clauses, summary, within: .seconds(30), line: line) { kit in
      let stage = try Stage(kit)
      try body(stage.place, stage.store, stage.reported)
    }
  }

  private static let repetitions: [ConformanceCase] = [
    repeated(
      "commit", ["TXN-7", "TXN-15"],
      "A write whose commit meets conflicts runs again, is stored once, and each further run is reported by its number."
    ) { place, store, reported in
      place.conflict(2)
      var runs = 0
      try store.write { tx in
        runs += 1
        try tx.update(Item.self, 1) { $0.rank? += 1 }
      }
      try expectEqual(runs, 3)
      try expectEqual(try store.get(Item.self, 1)?.rank, 11)
      try expectEqual(reported.taken(), [.retried(.write, attempt: 2), .retried(.write, attempt: 3)])
    },
    ConformanceCase(
      "CON.repeated-task", ["TXN-7", "TXN-8", "TXN-15"], "A task whose commit meets a conflict runs its body again.",
      within: .seconds(30)
    ) { kit in
      let stage = try Stage(kit)
      stage.place.conflict(1)
      let runs = Atomic(0)
      try await stage.store.write { tx in
        runs.add(1, ordering: .relaxed)
        _ = try tx.update(Item.self, 1) { $0.rank? += 1 }
      }
      try expectEqual(runs.load(ordering: .relaxed), 2)
      let rank = try await stage.store.get(Item.self, 1)?.rank
      try expectEqual(rank, 11)
      try expectEqual(stage.reported.taken(), [.retried(.write, attempt: 2)])
    },
    repeated(
      "limit", ["TXN-7", "TXN-15"],
      "A write is repeated as often as it may be, and then throws the conflict, which is reported, and stores nothing."
    ) { place, store, reported in
      for retries in 0...2 {
        for isStored in [false, true] {
          place.conflict(isStored ? retries : retries + 1)
          var runs = 0
          let write = {
            try store.write(retry: retries) { tx in
              runs += 1
              try tx.insert(Item(100 + retries))
            }
          }
          if isStored { try write() } else { try expectError(.conflict, "\(retries) repetitions", write) }
          try expectEqual(runs, retries + 1)
          try expectEqual(place.left, 0)
          try expectEqual(try store.exists(Item.self, 100 + retries), isStored)
          let repeated = (0..<retries).map { StoreEvent.retried(.write, attempt: $0 + 2) }
          try expectEqual(reported.taken(), repeated + (isStored ? [] : [.gaveUp(.write, attempts: retries + 1)]))
        }
      }
    },
    repeated(
      "call", ["TXN-7", "STMT-1"],
      "A call that meets a conflict is made again with its collection; one whose sequence is read once is not."
    ) { place, store, reported in
      place.conflict(1)
      try store.insert(contentsOf: [Item(3), Item(4)])
      place.conflict(1)
      try expectEqual(try store.upsert(contentsOf: [Item(4, rank: 40), Item(5)]), 1)
      try expectEqual(place.left, 0)
      try expectEqual(try store.keys(Item.all), [1, 2, 3, 4, 5])
      for verb in ["insert", "upsert"] {
        place.conflict(1)
        var elements = [Item(8), Item(7), Item(6)]
        let once = AnyIterator<Item> { elements.popLast() }
        try expectError(.conflict, verb) {
          if verb == "insert" { try store.insert(contentsOf: once) } else { _ = try store.upsert(contentsOf: once) }
        }
        try expectEqual(elements, [], verb)
        try expectEqual(place.left, 0, verb)
        try expectEqual(try store.keys(Item.all), [1, 2, 3, 4, 5], verb)
      }
      // What has read nothing can be told again.
      try store.insert(contentsOf: AnyIterator<Item> { nil })
    },
  ]

  private static let ends: [ConformanceCase] = [
    repeated(
      "closed", ["TXN-7", "TXN-9", "OPEN-3"],
      "A write that is to run again when its store is closed is closed at once, also while another one is open."
    ) { place, store, reported in
      let gate = Gate()
      defer { gate.open() }
      let isFirst = Flag()
      let other = Mutex<ThreadWrite?>(nil)
      // Each of the two conflicts until it is to run after all others, of which the second one is then the last.
      place.conflict(6)
      reported.whenRepeated { attempt in
        guard attempt == 4, isFirst.take() else { return }
        let runs = Atomic(0)
        let second = ThreadWrite(store, timeout: 25) { _ in
          if runs.add(1, ordering: .relaxed).newValue == 4 { gate.hold() }
        }
        other.withLock { $0 = second }
        gate.waitUntilHeld()
        try? store.close()
      }
      let first = ThreadWrite(store, timeout: 25) { _ in }
      try expectError(.closed) { try first.outcome(within: 10, "a write waits for its turn in a store that is closed") }
      gate.open()
      _ = try? other.withLock { $0 }?.outcome(within: 10)
      try expectEqual(place.left, 0)
    }
  ]
}
