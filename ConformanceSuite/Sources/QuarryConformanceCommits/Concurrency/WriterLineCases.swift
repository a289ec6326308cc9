import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// Writers that wait for one another: one is in at a time, and each comes in, however the one before it ends.
enum WriterLineCases {
  /// Counts who is inside, and fails when it is not one.
  private final class Door: Sendable {
    private let inside = Atomic(0)
    private let passed = Atomic(0)

    var count: Int { passed.load(ordering: .relaxed) }

    func pass(_ about: String) throws {
      let others = inside.add(1, ordering: .sequentiallyConsistent).oldValue
      Thread.sleep(forTimeInterval: 0.0005)
      inside.subtract(1, ordering: .sequentiallyConsistent)
      passed.add(1, ordering: .relaxed)
      try expectEqual(others, 0, about)
    }
  }

  /// Lets three writers wait behind one that ends so, and a fourth for a short time.
  private static func waited(_ store: Store, _ ends: String) throws {
    let first = try ScriptedTransaction.write(store)
    let door = Door()
    let writers = (0..<3).map { _ in ThreadWrite(store, timeout: 30) { _ in try door.pass(ends) } }
    let late = ThreadWrite(store, timeout: 0.05) { _ in }
    Thread.sleep(forTimeInterval: 0.15)
    try expectEqual(door.count, 0, "a writer came in beside the one that \(ends)")
    if ends == "commits" { try first.commit() } else { first.abort() }
    for writer in writers { try writer.outcome(within: 20, "a writer was forgotten when the first one \(ends)") }
    try expectError(.busy) { try late.outcome(within: 20, "a writer was forgotten when the first one \(ends)") }
    try expectEqual(door.count, 3, ends)
  }

  static let all: [ConformanceCase] = cases.map { $0.only(.one) }

  private static let cases: [ConformanceCase] = [
    ConformanceCase(
      "CON.writers-in-line", ["ISO-1", "TXN-1"],
      "Of three writers, one writes at a time, and the next begins when it commits, rolls back or fails.",
      within: .seconds(60)
    ) { kit in
      let store = try kit.store(Numbered.self)
      let door = Door()
      try onThreads(3) { thread in
        for round in 0..<40 {
          let id = thread * 1000 + round
          do {
            try store.write(timeout: 30) { tx in
              try door.pass("thread \(thread), round \(round)")
              let before = try tx.count(Numbered.all)
              try tx.insert(Numbered(id: id, number: id))
              try expectEqual(try tx.count(Numbered.all), before + 1, "another writer wrote inside")
              if round % 3 == 1 { throw Abandoned() }
            }
          } catch is Abandoned {}
        }
      }
      try expectEqual(door.count, 120)
      try expectEqual(
        try store.keys(Numbered.all),
        (0..<3).flatMap { thread in (0..<40).filter { $0 % 3 != 1 }.map { thread * 1000 + $0 } })
    },
    ConformanceCase(
      "CON.writers-wait", ["ISO-1"],
      "Writers that wait behind a long write all run after it, and a writer whose time is over is busy.",
      within: .seconds(60)
    ) { kit in
      let store = try kit.store(Numbered.self)
      for ends in ["commits", "rolls back"] { try waited(store, ends) }
      try store.insert(Numbered(id: 1, number: 1))
    },
  ]
}
