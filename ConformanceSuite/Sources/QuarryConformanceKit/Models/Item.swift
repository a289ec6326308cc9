package import QuarryBackend
package import QuarryCore

/// The kit's everyday model: an integer key, a unique string, indexed and unindexed columns, optionals, an array.
package struct Item: Model, Equatable {
  package var id: Int
  package var code: String
  package var rank: Int?
  package var name: String
  package var score: Double
  package var note: String?
  package var tags: [String] = []

  package static let modelDefinition = ModelDefinition<Item>(
    name: "Item",
    properties: [
      PropertyDefinition("id", \Item.id, Int.self), PropertyDefinition("code", \Item.code, String.self),
      PropertyDefinition("rank", \Item.rank, Int?.self), PropertyDefinition("name", \Item.name, String.self),
      PropertyDefinition("score", \Item.score, Double.self), PropertyDefinition("note", \Item.note, String?.self),
      PropertyDefinition("tags", \Item.tags, [String].self, default: []),
    ],
    primaryKey: "id",
    indexes: [
      IndexDefinition(["code"], isUnique: true), IndexDefinition(["rank"]),
      IndexDefinition(["name", .init("score", order: .reverse)]),
    ])

  package struct Columns: ModelColumns {
    package var id = Column<Int>("id", 0)
    package var code = Column<String>("code", 1)
    package var rank = Column<Int?>("rank", 2)
    package var name = Column<String>("name", 3)
    package var score = Column<Double>("score", 4)
    package var note = Column<String?>("note", 5)
    package var tags = Column<[String]>("tags", 6)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(
    _ id: Int, code: String? = nil, rank: Int? = nil, name: String = "", score: Double = 0, note: String? = nil,
    tags: [String] = []
  ) {
    self.id = id
    self.code = code ?? "c\(id)"
    self.rank = rank
    self.name = name
    self.score = score
    self.note = note
    self.tags = tags
  }

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    code = try row.get(1)
    rank = try row.get(2)
    name = try row.get(3)
    score = try row.get(4)
    note = try row.get(5)
    tags = try row.get(6)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, code)
    try row.set(2, rank)
    try row.set(3, name)
    try row.set(4, score)
    try row.set(5, note)
    try row.set(6, tags)
  }
}
