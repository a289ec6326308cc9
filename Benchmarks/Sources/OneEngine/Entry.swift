import QuarryCore

/// What the programs store.
struct Entry: Model {
  var id: Int64
  var name: String
  var age: Int
  var score: Double

  static let modelDefinition = ModelDefinition<Entry>(
    name: "Entry",
    properties: [
      PropertyDefinition("id", \Entry.id, Int64.self), PropertyDefinition("name", \Entry.name, String.self),
      PropertyDefinition("age", \Entry.age, Int.self), PropertyDefinition("score", \Entry.score, Double.self),
    ],
    primaryKey: "id", indexes: [IndexDefinition(["age"])])

  struct Columns: ModelColumns {
    var id = Column<Int64>("id", 0)
    var name = Column<String>("name", 1)
    var age = Column<Int>("age", 2)
    var score = Column<Double>("score", 3)
  }

  var primaryKeyValue: Int64 { id }

  init(_ id: Int64) {
    self.id = id
    name = "an entry, the number \(id)"
    age = Int(id % 100)
    score = Double(id) / 8
  }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    name = try row.get(1)
    age = try row.get(2)
    score = try row.get(3)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, name)
    try row.set(2, age)
    try row.set(3, score)
  }
}
