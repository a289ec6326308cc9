package import QuarryBackend
package import QuarryCore

/// A model that had another name before, with a property that had one.
package struct Successor: Model, Equatable {
  package var id: Int
  var after: String

  package static let modelDefinition = ModelDefinition<Successor>(
    name: "Successor",
    properties: [
      PropertyDefinition("id", \Successor.id, Int.self),
      PropertyDefinition("after", \Successor.after, String.self, originalName: "before"),
    ], primaryKey: "id", originalName: "Predecessor")

  package struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    package var after = Column<String>("after", 1)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(id: Int, after: String) {
    self.id = id
    self.after = after
  }

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    after = try row.get(1)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, after)
  }
}
