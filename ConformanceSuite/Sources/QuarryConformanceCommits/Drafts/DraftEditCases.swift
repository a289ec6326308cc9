import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDrafts

/// Reads and edits of drafts, and the changes that they list.
enum DraftEditCases {
  static let all: [ConformanceCase] = reads + misuse + changes

  private static let reads: [ConformanceCase] = [
    .draft("edits-are-values", ["DRAFT-1", "DRAFT-2"], "Edits change the draft and nothing in the store.") { stage in
      let before = try stage.image
      let draft = stage.draft()
      try draft.insert(Item(20, name: "new"))
      try draft.upsert(Item(1, name: "upserted"))
      try draft.update(Item.self, 2) { $0.name = "updated" }
      try draft.delete(Item.self, 3)
      draft[Item.self, 4]?.name = "set"
      draft[Item.self, 5] = nil
      draft[Item.self, 21] = Item(21, name: "added")
      let names = try [20, 1, 2, 3, 4, 5, 21].map { try draft.get(Item.self, $0)?.name }
      try expectEqual(names, ["new", "upserted", "updated", nil, "set", nil, "added"])
      try expectEqual(try stage.image, before)
    },
    .draft("keeps-nothing-open", ["DRAFT-1"], "Writes of others do not wait for drafts with edits.") { stage in
      let drafts = [stage.draft(), stage.draft()]
      for draft in drafts { try draft.update(Item.self, 1) { $0.name = "mine" } }
      try onAnotherThread { try stage.store.write(timeout: 5) { try $0.insert(Item(30)) } }
      try stage.store.write(timeout: 0) { try $0.insert(Item(31)) }
      for draft in drafts { try expectEqual(try draft.get(Item.self, 1)?.name, "mine") }
    },
    .draft("apart", ["DRAFT-1", "DRAFT-2"], "Two drafts on a store do not see each other's edits.") { stage in
      let (first, second) = (stage.draft(), stage.draft())
      try first.update(Item.self, 1) { $0.name = "first" }
      try second.delete(Item.self, 1)
      try expectEqual(try first.get(Item.self, 1)?.name, "first")
      try expectEqual(try second.get(Item.self, 1), nil)
      try expectEqual(try stage.draft().get(Item.self, 1)?.name, "name 1")
    },
    .draft("keeps-first-read", ["DRAFT-2", "DRAFT-5"], "A draft returns what it read first until it is rolled back.") {
      stage in
      let draft = stage.draft()
      try expectEqual(try draft.get(Item.self, 1)?.name, "name 1")
      try expectEqual(try draft.get(Item.self, 40), nil)
      try stage.store.write { tx in
        try tx.update(Item.self, 1) { $0.name = "theirs" }
        try tx.insert(Item(40))
      }
      try expectEqual(try draft.get(Item.self, 1)?.name, "name 1")
      try expectEqual(try draft.get(Item.self, 40), nil)
      draft.rollback()
      try expectEqual(try draft.get(Item.self, 1)?.name, "theirs")
      try expectEqual(try draft.get(Item.self, 40)?.id, 40)
    },
    .draft(
      "base-of-unread", ["DRAFT-2", "DRAFT-8"], "An edit of an object that was not read is made to the stored one."
    ) {
      stage in
      let draft = stage.draft()
      try stage.store.update(Item.self, 1) { $0.note = "stored" }
      try draft.update(Item.self, 1) { $0.name = "mine" }
      try draft.save()
      try expectEqual(try stage.item(1)?.note, "stored")
      try expectEqual(try stage.item(1)?.name, "mine")
    },
    .draft("given-base", ["DRAFT-2", "DRAFT-9"], "An edit with a base is saved against that base.") { stage in
      let draft = stage.draft()
      let listed = try unwrap(stage.item(1))
      try stage.store.update(Item.self, 1) { $0.score = 9 }
      var edited = listed
      edited.name = "mine"
      try draft.update(edited, from: listed)
      try expectThrows(DraftConflicts.self) { try draft.save() }
      try draft.save(onConflict: .mergeProperties)
      try expectEqual(try stage.item(1)?.score, 9)
      try expectEqual(try stage.item(1)?.name, "mine")
    },
  ]

  private static let misuse: [ConformanceCase] = [
    .draft("insert-duplicate", ["DRAFT-2"], "Insert of a key that the draft or the store has is duplicateKey.") {
      stage in
      let draft = stage.draft()
      try expectError(.duplicateKey) { try draft.insert(Item(1)) }
      try draft.insert(Item(20))
      try expectError(.duplicateKey) { try draft.insert(Item(20, name: "again")) }
      try draft.delete(Item.self, 1)
      try draft.insert(Item(1, name: "again"))
      try expectEqual(try draft.get(Item.self, 1)?.name, "again")
      try expectEqual(try draft.get(Item.self, 20)?.name, "")
    },
    .draft("key-change", ["DRAFT-2"], "An edit that changes the primary key is invalidValue and no edit.") { stage in
      let draft = stage.draft()
      try expectError(.invalidValue) { try draft.update(Item.self, 1) { $0.id = 2 } }
      try expectError(.invalidValue) { try draft.update(Item(2), from: Item(1)) }
      try expect(!draft.hasChanges)
      try expectEqual(try draft.get(Item.self, 1)?.name, "name 1")
    },
    .draft("refused-setter", ["DRAFT-2", "DRAFT-5"], "After an edit that a setter refuses, the draft saves nothing.") {
      stage in
      let (draft, before) = (stage.draft(), try stage.image)
      draft[Item.self, 2]?.name = "mine"
      draft[Item.self, 1] = Item(2)
      try expectEqual((draft.error as? StorageError)?.code, .invalidValue)
      try expectError(.invalidValue) { try draft.save() }
      try expectEqual(try stage.image, before)
      draft.rollback()
      try expect(draft.error == nil, "an error after the rollback")
      draft[Item.self, 2]?.name = "mine"
      try draft.save()
      try expectEqual(try stage.item(2)?.name, "mine")
    },
    .draft("missing-object", ["DRAFT-2"], "An update of an object that is not there is notFound, a delete says that.") {
      stage in
      let draft = stage.draft()
      try expectError(.notFound) { try draft.update(Item.self, 99) { $0.name = "" } }
      try expect(try !draft.delete(Item.self, 99))
      draft[Item.self, 99]?.name = "nothing"
      try expect(!draft.hasChanges && !draft.canUndo)
      try expect(draft.error == nil)
      try expect(try draft.delete(Item.self, 1))
      try expect(try !draft.delete(Item.self, 1))
    },
    .draft("closure-throws", ["DRAFT-2"], "A closure of an update that throws leaves the object as it was.") { stage in
      let draft = stage.draft()
      try expectAbandoned {
        try draft.update(Item.self, 1) { item in
          item.name = "half"
          throw Abandoned()
        }
      }
      try expect(!draft.hasChanges)
      try expectEqual(try draft.get(Item.self, 1)?.name, "name 1")
    },
  ]

  private static let changes: [ConformanceCase] = [
    .draft("changes", ["DRAFT-3"], "The changes are listed in the order of the first edits, with both values.") {
      stage in
      let draft = stage.draft()
      try draft.update(Item.self, 2) { $0.name = "mine" }
      try draft.insert(Poet(9, "nine"))
      try draft.delete(Item.self, 3)
      try draft.update(Item.self, 2) { ($0.rank, $0.tags) = (nil, ["t"]) }
      let changes = draft.changes
      try expectEqual(changes.map(\.id.description), ["Item 2", "Poet 9", "Item 3"])
      try expectEqual(changes.map(\.kind), [.updated, .inserted, .deleted])
      try expectEqual(changes[0].properties.map(\.name), ["rank", "name", "tags"])
      try expectEqual(changes[0].properties.map(\.old), [.int(2), .string("name 2"), .array([])])
      try expectEqual(changes[0].properties.map(\.new), [.null, .string("mine"), .array([.string("t")])])
      try expectEqual(changes[1].properties.count + changes[2].properties.count, 0)
      try expectEqual(changes[0].old(as: Item.self)?.name, "name 2")
      try expectEqual(changes[0].new(as: Item.self)?.name, "mine")
      try expectEqual(changes[1].old(as: Poet.self), nil)
      try expectEqual(changes[1].new(as: Poet.self), Poet(9, "nine"))
      try expectEqual(changes[2].new(as: Item.self), nil)
      try expectEqual(changes[2].old(as: Item.self), try stage.item(3))
    },
    .draft(
      "edited-back", ["DRAFT-3", "DRAFT-8"], "Edits that are edited back are no changes, and a save writes nothing."
    ) {
      stage in
      let draft = stage.draft()
      let version = try stage.store.read { try $0.version }
      try draft.update(Item.self, 1) { ($0.name, $0.rank) = ("mine", nil) }
      try draft.insert(Poet(9))
      try draft.delete(Item.self, 3)
      try expect(draft.hasChanges)
      try draft.update(Item.self, 1) { ($0.name, $0.rank) = ("name 1", 1) }
      try draft.delete(Poet.self, 9)
      try draft.insert(unwrap(stage.item(3)))
      try expect(!draft.hasChanges)
      try expectEqual(draft.changes.count, 0)
      try draft.save()
      try expectEqual(try stage.store.read { try $0.version }, version)
    },
    .draft("bits", ["DRAFT-3", "DRAFT-8"], "Objects that differ in a bit alone are changes, and are saved.") { stage in
      let draft = stage.draft()
      try stage.store.insert(Item(50, name: "é", score: 0, tags: ["a", ""]))
      try draft.update(Item.self, 50) { $0.score = -0.0 }
      try expectEqual(draft.changes.first?.properties.map(\.name), ["score"])
      try draft.update(Item.self, 50) { ($0.score, $0.name) = (0, "e\u{301}") }
      try expectEqual(draft.changes.first?.properties.map(\.name), ["name"])
      try draft.update(Item.self, 50) { ($0.name, $0.tags) = ("é", ["", "a"]) }
      try expectEqual(draft.changes.first?.properties.map(\.name), ["tags"])
      try draft.update(Item.self, 50) { ($0.score, $0.name, $0.tags) = (-0.0, "e\u{301}", ["a", ""]) }
      try draft.save()
      let stored = try unwrap(stage.item(50))
      try expectEqual(stored.score.sign, .minus)
      try expectEqual(Array(stored.name.unicodeScalars), ["e", "\u{301}"])
    },
    .draft("last-edit", ["DRAFT-3", "DRAFT-8"], "Of several edits of an object the last one is saved.") { stage in
      let draft = stage.draft()
      for round in 0..<10 { try draft.update(Item.self, 1) { ($0.name, $0.rank) = ("round \(round)", round) } }
      try draft.delete(Item.self, 2)
      try draft.insert(Item(2, name: "again"))
      try draft.delete(Item.self, 2)
      try draft.insert(Item(20))
      try draft.delete(Item.self, 20)
      try expectEqual(draft.changes.map(\.id.description), ["Item 1", "Item 2"])
      try draft.save()
      try expectEqual(try stage.item(1)?.rank, 9)
      try expectEqual(try stage.store.keys(Item.all.sorted(by: \.id)), [1, 3, 4, 5, 6, 7, 8])
    },
  ]
}
