import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDrafts

/// The laws of drafts on random edits.
enum RandomDraftCases {
  static let all: [ConformanceCase] =
    (1...10).map { number in
      .draft(
        "random-\(number)", ["DRAFT-1", "DRAFT-3", "DRAFT-6", "DRAFT-8"],
        "A saved draft is the same as its edits written directly, and a fetch before is the fetch after.",
        within: .seconds(120)
      ) { stage in try saved(stage, number) }
    }
    + (1...6).map { number in
      .draft(
        "random-steps-\(number)", ["DRAFT-4", "DRAFT-5", "DRAFT-1"],
        "Undo and redo go through the states of a draft, and a rollback leaves nothing.", within: .seconds(60)
      ) { stage in try stepped(stage, number) }
    }

  /// An edit that a draft and a transaction can make.
  private enum Edit {
    case insert(Item)
    case update(Int, @Sendable (inout Item) -> Void)
    case delete(Int)
    case insertPoem(Poem)
    case updatePoem(Int, @Sendable (inout Poem) -> Void)
    case deletePoem(Int)
    case insertPoet(Poet)
    case updatePoet(Int, @Sendable (inout Poet) -> Void)
    case deletePoet(Int)

    /// - Parameter newPoet: The last key of a poet. A poet that is deleted is not added again: a draft keeps what refers to it.
    static func chosen(using random: inout SeededGenerator, newPoet: inout Int) -> Edit {
      let id = Int.random(in: 1...12, using: &random)
      let poet = Bool.random(using: &random) ? nil : Int.random(in: 1...6, using: &random)
      let number = Int.random(in: 0...4, using: &random)
      switch Int.random(in: 0..<18, using: &random) {
      case 0, 1: return .insert(Item(id, rank: number, name: "name \(number)", score: -Double(number)))
      case 2: return .insert(Item(id, code: "c\(number)"))
      case 3, 4: return .update(id) { $0.name = "name \(number)" }
      case 5: return .update(id) { $0.rank = number == 0 ? nil : number }
      case 6: return .update(id) { ($0.score, $0.tags) = (Double(number), ["t\(number)"]) }
      case 7: return .update(id) { $0.code = "c\(number)" }
      case 8, 9: return .delete(id)
      case 10: return .insertPoem(Poem(id, "poem \(number)", poet: poet))
      case 11: return .updatePoem(id) { $0.poet = poet.map { Ref($0) } }
      case 12: return .updatePoem(id) { ($0.title, $0.editor) = ("titled \(number)", poet.map { Ref($0) }) }
      case 13: return .deletePoem(id)
      case 14:
        newPoet += 1
        return .insertPoet(Poet(newPoet, "poet \(number)", teacher: poet))
      case 15: return .updatePoet(id) { ($0.name, $0.teacher) = ("named \(number)", poet.map { Ref($0) }) }
      default: return .deletePoet(Int.random(in: 1...6, using: &random))
      }
    }

    func make(in draft: Draft) throws {
      switch self {
      case .insert(let item): try draft.insert(item)
      case .update(let id, let change): try draft.update(Item.self, id, change)
      case .delete(let id): try draft.delete(Item.self, id)
      case .insertPoem(let poem): try draft.insert(poem)
      case .updatePoem(let id, let change): try draft.update(Poem.self, id, change)
      case .deletePoem(let id): try draft.delete(Poem.self, id)
      case .insertPoet(let poet): try draft.insert(poet)
      case .updatePoet(let id, let change): try draft.update(Poet.self, id, change)
      case .deletePoet(let id): try draft.delete(Poet.self, id)
      }
    }

    func make(in tx: WriteTransaction) throws {
      switch self {
      case .insert(let item): try tx.insert(item)
      case .update(let id, let change): try tx.update(Item.self, id, change)
      case .delete(let id): try tx.delete(Item.self, id)
      case .insertPoem(let poem): try tx.insert(poem)
      case .updatePoem(let id, let change): try tx.update(Poem.self, id, change)
      case .deletePoem(let id): try tx.delete(Poem.self, id)
      case .insertPoet(let poet): try tx.insert(poet)
      case .updatePoet(let id, let change): try tx.update(Poet.self, id, change)
      case .deletePoet(let id): try tx.delete(Poet.self, id)
      }
    }
  }

  private static func items(_ number: Int) -> [Query<Item>] {
    let some = Item.where { $0.rank >= number || $0.name == "name \(number)" }
    return [
      Item.all, some, some.sorted(by: \.name, order: .reverse), Item.all.sorted(by: \.rank).sorted(by: \.score),
      Item.all.limit(number), some.sorted(by: \.score).offset(number).limit(3),
      Item.where { $0.rank == nil }.sorted(by: \.code),
    ]
  }

  private static func poems(_ number: Int) -> [Query<Poem>] {
    [
      Poem.all, Poem.where { $0.poet == Ref(number) }, Poem.where { $0.poet.name.hasPrefix("n") },
      Poem.all.sorted(by: \.poet.name).limit(number + 1),
    ]
  }

  private static func saved(_ stage: DraftStage, _ number: Int) throws {
    // The same edits as direct writes.
    let direct = try DraftStage(stage.kit)
    var random = stage.kit.random(7_700 + number)
    var newPoet = 4
    for round in 0..<5 {
      let draft = stage.draft()
      let before = try stage.image
      try direct.store.write { tx in
        for _ in 0..<Int.random(in: 1...12, using: &random) {
          let edit = Edit.chosen(using: &random, newPoet: &newPoet)
          // What one of the two refuses, neither makes.
          try? tx.savepoint {
            try edit.make(in: tx)
            try edit.make(in: draft)
          }
        }
      }
      let choice = Int.random(in: 0...4, using: &random)
      let about = "case \(number), round \(round)"
      let items = try items(choice).map { ($0, try draft.fetch($0)) }
      let poems = try poems(choice).map { ($0, try draft.fetch($0)) }
      try expectEqual(try stage.image, before, "\(about): the store before the save")
      try expectEqual(draft.hasChanges, !draft.changes.isEmpty, about)
      let hadChanges = draft.hasChanges
      try draft.save()
      let after = try stage.image
      try expectEqual(after, try direct.image, "\(about): the store after the save")
      try expectEqual(after == before, !hadChanges, "\(about): changes")
      for (query, overlay) in items { try expectEqual(overlay, try stage.store.fetch(query), "\(about): \(query)") }
      for (query, overlay) in poems { try expectEqual(overlay, try stage.store.fetch(query), "\(about): \(query)") }
      try expect(!draft.hasChanges && !draft.canUndo, about)
    }
    try stage.store.expectWhole("case \(number)")
  }

  private static func state(_ draft: Draft) -> [String] {
    draft.changes.map { change in
      let new =
        change.new(as: Item.self).map { "\($0)" } ?? change.new(as: Poem.self).map { "\($0)" }
        ?? change.new(as: Poet.self).map { "\($0)" } ?? "nothing"
      return "\(change.id) \(change.kind) \(new)"
    }.sorted()
  }

  private static func stepped(_ stage: DraftStage, _ number: Int) throws {
    var random = stage.kit.random(7_800 + number)
    var newPoet = 4
    let before = try stage.image
    let draft = stage.draft(undoLimit: 1_000)
    var states = [state(draft)]
    for _ in 0..<40 {
      let edit = Edit.chosen(using: &random, newPoet: &newPoet)
      do { try edit.make(in: draft) } catch is StorageError { continue }
      let now = state(draft)
      if now != states.last { states.append(now) }
    }
    for due in states.dropLast().reversed() {
      draft.undo()
      try expectEqual(state(draft), due, "case \(number)")
    }
    try expect(!draft.hasChanges && !draft.canUndo)
    for due in states.dropFirst() {
      draft.redo()
      try expectEqual(state(draft), due, "case \(number)")
    }
    try expect(!draft.canRedo)
    draft.rollback()
    try expect(!draft.hasChanges && !draft.canUndo && !draft.canRedo)
    try draft.save()
    try expectEqual(try stage.image, before)
  }
}
