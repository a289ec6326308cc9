import Foundation
import Quarry
import QuarryMemory
import Testing

@Suite("Generated models in a store")
struct StoreTests {
  @Test("Insert and fetch by a query")
  func fetch() throws {
    let store = try Store(for: Volume.self, in: .memory)
    let first = Volume(id: UUID(), isbn: "0-330-25864-8", year: 1979, title: "The Hitchhiker's Guide to the Galaxy")
    let second = Volume(
      id: UUID(), isbn: "0-330-26213-0", year: 1980, title: "The Restaurant at the End of the Universe")
    let old = Volume(id: UUID(), isbn: "0-14-143951-3", year: 1813, title: "Pride and Prejudice")
    try store.write { tx in
      try tx.insert(first)
      try tx.insert(contentsOf: [second, old])
    }
    let recent = try store.read { tx in
      try tx.fetch(
        Volume.where { $0.year >= 1970 && $0.title.hasPrefix("The") }.sorted(by: \.year, order: .reverse).limit(20))
    }
    #expect(recent == [second, first])
  }

  @Test("An update by a closure changes what it assigns")
  func update() throws {
    let store = try Store(for: Volume.self, in: .memory)
    let book = Volume(id: UUID(), isbn: "1", year: 1813, title: "Pride", tags: ["novel"])
    try store.insert(book)
    try store.update(Volume.self, book.id) { $0.title += " and Prejudice" }
    let changed = try #require(try store.get(Volume.self, book.id))
    #expect(changed.title == "Pride and Prejudice")
    #expect(changed.tags == ["novel"])
  }

  @Test("An update of many by assignments names columns")
  func updateMany() throws {
    let store = try Store(for: Volume.self, in: .memory)
    try store.insert(contentsOf: (0..<5).map { Volume(id: UUID(), isbn: "\($0)", year: 1970 + $0, title: "") })
    let count = try store.update(Volume.where { $0.year > 1972 }) { $0.year += 100 }
    #expect(count == 2)
    #expect(try store.count(Volume.where { $0.year > 2000 }) == 2)
  }

  // With a type of error in the declarations of the calls the compiler crashes here, or never ends.
  @Test("Clauses with conditions catch the errors of calls on stores and in transactions")
  func clauses() throws {
    let store = try Store(for: Volume.self, in: .memory)
    let book = Volume(id: UUID(), isbn: "1", year: 1813, title: "Pride")
    var caught: [String] = []
    do {
      try store.insert(book)
      try store.insert(book)
    } catch let error as StorageError where error.code == .duplicateKey {
      caught.append("store")
    }
    try store.write { tx in
      do {
        try tx.insert(book)
      } catch let error as StorageError where error.code == .duplicateKey {
        caught.append("transaction")
      }
    }
    do {
      try store.records.insert(into: "Volume", [Record(["id": "no identifier"])])
    } catch let error as StorageError where error.code == .invalidValue {
      caught.append("records")
    }
    do {
      try store.close()
      _ = try store.freeze()
    } catch let error as StorageError where error.code == .closed {
      caught.append("closed")
    }
    #expect(caught == ["store", "transaction", "records", "closed"])
  }

  @Test("A second object with the same unique value is refused")
  func unique() throws {
    let store = try Store(for: Volume.self, in: .memory)
    try store.insert(Volume(id: UUID(), isbn: "1", year: 1, title: "a"))
    let error = #expect(throws: StorageError.self) {
      try store.insert(Volume(id: UUID(), isbn: "1", year: 2, title: "b"))
    }
    #expect(error?.code == .uniqueViolation)
  }

  @Test("A frozen object has the fields of the columns")
  func frozen() throws {
    let store = try Store(for: Volume.self, in: .memory)
    try store.insert(Volume(id: UUID(), isbn: "1", year: 1813, title: "Pride", blurb: "nice"))
    let frozen = try #require(try store.frozen(Query<Volume>()).first)
    #expect(frozen.year == 1813)
    #expect(frozen.blurb == "nice")
  }

  @Test("Every kind of property comes back as it was")
  func roundTrip() throws {
    let store = try Store(for: Sample.self, in: .memory)
    var sample = Sample(number: -1)
    sample.bool = false
    sample.uint64 = .max - 1
    sample.class = "first"
    sample.decimal = 12.75
    sample.url = URL(string: "https://example.org/a?b=c")
    sample.genre = .science
    sample.genres = [.none]
    sample.maybe = .fiction
    sample.numbers = nil
    sample.lifted = 5
    sample.data = Data([1, 2, 3])
    try store.insert(sample)
    let back = try #require(try store.get(Sample.self, -1))
    #expect(back.id == sample.id)
    #expect(back.bool == false)
    #expect(back.uint64 == sample.uint64)
    #expect(back.class == "first")
    #expect(back.decimal == 12.75)
    #expect(back.url == sample.url)
    #expect(back.genre == .science)
    #expect(back.noGenre == .none)
    #expect(back.genres == [.none])
    #expect(back.maybe == .some(.fiction))
    #expect(back.numbers == nil)
    #expect(back.lifted == 5)
    #expect(back.data == Data([1, 2, 3]))
    #expect(back.string == sample.string)
  }

  @Test("A nested value comes back as it was")
  func nested() throws {
    let store = try Store(for: Person.self, in: .memory)
    let person = Person(id: 1, address: Person.Address(street: "Unter den Linden", floor: 3))
    try store.insert(person)
    #expect(try store.get(Person.self, 1) == person)
  }

  @Test("What is transient has the value of its declaration, and observers are not called by reading")
  func transient() throws {
    let store = try Store(for: Sample.self, in: .memory)
    var sample = Sample(number: 1)
    sample.watched = 5
    sample.cache = ["a": 1]
    #expect(sample.changes == 1)
    try store.insert(sample)
    let back = try #require(try store.get(Sample.self, 1))
    #expect(back.watched == 5)
    #expect(back.changes == 0)
    #expect(back.cache.isEmpty)
  }

  @Test("A nested model with types of the struct around")
  func nestedModel() throws {
    let store = try Store(for: Library.Shelf.self, in: .memory)
    try store.insert(Library.Shelf(id: 3))
    let shelves = try store.fetch(Library.Shelf.where { $0.kind == .essay })
    #expect(shelves == [Library.Shelf(id: 3)])
  }
}
