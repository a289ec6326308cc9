import QuarryBackend
import QuarryCore

/// Whether the words of texts have an index.
protocol TextSearchability {
  static var modelDefinition: ModelDefinition<Text<Self>> { get }
}

enum WithIndex: TextSearchability { static let modelDefinition = Text<WithIndex>.definition(search: .init()) }
enum WithoutIndex: TextSearchability { static let modelDefinition = Text<WithoutIndex>.definition(search: nil) }

typealias Indexed = Text<WithIndex>
typealias Plain = Text<WithoutIndex>

/// A text, with an index of its words or without one.
struct Text<Searchability: TextSearchability>: Model {
  var id: Int
  var text: String

  static var modelDefinition: ModelDefinition<Text> { Searchability.modelDefinition }

  static func definition(search: PropertySchema.Search?) -> ModelDefinition<Text> {
    ModelDefinition(
      name: "Text",
      properties: [
        PropertyDefinition("id", \Text.id, Int.self),
        PropertyDefinition("text", \Text.text, String.self, search: search),
      ], primaryKey: "id")
  }

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
