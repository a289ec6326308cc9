import QuarryBackend
import QuarryCore
import QuarryDrafts
import QuarryEngines
import QuarryTestSupport
import Testing

/// The laws of drafts on random edits, on every engine.
@Suite struct DraftLawTests {
  static let cases = EngineDescription.all.flatMap { engine in (1...12).map { (engine.name, UInt64($0)) } }

  private static func engine(_ name: String) throws -> EngineDescription {
    try #require(EngineDescription.all.first { $0.name == name })
  }

  /// A random edit, for a draft and for a transaction.
  enum Edit {
    case insert(Item)
    case update(Int, (inout Item) -> Void)
    case delete(Int)
    case insertShelf(Shelf)
    case renameShelf(Int, String)
    case deleteShelf(Int)

    static func random(_ random: inout SeededGenerator, newShelf: inout Int) -> Edit {
      let id = Int.random(in: 1...12, using: &random)
      let shelf = Bool.random(using: &random) ? nil : Int.random(in: 1...newShelf, using: &random)
      let number = Int.random(in: 0...4, using: &random)
      switch Int.random(in: 0..<14, using: &random) {
      case 0...2: return .insert(Item(id, "title \(number)", count: number, ratio: -Double(number), shelf: shelf))
      case 3: return .insert(Item(id, "other", code: "c\(number)", owner: shelf))
      case 4: return .update(id) { $0.title = "title \(number)" }
      case 5: return .update(id) { $0.count = number == 0 ? nil : number }
      case 6: return .update(id) { $0.shelf = shelf.map { Ref($0) } }
      case 7: return .update(id) { ($0.owner, $0.ratio) = (shelf.map { Ref($0) }, Double(number)) }
      case 8: return .update(id) { $0.code = "c\(number)" }
      case 9, 10: return .delete(id)
      case 11:
        newShelf += 1
        return .insertShelf(Shelf(newShelf, "new \(newShelf)"))
      case 12: return .renameShelf(Int.random(in: 1...newShelf, using: &random), "named \(number)")
      default: return .deleteShelf(Int.random(in: 1...newShelf, using: &random))
      }
    }

    func make(in draft: Draft) throws {
      switch self {
      case .insert(let item): try draft.insert(item)
      case .update(let id, let change): try draft.update(Item.self, id, change)
      case .delete(let id): try draft.delete(Item.self, id)
      case .insertShelf(let shelf): try draft.insert(shelf)
      case .renameShelf(let id, let name): try draft.update(Shelf.self, id) { $0.name = name }
      case .deleteShelf(let id): try draft.delete(Shelf.self, id)
      }
    }

    func make(in scope: some WriteScope) throws {
      switch self {
      case .insert(let item): try scope.insert(item)
      case .update(let id, let change): try scope.update(Item.self, id, change)
      case .delete(let id): try scope.delete(Item.self, id)
      case .insertShelf(let shelf): try scope.insert(shelf)
      case .renameShelf(let id, let name): try scope.update(Shelf.self, id) { $0.name = name }
      case .deleteShelf(let id): try scope.delete(Shelf.self, id)
      }
    }
  }

  /// Queries of every shape, those that lead to other objects included.
  static func queries(_ random: inout SeededGenerator) -> [Query<Item>] {
    let number = Int.random(in: 0...4, using: &random)
    let some = Item.where { $0.count >= number || $0.title == "title \(number)" }
    return [
      Item.all, some, some.sorted(by: \.title, order: .reverse), Item.all.sorted(by: \.count).sorted(by: \.ratio),
      Item.all.limit(number), some.sorted(by: \.ratio).offset(number).limit(3), Item.all.offset(number),
      Item.where { $0.count == nil }.sorted(by: \.code), Item.where { $0.shelf.name.hasPrefix("n") },
      Item.all.sorted(by: \.shelf.name).limit(number + 1),
    ]
  }

  // DRAFT-3, DRAFT-6, DRAFT-8
  @Test(arguments: cases)
  func aSavedDraftIsTheSameWritesDoneDirectly(_ engine: String, _ seed: UInt64) throws {
    let place = try Place(Self.engine(engine))
    let direct = try Place(.memory)
    var random = SeededGenerator(seed: seed)
    var newShelf = 4
    try place.fill()
    try direct.fill()
    for _ in 0..<6 {
      let draft = Draft(on: place.store, undoLimit: 1000)
      let before = try place.content
      try direct.store.write { tx in
        for _ in 0..<Int.random(in: 1...14, using: &random) {
          let edit = Edit.random(&random, newShelf: &newShelf)
          // What one of them refuses, neither makes.
          try? tx.savepoint {
            try edit.make(in: tx)
            try edit.make(in: draft)
          }
        }
      }
      #expect(try place.content == before)
      var overlays: [([Item], Query<Item>)] = []
      for query in Self.queries(&random) { overlays.append((try draft.fetch(query), query)) }
      #expect(try place.content == before)
      let hasChanges = draft.hasChanges
      #expect(hasChanges == !draft.changes.isEmpty)
      try draft.save()
      #expect(try place.content == direct.content, "seed \(seed)")
      for (overlay, query) in overlays { #expect(try place.store.fetch(query) == overlay, "seed \(seed)") }
      #expect(!draft.hasChanges && !draft.canUndo)
      if !hasChanges { #expect(try place.content == before) }
    }
    #expect(try place.store.check() == [])
  }

  // DRAFT-4, DRAFT-5
  @Test(arguments: cases)
  func stepsAreUndoneAndMadeAgain(_ engine: String, _ seed: UInt64) throws {
    let place = try Place(Self.engine(engine))
    try place.fill()
    let before = try place.content
    let draft = Draft(on: place.store, undoLimit: 1000)
    var random = SeededGenerator(seed: seed)
    var newShelf = 4
    var states = [try state(draft)]
    for _ in 0..<40 {
      let edit = Edit.random(&random, newShelf: &newShelf)
      let changes = states.last
      do { try edit.make(in: draft) } catch { continue }
      let now = try state(draft)
      if now != changes { states.append(now) }
    }
    for expected in states.dropLast().reversed() {
      draft.undo()
      #expect(try state(draft) == expected, "seed \(seed)")
    }
    #expect(!draft.hasChanges && !draft.canUndo)
    for expected in states.dropFirst() {
      draft.redo()
      #expect(try state(draft) == expected, "seed \(seed)")
    }
    #expect(!draft.canRedo)
    draft.rollback()
    #expect(!draft.hasChanges && !draft.canUndo && !draft.canRedo && draft.changes.isEmpty)
    try draft.save()
    #expect(try place.content == before)
  }

  private func state(_ draft: Draft) throws -> [String] {
    draft.changes.map { change in
      let new = change.new(as: Item.self).map { "\($0)" } ?? change.new(as: Shelf.self).map { "\($0)" } ?? "nothing"
      return "\(change.id) \(change.kind) \(new)"
    }.sorted()
  }
}
