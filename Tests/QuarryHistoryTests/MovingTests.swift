import QuarryBackend
import QuarryCore
import QuarryDump
import QuarryEngines
import QuarryQuery
import QuarryTestSupport
import Testing

/// The history of stores that are copied, restored and migrated.
@Suite struct MovingTests {
  static let engines = EngineDescription.all
  static let pairs = engines.flatMap { from in engines.filter { $0.path == .path }.map { (from, $0) } }

  private func fill(_ place: Place) throws {
    try place.fill()
    try place.store.write(author: "me") { tx in
      try tx.update(Item.self, 1) { $0.title = "other" }
      try tx.delete(Shelf.self, 2)
    }
  }

  private func isAlike(_ sets: [HistorySet], _ others: [HistorySet]) throws -> Bool {
    guard sets.map(\.position) == others.map(\.position), sets.map(\.author) == others.map(\.author) else {
      return false
    }
    for (set, other) in zip(sets, others) {
      guard set.date == other.date, set.models == other.models else { return false }
      for model in set.models {
        let (mine, its) = (try set.changes(in: model), try other.changes(in: model))
        guard mine.map(\.key) == its.map(\.key), mine.map(\.old) == its.map(\.old), mine.map(\.new) == its.map(\.new)
        else {
          return false
        }
      }
    }
    return true
  }

  // HIST-14
  @Test(arguments: pairs)
  func aCopyGoesOn(_ from: EngineDescription, _ to: EngineDescription) throws {
    let place = try Place(from, .on(keeping: .days(3)))
    try fill(place)
    let folder = try ScratchFolder(in: ScratchFolder.memory)
    let target = try to.provider(at: to.path(in: folder.path))
    try place.store.copy(to: target)
    let copy = try Store(models: Place.models, in: target)
    #expect(try isAlike(place.store.history(), copy.history()))
    #expect(try copy.content() == place.store.content())
    try copy.undo(try #require(try copy.history().last))
    try place.store.undo(try #require(try place.store.history().last))
    #expect(try copy.content() == place.store.content())
    #expect(try copy.history().count == 3)
    #expect(try copy.check() == [])
    #expect(try place.store.differences(from: copy).isEmpty)
  }

  // HIST-14
  @Test(arguments: engines.filter { $0.path == .path })
  func aDumpHasTheHistory(_ engine: EngineDescription) throws {
    let place = try Place(engine, .on(leavingOut: ["Item_tags"]))
    try fill(place)
    let file = place.folder.path + "/store.dump"
    try place.store.dump(to: file)
    let folder = try ScratchFolder(in: ScratchFolder.memory)
    let target = try engine.provider(at: engine.path(in: folder.path))
    try Store.restore(file, to: target)
    let restored = try Store(models: Place.models, in: target)
    #expect(try isAlike(place.store.history(), restored.history()))
    try Item(3).tags.append(Ref<Shelf>(3), in: restored)
    #expect(try restored.history().count == 2)
    try restored.undo(try #require(try restored.history().last))
    #expect(try restored.check() == [])
  }

  // HIST-7
  @Test(arguments: engines.filter { $0.path == .path })
  func anOlderSchemaIsTranslated(_ engine: EngineDescription) throws {
    let folder = try ScratchFolder(in: ScratchFolder.memory)
    let provider = try engine.provider(at: engine.path(in: folder.path))
    func properties(_ others: [PropertySchema]) -> [ModelSchema] {
      let own = [PropertySchema(name: "id", type: .int64), PropertySchema(name: "name", type: .string)]
      return [ModelSchema(name: "Shelf", properties: own + others, primaryKey: 0)]
    }
    var store = try Store(program: properties([]), in: provider, options: Place.options())
    try store.records.insert(into: "Shelf", [Record(["id": 1, "name": "one"])])
    try store.records.insert(into: "Shelf", [Record(["id": 2, "name": "two"])])
    _ = try store.records.delete(in: "Shelf", keys: [2])
    try store.close()
    // A property is added, and an index of it.
    var second = properties([PropertySchema(name: "height", type: .int64, defaultValue: 7)])
    second[0].indexes = [IndexSchema(name: "heights", columns: [IndexSchema.Column(slot: 2)])]
    store = try Store(program: second, in: provider)
    let sets = try store.history()
    #expect(sets.map(\.isUnknown) == [false, false, false, true])
    #expect(try sets[2].changes(in: "Shelf").map { $0.old?["height"] } == [7])
    #expect(code { try store.undo(sets[3]) } == .notFound)
    #expect(code { try sets[3].changes(in: "Shelf") } == .notFound)
    try store.undo(sets[2])
    #expect(try store.records.get(in: "Shelf", key: 2)?["height"] == 7)
    // Properties are renamed and dropped, and so is the model renamed.
    try store.write { tx in
      guard let model = try tx.models().first, let index = model.indexes.first else { return }
      try tx.apply(.dropIndex(model.id, index: index.id))
      try tx.apply(.dropProperty(model.id, slot: 2))
      try tx.apply(.renameProperty(model.id, slot: 1, to: "title"))
      try tx.apply(.renameModel(model.id, to: "Board"))
    }
    let renamed = try store.history()
    #expect(renamed.count == 6 && renamed[0].models == ["Board"])
    #expect(try renamed[0].changes(in: "Board").map { $0.new?["title"] } == ["one"])
    #expect(try renamed[4].changes(in: "Board").map { $0.new?.fields.count } == [2])
    #expect(try store.check() == [])
    // In a copy the slots and models have other numbers.
    let target = try engine.provider(at: engine.path(in: folder.path, "copy"))
    try store.copy(to: target)
    let copy = try Store(program: [], in: target)
    #expect(try isAlike(renamed, copy.history()))
    try copy.undo(renamed[0].position)
    #expect(try copy.records.count(QueryTree(model: "Board")) == 1)
    // A model that is gone leaves its change sets unknown.
    try copy.write { tx in
      guard let model = try tx.models().first else { return }
      try tx.apply(.dropModel(model.id))
    }
    let gone = try #require(try copy.history().first)
    #expect(gone.models == ["Board"] && gone.isUnknown("Board") && !gone.isUnknown)
    #expect(code { try copy.undo(gone) } == .notFound)
    #expect(try copy.check() == [])
  }

  // HIST-5
  @Test(arguments: engines)
  func theLogIsNotWrittenByPrograms(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    try place.fill()
    #expect(code { try place.store.records.delete(in: "_quarry_log", keys: [1]) } == .invalidQuery)
    #expect(
      code {
        try place.store.records.insert(into: "_quarry_log_reader", [Record(["name": "a", "position": 0, "hlc": 0])])
      }
        == .invalidQuery)
  }
}
