import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What the history has of each write, and what undoing it does.
enum RecordedWriteCases {
  static let all: [ConformanceCase] =
    HistoryScene.writes.map { write in
      ConformanceCase(
        "HIST.recorded.\(write.name)", ["HIST-3", "HIST-4", "HIST-6"],
        "The change set of a write is what it has changed.",
        within: .seconds(20)
      ) { kit in
        let store = try HistoryScene.store(kit)
        let before = try HistoryScene.content(store)
        let start = try store.history.newest
        try store.write(author: "writer") { tx in try write.body(tx) }
        let after = try HistoryScene.content(store)
        let sets = try store.history(after: start)
        try expectEqual(sets.count, write.changes ? 1 : 0, "the change sets of the write")
        try expectEqual(before != after, write.changes, "the write")
        if let set = sets.first {
          try expectEqual(set.author, "writer")
          try expect(set.position > start)
          try HistoryScene.expectRecorded(set, before, after)
        }
        try expectEqual(try store.check(), [])
      }
    }
    + HistoryScene.writes.map { write in
      ConformanceCase(
        "HIST.rolled-back.\(write.name)", ["HIST-3"], "A write that is rolled back has no change set.",
        within: .seconds(20)
      ) { kit in
        let store = try HistoryScene.store(kit)
        let (before, start) = (try HistoryScene.content(store), try store.history.newest)
        try store.rollingBack { tx in
          try write.body(tx)
        }
        try expectEqual(try store.history.newest, start)
        try expectEqual(try store.history(after: start).count, 0)
        try expectEqual(try HistoryScene.content(store), before)
        // The next write is recorded as it is.
        try store.insert(Poet(99, "next"))
        let sets = try store.history(after: start)
        try expectEqual(sets.count, 1)
        try HistoryScene.expectRecorded(sets[0], before, try HistoryScene.content(store))
      }
    }
    + HistoryScene.writes.filter(\.changes).map { write in
      ConformanceCase(
        "HIST.undo.\(write.name)", ["HIST-12"], "An undo stores what was before, and is undone itself.",
        within: .seconds(20)
      ) { kit in
        let store = try HistoryScene.store(kit)
        let before = try HistoryScene.content(store)
        try store.write { tx in try write.body(tx) }
        let after = try HistoryScene.content(store)
        let position = try store.undo(try unwrap(try store.history().last), author: "undo")
        try expectEqual(try HistoryScene.content(store), before, "after the undo")
        let undo = try unwrap(try store.history().last)
        try expectEqual(undo.position, position)
        try expectEqual(undo.author, "undo")
        try HistoryScene.expectRecorded(undo, after, before)
        try store.undo(undo)
        try expectEqual(try HistoryScene.content(store), after, "after the undo of the undo")
        try store.undo(try unwrap(try store.history().last))
        try expectEqual(try HistoryScene.content(store), before, "after the third undo")
        try expectEqual(try store.check(), [])
      }
    } + (1...6).map(replayed) + (1...6).map(undone)

  /// Some random writes, each of which the history has, or not.
  private static func randomWrites(
    _ kit: ConformanceContext, _ number: Int, _ body: (Store, HistoryScene.Content) throws -> Void
  ) throws -> Store {
    var random = kit.random(8_800 + number)
    let store = try kit.open(HistoryScene.models, at: kit.makePlace(), options: HistoryScene.options())
    try HistoryScene.fill(store)
    for _ in 0..<12 {
      let write = HistoryScene.writes[Int.random(in: 0..<HistoryScene.writes.count, using: &random)]
      let isKept = Int.random(in: 0..<4, using: &random) > 0
      do {
        try store.write { tx in
          try write.body(tx)
          if !isKept { throw UndoneBody() }
        }
      } catch {
        // Rolled back; or refused, because the writes were made for the first content.
        continue
      }
      try body(store, try HistoryScene.content(store))
    }
    return store
  }

  private static func replayed(_ number: Int) -> ConformanceCase {
    ConformanceCase(
      "HIST.replayed-\(number)", ["HIST-3", "HIST-6"], "The changes of a history, made in order, are the content.",
      within: .seconds(60)
    ) { kit in
      let store = try randomWrites(kit, number) { _, _ in }
      var content: HistoryScene.Content = [:]
      var last = HistoryPosition.start
      try store.history.forEach { set in
        try expect(set.position > last, "positions ascend")
        last = set.position
        for model in set.models {
          for change in try set.changes(in: model) {
            try expectEqual(content[model]?[change.key], change.old, "\(model) \(change.key) before")
            content[model, default: [:]][change.key] = change.new
          }
        }
      }
      try expectEqual(content.filter { !$0.value.isEmpty }, try HistoryScene.content(store))
      try expectEqual(last, try store.history.newest)
    }
  }

  private static func undone(_ number: Int) -> ConformanceCase {
    ConformanceCase(
      "HIST.undone-\(number)", ["HIST-12"],
      "Undoing every change set from the last to the first leads through all contents.",
      within: .seconds(60)
    ) { kit in
      var contents: [HistoryPosition: HistoryScene.Content] = [:]
      let store = try randomWrites(kit, number + 50) { store, content in contents[try store.history.newest] = content }
      for set in try store.history().reversed() {
        if let due = contents[set.position] {
          try expectEqual(try HistoryScene.content(store), due, "at \(set.position)")
        }
        try store.undo(set)
      }
      try expectEqual(try HistoryScene.content(store), [:])
      try expectEqual(try store.check(), [])
    }
  }
}
