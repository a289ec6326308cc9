import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDrafts

/// Saves of drafts without changes of others.
enum DraftSaveCases {
  static let all: [ConformanceCase] = whole + values + references + states

  private static let whole: [ConformanceCase] = [
    .draft("save", ["DRAFT-8"], "A save stores every edit, and the draft is empty.") { stage in
      let draft = stage.draft()
      try draft.update(Item.self, 1) { ($0.name, $0.rank, $0.tags) = ("mine", nil, ["a", "b"]) }
      try draft.insert(Item(20, rank: 5))
      try draft.delete(Item.self, 2)
      try draft.insert(Poet(9, "nine", teacher: 1))
      try draft.save()
      try expect(!draft.hasChanges && draft.changes.isEmpty)
      try expectEqual(try stage.item(1), Item(1, name: "mine", score: 0.5, tags: ["a", "b"]))
      try expectEqual(try stage.store.keys(Item.all.sorted(by: \.id)), [1, 3, 4, 5, 6, 7, 8, 20])
      try expectEqual(try stage.store.get(Poet.self, 9)?.teacher, Ref(1))
      try stage.store.expectWhole()
    },
    .draft(
      "save-at-once", ["DRAFT-8", "OBS-1"], "Observers see a save as one commit.", needs: [.captureRows],
      without: ConformanceVariant.ofWriter
    ) { stage in
      let watched = try Watched(stage.store, Item.all, .items)
      let draft = stage.draft()
      try draft.update(Item.self, 1) { $0.name = "mine" }
      try draft.delete(Item.self, 2)
      try draft.insert(Item(20))
      let change = try unwrap(watched.expectChange("a save") { try draft.save() })
      try expectEqual(change.objects.map(\.id), [1, 3, 4, 5, 6, 7, 8, 20])
    },
    .draft("save-refused", ["DRAFT-8"], "A save that the store refuses stores nothing, and the draft keeps its edits.")
    {
      stage in
      let (draft, before) = (stage.draft(), try stage.image)
      try draft.update(Item.self, 1) { $0.code = "c2" }
      try draft.update(Item.self, 3) { $0.name = "kept" }
      try draft.delete(Item.self, 8)
      try expectError(.uniqueViolation) { try draft.save() }
      try expectEqual(try stage.image, before)
      try expectEqual(draft.changes.count, 3)
      try expect(draft.canUndo)
      try draft.update(Item.self, 1) { $0.code = "free" }
      try draft.save()
      try expectEqual(try stage.item(3)?.name, "kept")
      try expectEqual(try stage.item(8), nil)
    },
    .draft("save-twice", ["DRAFT-8"], "After a save, edits begin with the stored objects.") { stage in
      let draft = stage.draft()
      for round in 1...3 {
        try draft.update(Item.self, 1) { $0.rank = ($0.rank ?? 0) + 1 }
        try draft.insert(Item(20 + round))
        try draft.save()
        try expectEqual(try stage.item(1)?.rank, 1 + round)
      }
      try expectEqual(try stage.store.count(Item.all), 11)
    },
    .draft("save-inside-write", ["DRAFT-8", "TXN-4"], "A save inside a write is a savepoint of it.") { stage in
      let draft = stage.draft()
      try draft.update(Item.self, 1) { $0.name = "mine" }
      try expectAbandoned {
        try stage.store.write { tx in
          try draft.save()
          try expectEqual(try tx.get(Item.self, 1)?.name, "mine")
          throw Abandoned()
        }
      }
      try expectEqual(try stage.item(1)?.name, "name 1")
      try draft.update(Item.self, 2) { $0.code = "c3" }
      try stage.store.write { tx in
        try tx.insert(Item(30))
        try expectError(.uniqueViolation) { try draft.save() }
      }
      try expectEqual(try stage.item(30)?.id, 30)
      try expectEqual(try stage.item(2)?.code, "c2")
    },
    .draft(
      "save-inside-read", ["DRAFT-8", "TXN-5"], "A save inside a read is reentrant, and the draft keeps its edits."
    ) {
      stage in
      let draft = stage.draft()
      try draft.update(Item.self, 1) { $0.name = "mine" }
      try expectError(.reentrant) { try stage.store.read { _ in try draft.save() } }
      try draft.save()
      try expectEqual(try stage.item(1)?.name, "mine")
    },
  ]

  private static let values: [ConformanceCase] = [
    .draft("unique-exchanged", ["DRAFT-8"], "Two objects of a draft exchange their unique values.") { stage in
      let draft = stage.draft()
      try draft.update(Item.self, 1) { $0.code = "c2" }
      try draft.update(Item.self, 2) { $0.code = "c1" }
      try draft.save()
      try expectEqual(try [1, 2].map { try stage.item($0)?.code }, ["c2", "c1"])
      try stage.store.expectWhole()
    },
    .draft("unique-in-circle", ["DRAFT-8"], "Unique values go round among four objects of a draft.") { stage in
      let draft = stage.draft()
      for id in 1...4 { try draft.update(Item.self, id) { $0.code = "c\(id % 4 + 1)" } }
      try draft.save()
      try expectEqual(try (1...4).map { try stage.item($0)?.code }, ["c2", "c3", "c4", "c1"])
      try stage.store.expectWhole()
    },
    .draft("unique-of-deleted", ["DRAFT-8"], "An object takes the unique value of one that the draft deletes.") {
      stage in
      let draft = stage.draft()
      try draft.update(Item.self, 1) { $0.code = "c2" }
      try draft.delete(Item.self, 2)
      try draft.insert(Item(20, code: "c3"))
      try draft.delete(Item.self, 3)
      try draft.save()
      try expectEqual(try stage.item(1)?.code, "c2")
      try expectEqual(try stage.item(20)?.code, "c3")
      try stage.store.expectWhole()
    },
    .draft(
      "deleted-and-added", ["DRAFT-8", "REL-4"], "An object that is deleted and added again keeps what refers to it."
    ) {
      stage in
      let draft = stage.draft()
      try draft.delete(Poet.self, 1)
      try draft.insert(Poet(1, "again"))
      try expectEqual(draft.changes.map(\.kind), [.updated])
      try draft.save()
      try expectEqual(try stage.store.get(Poet.self, 1), Poet(1, "again"))
      try expectEqual(try stage.store.keys(Poem.where { $0.poet == Ref(1) }), [1, 2])
      try expectEqual(try stage.store.get(Poet.self, 2)?.teacher, Ref(1))
    },
  ]

  private static let references: [ConformanceCase] = [
    .draft(
      "save-missing-reference", ["DRAFT-8", "REL-1"], "A reference to an object that is nowhere is missingReference."
    ) {
      stage in
      let (draft, before) = (stage.draft(), try stage.image)
      try draft.insert(Poem(20, "new", poet: 77))
      try draft.update(Item.self, 1) { $0.name = "mine" }
      try expectError(.missingReference) { try draft.save() }
      try expectEqual(try stage.image, before)
      try draft.insert(Poet(77))
      try draft.save()
      try expectEqual(try stage.store.get(Poem.self, 20)?.poet, Ref(77))
    },
    .draft("references-in-circle", ["DRAFT-8"], "Objects of a draft that refer to each other are saved in any order.") {
      stage in
      let draft = stage.draft()
      try draft.insert(Poem(20, "first", poet: 20, answers: 21))
      try draft.insert(Poem(21, "second", poet: 21, answers: 20))
      try draft.insert(Poet(20, "first", teacher: 21))
      try draft.insert(Poet(21, "second", teacher: 20))
      try draft.save()
      try expectEqual(try stage.store.get(Poet.self, 20)?.teacher, Ref(21))
      try expectEqual(try stage.store.get(Poem.self, 21)?.answers, Ref(20))
      try stage.store.expectWhole()
    },
    .draft("cascade", ["DRAFT-8", "REL-4"], "A cascade follows the references of the draft, not those of the store.") {
      stage in
      let draft = stage.draft()
      try draft.update(Poem.self, 1) { $0.poet = Ref(2) }
      try draft.update(Poem.self, 2) { $0.title = "removed with its poet" }
      try draft.insert(Poem(20, "removed with its poet", poet: 1))
      try draft.update(Poem.self, 3) { $0.poet = Ref(1) }
      try draft.delete(Poet.self, 1)
      try draft.save()
      try expectEqual(try stage.store.keys(Poem.all.sorted(by: \.id)), [1, 4, 5, 6])
      try expectEqual(try stage.store.get(Poem.self, 1)?.poet, Ref(2))
      try expect(!draft.hasChanges)
      try stage.store.expectWhole()
    },
    .draft("nullify", ["DRAFT-8", "REL-4"], "A reference to a deleted object becomes nil, also in edited objects.") {
      stage in
      let draft = stage.draft()
      try draft.update(Poet.self, 2) { $0.name = "mine" }
      try draft.insert(Poet(9, "new", teacher: 1))
      try draft.update(Poet.self, 3) { $0.teacher = Ref(1) }
      for id in [1, 2] { try draft.update(Poem.self, id) { $0.poet = nil } }
      try draft.delete(Poet.self, 1)
      try draft.save()
      try expectEqual(
        try stage.store.fetch(Poet.all.sorted(by: \.id)),
        [Poet(2, "mine"), Poet(3, "poet 3"), Poet(4, "poet 4"), Poet(9, "new")])
      try expectEqual(try stage.store.count(Poem.all), 6)
    },
    .draft("deny", ["DRAFT-8", "REL-4"], "A deny refuses a save by the references of the draft.") { stage in
      try stage.store.update(Poem.self, 6) { $0.editor = Ref(4) }
      let (draft, before) = (stage.draft(), try stage.image)
      try draft.update(Item.self, 1) { $0.name = "mine" }
      try draft.delete(Poet.self, 4)
      try expectError(.referenced) { try draft.save() }
      try expectEqual(try stage.image, before)
      try draft.update(Poem.self, 6) { $0.editor = Ref(3) }
      try draft.save()
      try expectEqual(try stage.store.get(Poet.self, 4), nil)
      try expectEqual(try stage.store.get(Poem.self, 6)?.editor, Ref(3))
    },
  ]

  private static let states: [ConformanceCase] = [
    .draft("closed", ["DRAFT-7", "TXN-6"], "On a closed store reads and saves are closed, and the edits stay.") {
      stage in
      let draft = stage.draft()
      try draft.update(Item.self, 1) { $0.name = "mine" }
      try stage.store.close()
      try expectError(.closed) { try draft.save() }
      try expectError(.closed) { try draft.get(Item.self, 2) }
      try expectError(.closed) { try draft.fetch(Item.all) }
      try expectEqual(draft[Item.self, 2], nil)
      try expectEqual((draft.error as? StorageError)?.code, .closed)
      try expectEqual(draft.changes.map(\.id.description), ["Item 1"])
    },
    .draft(
      "schema-changed", ["DRAFT-7", "SCH-2"],
      "After a change of its model a draft is schemaMismatch, and keeps its edits.",
      needs: [.schemaDropModel]
    ) { stage in
      let draft = stage.draft()
      try draft.update(Item.self, 1) { $0.name = "mine" }
      try stage.store.write { tx in try tx.apply(.dropModel(try tx.model(named: "Item").id)) }
      try expectError(.schemaMismatch) { try draft.save() }
      try expectError(.schemaMismatch) { try draft.get(Item.self, 2) }
      try expectError(.schemaMismatch) { try draft.fetch(Item.all) }
      try expect(draft.hasChanges)
    },
    .draft("unknown-model", ["DRAFT-7"], "A model for which the store was not opened is schemaMismatch.") { stage in
      let draft = stage.draft()
      try expectError(.schemaMismatch) { try draft.get(Numbered.self, 1) }
      try expectError(.schemaMismatch) { try draft.insert(Numbered(id: 1, number: 1)) }
      try expect(!draft.hasChanges)
    },
    ConformanceCase(
      "DRAFT.save-asynchronous", ["DRAFT-8", "TXN-8"], "An asynchronous save stores every edit, or none.",
      within: .seconds(30)
    ) { kit in
      let stage = try DraftStage(kit)
      let draft = stage.draft()
      try draft.edit()
      try await draft.save()
      try expect(!draft.hasChanges)
      let name = try await stage.store.get(Item.self, 1)?.name
      try expectEqual(name, "mine")
      try draft.edit(code: "c3")
      do {
        try await draft.save()
        throw ConformanceFailure(message: "a unique value was stored twice", file: #fileID, line: #line)
      } catch let error as StorageError {
        try expectEqual(error.code, .uniqueViolation)
      }
      try expect(draft.hasChanges)
    },
    ConformanceCase(
      "DRAFT.edits-during-save", ["DRAFT-8"],
      "Edits during a save are edits of the saved objects; a second save meanwhile is reentrant.",
      without: ConformanceVariant.ofWriter, within: .seconds(60)
    ) { kit in
      let stage = try DraftStage(kit)
      let editor = Editor(stage.store)
      try await editor.edit { try $0.update(Item.self, 1) { $0.name = "first" } }
      let holder = try ScriptedTransaction.write(stage.store, alone: true)
      let before = stage.store.writesThatWaited
      let saving = Task.ofCase { try await editor.save() }
      try await stage.store.untilWaiting(before + 1)
      try await editor.edit { draft in
        try draft.update(Item.self, 1) { $0.rank = 55 }
        try draft.update(Item.self, 2) { $0.name = "second" }
        try expectError(.reentrant) { try draft.save() }
      }
      try holder.commit()
      try await saving.value
      let stored = try await stage.store.get(Item.self, 1)
      try expectEqual(stored?.name, "first")
      try expectEqual(stored?.rank, 1)
      try await editor.edit { draft in
        try expectEqual(draft.changes.map(\.id.description).sorted(), ["Item 1", "Item 2"])
        try expectEqual(draft.changes.first { $0.id.key == 1 }?.properties.map(\.name), ["rank"])
        try draft.save()
      }
      let ranks = try await stage.store.get(Item.self, keys: [1, 2]).map { $0?.rank }
      try expectEqual(ranks, [55, 2])
    }.only(.one),
  ]
}

extension Draft {
  // Synchronous, so that no expectation needs an asynchronous autoclosure.
  fileprivate func edit(code: String? = nil) throws {
    try update(Item.self, 1) { item in
      item.name = "mine"
      if let code { item.code = code }
    }
  }
}

/// An actor that owns a draft.
actor Editor {
  private let draft: Draft

  init(_ store: Store) {
    draft = Draft(on: store)
  }

  func edit(_ body: @Sendable (Draft) throws -> Void) throws { try body(draft) }
  func save() async throws { try await draft.save() }

  func expectSoon(_ about: String, line: Int = #line, _ condition: @Sendable (Draft) throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(Watching.patience)
    while try !condition(draft) {
      try expect(ContinuousClock.now < end, "\(about) within \(Watching.patience) s", line: line)
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}
