import QuarryBackend
import QuarryCore
import QuarryDrafts
import QuarryEngines
import QuarryTestSupport
import Testing

@Suite struct DraftTests {
  private func place() throws -> Place {
    let place = try Place(.memory)
    try place.fill()
    return place
  }

  // DRAFT-1, DRAFT-2
  @Test func anEditIsAValueUntilItIsSaved() throws {
    let place = try place()
    let draft = Draft(on: place.store)
    #expect(draft[Item.self, 1]?.title == "title 1")
    draft[Item.self, 1]?.title = "Emma"
    draft[Item.self, 20] = Item(20, "new")
    draft[Item.self, 2] = nil
    #expect(draft.hasChanges)
    #expect(draft[Item.self, 1]?.title == "Emma")
    #expect(draft[Item.self, 2] == nil)
    #expect(try place.store.get(Item.self, 1)?.title == "title 1")
    #expect(draft.error == nil)
    try draft.save()
    #expect(try place.store.get(Item.self, 1)?.title == "Emma")
    #expect(try place.store.exists(Item.self, 20))
    #expect(try !place.store.exists(Item.self, 2))
  }

  // DRAFT-3
  @Test func changesAreExact() throws {
    let place = try place()
    let draft = Draft(on: place.store)
    draft[Item.self, 1]?.title = "Emma"
    draft[Item.self, 1]?.count = nil
    try draft.insert(Shelf(9, "nine"))
    try draft.delete(Item.self, 3)
    let changes = draft.changes
    #expect(changes.map(\.id.description) == ["Item 1", "Shelf 9", "Item 3"])
    #expect(changes.map(\.kind) == [.updated, .inserted, .deleted])
    #expect(changes[0].properties.map(\.name) == ["title", "count"])
    #expect(changes[0].properties.map(\.old) == ["title 1", 1])
    #expect(changes[0].properties.map(\.new) == ["Emma", .null])
    #expect(changes[0].old(as: Item.self)?.title == "title 1")
    #expect(changes[2].new(as: Item.self) == nil)
    // Edited back.
    draft[Item.self, 1]?.title = "title 1"
    draft[Item.self, 1]?.count = 1
    try draft.delete(Shelf.self, 9)
    draft[Item.self, 3] = try place.store.get(Item.self, 3)
    #expect(!draft.hasChanges)
    #expect(draft.changes.isEmpty)
  }

  // DRAFT-3
  @Test func zerosOfTwoSignsDiffer() throws {
    let place = try place()
    let draft = Draft(on: place.store)
    try draft.insert(Item(30, ratio: 0))
    try draft.save()
    draft[Item.self, 30]?.ratio = -0.0
    #expect(draft.hasChanges)
    draft[Item.self, 30]?.ratio = .nan
    draft[Item.self, 30]?.ratio = 0
    #expect(!draft.hasChanges)
  }

  // DRAFT-2
  @Test func misuseIsATypedError() throws {
    let place = try place()
    let draft = Draft(on: place.store)
    #expect(code { try draft.insert(Item(1)) } == .duplicateKey)
    #expect(code { try draft.update(Item.self, 99) { $0.title = "" } } == .notFound)
    #expect(code { try draft.update(Item.self, 1) { $0.id = 2 } } == .invalidValue)
    #expect(code { try draft.update(Item(1), from: Item(2)) } == .invalidValue)
    #expect(code { _ = try draft.get(Unknown.self, 1) } == .schemaMismatch)
    #expect(try !draft.delete(Item.self, 99))
    #expect(!draft.hasChanges)
    draft[Item.self, 1] = Item(2)
    #expect((draft.error as? StorageError)?.code == .invalidValue)
    #expect(code { try draft.save() } == .invalidValue)
    draft.rollback()
    #expect(draft.error == nil)
    try draft.save()
  }

  // DRAFT-4
  @Test func stepsAreBounded() throws {
    let place = try place()
    let draft = Draft(on: place.store, undoLimit: 2)
    for title in ["a", "b", "c"] { draft[Item.self, 1]?.title = title }
    for _ in 0..<5 { draft.undo() }
    #expect(draft[Item.self, 1]?.title == "a")
    #expect(!draft.canUndo && draft.canRedo)
    draft.redo()
    #expect(draft[Item.self, 1]?.title == "b")
    draft[Item.self, 2]?.title = "x"
    #expect(!draft.canRedo)
  }

  // DRAFT-4
  @Test func aBodyIsOneStep() throws {
    let place = try place()
    let draft = Draft(on: place.store)
    draft.asOneStep {
      draft[Item.self, 1]?.title = "a"
      draft.asOneStep { draft[Item.self, 2]?.title = "b" }
      draft[Item.self, 1]?.title = "c"
    }
    draft.undo()
    #expect(!draft.hasChanges)
    draft.redo()
    #expect(draft[Item.self, 1]?.title == "c")
    #expect(draft[Item.self, 2]?.title == "b")
  }

  // DRAFT-8
  @Test func uniqueValuesMayChangePlaces() throws {
    for engine in EngineDescription.all {
      let place = try Place(engine)
      try place.fill()
      let draft = Draft(on: place.store)
      draft[Item.self, 1]?.code = "c2"
      draft[Item.self, 2]?.code = "c1"
      try draft.delete(Item.self, 3)
      draft[Item.self, 4]?.code = "c3"
      draft[Item.self, 4]?.shelf = Ref(1)
      try draft.save()
      #expect(try place.store.fetch(Item.all).prefix(3).map(\.code) == ["c2", "c1", "c3"])
    }
  }

  // DRAFT-8
  @Test func deleteRulesMeetTheReferencesOfTheDraft() throws {
    for engine in EngineDescription.all {
      let place = try Place(engine)
      try place.fill()
      try place.store.write { tx in
        try tx.update(Item.self, 1) { $0.owner = Ref(1) }
        try tx.update(Item.self, 2) { $0.owner = Ref(1) }
      }
      let draft = Draft(on: place.store)
      draft[Item.self, 1]?.owner = Ref(2)
      draft[Item.self, 2]?.title = "goes with its owner"
      try draft.insert(Item(40, shelf: 1))
      try draft.insert(Item(41, owner: 1))
      try draft.delete(Shelf.self, 1)
      let overlay = try draft.fetch(Item.all)
      try draft.save()
      let items = try place.store.fetch(Item.all)
      #expect(items == overlay)
      #expect(items.map(\.id) == [1, 3, 4, 5, 6, 7, 8, 40])
      #expect(items.last?.shelf == nil)
    }
  }

  // DRAFT-8
  @Test func aRefusedSaveLeavesTheDraft() throws {
    let place = try place()
    let draft = Draft(on: place.store)
    draft[Item.self, 1]?.code = "c2"
    draft[Item.self, 3]?.title = "kept"
    let before = try place.content
    #expect(code { try draft.save() } == .uniqueViolation)
    #expect(try place.content == before)
    draft[Item.self, 1]?.code = "free"
    try draft.save()
    #expect(try place.store.get(Item.self, 3)?.title == "kept")
  }

  // DRAFT-8
  @Test func aSaveInsideAWriteIsASavepoint() throws {
    let place = try place()
    let draft = Draft(on: place.store)
    draft[Item.self, 1]?.title = "Emma"
    struct Undone: Error {}
    #expect(throws: Undone.self) {
      try place.store.write { _ in
        try draft.save()
        throw Undone()
      }
    }
    #expect(try place.store.get(Item.self, 1)?.title == "title 1")
    draft[Item.self, 1]?.title = "Emma"
    #expect(code { try place.store.read { _ in try draft.save() } } == .reentrant)
    #expect(draft.hasChanges)
  }

  // DRAFT-6
  @Test func theOverlayFollowsAPage() throws {
    let place = try place()
    let query = Item.all.sorted(by: \.title)
    let page = try place.store.page(query, size: 3)
    let draft = Draft(on: place.store)
    draft[Item.self, 8]?.title = "a first"
    draft[Item.self, 1]?.title = "z last"
    let overlay = try draft.fetch(query.after(page.next).limit(4))
    try draft.save()
    #expect(try place.store.fetch(query.after(page.next).limit(4)) == overlay)
    #expect(code { try draft.fetch(query.limit(-1)) } == .invalidQuery)
    draft[Item.self, 1]?.title = "y"
    #expect(code { try draft.fetch(query.limit(-1)) } == .invalidQuery)
    #expect(code { try draft.fetch(query.offset(-1)) } == .invalidQuery)
  }

  // DRAFT-7
  @Test func aDraftOverAClosedStoreThrows() throws {
    let place = try place()
    let draft = Draft(on: place.store)
    draft[Item.self, 1]?.title = "Emma"
    try place.store.close()
    #expect(code { try draft.save() } == .closed)
    #expect(code { try draft.fetch(Item.all) } == .closed)
    #expect(code { try draft.get(Item.self, 2) } == .closed)
    #expect(draft[Item.self, 2] == nil)
    #expect((draft.error as? StorageError)?.code == .closed)
    #expect(draft.hasChanges && draft.stale.isEmpty)
  }

  // DRAFT-7
  @Test(arguments: ["sqlite", "lmdb"])
  func aDraftOverAMigratedStoreThrows(_ name: String) throws {
    let engine = try #require(EngineDescription.all.first { $0.name == name })
    let place = try Place(engine)
    try place.fill()
    let draft = Draft(on: place.store)
    draft[Shelf.self, 1]?.name = "Emma"
    let other = try Store(for: WiderShelf.self, in: engine.provider(at: engine.path(in: place.folder.path)))
    #expect(code { try draft.save() } == .schemaMismatch)
    #expect(code { try draft.fetch(Shelf.all) } == .schemaMismatch)
    #expect(draft.hasChanges)
    try other.close()
  }
}

/// A model that no store of these tests has.
struct Unknown: Model {
  var id: Int
  static let modelDefinition = ModelDefinition<Unknown>(
    name: "Unknown", properties: [PropertyDefinition("id", \Unknown.id, Int.self)], primaryKey: "id")
  struct Columns: ModelColumns { let id = Column<Int>("id", 0) }
  var primaryKeyValue: Int { id }
  init(reading row: ModelReader) throws(StorageError) { id = try row.get(0) }
  func write(to row: ModelWriter) throws(StorageError) { try row.set(0, id) }
}

/// `Shelf` in a later version of the program.
struct WiderShelf: Model {
  var id: Int
  var name: String
  var width: Int?

  static let modelDefinition = ModelDefinition<WiderShelf>(
    name: "Shelf",
    properties: [
      PropertyDefinition("id", \WiderShelf.id, Int.self), PropertyDefinition("name", \WiderShelf.name, String.self),
      PropertyDefinition("width", \WiderShelf.width, Int?.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns { let id = Column<Int>("id", 0) }
  var primaryKeyValue: Int { id }
  init(reading row: ModelReader) throws(StorageError) {
    (id, name, width) = (try row.get(0), try row.get(1), try row.get(2))
  }
  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, name)
    try row.set(2, width)
  }
}
