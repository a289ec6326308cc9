import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport

/// An object with searchable texts.
struct Article: Model, Equatable {
  var id: String
  var title: String
  var body: String?
  var tags: [String]
  var year: Int

  static let modelDefinition = ModelDefinition<Article>(
    name: "Article",
    properties: [
      PropertyDefinition("id", \Article.id, String.self),
      PropertyDefinition("title", \Article.title, String.self, search: .init(weight: 3)),
      PropertyDefinition("body", \Article.body, String?.self, search: .init()),
      PropertyDefinition("tags", \Article.tags, [String].self, search: .init()),
      PropertyDefinition("year", \Article.year, Int.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<String>("id", 0)
    var title = Column<String>("title", 1)
    var body = Column<String?>("body", 2)
    var tags = Column<[String]>("tags", 3)
    var year = Column<Int>("year", 4)
  }

  var primaryKeyValue: String { id }

  init(_ id: String, _ title: String = "", _ body: String? = nil, tags: [String] = [], year: Int = 2000) {
    (self.id, self.title, self.body, self.tags, self.year) = (id, title, body, tags, year)
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, title, body, tags) = (try row.get(0), try row.get(1), try row.get(2), try row.get(3))
    year = try row.get(4)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
    try row.set(2, body)
    try row.set(3, tags)
    try row.set(4, year)
  }
}

/// The same model in a program that searches nothing.
struct PlainArticle: Model {
  var id: String
  var title: String
  var body: String?
  var tags: [String]
  var year: Int

  static let modelDefinition = ModelDefinition<PlainArticle>(
    name: "Article",
    properties: [
      PropertyDefinition("id", \PlainArticle.id, String.self),
      PropertyDefinition("title", \PlainArticle.title, String.self),
      PropertyDefinition("body", \PlainArticle.body, String?.self),
      PropertyDefinition("tags", \PlainArticle.tags, [String].self),
      PropertyDefinition("year", \PlainArticle.year, Int.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<String>("id", 0)
    var title = Column<String>("title", 1)
  }

  var primaryKeyValue: String { id }

  init(_ id: String, _ title: String) {
    (self.id, self.title, self.body, self.tags, self.year) = (id, title, nil, [], 0)
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, title, body, tags) = (try row.get(0), try row.get(1), try row.get(2), try row.get(3))
    year = try row.get(4)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
    try row.set(2, body)
    try row.set(3, tags)
    try row.set(4, year)
  }
}

/// A place for stores of one engine, which goes with the value.
final class Place {
  let folder: ScratchFolder
  let engine: EngineDescription
  let provider: any BackendProvider

  init(_ engine: EngineDescription, _ name: String = "") throws {
    self.engine = engine
    folder = try ScratchFolder(in: ScratchFolder.memory)
    provider = try engine.provider(at: engine.path(in: folder.path))
  }

  func open(_ models: [any Model.Type] = [Article.self]) throws -> Store {
    try Store(models: models, in: provider)
  }
}
