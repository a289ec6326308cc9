import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDrafts

/// Undo, redo and rollback of drafts.
enum DraftStepCases {
  private static func name(_ draft: Draft, _ id: Int = 1) throws -> String? { try draft.get(Item.self, id)?.name }

  private static func rename(_ draft: Draft, _ name: String, _ id: Int = 1) throws {
    try draft.update(Item.self, id) { $0.name = name }
  }

  static let all: [ConformanceCase] = [
    .draft("undo-redo", ["DRAFT-4"], "Undo takes back one call after the other, and redo makes them again.") { stage in
      let draft = stage.draft()
      try rename(draft, "a")
      try draft.delete(Item.self, 1)
      try draft.insert(Item(1, name: "b"))
      try draft.upsert(Item(1, name: "c"))
      let states: [String?] = ["c", "b", nil, "a", "name 1"]
      for state in states.dropFirst() {
        draft.undo()
        try expectEqual(try name(draft), state)
      }
      try expect(!draft.hasChanges && !draft.canUndo && draft.canRedo)
      draft.undo()
      for state in states.reversed().dropFirst() {
        draft.redo()
        try expectEqual(try name(draft), state)
      }
      try expect(draft.canUndo && !draft.canRedo)
      draft.redo()
      try expectEqual(try name(draft), "c")
    },
    .draft("one-step", ["DRAFT-4"], "All edits of a body are one step, and those of a body inside belong to it.") {
      stage in
      let draft = stage.draft()
      try rename(draft, "before")
      try draft.asOneStep {
        try rename(draft, "a")
        try draft.asOneStep { _ = try draft.delete(Item.self, 2) }
        try rename(draft, "b")
      }
      draft.undo()
      try expectEqual(try name(draft), "before")
      try expectEqual(try name(draft, 2), "name 2")
      draft.redo()
      try expectEqual(try name(draft), "b")
      try expectEqual(try name(draft, 2), nil)
      draft.undo()
      draft.undo()
      try expect(!draft.hasChanges)
    },
    .draft("step-throws", ["DRAFT-4"], "The edits of a body that throws stay, as one step.") { stage in
      let draft = stage.draft()
      try expectAbandoned {
        try draft.asOneStep {
          try rename(draft, "a")
          try draft.delete(Item.self, 2)
          throw Abandoned()
        }
      }
      try expectEqual(try name(draft), "a")
      draft.undo()
      try expect(!draft.hasChanges && !draft.canUndo)
    },
    .draft("step-limit", ["DRAFT-4"], "No more steps are kept than the draft was created for.") { stage in
      for limit in [0, 1, 3] {
        let draft = stage.draft(undoLimit: limit)
        for number in 0..<5 { try rename(draft, "\(number)") }
        for _ in 0..<8 { draft.undo() }
        try expectEqual(try name(draft), "\(4 - limit)", "\(limit) steps")
        try expect(!draft.canUndo)
        for _ in 0..<8 { draft.redo() }
        try expectEqual(try name(draft), "4", "\(limit) steps")
      }
    },
    .draft("edit-after-undo", ["DRAFT-4"], "An edit discards the steps that could be made again.") { stage in
      let draft = stage.draft()
      try rename(draft, "a")
      try rename(draft, "b")
      draft.undo()
      try rename(draft, "c", 2)
      try expect(!draft.canRedo)
      draft.redo()
      try expectEqual(try name(draft), "a")
      draft.undo()
      draft.undo()
      try expect(!draft.hasChanges)
    },
    .draft("undo-after-save", ["DRAFT-4", "DRAFT-8"], "A save ends the steps: what is stored is not undone.") { stage in
      let draft = stage.draft()
      try rename(draft, "a")
      draft.undo()
      draft.redo()
      try draft.save()
      try expect(!draft.canUndo && !draft.canRedo)
      draft.undo()
      try expect(!draft.hasChanges)
      try expectEqual(try stage.item(1)?.name, "a")
    },
    .draft("undo-then-save", ["DRAFT-4", "DRAFT-8"], "What was undone is not saved.") { stage in
      let draft = stage.draft()
      try rename(draft, "a")
      try draft.insert(Item(20))
      try draft.delete(Item.self, 3)
      draft.undo()
      draft.undo()
      try draft.save()
      try expectEqual(try stage.item(1)?.name, "a")
      try expectEqual(try stage.store.count(Item.all), 8)
    },
    .draft(
      "rollback", ["DRAFT-5", "DRAFT-1"], "After a rollback the draft has no edit, no step and nothing that it read."
    ) {
      stage in
      let (draft, before) = (stage.draft(), try stage.image)
      try rename(draft, "a")
      try draft.delete(Poet.self, 1)
      try draft.insert(Item(20))
      draft.undo()
      draft.rollback()
      try expect(!draft.hasChanges && !draft.canUndo && !draft.canRedo)
      try expectEqual(draft.changes.count, 0)
      try draft.save()
      try expectEqual(try stage.image, before)
      try stage.store.update(Item.self, 1) { $0.name = "theirs" }
      try expectEqual(try name(draft), "theirs")
    },
  ]
}
