import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport
import Testing

/// The undoing of change sets.
@Suite struct UndoTests {
  static let engines = EngineDescription.all

  // HIST-12
  @Test(arguments: engines)
  func undoIsTheInverse(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = place.store
    try place.fill()
    let before = try store.content()
    let writes: [(WriteTransaction) throws -> Void] = [
      { tx in try tx.delete(Shelf.self, 1) },
      { tx in try tx.update(Item.self, 3) { ($0.title, $0.owner) = ("x", Ref(2)) } },
      { tx in try tx.delete(Item.where { $0.count == 1 }) },
      { tx in try tx.update(Item.all) { $0.count = 5 } },
      { tx in
        try tx.delete(Item.self, 1)
        try tx.insert(Item(9, "nine", code: "c1"))
      },
      { tx in try Item(2).tags.append(Ref<Shelf>(3), in: tx) },
    ]
    for write in writes {
      try store.write { tx in try write(tx) }
      let set = try #require(try store.history().last)
      let position = try store.undo(set, author: "undo")
      #expect(try store.content() == before)
      let undone = try #require(try store.history().last)
      #expect(undone.position == position && undone.author == "undo")
      // An undo is undone like any other write.
      try store.undo(undone)
      try store.undo(try #require(try store.history().last))
      #expect(try store.content() == before)
    }
    #expect(try store.check() == [])
  }

  // HIST-13
  @Test(arguments: engines)
  func laterWritesAreKept(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = place.store
    try place.fill()
    try store.update(Item.self, 1) { ($0.title, $0.count) = ("changed", 9) }
    let set = try #require(try store.history().last)
    try store.update(Item.self, 1) { $0.code = "later" }
    try store.undo(set)
    #expect(try store.get(Item.self, 1) == Item(1, "title 1", code: "later", count: 1, shelf: 1))
  }

  // HIST-13
  @Test(arguments: engines)
  func aConflictNamesObjectsAndProperties(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = place.store
    try place.fill()
    try store.write { tx in
      try tx.update(Item.self, 1) { ($0.title, $0.count) = ("changed", 9) }
      try tx.update(Item.self, 2) { $0.title = "changed" }
      try tx.delete(Item.self, 3)
      try tx.insert(Item(10))
      try tx.update(Item.self, 4) { $0.title = "changed" }
    }
    let set = try #require(try store.history().last)
    try store.write { tx in
      try tx.update(Item.self, 1) { ($0.title, $0.code) = ("later", "later") }
      try tx.delete(Item.self, 2)
      try tx.insert(Item(3))
      try tx.update(Item.self, 10) { $0.title = "later" }
    }
    let before = try store.content()
    let error = try #require(failure { try store.undo(set) })
    #expect(error.code == .conflict && error.model == "Item" && error.key == "1" && error.property == "title")
    let conflicts = try #require(error.cause as? HistoryConflicts)
    #expect(conflicts.objects.map(\.key) == [1, 2, 3, 10])
    #expect(conflicts.objects.map(\.properties) == [["title"], [], [], ["title"]])
    #expect(error.message.contains("Item 1 (title), Item 2, Item 3, Item 10 (title)"))
    #expect(try store.content() == before)
    #expect(try store.history().count == 3)
  }

  // HIST-13
  @Test(arguments: engines)
  func anObjectThatOthersReferToStays(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = place.store
    try store.insert(Shelf(1, "one"))
    let set = try #require(try store.history().last)
    try store.insert(Item(1, owner: 1))
    let before = try store.content()
    #expect(code { try store.undo(set) } == .referenced)
    #expect(try store.content() == before)
    try store.delete(Item.self, 1)
    try store.undo(set)
    #expect(try store.content().isEmpty)
  }

  // HIST-12
  @Test(arguments: engines)
  func aPositionThatIsNoneIsRefused(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    try place.fill()
    #expect(code { try place.store.undo(.start) } == .notFound)
    #expect(code { try place.store.undo(HistoryPosition("7")!) } == .notFound)
    let other = try Place(engine)
    try other.store.insert(Shelf(1, "one"))
    let foreign = try #require(try other.store.history().first)
    #expect(code { try place.store.undo(foreign) } == .notFound)
  }

  // HIST-13, RULE-1, RULE-2, RULE-3
  @Test(arguments: engines)
  func whatBreaksARuleIsNotStored(_ engine: EngineDescription) throws {
    let folder = try ScratchFolder(in: ScratchFolder.memory)
    let provider = try engine.provider(at: engine.path(in: folder.path))
    let store = try Store(models: [Offer.self], in: provider, options: Place.options())
    defer { try? store.close() }
    try store.insert(Offer(1, floor: 0, price: 10))
    try store.update(Offer.self, 1) { $0.price = 20 }
    let raised = try #require(try store.history().last)
    try store.update(Offer.self, 1) { $0.floor = 15 }
    // A price of 10 and the later floor do not go together.
    let error = try #require(failure { try store.undo(raised) })
    #expect(error.code == .invalidValue && error.model == "Offer" && error.key == "1")
    #expect(error.cause is Offer.BelowTheFloor)
    #expect(try store.get(Offer.self, 1) == Offer(1, floor: 15, price: 20))
    #expect(try store.history().count == 3)
    try store.write { tx in
      #expect(throws: StorageError.self) { try store.undo(raised) }
      try tx.update(Offer.self, 1) { $0.floor = 5 }
      try store.undo(raised)
    }
    #expect(try store.get(Offer.self, 1) == Offer(1, floor: 5, price: 10))
    // A removal stores nothing.
    try store.insert(Offer(2, floor: 0, price: 0))
    try store.undo(try #require(try store.history().last))
    #expect(try store.count(Offer.all) == 1)
    #expect(try store.check() == [])
  }
}
