import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Conditions on the other side of a reference that a model has no more.
enum DroppedReferenceCases {
  static let all: [ConformanceCase] = [
    ConformanceCase(
      "REL.others-of-a-dropped-reference", ["REL-19", "REL-22", "SCH-7"],
      "A reference that was dropped has no other side, and one of its name that is added has its own.",
      needs: [.schemaDropProperty, .schemaAddProperty]
    ) { kit in
      let store = try kit.store(making: [
        .linked("Shelf"), .migrating("Book", .reference("shelf", to: "Shelf", .nullify)),
      ])
      try store.write { tx in
        try tx.records.insert(into: "Shelf", (1...3).map { .linked($0) })
        try tx.records.insert(into: "Book", (1...4).map { .linked($0, ["shelf": $0 == 4 ? nil : 1 + $0 / 3]) })
      }
      let conditions = ["ANY `Book.shelf`.id > 0", "`Book.shelf`.@count > 1", "ALL `Book.shelf`.id < 3"]
      func found() throws -> [[Int]] {
        try conditions.map { text in
          try store.records.fetch(QueryTree(model: "Shelf", predicate: try PredicateParser.parse(text)))
            .compactMap { $0["id"]?.intValue }
        }
      }
      try expectEqual(try found(), [[1, 2], [1], [1, 3]])
      let book = try unwrap(try store.models().first { $0.name == "Book" })
      try store.write { try $0.apply(.dropProperty(book.id, slot: 1)) }
      for text in conditions {
        let query = QueryTree(model: "Shelf", predicate: try PredicateParser.parse(text))
        let error = try expectError(.invalidQuery, text) { try store.records.fetch(query) }
        try expectEqual(error.model, "Shelf", text)
      }
      try store.write { tx in
        try tx.apply(.addProperty(book.id, .reference("shelf", to: "Shelf", .nullify)))
        try tx.records.insert(into: "Book", [.linked(5, ["shelf": 3])])
      }
      try expectEqual(try found(), [[3], [], [1, 2]])
      try store.expectWhole()
    }
  ]
}
