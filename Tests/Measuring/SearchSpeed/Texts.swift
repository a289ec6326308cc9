import QuarryBackend
import QuarryCore

/// A text, with an index of its words or without one.
protocol TextModel: Model where PrimaryKey == Int {
  init(_ id: Int, _ text: String)
  var text: String { get set }
}

struct Indexed: TextModel {
  var id: Int
  var text: String

  static let modelDefinition = ModelDefinition<Indexed>(
    name: "Text",
    properties: [
      PropertyDefinition("id", \Indexed.id, Int.self),
      PropertyDefinition("text", \Indexed.text, String.self, search: .init()),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var text = Column<String>("text", 1)
  }

  var primaryKeyValue: Int { id }
  init(_ id: Int, _ text: String) { (self.id, self.text) = (id, text) }
  init(reading row: ModelReader) throws(StorageError) { (id, text) = (try row.get(0), try row.get(1)) }
  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, text)
  }
}

struct Plain: TextModel {
  var id: Int
  var text: String

  static let modelDefinition = ModelDefinition<Plain>(
    name: "Text",
    properties: [
      PropertyDefinition("id", \Plain.id, Int.self), PropertyDefinition("text", \Plain.text, String.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var text = Column<String>("text", 1)
  }

  var primaryKeyValue: Int { id }
  init(_ id: Int, _ text: String) { (self.id, self.text) = (id, text) }
  init(reading row: ModelReader) throws(StorageError) { (id, text) = (try row.get(0), try row.get(1)) }
  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, text)
  }
}
