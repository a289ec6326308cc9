import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDrafts

/// Drafts that follow the commits of others, and drafts that save themselves.
enum StaleDraftCases {
  private static func id(_ key: Int) throws -> ObjectID { try ObjectID(Item.self, key) }

  static let all: [ConformanceCase] = [
    .draft(
      "stale", ["DRAFT-10"], "Objects of the draft are stale as long as their stored state is not their base.",
      without: ConformanceVariant.ofWriter
    ) { stage in
      let draft = stage.draft()
      try draft.update(Item.self, 1) { $0.name = "mine" }
      _ = try draft.get(Item.self, 2)
      _ = try draft.get(Item.self, 60)
      try expectEqual(draft.stale, [])
      try stage.store.write { tx in
        try tx.update(Item.self, 1) { $0.score = 77 }
        try tx.update(Item.self, 3) { $0.score = 77 }
      }
      try expectSoon("item 1 is stale") { try draft.stale == [id(1)] }
      try stage.store.delete(Item.self, 2)
      try expectSoon("item 2 is stale") { try draft.stale == [id(1), id(2)] }
      try stage.store.insert(Item(60))
      try expectSoon("item 60 is stale") { try draft.stale == [id(1), id(2), id(60)] }
      try stage.store.update(Item.self, 1) { $0.score = 0.5 }
      try expectSoon("item 1 is no longer stale") { try draft.stale == [id(2), id(60)] }
      draft.rollback()
      try expectEqual(draft.stale, [])
      try expect(draft.staleError == nil)
    },
    .draft(
      "stale-at-first", ["DRAFT-10"], "What others changed before the first access is stale at once.",
      without: ConformanceVariant.ofWriter
    ) { stage in
      let draft = stage.draft()
      for key in [1, 2] { _ = try draft.get(Item.self, key) }
      try stage.store.update(Item.self, 1) { $0.score = 77 }
      try expectEqual(draft.stale, [try id(1)])
    },
    .draft(
      "stale-own-save", ["DRAFT-10"], "A save of the draft makes nothing stale.", without: ConformanceVariant.ofWriter
    ) { stage in
      let draft = stage.draft()
      try draft.update(Item.self, 1) { $0.name = "mine" }
      try expectEqual(draft.stale, [])
      for round in 0..<5 {
        try draft.save()
        try draft.update(Item.self, 1) { $0.rank = round }
        try expectEqual(draft.stale, [], "round \(round)")
      }
      // A later commit is seen, and with it everything before it.
      try stage.store.update(Item.self, 1) { $0.score = 77 }
      try expectSoon("item 1 is stale") { try draft.stale == [id(1)] }
    },
    .draft(
      "stale-other-store", ["DRAFT-10", "OBS-14"], "Commits of another store on the same place make objects stale.",
      requiresPersistence: true, without: ConformanceVariant.ofWriter
    ) { stage in
      let other = try stage.kit.open(DraftStage.models, at: stage.place)
      let draft = stage.draft()
      try draft.update(Item.self, 1) { $0.name = "mine" }
      try expectEqual(draft.stale, [])
      try other.update(Item.self, 1) { $0.score = 77 }
      try expectSoon("item 1 is stale") { try draft.stale == [id(1)] }
      try expectThrows(DraftConflicts.self) { try draft.save() }
    },
    ConformanceCase(
      "DRAFT.autosave", ["DRAFT-11"], "A draft that was created to save itself does so some time after an edit.",
      without: ConformanceVariant.ofWriter, within: .seconds(60)
    ) { kit in
      let stage = try DraftStage(kit)
      let editor = AutosavingEditor()
      try await editor.begin(stage.store, after: .milliseconds(10))
      try await editor.edit { try $0.update(Item.self, 1) { $0.name = "saved" } }
      try await editor.expectSoon("the edit is stored") { draft in
        try stage.item(1)?.name == "saved" && !draft.hasChanges
      }
      try await editor.edit { try $0.insert(Item(20)) }
      try await editor.expectSoon("the next edit is stored") { _ in try stage.item(20) != nil }
    },
    ConformanceCase(
      "DRAFT.autosave-fails", ["DRAFT-11", "DRAFT-8"],
      "An automatic save that fails leaves its error and the edits, and follows the next edit again.",
      without: ConformanceVariant.ofWriter, within: .seconds(60)
    ) { kit in
      let stage = try DraftStage(kit)
      let editor = AutosavingEditor()
      try await editor.begin(stage.store, after: .milliseconds(10))
      try await editor.edit { try $0.update(Item.self, 1) { $0.code = "c2" } }
      try await editor.expectSoon("the error") { draft in
        (draft.error as? StorageError)?.code == .uniqueViolation && draft.hasChanges
      }
      try await editor.edit { try $0.update(Item.self, 1) { $0.code = "free" } }
      try await editor.expectSoon("the edit is stored") { draft in
        try stage.item(1)?.code == "free" && draft.error == nil
      }
    },
    .draft("not-autosaved", ["DRAFT-11", "DRAFT-1"], "A draft that was not created for it never saves itself.") {
      stage in
      let (draft, before) = (stage.draft(), try stage.image)
      try draft.update(Item.self, 1) { $0.name = "mine" }
      Thread.sleep(forTimeInterval: 0.05)
      try expectEqual(try stage.image, before)
      try expect(draft.hasChanges)
    },
  ]
}

/// An actor that owns a draft which saves itself.
actor AutosavingEditor {
  private var draft: Draft?

  func begin(_ store: Store, after delay: Duration) throws {
    draft = Draft(on: store, autosave: .after(delay))
  }

  func edit(_ body: @Sendable (Draft) throws -> Void) throws { try body(unwrap(draft, "the draft")) }
  func save() async throws { try await unwrap(draft, "the draft").save() }

  func expectSoon(_ about: String, line: Int = #line, _ condition: @Sendable (Draft) throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(Watching.patience)
    while try !condition(unwrap(draft, "the draft")) {
      try expect(ContinuousClock.now < end, "\(about) within \(Watching.patience) s", line: line)
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}
