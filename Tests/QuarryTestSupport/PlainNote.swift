package import QuarryBackend
package import QuarryCore

/// The same model in a program that searches nothing.
package struct PlainNote: Model, Equatable {
  package var id: Int
  package var text: String

  package static let modelDefinition = ModelDefinition<PlainNote>(
    name: "Note",
    properties: [
      PropertyDefinition("id", \PlainNote.id, Int.self), PropertyDefinition("text", \PlainNote.text, String.self),
    ], primaryKey: "id")

  package struct Columns: ModelColumns {
    package let id = Column<Int>("id", 0)
    package var text = Column<String>("text", 1)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int, _ text: String) { (self.id, self.text) = (id, text) }

  package init(reading row: ModelReader) throws(StorageError) { (id, text) = (try row.get(0), try row.get(1)) }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, text)
  }
}
