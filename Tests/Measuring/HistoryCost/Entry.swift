import QuarryBackend
import QuarryCore

struct Entry: Model {
  var id: Int
  var title: String
  var number: Int

  static let modelDefinition = ModelDefinition<Entry>(
    name: "Entry",
    properties: [
      PropertyDefinition("id", \Entry.id, Int.self), PropertyDefinition("title", \Entry.title, String.self),
      PropertyDefinition("number", \Entry.number, Int.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var title = Column<String>("title", 1)
    var number = Column<Int>("number", 2)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, _ number: Int) { (self.id, self.number, title) = (id, number, "the title of entry \(id)") }

  init(reading row: ModelReader) throws(StorageError) {
    (id, title, number) = (try row.get(0), try row.get(1), try row.get(2))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
    try row.set(2, number)
  }
}
