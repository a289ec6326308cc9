import Foundation
import QuarryBackend
import QuarryCore
import QuarryInspect
import Testing

@Suite struct ObjectTests {
  @Test func anObjectHasReferencesInBothDirections() throws {
    let inspector = try Library.inspector(books: 3)
    try Library.insert("Loan", Record(["id": 1, "book": 2]), inspector)
    let book = try #require(try inspector.object(in: "Book", key: 2))
    #expect(book.title == "Book 0")
    #expect(book.references.map(\.title) == ["Jane Austen"])
    #expect(book.referrers.map(\.property) == ["book", "pledge"])
    #expect(book.referrers.map(\.count) == [1, 0])
    // The condition selects the same objects.
    let referrers = book.referrers[0]
    #expect(
      try inspector.page(PageRequest(model: referrers.model, condition: referrers.condition)).rows.map(\.key) == [1])
    #expect(try inspector.object(in: "Book", key: 99) == nil)
    #expect(throws: StorageError.self) { try inspector.object(in: "Book", key: "x") }
  }

  @Test func linksAreThoseOfTheOwnerInTheirOrder() throws {
    let inspector = try Library.inspector(books: 1)
    try Library.insert("Book_tags", Record(["id": 1, "owner": 0, "target": 1, "position": 20]), inspector)
    try Library.insert("Book_tags", Record(["id": 2, "owner": 0, "target": 2, "position": 10]), inspector)
    let book = try #require(try inspector.object(in: "Book", key: 0))
    #expect(book.links.map(\.relation.property) == ["tags"])
    #expect(book.links[0].elements.map(\.key) == [2, 1])
    let author = try #require(try inspector.object(in: "Author", key: 1))
    #expect(author.links.map(\.isInverse) == [true])
    #expect(author.links[0].elements.map(\.title) == ["Book 0"])
    // Rows of links are not listed among the referrers.
    #expect(author.referrers.map(\.model) == ["Book"])
    #expect(try inspector.models().first { $0.name == "Book_tags" }?.links?.property == "tags")
  }

  @Test func aDeletionIsSeenBeforeItIsDone() throws {
    let inspector = try Library.inspector(books: 5)
    try Library.insert("Loan", Record(["id": 1, "book": 2]), inspector)
    try Library.insert("Book_tags", Record(["id": 1, "owner": 3, "target": 2, "position": 1]), inspector)
    let preview = try #require(try inspector.deletion(in: "Author", key: 1))
    #expect(preview.removed == 7)
    #expect(
      Set(preview.effects.map { "\($0.model).\($0.property) \($0.rule) \($0.count)" }) == [
        "Book.author cascade 5", "Loan.book nullify 1", "Book_tags.owner cascade 1",
      ])
    #expect(!preview.isDenied)
    #expect(try inspector.page(PageRequest(model: "Book")).total == 5)
    guard case .saved = try inspector.delete(in: "Author", key: 1) else {
      Issue.record("not deleted")
      return
    }
    #expect(try inspector.page(PageRequest(model: "Book")).total == 0)
    #expect(try inspector.page(PageRequest(model: "Book_tags")).total == 0)
  }

  @Test func aDenialIsSeenBeforeItIsMet() throws {
    let inspector = try Library.inspector(books: 1)
    try Library.insert("Loan", Record(["id": 1, "pledge": 0]), inspector)
    #expect(try #require(try inspector.deletion(in: "Author", key: 1)).isDenied)
    let error = #expect(throws: StorageError.self) { try inspector.delete(in: "Author", key: 1) }
    #expect(error?.code == .referenced)
    #expect(try inspector.deletion(in: "Author", key: 7) == nil)
  }

  @Test func aRingOfReferencesEnds() throws {
    let store = try Library.inspector().store
    try store.write { tx in
      try tx.apply(
        .createModel(
          ModelSchema(
            id: ModelID(9), name: "Node",
            properties: [
              PropertySchema(name: "id", type: .int64),
              PropertySchema(
                name: "next", type: .int64, isOptional: true, reference: .init(to: "Node", deleteRule: .cascade)),
            ], primaryKey: 0)))
      try tx.records.insert(into: "Node", (0..<2_500).map { Record(["id": .int($0), "next": .int(($0 + 1) % 2_500)]) })
    }
    let preview = try #require(try StoreInspector(store).deletion(in: "Node", key: 0))
    #expect(preview.removed == 2_500)
  }
}
