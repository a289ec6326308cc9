import QuarryBackend
import QuarryCore

/// An object that transactions change against each other.
struct Counter: Model, Equatable {
  var id: Int
  var count: Int

  static let modelDefinition = ModelDefinition<Counter>(
    name: "Counter",
    properties: [
      PropertyDefinition("id", \Counter.id, Int.self), PropertyDefinition("count", \Counter.count, Int.self),
    ],
    primaryKey: "id")

  struct Columns: ModelColumns {
    var id = Column<Int>("id", 0)
    var count = Column<Int>("count", 1)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, _ count: Int) {
    self.id = id
    self.count = count
  }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    count = try row.get(1)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, count)
  }
}
