import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDrafts

/// Queries on drafts: the result of the query after a save.
enum DraftFetchCases {
  /// Edits, a fetch of the draft, a save and the same fetch of the store.
  private static func fetch<M: Model & Equatable>(
    _ name: String, _ clauses: [String], _ summary: String, _ queries: [Query<M>], line: Int = #line,
    _ edit: @escaping @Sendable (Draft) throws -> Void
  ) -> ConformanceCase {
    .draft("fetch-\(name)", clauses, summary, line: line) { stage in
      let (draft, before) = (stage.draft(), try stage.image)
      try edit(draft)
      let overlays = try queries.map { try draft.fetch($0) }
      try expectEqual(try stage.image, before, "the store after the fetches")
      try expect(draft.hasChanges, "the draft after the fetches")
      try draft.save(onConflict: .overwrite)
      for (query, overlay) in zip(queries, overlays) {
        try expectEqual(overlay, try stage.store.fetch(query), "\(query)", line: line)
      }
    }
  }

  static let all: [ConformanceCase] = [
    fetch(
      "condition", ["DRAFT-6"], "Edited objects come and go with the condition.",
      [Item.all, Item.where { $0.rank == 1 }, Item.where { $0.rank == nil }, Item.where { $0.name.hasPrefix("m") }]
    ) { draft in
      try draft.update(Item.self, 1) { ($0.rank, $0.name) = (2, "mine") }
      try draft.update(Item.self, 2) { $0.rank = 1 }
      try draft.update(Item.self, 3) { $0.rank = nil }
      try draft.delete(Item.self, 4)
      try draft.insert(Item(20, rank: 1, name: "more"))
    },
    fetch(
      "order", ["DRAFT-6"], "Edited objects are in the order of the query, with ties in the order of keys.",
      [
        Item.all.sorted(by: \.score), Item.all.sorted(by: \.rank, order: .reverse), Item.all.sorted(by: \.name),
        Item.all.sorted(by: \.rank).sorted(by: \.score, order: .reverse),
      ]
    ) { draft in
      try draft.update(Item.self, 8) { $0.score = -1 }
      try draft.update(Item.self, 1) { ($0.score, $0.rank) = (100, nil) }
      try draft.insert(Item(0, rank: 2, name: "name 1", score: 1))
      try draft.delete(Item.self, 5)
    },
    fetch(
      "limit", ["DRAFT-6"], "Limit and offset count the edited objects.",
      [
        Item.all.limit(3), Item.all.offset(2).limit(3), Item.all.sorted(by: \.score, order: .reverse).limit(2),
        Item.all.limit(0), Item.all.offset(7), Item.where { $0.rank != nil }.sorted(by: \.rank).offset(1).limit(20),
      ]
    ) { draft in
      for id in [1, 3] { try draft.delete(Item.self, id) }
      try draft.insert(Item(0, rank: 0, score: 50))
      try draft.update(Item.self, 2) { $0.score = 60 }
      try draft.insert(Item(99, rank: 1))
    },
    fetch(
      "nothing", ["DRAFT-6"], "A draft that deletes everything has nothing.", [Item.all, Item.where { $0.rank == 1 }]
    ) { draft in for id in 1...8 { try draft.delete(Item.self, id) } },
    fetch(
      "through-references", ["DRAFT-6", "REL-21"], "Conditions and orders that lead to other objects see their edits.",
      [
        Poem.where { $0.poet.name == "mine" }, Poem.all.sorted(by: \.poet.name, order: .reverse),
        Poem.where { $0.poet.teacher.name.hasPrefix("m") }, Poem.all.sorted(by: \.poet.name).limit(3),
      ]
    ) { draft in
      try draft.update(Poet.self, 1) { $0.name = "mine" }
      try draft.update(Poem.self, 5) { $0.poet = Ref(1) }
      try draft.insert(Poem(20, "new", poet: 4))
    },
    fetch(
      "cascade", ["DRAFT-6", "REL-4"], "What delete rules will remove is not in the result.",
      [Poem.all, Poem.all.sorted(by: \.title, order: .reverse).limit(2)]
    ) { draft in
      try draft.update(Poem.self, 1) { $0.poet = Ref(2) }
      try draft.insert(Poem(20, "new", poet: 1))
      try draft.delete(Poet.self, 1)
    },
    fetch(
      "nullify", ["DRAFT-6", "REL-4"], "References that delete rules will make nil are nil in the result.",
      [Poet.all, Poet.where { $0.teacher == nil }]
    ) { draft in
      try draft.insert(Poet(9, "new", teacher: 1))
      try draft.delete(Poet.self, 1)
    },
    .draft("fetch-position", ["DRAFT-6", "PAGE-1"], "The position of a page applies to the edited objects.") { stage in
      let query = Item.all.sorted(by: \.score)
      let page = try stage.store.page(query, size: 3)
      let draft = stage.draft()
      try draft.update(Item.self, 8) { $0.score = -1 }
      try draft.update(Item.self, 1) { $0.score = 10 }
      let overlay = try draft.fetch(query.after(page.next).limit(4))
      try expectEqual(overlay.map(\.id), [4, 5, 6, 7])
      try draft.save()
      try expectEqual(try stage.store.fetch(query.after(page.next).limit(4)), overlay)
    },
    .draft(
      "fetch-throws", ["DRAFT-6"], "Where the draft must be written for the result, fetch throws what the save throws."
    ) {
      stage in
      try stage.store.update(Poem.self, 6) { $0.editor = Ref(4) }
      let (draft, before) = (stage.draft(), try stage.image)
      try draft.delete(Poet.self, 4)
      try expectError(.referenced) { try draft.fetch(Poem.all) }
      try expectEqual(try stage.image, before)
      try expectEqual(draft.changes.map(\.id.description), ["Poet 4"])
    },
    .draft("fetch-wrong-query", ["DRAFT-6", "ERR-2"], "A query that is wrong is invalidQuery with edits and without.") {
      stage in
      let draft = stage.draft()
      for _ in 0..<2 {
        try expectError(.invalidQuery) { try draft.fetch(Item.all.limit(-1)) }
        try expectError(.invalidQuery) { try draft.fetch(Item.all.offset(-1)) }
        try draft.update(Item.self, 1) { $0.name = "mine" }
      }
    },
    .draft(
      "fetch-overwrites", ["DRAFT-6", "DRAFT-9"], "A fetch shows the draft's objects where others have changed them."
    ) {
      stage in
      let draft = stage.draft()
      try draft.update(Item.self, 1) { $0.name = "mine" }
      try draft.update(Item.self, 2) { $0.name = "mine" }
      try stage.store.write { tx in
        try tx.update(Item.self, 1) { $0.score = 99 }
        try tx.delete(Item.self, 2)
        try tx.delete(Item.self, 3)
      }
      let overlay = try draft.fetch(Item.all)
      try expectEqual(overlay.map(\.id), [1, 2, 4, 5, 6, 7, 8])
      try expectEqual(overlay[0].score, 0.5)
      try draft.save(onConflict: .overwrite)
      try expectEqual(try stage.store.fetch(Item.all), overlay)
    },
  ]
}
