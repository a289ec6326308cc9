package import QuarryBackend
package import QuarryCore

/// A model as a first version of a program has it.
package struct FirstVersion: Model, Equatable {
  var id: Int
  package var title: String

  package static let modelDefinition = ModelDefinition<FirstVersion>(
    name: "Versioned",
    properties: [
      PropertyDefinition("id", \FirstVersion.id, Int.self),
      PropertyDefinition("title", \FirstVersion.title, String.self),
    ],
    primaryKey: "id", indexes: [IndexDefinition(["title"], isUnique: true)])

  package struct Columns: ModelColumns {
    var id = Column<Int>("id", 0)
    var title = Column<String>("title", 1)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(id: Int, title: String) {
    self.id = id
    self.title = title
  }

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    title = try row.get(1)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
  }
}

/// The same model in a second version: more properties, in another order.
package struct SecondVersion: Model, Equatable {
  package var rank: Int?
  package var title: String
  package var bonus: Int = 7
  package var id: Int
  package var note: String = "n\u{E9}"
  var tags: [String] = ["t"]
  package var score: Double?

  package static let modelDefinition = ModelDefinition<SecondVersion>(
    name: "Versioned",
    properties: [
      PropertyDefinition("rank", \SecondVersion.rank, Int?.self),
      PropertyDefinition("title", \SecondVersion.title, String.self),
      PropertyDefinition("bonus", \SecondVersion.bonus, Int.self, default: 7),
      PropertyDefinition("id", \SecondVersion.id, Int.self),
      PropertyDefinition("note", \SecondVersion.note, String.self, default: "n\u{E9}"),
      PropertyDefinition("tags", \SecondVersion.tags, [String].self, default: ["t"]),
      PropertyDefinition("score", \SecondVersion.score, Double?.self, default: 2.5),
    ],
    primaryKey: "id", indexes: [IndexDefinition(["title"], isUnique: true)])

  package struct Columns: ModelColumns {
    package var rank = Column<Int?>("rank", 0)
    package var title = Column<String>("title", 1)
    package var bonus = Column<Int>("bonus", 2)
    package var id = Column<Int>("id", 3)
    package var note = Column<String>("note", 4)
    package var tags = Column<[String]>("tags", 5)
    package var score = Column<Double?>("score", 6)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(id: Int, title: String, rank: Int? = nil, bonus: Int = 7, score: Double? = 2.5) {
    self.id = id
    self.title = title
    self.rank = rank
    self.bonus = bonus
    self.score = score
  }

  package init(reading row: ModelReader) throws(StorageError) {
    rank = try row.get(0)
    title = try row.get(1)
    bonus = try row.get(2)
    id = try row.get(3)
    note = try row.get(4)
    tags = try row.get(5)
    score = try row.get(6)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, rank)
    try row.set(1, title)
    try row.set(2, bonus)
    try row.set(3, id)
    try row.set(4, note)
    try row.set(5, tags)
    try row.set(6, score)
  }
}
