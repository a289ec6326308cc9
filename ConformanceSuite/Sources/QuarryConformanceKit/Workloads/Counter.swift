package import QuarryBackend
package import QuarryCore

/// A number under a key: how far a loop of commits is, the balance of an account.
package struct Counter: Model, Equatable {
  var id: Int
  var value: Int

  package static let modelDefinition = ModelDefinition<Counter>(
    name: "Counter",
    properties: [
      PropertyDefinition("id", \Counter.id, Int.self), PropertyDefinition("value", \Counter.value, Int.self),
    ],
    primaryKey: "id")

  package struct Columns: ModelColumns {
    var id = Column<Int>("id", 0)
    var value = Column<Int>("value", 1)
    package init() {}
  }

  package var primaryKeyValue: Int { id }

  init(_ id: Int, _ value: Int) {
    self.id = id
    self.value = value
  }

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    value = try row.get(1)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, value)
  }
}
