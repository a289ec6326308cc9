import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDrafts

/// Saves that others meet, and edits that meet saves.
enum DraftCornerCases {
  static let all: [ConformanceCase] = alone + waiting

  private static let alone: [ConformanceCase] = [
    .draft(
      "fetch-beside-conflicts", ["DRAFT-6", "DRAFT-9"],
      "A fetch for which the draft is written has the draft's objects where others have changed them."
    ) { stage in
      let draft = stage.draft()
      try draft.update(Poem.self, 3) { $0.title = "mine" }
      try draft.update(Poem.self, 5) { $0.title = "mine" }
      try draft.delete(Poet.self, 1)
      try stage.store.write { tx in
        try tx.update(Poem.self, 3) { $0.title = "theirs" }
        try tx.delete(Poem.self, 5)
        try tx.update(Poet.self, 1) { $0.name = "theirs" }
      }
      let overlay = try draft.fetch(Poem.all)
      try expectEqual(overlay.map(\.id), [3, 4, 5, 6])
      try draft.save(onConflict: .overwrite)
      try expectEqual(try stage.store.fetch(Poem.all), overlay)
    },
    .draft("read-again", ["DRAFT-2"], "After a save, objects that were only read are read again.") { stage in
      let draft = stage.draft()
      try expectEqual(try draft.get(Poet.self, 3)?.name, "poet 3")
      _ = try draft.get(Item.self, 2)
      try draft.update(Item.self, 1) { $0.name = "mine" }
      try draft.save()
      try stage.store.write { tx in
        try tx.update(Poet.self, 3) { $0.name = "theirs" }
        try tx.update(Item.self, 2) { $0.name = "theirs" }
      }
      try expectEqual(try draft.get(Poet.self, 3)?.name, "theirs")
      try expectEqual(try draft.get(Item.self, 2)?.name, "theirs")
      try draft.update(Poet.self, 3) { $0.name += " and mine" }
      try draft.save()
      try expectEqual(try stage.store.get(Poet.self, 3)?.name, "theirs and mine")
    },
    .draft("conflicts-of-models", ["DRAFT-9"], "The error has the conflicts of all models, in the order of the edits.")
    {
      stage in
      for policy in [DraftConflict.fail, .mergeProperties] {
        let draft = stage.draft()
        try draft.update(Poem.self, 1) { $0.title = "mine" }
        try draft.update(Item.self, 1) { $0.name = "mine" }
        try draft.update(Poet.self, 4) { $0.name = "mine" }
        try draft.update(Item.self, 2) { $0.name = "mine" }
        try stage.store.write { tx in
          try tx.update(Poem.self, 1) { $0.title += "theirs" }
          try tx.update(Item.self, 1) { $0.name += "theirs" }
          try tx.update(Poet.self, 4) { $0.name += "theirs" }
        }
        do {
          try draft.save(onConflict: policy)
          try expect(false, "a draft with conflicts was saved")
        } catch let conflicts as DraftConflicts {
          try expectEqual(conflicts.objects.map(\.id.description), ["Poem 1", "Item 1", "Poet 4"])
          try expectEqual(conflicts.objects.map(\.properties), [["title"], ["name"], ["name"]])
        }
      }
    },
    ConformanceCase(
      "DRAFT.unique-of-deleted-and-moved", ["DRAFT-8"],
      "An object gets another reference and the unique value of an object that the draft deletes."
    ) { kit in
      let store = try kit.store(Poet.self, Badge.self)
      try store.insert(contentsOf: (1...3).map { Poet($0) })
      try store.insert(contentsOf: [Badge(1, "a", 1), Badge(2, "b", 2), Badge(3, "c", 3)])
      let draft = Draft(on: store)
      try draft.update(Badge.self, 1) { $0 = Badge(1, "b", 3) }
      try draft.delete(Badge.self, 2)
      try draft.update(Badge.self, 3) { $0 = Badge(3, "a", 1) }
      try draft.delete(Poet.self, 2)
      try draft.save()
      try expectEqual(try store.fetch(Badge.all), [Badge(1, "b", 3), Badge(3, "a", 1)])
      try expectEqual(try store.keys(Poet.all), [1, 3])
      try store.expectWhole()
    },
  ]

  /// Cases in which a save waits for another writer.
  private static let waiting: [ConformanceCase] = [
    ConformanceCase(
      "RULE.draft-at-once", ["RULE-4"], "A draft is checked before its transaction begins.",
      without: ConformanceVariant.ofWriter, within: .seconds(30)
    ) { kit in
      var options = OpenOptions()
      options.busyTimeout = 2
      let store = try kit.open([Tariff.self], at: kit.makePlace(), options: options)
      try store.insert(Tariff(1, 10))
      let draft = Draft(on: store)
      try draft.update(Tariff.self, 1) { $0.amount = -1 }
      let holder = try ScriptedTransaction.write(store, alone: true)
      let before = store.writesThatWaited
      let error = try expectError(.invalidValue) { try draft.save() }
      try expectEqual(error.key, "1")
      try expectEqual(store.writesThatWaited, before, "the save has waited")
      holder.abort()
    }.only(.one),
    saving("delete-during-save", ["DRAFT-8"], "An object that is deleted while it is saved is a deletion afterwards.") {
      stage, editor, holder, saving in
      try await editor.edit { try $0.delete(Item.self, 1) }
      try holder.commit()
      try await saving.value
      try expectEqual(try name(1, stage), "first")
      try await editor.edit { draft in
        try expectEqual(draft.changes.map(\.id.description), ["Item 1"])
        try expectEqual(draft.changes.map(\.kind), [.deleted])
        try draft.save()
      }
      try expectEqual(try stage.item(1), nil)
    },
    saving(
      "stale-after-refused-save", ["DRAFT-10"], "What others commit while a save waits, which then fails, is stale."
    ) { stage, editor, holder, saving in
      try holder.write { tx in try tx.update(Item.self, 1) { $0.score = 77 } }
      try holder.commit()
      // The writer between them leaves the time in which observers receive the commit.
      do {
        try await saving.value
        try expect(false, "a draft with a conflict was saved")
      } catch is DraftConflicts {}
      try await editor.expectSoon("item 1 is stale") { try $0.stale == [ObjectID(Item.self, 1)] }
    },
    ConformanceCase(
      "DRAFT.autosave-after-save", ["DRAFT-11"],
      "An edit whose time comes while the draft is being saved is stored afterwards.",
      without: ConformanceVariant.ofWriter, within: .seconds(60)
    ) { kit in
      let stage = try DraftStage(kit)
      let editor = AutosavingEditor()
      try await editor.begin(stage.store, after: .milliseconds(50))
      let holder = try ScriptedTransaction.write(stage.store, alone: true)
      let before = stage.store.writesThatWaited
      try await editor.edit { try $0.update(Item.self, 1) { $0.name = "first" } }
      let saving = Task.ofCase {
        do {
          try await editor.save()
        } catch let error as StorageError where error.code == .reentrant {
          // On a busy machine the time of the first edit has come.
        }
      }
      try await stage.store.untilWaiting(before + 1)
      try await editor.edit { try $0.update(Item.self, 2) { $0.name = "second" } }
      try await Task.sleep(for: .milliseconds(200))
      try holder.commit()
      try await saving.value
      try await editor.expectSoon("the second edit is stored") { draft in
        try stage.item(1)?.name == "first" && stage.item(2)?.name == "second" && !draft.hasChanges
      }
    }.only(.one),
  ]

  // Synchronous, so that no expectation needs an asynchronous autoclosure.
  private static func name(_ id: Int, _ stage: DraftStage) throws -> String? { try stage.item(id)?.name }

  /// A draft whose save waits for a holder, with another writer between them.
  private static func saving(
    _ name: String, _ clauses: [String], _ summary: String,
    _ body: @escaping @Sendable (DraftStage, Editor, ScriptedTransaction, Task<Void, any Error>) async throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "DRAFT.\(name)", clauses, summary, without: ConformanceVariant.ofWriter, within: .seconds(60)
    ) { kit in
      let stage = try DraftStage(kit)
      let editor = Editor(stage.store)
      try await editor.edit { draft in
        try draft.update(Item.self, 1) { $0.name = "first" }
        try expectEqual(draft.stale, [])
      }
      let holder = try ScriptedTransaction.write(stage.store, alone: true)
      let before = stage.store.writesThatWaited
      let between = Task.ofCase {
        try await stage.store.write(timeout: 60, alone: true) { _ in Thread.sleep(forTimeInterval: 0.1) }
      }
      try await stage.store.untilWaiting(before + 1)
      let saving = Task.ofCase { try await editor.save() }
      try await stage.store.untilWaiting(before + 2)
      try await body(stage, editor, holder, saving)
      try await between.value
    }.only(.one)
  }
}

/// A model with a reference and a unique property.
private struct Badge: Model, Equatable {
  var id: Int
  var code: String
  var poet: Ref<Poet>?

  static let modelDefinition = ModelDefinition<Badge>(
    name: "Badge",
    properties: [
      PropertyDefinition("id", \Badge.id, Int.self), PropertyDefinition("code", \Badge.code, String.self),
      PropertyDefinition("poet", \Badge.poet, Ref<Poet>?.self),
    ], primaryKey: "id", indexes: [IndexDefinition(["code"], isUnique: true)])

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var code = Column<String>("code", 1)
    var poet = Column<Ref<Poet>?>("poet", 2)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, _ code: String, _ poet: Int?) { (self.id, self.code, self.poet) = (id, code, poet.map { Ref($0) }) }

  init(reading row: ModelReader) throws(StorageError) {
    (id, code, poet) = (try row.get(0), try row.get(1), try row.get(2))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, code)
    try row.set(2, poet)
  }
}
