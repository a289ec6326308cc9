import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDrafts

/// Saves of objects that others have changed since the draft read them.
enum DraftConflictCases {
  /// A draft of which others have changed all objects but item 6, after it had edited them.
  private static func changed(_ stage: DraftStage) throws -> Draft {
    let draft = stage.draft()
    for id in [1, 2, 3] { try draft.update(Item.self, id) { $0.name = "mine" } }
    for id in [4, 5] { try draft.delete(Item.self, id) }
    for id in [50, 51] { try draft.insert(Item(id, name: "mine")) }
    try draft.update(Item.self, 6) { $0.name = "mine" }
    try stage.store.write { tx in
      try tx.update(Item.self, 1) { $0.name = "theirs" }
      try tx.update(Item.self, 2) { $0.score = 100 }
      try tx.delete(Item.self, 3)
      try tx.update(Item.self, 4) { $0.name = "theirs" }
      try tx.delete(Item.self, 5)
      try tx.insert(Item(50, name: "theirs"))
      try tx.insert(Item(51, name: "mine"))
    }
    return draft
  }

  private static func conflicts(_ draft: Draft, _ policy: DraftConflict) throws -> [DraftConflicts.Object] {
    do {
      try draft.save(onConflict: policy)
    } catch let conflicts as DraftConflicts {
      return conflicts.objects
    }
    throw ConformanceFailure(message: "a draft with conflicts was saved", file: #fileID, line: #line)
  }

  static let all: [ConformanceCase] = [
    .draft(
      "conflict-fail", ["DRAFT-9"], "With fail, the error has every object that others have changed, in its versions."
    ) {
      stage in
      let draft = try changed(stage)
      let before = try stage.image
      let objects = try conflicts(draft, .fail)
      try expectEqual(
        objects.map(\.id.description), ["Item 1", "Item 2", "Item 3", "Item 4", "Item 5", "Item 50", "Item 51"])
      try expectEqual(objects.map(\.properties), [["name"], [], [], [], [], [], []])
      try expectEqual(objects[0].base(as: Item.self)?.name, "name 1")
      try expectEqual(objects[0].mine(as: Item.self)?.name, "mine")
      try expectEqual(objects[0].theirs(as: Item.self)?.name, "theirs")
      try expectEqual(objects[2].theirs(as: Item.self), nil)
      try expectEqual(objects[3].mine(as: Item.self), nil)
      try expectEqual(objects[5].base(as: Item.self), nil)
      try expectEqual(try stage.image, before)
      try expectEqual(draft.changes.count, 8)
    },
    .draft("conflict-merge", ["DRAFT-9"], "With mergeProperties, only properties that both sides changed conflict.") {
      stage in
      let draft = try changed(stage)
      let before = try stage.image
      let objects = try conflicts(draft, .mergeProperties)
      try expectEqual(objects.map(\.id.description), ["Item 1", "Item 3", "Item 4", "Item 50"])
      try expectEqual(objects.map(\.properties), [["name"], [], [], []])
      try expectEqual(try stage.image, before)
    },
    .draft("merge", ["DRAFT-9"], "With mergeProperties, the changed properties of both sides are stored.") { stage in
      let draft = stage.draft()
      try draft.update(Item.self, 1) { ($0.name, $0.rank) = ("mine", nil) }
      try draft.update(Poem.self, 1) { $0.title = "mine" }
      try stage.store.write { tx in
        try tx.update(Item.self, 1) { ($0.score, $0.tags) = (99, ["theirs"]) }
        try tx.update(Poem.self, 1) { $0.poet = Ref(4) }
      }
      try draft.save(onConflict: .mergeProperties)
      try expectEqual(try stage.item(1), Item(1, name: "mine", score: 99, tags: ["theirs"]))
      try expectEqual(try stage.store.get(Poem.self, 1), Poem(1, "mine", poet: 4))
      try expect(!draft.hasChanges)
      try stage.store.expectWhole()
    },
    .draft("merge-same", ["DRAFT-9"], "With mergeProperties, the same change of both sides is no conflict.") { stage in
      let draft = stage.draft()
      try draft.update(Item.self, 1) { $0.name = "both" }
      try draft.delete(Item.self, 2)
      try draft.insert(Item(60, name: "both"))
      try stage.store.write { tx in
        try tx.update(Item.self, 1) { $0.name = "both" }
        try tx.delete(Item.self, 2)
        try tx.insert(Item(60, name: "both"))
      }
      let before = try stage.image
      try draft.save(onConflict: .mergeProperties)
      try expectEqual(try stage.image, before)
      try expect(!draft.hasChanges)
    },
    .draft(
      "merge-partly-same", ["DRAFT-9"],
      "A property that both sides changed to the same value is no conflict, whatever else each of them changed."
    ) { stage in
      let draft = stage.draft()
      try draft.update(Item.self, 1) { ($0.name, $0.rank) = ("both", 9) }
      try draft.update(Item.self, 2) { ($0.name, $0.note) = ("both", "mine") }
      try stage.store.write { tx in
        try tx.update(Item.self, 1) { ($0.name, $0.score) = ("both", 99) }
        try tx.update(Item.self, 2) { ($0.name, $0.note) = ("both", "theirs") }
      }
      let before = try stage.image
      let failed = try conflicts(draft, .fail)
      try expectEqual(failed.map(\.id.description), ["Item 1", "Item 2"])
      try expectEqual(failed.map(\.properties), [[], ["note"]])
      let merged = try conflicts(draft, .mergeProperties)
      try expectEqual(merged.map(\.id.description), ["Item 2"])
      try expectEqual(merged.map(\.properties), [["note"]])
      try expectEqual(try stage.image, before)
      try stage.store.update(Item.self, 2) { $0.note = "mine" }
      try draft.save(onConflict: .mergeProperties)
      try expectEqual(try stage.item(1), Item(1, rank: 9, name: "both", score: 99))
      try expectEqual(try stage.item(2)?.note, "mine")
      try expect(!draft.hasChanges)
    },
    .draft("merge-refused", ["DRAFT-9", "DRAFT-8"], "A merge that breaks a unique index stores nothing.") { stage in
      let draft = stage.draft()
      try draft.update(Item.self, 1) { $0.name = "mine" }
      try draft.update(Item.self, 3) { $0.code = "theirs" }
      try stage.store.write { tx in
        try tx.update(Item.self, 1) { $0.code = "theirs" }
        try tx.update(Item.self, 3) { $0.score = 9 }
      }
      let before = try stage.image
      try expectError(.uniqueViolation) { try draft.save(onConflict: .mergeProperties) }
      try expectEqual(try stage.image, before)
      try expectEqual(draft.changes.count, 2)
    },
    .draft("overwrite", ["DRAFT-9"], "With overwrite, the draft's objects are stored whole.") { stage in
      let draft = try changed(stage)
      try draft.save(onConflict: .overwrite)
      try expectEqual(try stage.store.keys(Item.all.sorted(by: \.id)), [1, 2, 3, 6, 7, 8, 50, 51])
      try expectEqual(try stage.item(1)?.name, "mine")
      try expectEqual(try stage.item(2)?.score, 1)
      try expectEqual(try stage.item(3)?.name, "mine")
      try expectEqual(try stage.item(50)?.name, "mine")
      try stage.store.expectWhole()
    },
    .draft("conflict-resolved", ["DRAFT-9"], "After a rollback the draft edits what is stored, without conflicts.") {
      stage in
      let draft = try changed(stage)
      _ = try conflicts(draft, .fail)
      draft.rollback()
      try draft.update(Item.self, 1) { $0.name += " and mine" }
      try draft.save()
      try expectEqual(try stage.item(1)?.name, "theirs and mine")
    },
    .draft("untouched-by-others", ["DRAFT-9"], "Changes of objects that the draft only read are no conflict.") {
      stage in
      let draft = stage.draft()
      _ = try draft.get(Item.self, 2)
      _ = try draft.fetch(Item.all)
      try draft.update(Item.self, 1) { $0.name = "mine" }
      try stage.store.write { tx in
        try tx.update(Item.self, 2) { $0.name = "theirs" }
        try tx.delete(Item.self, 3)
      }
      try draft.save()
      try expectEqual(try stage.item(1)?.name, "mine")
      try expectEqual(try stage.item(2)?.name, "theirs")
    },
    .draft("changed-back", ["DRAFT-9"], "An object that others changed and changed back has no conflict.") { stage in
      let draft = stage.draft()
      try draft.update(Item.self, 1) { $0.name = "mine" }
      try stage.store.update(Item.self, 1) { $0.score = 99 }
      try stage.store.update(Item.self, 1) { $0.score = 0.5 }
      try draft.save()
      try expectEqual(try stage.item(1)?.name, "mine")
    },
    .draft("two-drafts", ["DRAFT-9"], "Of two drafts of one object, the one that is saved second has the conflict.") {
      stage in
      let (first, second) = (stage.draft(), stage.draft())
      try first.update(Item.self, 1) { $0.name = "first" }
      try second.update(Item.self, 1) { $0.rank = 77 }
      try first.save()
      try expectEqual(try conflicts(second, .fail).map(\.id.description), ["Item 1"])
      try second.save(onConflict: .mergeProperties)
      try expectEqual(try stage.item(1)?.name, "first")
      try expectEqual(try stage.item(1)?.rank, 77)
    },
  ]
}
