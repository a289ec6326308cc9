import QuarryBackend
import QuarryCore

/// A model that had another name before, with a property that had one.
struct Successor: Model, Equatable {
  var id: Int
  var after: String

  static let modelDefinition = ModelDefinition<Successor>(
    name: "Successor",
    properties: [
      PropertyDefinition("id", \Successor.id, Int.self),
      PropertyDefinition("after", \Successor.after, String.self, originalName: "before"),
    ], primaryKey: "id", originalName: "Predecessor")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var after = Column<String>("after", 1)
  }

  var primaryKeyValue: Int { id }

  init(id: Int, after: String) {
    self.id = id
    self.after = after
  }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    after = try row.get(1)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, after)
  }
}
