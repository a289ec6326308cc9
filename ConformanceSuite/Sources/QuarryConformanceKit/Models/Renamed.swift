package import QuarryBackend
package import QuarryCore

/// A model with a property that had another name before.
package struct Renamed: Model, Equatable {
  package var id: Int
  package var after: String

  package static let modelDefinition = ModelDefinition<Renamed>(
    name: "Renamed",
    properties: [
      PropertyDefinition("id", \Renamed.id, Int.self),
      PropertyDefinition("after", \Renamed.after, String.self, originalName: "before"),
    ], primaryKey: "id")

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
