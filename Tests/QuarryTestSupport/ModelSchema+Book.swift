package import QuarryBackend

extension ModelSchema {
  /// A model with an optional property, an array and a compound index with an id of its own.
  package static let book = ModelSchema(
    name: "Book",
    properties: [
      PropertySchema(name: "id", type: .uuid),
      PropertySchema(name: "title", type: .string),
      PropertySchema(name: "year", type: .int64, isOptional: true),
      PropertySchema(name: "tags", type: .array, elementType: .string),
    ],
    primaryKey: 0,
    indexes: [
      IndexSchema(id: 77, name: "byYear", columns: [.init(slot: 2, isDescending: true), .init(slot: 1)])
    ])
}
