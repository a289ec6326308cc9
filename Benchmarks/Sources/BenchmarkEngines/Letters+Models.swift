public import BenchmarkHarness
public import QuarryCore

// What `@Model` would write, by hand: the benchmark is built without macros.

extension Writer: Model {
  public static let modelDefinition = ModelDefinition<Writer>(
    name: "Writer",
    properties: [
      PropertyDefinition("id", \Writer.id, Int64.self), PropertyDefinition("name", \Writer.name, String.self),
    ], primaryKey: "id")

  public struct Columns: ModelColumns {
    public let id = Column<Int64>("id", 0)
    public var name = Column<String>("name", 1)

    public init() {}
  }

  public var primaryKeyValue: Int64 { id }

  public init(reading row: ModelReader) throws(StorageError) {
    self.init(id: try row.get(0), name: try row.get(1))
  }

  public func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, name)
  }
}

/// A letter whose writer is a reference, which takes its letters along.
struct StoredLetter: Model {
  var id: Int64
  var text: String
  var writer: Ref<Writer>

  static let modelDefinition = ModelDefinition<StoredLetter>(
    name: "Letter",
    properties: [
      PropertyDefinition("id", \StoredLetter.id, Int64.self),
      PropertyDefinition("text", \StoredLetter.text, String.self),
      PropertyDefinition("writer", \StoredLetter.writer, Ref<Writer>.self, deleteRule: .cascade),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int64>("id", 0)
    var text = Column<String>("text", 1)
    var writer = Column<Ref<Writer>>("writer", 2)
  }

  var primaryKeyValue: Int64 { id }

  init(id: Int64, text: String, writer: Ref<Writer>) {
    (self.id, self.text, self.writer) = (id, text, writer)
  }

  init(reading row: ModelReader) throws(StorageError) {
    self.init(id: try row.get(0), text: try row.get(1), writer: try row.get(2))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, text)
    try row.set(2, writer)
  }
}

/// A letter whose writer is a number with an index.
struct Note: Model {
  var id: Int64
  var text: String
  var writer: Int64

  static let modelDefinition = ModelDefinition<Note>(
    name: "Note",
    properties: [
      PropertyDefinition("id", \Note.id, Int64.self), PropertyDefinition("text", \Note.text, String.self),
      PropertyDefinition("writer", \Note.writer, Int64.self),
    ], primaryKey: "id", indexes: [IndexDefinition(["writer"])])

  struct Columns: ModelColumns {
    let id = Column<Int64>("id", 0)
    var text = Column<String>("text", 1)
    var writer = Column<Int64>("writer", 2)
  }

  var primaryKeyValue: Int64 { id }

  init(id: Int64, text: String, writer: Int64) {
    (self.id, self.text, self.writer) = (id, text, writer)
  }

  init(reading row: ModelReader) throws(StorageError) {
    self.init(id: try row.get(0), text: try row.get(1), writer: try row.get(2))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, text)
    try row.set(2, writer)
  }
}
