import Foundation
import QuarryBackend
import QuarryCore

/// A note. Two people may change one at the same time: the later value of each property stays.
struct Note: Model, Identifiable {
  let id: UUID
  var title: String
  var text: String

  static let modelDefinition = ModelDefinition<Note>(
    name: "Note",
    properties: [
      PropertyDefinition("id", \Note.id, UUID.self), PropertyDefinition("title", \Note.title, String.self),
      PropertyDefinition("text", \Note.text, String.self),
    ], primaryKey: "id", indexes: [IndexDefinition(["title"])])

  struct Columns: ModelColumns {
    let id = Column<UUID>("id", 0)
    var title = Column<String>("title", 1)
    var text = Column<String>("text", 2)
    init() {}
  }

  var primaryKeyValue: UUID { id }

  init(id: UUID = UUID(), title: String, text: String = "") {
    self.id = id
    self.title = title
    self.text = text
  }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    title = try row.get(1)
    text = try row.get(2)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
    try row.set(2, text)
  }
}

/// A tag. Its name is unique: where two people make one of the same name, one of them is held.
struct Tag: Model, Identifiable {
  let id: UUID
  var name: String

  static let modelDefinition = ModelDefinition<Tag>(
    name: "Tag",
    properties: [PropertyDefinition("id", \Tag.id, UUID.self), PropertyDefinition("name", \Tag.name, String.self)],
    primaryKey: "id", indexes: [IndexDefinition(["name"], isUnique: true)])

  struct Columns: ModelColumns {
    let id = Column<UUID>("id", 0)
    var name = Column<String>("name", 1)
    init() {}
  }

  var primaryKeyValue: UUID { id }

  init(id: UUID = UUID(), name: String) {
    self.id = id
    self.name = name
  }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    name = try row.get(1)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, name)
  }
}
