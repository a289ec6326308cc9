package import QuarryBackend
package import QuarryCore

/// A model whose number is unique.
package struct Numbered: Model, Equatable {
  package var id: Int
  package var number: Int

  package static let modelDefinition = ModelDefinition<Numbered>(
    name: "Numbered",
    properties: [
      PropertyDefinition("id", \Numbered.id, Int.self), PropertyDefinition("number", \Numbered.number, Int.self),
    ],
    primaryKey: "id", indexes: [IndexDefinition(["number"], isUnique: true)])

  package struct Columns: ModelColumns {
    package var id = Column<Int>("id", 0)
    package var number = Column<Int>("number", 1)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(id: Int, number: Int) {
    self.id = id
    self.number = number
  }

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    number = try row.get(1)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, number)
  }
}
