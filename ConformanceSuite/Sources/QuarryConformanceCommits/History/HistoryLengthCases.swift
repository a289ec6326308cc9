import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Long change sets, many of them, and the bounds of a log.
enum HistoryLengthCases {
  private static func history(
    _ name: String, _ clauses: [String], _ summary: String, _ option: HistoryOption = .on(keeping: .forever),
    without: Set<ConformanceVariant> = [], _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("HIST.\(name)", clauses, summary, without: without, within: .seconds(60)) { kit in
      try body(try HistoryScene.store(kit, option))
    }
  }

  private static func poets(_ ids: ClosedRange<Int>, bytes: Int) -> [Poet] {
    ids.map { Poet($0, String(repeating: "x", count: bytes)) }
  }

  /// Inserts 20 poets of 50,000 bytes in each of some calls.
  private static func insertMegabytes(_ calls: Int, _ tx: WriteTransaction) throws {
    for part in 0..<calls { try tx.insert(contentsOf: poets((100 + 20 * part)...(119 + 20 * part), bytes: 50_000)) }
  }

  /// Cases that write megabytes run once for each engine.
  private static let long: [ConformanceCase] = [
    history(
      "long-write", ["HIST-3", "HIST-6", "HIST-12"], "A write of many megabytes is one change set.",
      without: ConformanceVariant.allButFresh
    ) { store in
      let before = try HistoryScene.content(store)
      let start = try store.history.newest
      try store.write { tx in
        try insertMegabytes(6, tx)
        try tx.update(Poet.self, 1) { $0.name = "other" }
      }
      let sets = try store.history(after: start)
      try expectEqual(sets.count, 1)
      try HistoryScene.expectRecorded(try unwrap(sets.first), before, try HistoryScene.content(store))
      try store.undo(sets[0])
      try expectEqual(try HistoryScene.content(store), before)
      try expectEqual(try store.check(), [])
    },
    history(
      "long-write-ends", ["HIST-3", "HIST-6"], "A long write whose last call changes nothing ends its change set.",
      without: ConformanceVariant.allButFresh
    ) { store in
      let start = try store.history.newest
      try store.write { tx in
        try insertMegabytes(5, tx)
        try tx.delete(Poet.self, 999)
      }
      try store.insert(Poet(500, "next"))
      let sets = try store.history(after: start)
      try expectEqual(try sets.map { try $0.changes(in: "Poet").count }, [100, 1])
    },
    history(
      "long-savepoint", ["HIST-3"], "What a long savepoint wrote and undid is not in the change set.",
      without: ConformanceVariant.allButFresh
    ) { store in
      let start = try store.history.newest
      try store.write { tx in
        try tx.insert(Poet(50, "before"))
        try tx.undoing {
          // Parts are recorded before a call that finds more than four megabytes.
          try insertMegabytes(7, tx)
        }
        try tx.insert(Poet(51, "after"))
      }
      let sets = try store.history(after: start)
      try expectEqual(try sets.map { try $0.changes(in: "Poet").map(\.key) }, [[50, 51]])
    },
    history(
      "longer-than-the-bound", ["HIST-10"], "The change set of the write itself is read whole, also above the bound.",
      .on(keeping: .forever, bytes: 1 << 20), without: ConformanceVariant.allButFresh
    ) { store in
      try store.write { tx in
        try insertMegabytes(6, tx)
      }
      let sets = try store.history()
      try expectEqual(sets.count, 1)
      try expectEqual(try sets.last?.changes(in: "Poet").count, 120)
      try store.insert(Poet(500, "next"))
      try expectEqual(try store.history().count, 1)
      try expectEqual(try store.check(), [])
    },
    history(
      "trimmed-beside-a-long-one", ["HIST-9", "HIST-10"], "Trimming removes and keeps long change sets as a whole.",
      without: ConformanceVariant.allButFresh
    ) { store in
      for part in 0..<3 {
        try store.write { tx in
          for half in 0..<2 {
            let first = 100 + 100 * part + 20 * half
            try tx.insert(contentsOf: poets(first...(first + 19), bytes: 40_000))
          }
        }
      }
      let sets = try store.history()
      try expectEqual(sets.count, 4)
      try store.history.trim(before: sets[2].position)
      let left = try store.history()
      try expectEqual(left.map(\.position), sets[2...].map(\.position))
      try expectEqual(try left.map { try $0.changes(in: "Poet").count }, [40, 40])
      let error = try expectError(.notFound) { try store.history(after: sets[0].position) }
      try expectEqual((error.cause as? HistoryTrimmed)?.oldest, sets[2].position)
      try expectEqual(try store.check(), [])
    },
    history(
      "many", ["HIST-6", "HIST-9"], "More change sets than a page are read once each, and trimmed.",
      without: ConformanceVariant.allButFresh
    ) { store in
      for number in 0..<1_300 { try store.assign(Poet.self, 3) { $0.name = "\(number)" } }
      let sets = try store.history()
      try expectEqual(sets.count, 1_301)
      try expect(zip(sets, sets.dropFirst()).allSatisfy { $0.position < $1.position }, "the order")
      var visited: [HistoryPosition] = []
      try store.history.forEach { visited.append($0.position) }
      try expectEqual(visited, sets.map(\.position))
      try expectEqual(try store.history(limit: 1_100).map(\.position), sets.prefix(1_100).map(\.position))
      try expectEqual(try store.history(after: sets[1_050].position).count, 250)
      try store.history.trim(before: sets[1_290].position)
      try expectEqual(try store.history().map(\.position), sets[1_290...].map(\.position))
    },
  ]

  private static let bounds: [ConformanceCase] = [
    history("age", ["HIST-10"], "Change sets above their age are removed by later writes.", .on(keeping: .seconds(1))) {
      store in
      let first = try store.history.newest
      Thread.sleep(forTimeInterval: 1.3)
      try store.insert(Poet(9, "later"))
      try store.insert(Poet(10, "later"))
      try expect(try store.history().allSatisfy { $0.position > first }, "an old change set remains")
      try expectEqual(try store.check(), [])
    },
    history(
      "age-and-reader", ["HIST-11"], "Age removes nothing that a named reader has not acknowledged.",
      .on(keeping: .seconds(1))
    ) { store in
      try store.history.acknowledge(.start, as: "mail")
      let sets = try store.history()
      Thread.sleep(forTimeInterval: 1.3)
      for id in 9...12 { try store.insert(Poet(id, "later")) }
      try expectEqual(try store.history().map(\.position).prefix(1), sets.map(\.position).prefix(1))
      try expectEqual(try store.history().count, 5)
    },
    history("young", ["HIST-10"], "Change sets below their age stay.", .on(keeping: .seconds(60))) { store in
      Thread.sleep(forTimeInterval: 0.1)
      for id in 9...12 { try store.insert(Poet(id, "later")) }
      try expectEqual(try store.history().count, 5)
    },
    history("slow-reader", ["HIST-11"], "Trimming keeps what the slower of two readers needs.") { store in
      for id in 10...14 { try store.insert(Poet(id, "")) }
      let sets = try store.history()
      for (slow, fast) in [("a", "b"), ("d", "c")] {
        try store.history.acknowledge(sets[1].position, as: slow)
        try store.history.acknowledge(sets[4].position, as: fast)
      }
      try store.history.trim(before: sets[5].position)
      try expectEqual(try store.history().map(\.position), sets[2...].map(\.position))
      for reader in ["a", "d"] { try store.history.acknowledge(sets[3].position, as: reader) }
      try store.history.trim(before: sets[5].position)
      try expectEqual(try store.history().map(\.position), sets[4...].map(\.position))
    },
    history("slow-reader-of-the-first-name", ["HIST-11"], "The slowest reader counts, whatever its name is.") { store in
      for id in 10...14 { try store.insert(Poet(id, "")) }
      let sets = try store.history()
      for (name, set) in [("c", 4), ("a", 1), ("b", 3)] {
        try store.history.acknowledge(sets[set].position, as: name)
      }
      try store.history.trim(before: sets[5].position)
      try expectEqual(try store.history().map(\.position), sets[2...].map(\.position))
      try store.history.removeReader("a")
      try store.history.trim(before: sets[5].position)
      try expectEqual(try store.history().map(\.position), sets[4...].map(\.position))
    },
    history("author-in-bytes", ["HIST-6"], "The length of an author is counted in bytes.") { store in
      try expectError(.limitExceeded) {
        try store.write(author: String(repeating: "é", count: 128)) { tx in try tx.insert(Poet(11, "")) }
      }
      try expectEqual(try store.exists(Poet.self, 11), false)
    },
    history("all-conflicts", ["HIST-13"], "An undo that is refused names all objects that are in the way.") { store in
      try store.write { tx in
        try tx.update(Poet.self, 1) { $0.name = "a" }
        try tx.update(Poem.self, 4) { $0.title = "a" }
        try tx.update(Poet.self, 3) { $0.name = "a" }
      }
      let set = try unwrap(try store.history().last)
      try store.update(Poet.self, 1) { $0.name = "b" }
      try store.update(Poem.self, 4) { $0.title = "b" }
      let error = try expectError(.conflict) { try store.undo(set) }
      let objects = try unwrap(error.cause as? HistoryConflicts).objects
      try expectEqual(objects.map(\.model).sorted(), ["Poem", "Poet"])
      try expectEqual(objects.map(\.properties).sorted { "\($0)" < "\($1)" }, [["name"], ["title"]])
    },
    history("undo-beside", ["HIST-12"], "An undo sets back only what its change set changed.") { store in
      try store.update(Poem.self, 4) { $0.title = "a" }
      let set = try unwrap(try store.history().last)
      try store.update(Poem.self, 4) { $0.poet = Ref(3) }
      try store.undo(set)
      try expectEqual(try store.get(Poem.self, 4), Poem(4, "song", poet: 3))
    },
  ]

  /// A store that is closed and opened with another option.
  private static func reopened(
    _ name: String, _ clauses: [String], _ summary: String, _ first: HistoryOption, then second: [HistoryOption],
    _ write: @escaping @Sendable (Store) throws -> Void, found: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("HIST.\(name)", clauses, summary, requiresPersistence: true, within: .seconds(20)) { kit in
      let place = try kit.makePlace()
      var store = try kit.open(HistoryScene.models, at: place, options: HistoryScene.options(first))
      try HistoryScene.fill(store)
      try write(store)
      for option in second {
        try store.close()
        store = try kit.open(HistoryScene.models, at: place, options: HistoryScene.options(option))
      }
      try found(store)
      try expectEqual(try store.check(), [])
    }
  }

  private static let again: [ConformanceCase] = [
    reopened(
      "smaller-bound", ["HIST-2", "HIST-10"], "A smaller bound holds from the next write on.", .on(keeping: .forever),
      then: [.on(keeping: .forever, bytes: 10_000)],
      { store in for id in 10..<60 { try store.insert(Poet(id, String(repeating: "x", count: 1_000))) } }
    ) { store in
      // Some are removed in each write.
      for id in 100..<120 { try store.insert(Poet(id, "")) }
      try expect(try store.history.byteCount <= 10_000, "the size")
    },
    reopened(
      "other-models-left-out", ["HIST-2", "HIST-5"], "Other models are left out from the next write on.",
      .on(keeping: .forever, leavingOut: ["Song"]), then: [.on(keeping: .forever, leavingOut: ["Poet"])], { _ in }
    ) { store in
      let start = try store.history.newest
      try store.insert(Poet(10, ""))
      try store.insert(Song("new", 1))
      try expectEqual(try store.history(after: start).map(\.models), [["Song"]])
    },
    reopened(
      "without-readers", ["HIST-2", "HIST-11"], "Removing a history removes its readers.", .on(keeping: .forever),
      then: [.off, .on(keeping: .forever)],
      { store in try store.history.acknowledge(store.history.newest, as: "mail") }
    ) { store in
      try expectEqual(try store.history.readers.map(\.name), [])
      try store.insert(Poet(10, ""))
      try store.insert(Poet(11, ""))
      try store.history.trim(before: store.history.newest)
      try expectEqual(try store.history().count, 1)
    },
  ]

  static let all: [ConformanceCase] = long + bounds + again
}
