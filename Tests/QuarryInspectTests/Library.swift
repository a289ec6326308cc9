import Foundation
import QuarryBackend
import QuarryCore
import QuarryInspect
import QuarryMemory

/// A store of readers, authors, books and loans, without types of a program.
enum Library {
  static func inspector(books: Int = 0) throws -> StoreInspector {
    let store = try Store(opening: MemoryConfiguration())
    try store.write { tx in
      for model in models { try tx.apply(.createModel(model)) }
      try tx.records.insert(
        into: "Author",
        [Record(["id": 1, "name": "Jane Austen"]), Record(["id": 2, "name": "<script>alert(1)</script>"])])
      try tx.records.insert(
        into: "Book",
        (0..<books).map { Record(["id": .int(Int64($0)), "title": .string("Book \($0 / 10)"), "author": 1]) })
    }
    return StoreInspector(store)
  }

  static func insert(_ model: String, _ record: Record, _ inspector: StoreInspector) throws {
    try inspector.store.write { tx in try tx.records.insert(into: model, [record]) }
  }

  static let models: [ModelSchema] = [
    ModelSchema(
      id: ModelID(1), name: "Author",
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "name", type: .string),
        PropertySchema(name: "born", type: .date, isOptional: true),
      ], primaryKey: 0),
    ModelSchema(
      id: ModelID(2), name: "Book",
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "title", type: .string),
        PropertySchema(
          name: "author", type: .int64, isOptional: true, reference: .init(to: "Author", deleteRule: .cascade)),
        PropertySchema(name: "pages", type: .int32, isOptional: true),
      ], primaryKey: 0),
    ModelSchema(
      id: ModelID(3), name: "Loan",
      properties: [
        PropertySchema(name: "id", type: .int64),
        PropertySchema(
          name: "book", type: .int64, isOptional: true, reference: .init(to: "Book", deleteRule: .nullify)),
        PropertySchema(
          name: "pledge", type: .int64, isOptional: true, reference: .init(to: "Book", deleteRule: .deny)),
      ], primaryKey: 0),
    ModelSchema(
      id: ModelID(4), name: "Book_tags",
      properties: [
        PropertySchema(name: "id", type: .int64),
        PropertySchema(name: "owner", type: .int64, reference: .init(to: "Book", deleteRule: .cascade)),
        PropertySchema(name: "target", type: .int64, reference: .init(to: "Author", deleteRule: .cascade)),
        PropertySchema(name: "position", type: .int64),
      ], primaryKey: 0),
  ]
}
