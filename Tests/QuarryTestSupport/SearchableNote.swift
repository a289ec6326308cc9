package import QuarryBackend
package import QuarryCore

/// A searchable text.
package struct SearchableNote: Model, Equatable {
  package var id: Int
  package var text: String

  package static let modelDefinition = ModelDefinition<SearchableNote>(
    name: "Note",
    properties: [
      PropertyDefinition("id", \SearchableNote.id, Int.self),
      PropertyDefinition("text", \SearchableNote.text, String.self, search: .init()),
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
