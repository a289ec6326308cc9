import QuarryBackend
import QuarryCore

/// A model whose number is unique.
struct Numbered: Model, Equatable {
  var id: Int
  var number: Int

  static let modelDefinition = ModelDefinition<Numbered>(
    name: "Numbered",
    properties: [
      PropertyDefinition("id", \Numbered.id, Int.self), PropertyDefinition("number", \Numbered.number, Int.self),
    ],
    primaryKey: "id", indexes: [IndexDefinition(["number"], isUnique: true)])

  struct Columns: ModelColumns {
    var id = Column<Int>("id", 0)
    var number = Column<Int>("number", 1)
  }

  var primaryKeyValue: Int { id }

  init(id: Int, number: Int) {
    self.id = id
    self.number = number
  }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    number = try row.get(1)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, number)
  }
}
