package import QuarryBackend
package import QuarryCore

/// A model whose definition a case chooses, to open a store for. Its objects are written as records only.
package struct Shaped: Model {
  var id = 0
  var other = 0
  var title = ""
  package var titleNumber = 0
  var rank: Int?
  package var rankSure = 0
  var tags: [String] = []
  var numbers: [Int] = []
  var extra = 0

  @TaskLocal package static var definition = Shaped.make()

  package static var modelDefinition: ModelDefinition<Shaped> { definition }

  static let key = [
    PropertyDefinition("id", \Shaped.id, Int.self), PropertyDefinition("other", \Shaped.other, Int.self),
  ]
  package static let title = PropertyDefinition("title", \Shaped.title, String.self)
  package static let rank = PropertyDefinition("rank", \Shaped.rank, Int?.self)
  package static let tags = PropertyDefinition("tags", \Shaped.tags, [String].self)
  package static let indexes = [
    IndexDefinition(["title"], isUnique: true), IndexDefinition(["rank", .init("title", order: .reverse)]),
  ]

  package static func make(
    _ properties: [PropertyDefinition<Shaped>] = [title, rank, tags], primaryKey: String = "id",
    indexes: [IndexDefinition] = indexes
  ) -> ModelDefinition<Shaped> {
    ModelDefinition(name: "Shaped", properties: key + properties, primaryKey: primaryKey, indexes: indexes)
  }

  /// Definitions that differ from the first, each in one way that opening cannot bridge.
  package static let differences: [(name: String, definition: ModelDefinition<Shaped>)] = [
    ("type", make([PropertyDefinition("title", \Shaped.titleNumber, Int.self), rank, tags])),
    ("not-optional", make([title, PropertyDefinition("rank", \Shaped.rankSure, Int.self), tags])),
    ("element", make([title, rank, PropertyDefinition("tags", \Shaped.numbers, [Int].self)])),
    ("removed", make([title, rank])),
    ("added", make([title, rank, tags, PropertyDefinition("extra", \Shaped.extra, Int.self)])),
    ("renamed", make([title, rank, PropertyDefinition("Tags", \Shaped.tags, [String].self)])),
    ("key", make(primaryKey: "other")),
  ]

  package struct Columns: ModelColumns {
    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(reading row: ModelReader) throws(StorageError) {
    throw StorageError(.unsupported, "objects of this model are not read")
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    throw StorageError(.unsupported, "objects of this model are not written")
  }
}
