package import QuarryBackend
package import QuarryCore

/// A model that asks for as little as a model can: no index, an integer key.
package struct Plain: Model, Equatable {
  var id: Int
  package var number: Int?
  var name: String
  package var tags: [String]

  package static let modelDefinition = ModelDefinition<Plain>(
    name: "Plain",
    properties: [
      PropertyDefinition("id", \Plain.id, Int.self), PropertyDefinition("number", \Plain.number, Int?.self),
      PropertyDefinition("name", \Plain.name, String.self), PropertyDefinition("tags", \Plain.tags, [String].self),
    ],
    primaryKey: "id", indexes: [])

  package struct Columns: ModelColumns {
    var id = Column<Int>("id", 0)
    package var number = Column<Int?>("number", 1)
    package var name = Column<String>("name", 2)
    var tags = Column<[String]>("tags", 3)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int, number: Int? = nil, name: String = "", tags: [String] = []) {
    self.id = id
    self.number = number
    self.name = name
    self.tags = tags
  }

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    number = try row.get(1)
    name = try row.get(2)
    tags = try row.get(3)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, number)
    try row.set(2, name)
    try row.set(3, tags)
  }
}
