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

/// An object with a unique value, references that are set to nil and that remove it, and links.
struct Item: Model, Equatable {
  var id: Int
  var code: String
  var title: String
  var count: Int?
  var shelf: Ref<Shelf>?
  var owner: Ref<Shelf>?

  var tags: Links<Shelf> { Links(of: self, "tags") }

  static let modelDefinition = ModelDefinition<Item>(
    name: "Item",
    properties: [
      PropertyDefinition("id", \Item.id, Int.self), PropertyDefinition("code", \Item.code, String.self),
      PropertyDefinition("title", \Item.title, String.self), PropertyDefinition("count", \Item.count, Int?.self),
      PropertyDefinition("shelf", \Item.shelf, Ref<Shelf>?.self),
      PropertyDefinition("owner", \Item.owner, Ref<Shelf>?.self, deleteRule: .cascade),
    ], primaryKey: "id",
    indexes: [IndexDefinition(["code"], isUnique: true), IndexDefinition(["count", "title"])],
    relations: [RelationDefinition("tags", links: \Item.tags)])

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var code = Column<String>("code", 1)
    var title = Column<String>("title", 2)
    var count = Column<Int?>("count", 3)
    var shelf = Column<Ref<Shelf>?>("shelf", 4)
    var owner = Column<Ref<Shelf>?>("owner", 5)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, _ title: String = "", code: String? = nil, count: Int? = nil, shelf: Int? = nil, owner: Int? = nil) {
    (self.id, self.title, self.code, self.count) = (id, title, code ?? "c\(id)", count)
    (self.shelf, self.owner) = (shelf.map { Ref($0) }, owner.map { Ref($0) })
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, code, title) = (try row.get(0), try row.get(1), try row.get(2))
    (count, shelf, owner) = (try row.get(3), try row.get(4), try row.get(5))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, code)
    try row.set(2, title)
    try row.set(3, count)
    try row.set(4, shelf)
    try row.set(5, owner)
  }
}

/// A new store of an engine with a history, which goes with the value.
final class Place {
  let folder: ScratchFolder
  let engine: EngineDescription
  private(set) var store: Store

  static let models: [any Model.Type] = [Shelf.self, Item.self]

  static func options(_ history: HistoryOption? = .on()) -> OpenOptions {
    var options = OpenOptions()
    options.history = history
    return options
  }

  init(_ engine: EngineDescription, _ history: HistoryOption? = .on()) throws {
    self.engine = engine
    folder = try ScratchFolder(in: ScratchFolder.memory)
    store = try Store(
      models: Self.models, in: engine.provider(at: engine.path(in: folder.path)), options: Self.options(history))
  }

  var provider: any BackendProvider { get throws { try engine.provider(at: engine.path(in: folder.path)) } }

  /// Closes the store and opens it again.
  func reopen(_ history: HistoryOption? = nil) throws {
    try store.close()
    store = try Store(models: Self.models, in: provider, options: Self.options(history))
  }

  func fill() throws {
    try store.write { tx in
      for id in 1...4 { try tx.insert(Shelf(id, "shelf \(id)")) }
      for id in 1...8 { try tx.insert(Item(id, "title \(id % 3)", count: id % 3, shelf: id % 5 == 0 ? nil : id % 5)) }
    }
  }
}

extension Store {
  /// Every row of the program's models by model and key, to compare.
  func content() throws -> [String: [Value: [String]]] {
    try read { tx in
      var content: [String: [Value: [String]]] = [:]
      for model in try tx.models() {
        for record in try tx.records.fetch(in: model.name) {
          let key = record[model.keyProperty.name] ?? .null
          content[model.name, default: [:]][key] = record.fields.map { "\($0.name)=\($0.value)" }
        }
      }
      return content.filter { !$0.value.isEmpty }
    }
  }
}
