import QuarryBackend
import QuarryCore

/// A model whose definition a case chooses, to open a store for. Its objects are written as records only.
struct Shaped: Model {
  var id = 0
  var other = 0
  var title = ""
  var titleNumber = 0
  var rank: Int?
  var rankSure = 0
  var tags: [String] = []
  var numbers: [Int] = []
  var extra = 0

  @TaskLocal static var definition = Shaped.make()

  static var modelDefinition: ModelDefinition<Shaped> { definition }

  static let key = [
    PropertyDefinition("id", \Shaped.id, Int.self), PropertyDefinition("other", \Shaped.other, Int.self),
  ]
  static let title = PropertyDefinition("title", \Shaped.title, String.self)
  static let rank = PropertyDefinition("rank", \Shaped.rank, Int?.self)
  static let tags = PropertyDefinition("tags", \Shaped.tags, [String].self)
  static let indexes = [
    IndexDefinition(["title"], isUnique: true), IndexDefinition(["rank", .init("title", order: .reverse)]),
  ]

  static func make(
    _ properties: [PropertyDefinition<Shaped>] = [title, rank, tags], primaryKey: String = "id",
    indexes: [IndexDefinition] = indexes
  ) -> ModelDefinition<Shaped> {
    ModelDefinition(name: "Shaped", properties: key + properties, primaryKey: primaryKey, indexes: indexes)
  }

  /// Definitions that differ from the first, each in one way that opening cannot bridge.
  static let differences: [(name: String, definition: ModelDefinition<Shaped>)] = [
    ("type", make([PropertyDefinition("title", \Shaped.titleNumber, Int.self), rank, tags])),
    ("not-optional", make([title, PropertyDefinition("rank", \Shaped.rankSure, Int.self), tags])),
    ("element", make([title, rank, PropertyDefinition("tags", \Shaped.numbers, [Int].self)])),
    ("removed", make([title, rank])),
    ("added", make([title, rank, tags, PropertyDefinition("extra", \Shaped.extra, Int.self)])),
    ("renamed", make([title, rank, PropertyDefinition("Tags", \Shaped.tags, [String].self)])),
    ("key", make(primaryKey: "other")),
  ]

  struct Columns: ModelColumns {}

  var primaryKeyValue: Int { id }

  init(reading row: ModelReader) throws(StorageError) {
    throw StorageError(.unsupported, "objects of this model are not read")
  }

  func write(to row: ModelWriter) throws(StorageError) {
    throw StorageError(.unsupported, "objects of this model are not written")
  }
}
