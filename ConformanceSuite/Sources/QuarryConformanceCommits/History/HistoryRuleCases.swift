import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Options, bounds, readers and conflicts of histories.
enum HistoryRuleCases {
  private static func history(
    _ name: String, _ clauses: [String], _ summary: String, _ option: HistoryOption? = .on(keeping: .forever),
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("HIST.\(name)", clauses, summary, within: .seconds(20)) { kit in
      try body(try HistoryScene.store(kit, option))
    }
  }

  private static let options: [ConformanceCase] = [
    history("off", ["HIST-1"], "A store without a history has none to read.", nil) { store in
      try expectEqual(try store.history.isOn, false)
      try expectError(.notFound) { try store.history() }
      try expectError(.notFound) { try store.history.newest }
      try expectError(.notFound) { try store.undo(.start) }
      try expectEqual(try store.models().map(\.name).contains { $0.hasPrefix("_quarry") }, false)
    },
    ConformanceCase(
      "HIST.refused-options", ["HIST-2", "HIST-5"], "A bound below one byte, and an unknown model, are refused."
    ) { kit in
      for option in [HistoryOption.on(bytes: 0), .on(bytes: -1), .on(leavingOut: ["Nothing"])] {
        try expectError(.invalidValue, "\(option)") {
          try kit.open(HistoryScene.models, at: kit.makePlace(), options: HistoryScene.options(option))
        }
      }
    },
    history("left-out", ["HIST-5"], "Models that are left out have no changes.", .on(leavingOut: ["Poet", "Song"])) {
      store in
      let start = try store.history.newest
      try store.update(Poet.self, 3) { $0.name = "other" }
      try expectEqual(try store.history(after: start).count, 0)
      try store.write { tx in
        try tx.delete(Song.self, "c")
        try tx.insert(Poem(9, "recorded", poet: 3))
      }
      try expectEqual(try store.history(after: start).map(\.models), [["Poem"]])
    },
    history("own-models", ["HIST-5"], "Programs neither see nor write the models of the log.") { store in
      try expectEqual(
        Set(try store.models().map(\.name)),
        ["Poet", "Poem", "Album", "Song", "Album_songs", "Album_played", "Album_likes"])
      try expectError(.invalidQuery) { try store.records.delete(in: "_quarry_log", keys: [1]) }
    },
    history("author", ["HIST-6"], "An author has at most 255 bytes.") { store in
      let start = try store.history.newest
      let name = String(repeating: "é", count: 127) + "x"
      try store.write(author: name) { tx in try tx.insert(Poet(9, "")) }
      try store.write(author: "") { tx in try tx.insert(Poet(10, "")) }
      try expectEqual(try store.history(after: start).first?.author, name)
      let newest = try store.history.newest
      try expectError(.limitExceeded) {
        try store.write(author: String(repeating: "x", count: 256)) { tx in try tx.insert(Poet(11, "")) }
      }
      try expectEqual(try store.history.newest, newest)
      try expectEqual(try store.exists(Poet.self, 11), false)
    },
    ConformanceCase(
      "HIST.reopened", ["HIST-2", "HIST-7"], "A history survives reopening, and is removed by the option.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      var store = try kit.open(HistoryScene.models, at: place, options: HistoryScene.options())
      try HistoryScene.fill(store)
      let first = try store.history.newest
      try store.close()
      // Every program that writes records its changes.
      store = try kit.open(HistoryScene.models, at: place)
      let before = try HistoryScene.content(store)
      try store.update(Poet.self, 1) { $0.name = "Psappha" }
      let sets = try store.history(after: first)
      try expectEqual(sets.count, 1)
      try HistoryScene.expectRecorded(sets[0], before, try HistoryScene.content(store))
      try store.close()
      store = try kit.open(HistoryScene.models, at: place, options: HistoryScene.options(.off))
      try expectEqual(try store.history.isOn, false)
      try store.insert(Poet(9, ""))
      try store.close()
      store = try kit.open(HistoryScene.models, at: place, options: HistoryScene.options())
      try expectEqual(try store.history().count, 0)
      try expectEqual(try store.check(), [])
    },
    ConformanceCase(
      "HIST.read-only", ["HIST-2"], "A store that is opened for reading ignores the option.", requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open(HistoryScene.models, at: place, options: HistoryScene.options())
      try HistoryScene.fill(store)
      try store.close()
      var options = HistoryScene.options(.off)
      options.isReadOnly = true
      let reading = try kit.open(HistoryScene.models, at: place, options: options)
      try expectEqual(try reading.history().count, 1)
      try expectError(.readOnly) { try reading.undo(reading.history.newest) }
      try expectError(.readOnly) { try reading.history.trim(before: reading.history.newest) }
    },
  ]

  private static let positions: [ConformanceCase] = [
    history(
      "positions", ["HIST-4", "HIST-6"], "Reading after a position returns every later change set once, in order."
    ) { store in
      for id in 10...20 { try store.insert(Poet(id, "")) }
      let sets = try store.history()
      try expectEqual(sets.count, 12)
      try expectEqual(sets.map(\.position), sets.map(\.position).sorted())
      try expectEqual(Set(sets.map(\.position)).count, 12)
      try expect(zip(sets, sets.dropFirst()).allSatisfy { $0.date <= $1.date }, "dates do not descend")
      for (place, set) in sets.enumerated() {
        try expectEqual(try store.history(after: set.position).map(\.position), sets[(place + 1)...].map(\.position))
      }
      try expectEqual(try store.history(after: sets[3].position, limit: 2).map(\.position), sets[4...5].map(\.position))
      try expectEqual(try store.history(limit: 0).count, 0)
      try expectEqual(try store.history.newest, sets[11].position)
      try expectError(.invalidValue) { try store.history(after: unwrap(HistoryPosition("999999"))) }
    },
    history("unknown-position", ["HIST-12"], "What is no position of a change set is not undone.") { store in
      try expectError(.notFound) { try store.undo(.start) }
      try expectError(.notFound) { try store.undo(unwrap(HistoryPosition("999999"))) }
    },
    history(
      "trimmed", ["HIST-9", "HIST-10"], "Change sets are removed from the oldest on, and their positions are refused."
    ) { store in
      for id in 10...15 { try store.insert(Poet(id, "")) }
      let sets = try store.history()
      try store.history.trim(before: sets[3].position)
      try expectEqual(try store.history().map(\.position), sets[3...].map(\.position))
      try expectEqual(try store.history(after: sets[2].position).count, 4)
      let error = try expectError(.notFound) { try store.history(after: sets[1].position) }
      let cause = try unwrap(error.cause as? HistoryTrimmed, "the cause")
      try expectEqual(cause.oldest, sets[3].position)
      try expectError(.notFound) { try store.undo(sets[0]) }
      try store.insert(Poet(16, ""))
      try expectEqual(try store.history().count, 5)
      try expectEqual(try store.check(), [])
    },
    history("trimmed-whole", ["HIST-9", "HIST-10"], "A history that is removed as a whole goes on.") { store in
      try store.history.trim(before: unwrap(HistoryPosition("999999")))
      try expectEqual(try store.history().count, 0)
      try expectEqual(try store.history.byteCount, 0)
      let newest = try store.history.newest
      try store.insert(Poet(9, ""))
      let sets = try store.history(after: newest)
      try expectEqual(sets.count, 1)
      try expect(sets[0].position > newest)
    },
    history(
      "bounded", ["HIST-10"], "A history keeps its size, and its last change set in any case.",
      .on(keeping: .forever, bytes: 20_000)
    ) {
      store in
      let text = String(repeating: "x", count: 500)
      for id in 10..<90 { try store.insert(Poet(id, text)) }
      try expect(try store.history.byteCount <= 20_000, "the size")
      let sets = try store.history()
      try expect(sets.count > 5 && sets.count < 40, "\(sets.count) change sets")
      try expectEqual(try sets.last?.changes(of: Poet.self).map(\.new), [Poet(89, text)])
      try store.write { tx in for id in 100..<180 { try tx.insert(Poet(id, text)) } }
      try expectEqual(try store.history().count, 1)
      try expectEqual(try store.check(), [])
    },
    history("readers", ["HIST-11"], "Trimming keeps what a named reader needs.") { store in
      for id in 10...13 { try store.insert(Poet(id, "")) }
      let sets = try store.history()
      try store.history.acknowledge(sets[1].position, as: "mail")
      try store.history.trim(before: sets[4].position)
      try expectEqual(try store.history().map(\.position), sets[2...].map(\.position))
      try store.write { tx in
        try tx.insert(Poet(20, ""))
        try tx.acknowledge(sets[3].position, as: "mail")
      }
      try expectEqual(try store.history.readers.map(\.position), [sets[3].position])
      try store.rollingBack { tx in
        try tx.acknowledge(sets[4].position, as: "mail")
      }
      try expectEqual(try store.history.readers.map(\.position), [sets[3].position], "after a rolled-back write")
      try expectEqual(try store.history.removeReader("mail"), true)
      try expectEqual(try store.history.removeReader("mail"), false)
      try expectError(.invalidValue) { try store.history.acknowledge(unwrap(HistoryPosition("999999")), as: "mail") }
      try expectError(.invalidValue) { try store.history.acknowledge(sets[4].position, as: "") }
      try store.history.trim(before: sets[4].position)
      try expectEqual(try store.history().first?.position, sets[4].position)
    },
    history(
      "reader-and-bound", ["HIST-11"], "The bound of bytes removes what a named reader needs.",
      .on(keeping: .forever, bytes: 20_000)
    ) {
      store in
      let first = try store.history.newest
      try store.history.acknowledge(first, as: "mail")
      for id in 10..<90 { try store.insert(Poet(id, String(repeating: "x", count: 500))) }
      try expect(try store.history.byteCount <= 20_000, "the size")
      try expectError(.notFound) { try store.history(after: first) }
    },
    ConformanceCase(
      "HIST.updates", ["HIST-8"], "Updates begin behind a position, and bring each later change set once.",
      within: .seconds(30)
    ) { kit in
      let store = try HistoryScene.store(kit)
      let start = try store.history.newest
      // Written on this thread: tasks of the shared pool may wait for minutes where other work occupies it.
      func insert(_ ids: ClosedRange<Int>) throws { for id in ids { try store.insert(Poet(id, "")) } }
      try insert(10...12)
      var seen: [Int] = []
      var position = start
      // The reader ends in the middle, and begins again where it was.
      for (ids, count) in [(13...14, 2), (15...16, 3), (17...18, 4)] {
        var iterator = store.historyUpdates(after: position).makeAsyncIterator()
        try insert(ids)
        for _ in 0..<count {
          let set = try unwrap(try await iterator.next())
          seen += try set.changes(of: Poet.self).compactMap { $0.new?.id }
          position = set.position
        }
      }
      try expectEqual(seen, Array(10...18))
    },
  ]

  /// An undo that later writes are in the way of.
  private struct Conflict: Sendable {
    let name: String
    let code: StorageError.Code?
    let first: @Sendable (WriteTransaction) throws -> Void
    let later: @Sendable (WriteTransaction) throws -> Void

    init(
      _ name: String, _ code: StorageError.Code?, _ first: @escaping @Sendable (WriteTransaction) throws -> Void,
      then later: @escaping @Sendable (WriteTransaction) throws -> Void
    ) {
      (self.name, self.code, self.first, self.later) = (name, code, first, later)
    }
  }

  private static let conflicts: [Conflict] = [
    Conflict(
      "same-property", .conflict, { try $0.update(Poet.self, 1) { $0.name = "a" } },
      then: { try $0.update(Poet.self, 1) { $0.name = "b" } }),
    Conflict(
      "other-property", nil, { try $0.update(Poem.self, 4) { $0.title = "a" } },
      then: { try $0.update(Poem.self, 4) { $0.poet = Ref(3) } }),
    Conflict(
      "other-object", nil, { try $0.update(Poet.self, 1) { $0.name = "a" } },
      then: { try $0.update(Poet.self, 3) { $0.name = "b" } }),
    Conflict(
      "same-value", nil, { try $0.update(Poet.self, 1) { $0.name = "a" } },
      then: { tx in
        try tx.update(Poet.self, 1) { $0.name = "b" }
        try tx.update(Poet.self, 1) { $0.name = "a" }
      }),
    Conflict(
      "deleted", .conflict, { try $0.update(Poem.self, 4) { $0.title = "a" } }, then: { try $0.delete(Poem.self, 4) }),
    Conflict("inserted-again", .conflict, { try $0.delete(Poem.self, 4) }, then: { try $0.insert(Poem(4, "again")) }),
    Conflict(
      "insertion-changed", .conflict, { try $0.insert(Poet(9, "a")) },
      then: { try $0.update(Poet.self, 9) { $0.name = "b" } }),
    Conflict(
      "referred-to", .referenced, { try $0.insert(Poet(9, "a")) },
      then: { try $0.update(Poem.self, 4) { $0.editor = Ref(9) } }),
    Conflict(
      "target-gone", .missingReference, { try $0.update(Poem.self, 3) { $0.poet = Ref(3) } },
      then: { tx in
        try tx.update(Poem.self, 5) { $0.editor = nil }
        try tx.delete(Poet.self, 2)
      }),
  ]

  private static let conflicting: [ConformanceCase] = conflicts.map { conflict in
    history(
      "conflict.\(conflict.name)", ["HIST-13"],
      "What a later write is in the way of is not undone, and nothing with it."
    ) { store in
      try store.write { tx in
        try conflict.first(tx)
        try tx.insert(Song("with it", 1))
      }
      let set = try unwrap(try store.history().last)
      try store.write { tx in try conflict.later(tx) }
      let before = try HistoryScene.content(store)
      let newest = try store.history.newest
      guard let code = conflict.code else {
        try store.undo(set)
        try expectEqual(try store.exists(Song.self, "with it"), false)
        try expect(try store.history.newest > newest)
        return
      }
      let error = try expectError(code) { try store.undo(set) }
      if code == .conflict { try expect(error.cause is HistoryConflicts, "the cause names the objects") }
      try expectEqual(try HistoryScene.content(store), before, "after the refused undo")
      try expectEqual(try store.history.newest, newest)
      try expectEqual(try store.check(), [])
    }
  }

  private static let moved: [ConformanceCase] = [
    ConformanceCase(
      "HIST.copied", ["HIST-14"], "A copy has the history of its source and continues it.", requiresPersistence: true,
      within: .seconds(30)
    ) { kit in
      let store = try HistoryScene.store(kit)
      try store.write(author: "me") { tx in try tx.delete(Poem.self, 1) }
      let place = try kit.makePlace()
      try store.copy(to: place)
      let copy = try kit.open(HistoryScene.models, at: place)
      try expectAlike(try store.history(), try copy.history())
      try copy.undo(try unwrap(try copy.history().last))
      try store.undo(try unwrap(try store.history().last))
      try expectEqual(try HistoryScene.content(copy), try HistoryScene.content(store))
      try expectEqual(try copy.history().count, 3)
      try expectEqual(try copy.check(), [])
    },
    ConformanceCase(
      "HIST.restored", ["HIST-14"], "A restored dump has the history of its source.", requiresPersistence: true,
      within: .seconds(30)
    ) { kit in
      let store = try HistoryScene.store(kit)
      try store.write(author: "me") { tx in try tx.delete(Poem.self, 1) }
      let place = try kit.makePlace()
      try StoreDump.restore(try StoreDump.text(store), to: place)
      let restored = try kit.open(HistoryScene.models, at: place)
      try expectAlike(try store.history(), try restored.history())
      try restored.undo(try unwrap(try restored.history().last))
      try expectEqual(try restored.check(), [])
    },
    ConformanceCase(
      "HIST.backed-up", ["HIST-14"], "A backup has the history of its store.", needs: [.backup, .check],
      requiresPersistence: true,
      within: .seconds(30)
    ) { kit in
      let store = try HistoryScene.store(kit)
      guard let copy = try CopyScene.copy(store, kit, HistoryScene.models) else { return }
      try expectAlike(try store.history(), try copy.history())
      try copy.insert(Poet(9, ""))
      try expectEqual(try copy.history().count, 2)
      try expectEqual(try copy.check(), [])
    },
    ConformanceCase(
      "HIST.unknown-after-a-migration", ["HIST-7"],
      "A change set of an older schema is read as objects of the new one, or is unknown.",
      needs: [.schemaRenameProperty, .schemaDropModel], requiresPersistence: true, within: .seconds(20)
    ) { kit in
      let place = try kit.makePlace()
      let typed = try kit.open(HistoryScene.models, at: place, options: HistoryScene.options())
      try HistoryScene.fill(typed)
      try typed.close()
      let store = try kit.open([], at: place)
      try store.write { tx in
        let model = try unwrap(try tx.models().first { $0.name == "Song" })
        try tx.apply(.renameProperty(model.id, slot: 1, to: "length"))
      }
      let sets = try store.history()
      let songs = try unwrap(sets.first).changes(in: "Song")
      try expectEqual(Set(songs.compactMap { $0.new?["length"] }), [0, 1])
      try store.write { tx in
        let model = try unwrap(try tx.models().first { $0.name == "Album_likes" })
        try tx.apply(.dropModel(model.id))
      }
      for set in try store.history() where set.isUnknown {
        try expectError(.notFound) { try set.changes(in: "Song") }
        try expectError(.notFound) { try store.undo(set) }
      }
      try expectEqual(try store.check(), [])
    },
  ]

  private static func expectAlike(_ sets: [HistorySet], _ others: [HistorySet]) throws {
    try expectEqual(others.map(\.position), sets.map(\.position))
    try expectEqual(others.map(\.author), sets.map(\.author))
    for (set, other) in zip(sets, others) {
      try expectEqual(other.date, set.date)
      try expectEqual(other.models, set.models)
      for model in set.models {
        let (mine, its) = (try set.changes(in: model), try other.changes(in: model))
        try expectEqual(its.map(\.key), mine.map(\.key))
        try expectEqual(its.map(\.old), mine.map(\.old))
        try expectEqual(its.map(\.new), mine.map(\.new))
      }
    }
  }

  static let all: [ConformanceCase] = options + positions + conflicting + moved
}
