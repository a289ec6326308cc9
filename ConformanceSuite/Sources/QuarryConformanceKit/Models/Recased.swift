package import QuarryBackend
package import QuarryCore

/// A model that was called `Recased`, with a property that was called `After`.
package struct Recased: Model, Equatable {
  package var id: Int
  var after: String

  package static let modelDefinition = ModelDefinition<Recased>(
    name: "recased",
    properties: [
      PropertyDefinition("id", \Recased.id, Int.self),
      PropertyDefinition("after", \Recased.after, String.self, originalName: "After"),
    ], primaryKey: "id", originalName: "Recased")

  package struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    package var after = Column<String>("after", 1)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(id: Int, after: String) {
    (self.id, self.after) = (id, after)
  }

  package init(reading row: ModelReader) throws(StorageError) {
    (id, after) = (try row.get(0), try row.get(1))
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, after)
  }
}
