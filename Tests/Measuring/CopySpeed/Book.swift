import QuarryBackend
import QuarryCore

/// What is copied: a small object with an index.
struct Book: Model {
  var id: Int
  var title: String
  var year: Int
  var score: Double

  static let modelDefinition = ModelDefinition<Book>(
    name: "Book",
    properties: [
      PropertyDefinition("id", \Book.id, Int.self), PropertyDefinition("title", \Book.title, String.self),
      PropertyDefinition("year", \Book.year, Int.self), PropertyDefinition("score", \Book.score, Double.self),
    ], primaryKey: "id", indexes: [IndexDefinition(["year"])])

  struct Columns: ModelColumns {
    var id = Column<Int>("id", 0)
    var title = Column<String>("title", 1)
    var year = Column<Int>("year", 2)
    var score = Column<Double>("score", 3)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int) {
    self.id = id
    title = "the title of book \(id)"
    year = 1900 + id % 120
    score = Double(id) / 2
  }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    title = try row.get(1)
    year = try row.get(2)
    score = try row.get(3)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
    try row.set(2, year)
    try row.set(3, score)
  }
}
