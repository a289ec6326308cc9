import QuarryBackend
import QuarryCore

/// A model that was called `Recased`, with a property that was called `After`.
struct Recased: Model, Equatable {
  var id: Int
  var after: String

  static let modelDefinition = ModelDefinition<Recased>(
    name: "recased",
    properties: [
      PropertyDefinition("id", \Recased.id, Int.self),
      PropertyDefinition("after", \Recased.after, String.self, originalName: "After"),
    ], primaryKey: "id", originalName: "Recased")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var after = Column<String>("after", 1)
  }

  var primaryKeyValue: Int { id }

  init(id: Int, after: String) {
    (self.id, self.after) = (id, after)
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, after) = (try row.get(0), try row.get(1))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, after)
  }
}
