import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport

/// What others refer to.
struct Shelf: Model, Equatable {
  var id: Int
  var name: String

  static let modelDefinition = ModelDefinition<Shelf>(
    name: "Shelf",
    properties: [PropertyDefinition("id", \Shelf.id, Int.self), PropertyDefinition("name", \Shelf.name, String.self)],
    primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var name = Column<String>("name", 1)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, _ name: String) { (self.id, self.name) = (id, name) }

  init(reading row: ModelReader) throws(StorageError) { (id, name) = (try row.get(0), try row.get(1)) }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, name)
  }
}

/// An object with a unique value, and references that are set to nil and that remove it.
struct Item: Model, Equatable {
  var id: Int
  var code: String
  var title: String
  var count: Int?
  var ratio: Double
  var shelf: Ref<Shelf>?
  var owner: Ref<Shelf>?

  static let modelDefinition = ModelDefinition<Item>(
    name: "Item",
    properties: [
      PropertyDefinition("id", \Item.id, Int.self), PropertyDefinition("code", \Item.code, String.self),
      PropertyDefinition("title", \Item.title, String.self), PropertyDefinition("count", \Item.count, Int?.self),
      PropertyDefinition("ratio", \Item.ratio, Double.self),
      PropertyDefinition("shelf", \Item.shelf, Ref<Shelf>?.self),
      PropertyDefinition("owner", \Item.owner, Ref<Shelf>?.self, deleteRule: .cascade),
    ], primaryKey: "id",
    indexes: [IndexDefinition(["code"], isUnique: true), IndexDefinition(["count", "title"])])

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var code = Column<String>("code", 1)
    var title = Column<String>("title", 2)
    var count = Column<Int?>("count", 3)
    var ratio = Column<Double>("ratio", 4)
    var shelf = Column<Ref<Shelf>?>("shelf", 5)
    var owner = Column<Ref<Shelf>?>("owner", 6)
  }

  var primaryKeyValue: Int { id }

  init(
    _ id: Int, _ title: String = "", code: String? = nil, count: Int? = nil, ratio: Double = 0, shelf: Int? = nil,
    owner: Int? = nil
  ) {
    (self.id, self.title, self.code) = (id, title, code ?? "c\(id)")
    (self.count, self.ratio) = (count, ratio)
    (self.shelf, self.owner) = (shelf.map { Ref($0) }, owner.map { Ref($0) })
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, code, title) = (try row.get(0), try row.get(1), try row.get(2))
    (count, ratio) = (try row.get(3), try row.get(4))
    (shelf, owner) = (try row.get(5), try row.get(6))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, code)
    try row.set(2, title)
    try row.set(3, count)
    try row.set(4, ratio)
    try row.set(5, shelf)
    try row.set(6, owner)
  }
}

/// A model with rules of its own.
struct Price: Model, Equatable, Validated {
  var id: Int
  var amount: Int
  var note: String

  struct IsNegative: Error, Equatable { var amount: Int }

  static let modelDefinition = ModelDefinition<Price>(
    name: "Price",
    properties: [
      PropertyDefinition("id", \Price.id, Int.self), PropertyDefinition("amount", \Price.amount, Int.self),
      PropertyDefinition("note", \Price.note, String.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var amount = Column<Int>("amount", 1)
    var note = Column<String>("note", 2)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, _ amount: Int, _ note: String = "") { (self.id, self.amount, self.note) = (id, amount, note) }

  init(reading row: ModelReader) throws(StorageError) {
    (id, amount, note) = (try row.get(0), try row.get(1), try row.get(2))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, amount)
    try row.set(2, note)
  }

  func validate() throws {
    if amount < 0 { throw IsNegative(amount: amount) }
    if note == "?" { throw StorageError(.missingValue, "a note is needed", property: "note") }
  }
}

/// A new store of an engine, which goes with the value.
final class Place {
  let folder: ScratchFolder
  let engine: EngineDescription
  let store: Store

  init(_ engine: EngineDescription) throws {
    self.engine = engine
    folder = try ScratchFolder(in: ScratchFolder.memory)
    store = try Store(
      models: [Shelf.self, Item.self, Price.self], in: engine.provider(at: engine.path(in: folder.path)))
  }

  func fill() throws {
    try store.write { tx in
      for id in 1...4 { try tx.insert(Shelf(id, "shelf \(id)")) }
      for id in 1...8 {
        var item = Item(id, "title \(id % 3)", count: id % 3, ratio: Double(id) / 2, shelf: id % 5)
        if id % 4 == 0 { item.count = nil }
        if id % 5 == 0 { item.shelf = nil }
        try tx.insert(item)
      }
    }
  }

  /// Everything, to compare.
  var content: [String] {
    get throws {
      try store.read { tx in
        let shelves = try tx.fetch(Shelf.all).map { "\($0)" }
        let items = try tx.fetch(Item.all).map { "\($0)" }
        return shelves + items
      }
    }
  }
}
