import Foundation
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

/// As many bytes as the history keeps of a write.
struct Shadow: Model {
  var id: Int
  var bytes: Data

  static let modelDefinition = ModelDefinition<Shadow>(
    name: "Shadow",
    properties: [
      PropertyDefinition("id", \Shadow.id, Int.self), PropertyDefinition("bytes", \Shadow.bytes, Data.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var bytes = Column<Data>("bytes", 1)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, bytes count: Int) { (self.id, bytes) = (id, Data(count: count)) }

  init(reading row: ModelReader) throws(StorageError) { (id, bytes) = (try row.get(0), try row.get(1)) }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, bytes)
  }
}

/// As large as the row of a history's state: there is one object of it.
struct Total: Model {
  var id: Int
  var numbers: Data

  static let modelDefinition = ModelDefinition<Total>(
    name: "Total",
    properties: [
      PropertyDefinition("id", \Total.id, Int.self), PropertyDefinition("numbers", \Total.numbers, Data.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var numbers = Column<Data>("numbers", 1)
  }

  var primaryKeyValue: Int { id }

  init(_ number: Int) { (id, numbers) = (1, Data(repeating: UInt8(truncatingIfNeeded: number), count: 80)) }

  init(reading row: ModelReader) throws(StorageError) { (id, numbers) = (try row.get(0), try row.get(1)) }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, numbers)
  }
}
