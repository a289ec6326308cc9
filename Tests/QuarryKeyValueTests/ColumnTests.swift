import Dispatch
import QuarryBackend
import QuarryMemory
import QuarryTestSupport
import QuarryTree
import Synchronization
import Testing

@testable import QuarryKeyValue

/// Fields that trees in memory keep side by side once they were asked for: filters find the same rows with them, whatever
/// was changed in between.
@Suite struct ColumnTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func filtersFindTheSameAgainAndAfterChanges(_ seed: UInt64) throws {
    var generator = QueryGenerator(seed: seed)
    var numbers = SeededGenerator(seed: seed &* 77)
    let store = try TestStore(.memory, indexed: false)
    var books = generator.books(700)
    try store.write { try store.insert($0, books) }
    let queries = (0..<30).map { _ in generator.query(store) }
    for round in 0..<6 {
      let reference = try Reference(store, books)
      try store.read { transaction in
        for query in queries + queries {
          let expected = try reference.ids(query)
          #expect(try store.ids(transaction, query) == expected, "seed \(seed), round \(round)")
          #expect(try transaction.count(query) == expected.count, "seed \(seed), round \(round)")
        }
      }
      let before = books
      let old = try store.backend.beginRead()
      defer { old.end() }
      try store.write { transaction in
        try change(&books, store, transaction, &generator, &numbers)
        // Of what was changed in place, columns are made, and must go with the next change.
        for _ in 0..<2 {
          let reference = try Reference(store, books)
          for query in queries.prefix(6) { #expect(try store.ids(transaction, query) == reference.ids(query)) }
          for query in queries.prefix(6) { #expect(try store.ids(transaction, query) == reference.ids(query)) }
          let kept = books
          try transaction.savepoint()
          try change(&books, store, transaction, &generator, &numbers)
          let inside = try Reference(store, books)
          for query in queries.prefix(6) { #expect(try store.ids(transaction, query) == inside.ids(query)) }
          try transaction.rollbackSavepoint()
          books = kept
          for query in queries.prefix(6) { #expect(try store.ids(transaction, query) == reference.ids(query)) }
          try change(&books, store, transaction, &generator, &numbers)
        }
      }
      // Who still reads what was before sees that.
      let reference2 = try Reference(store, before)
      for query in queries {
        #expect(try store.ids(old, query) == reference2.ids(query), "seed \(seed), round \(round)")
      }
    }
  }

  /// Updates, deletions and insertions, here and there.
  private func change(
    _ books: inout [Book], _ store: TestStore, _ transaction: any BackendWriteTransaction,
    _ generator: inout QueryGenerator, _ numbers: inout SeededGenerator
  ) throws {
    let others = generator.books(books.count)
    for _ in 0..<12 {
      let place = Int.random(in: 0..<books.count, using: &numbers)
      var book = others[place]
      (book.id, book.isbn, book.shelf, book.place) = (
        books[place].id, books[place].isbn, books[place].shelf, books[place].place
      )
      try store.update(transaction, book)
      books[place] = book
    }
    for _ in 0..<5 {
      let gone = books.remove(at: Int.random(in: 0..<books.count, using: &numbers))
      #expect(try transaction.delete(store.model.id, [store.key(gone.id)]) == 1)
    }
    let first = (books.map(\.id).max() ?? 0) + 1
    let new = (first..<first + 5).map { Book(id: $0, year: Int32($0 % 7), rating: $0 % 2 == 0 ? nil : Double($0)) }
    try store.insert(transaction, new)
    books += new
  }

  @Test func rowsOfOlderAgesAreFilteredAsBefore() throws {
    let store = try TestStore(.memory, indexed: false)
    try store.write { try store.insert($0, (0..<300).map { Book(id: $0, year: Int32($0 % 10)) }) }
    try store.write { transaction in
      try transaction.apply(
        .addProperty(store.model.id, PropertySchema(name: "copies", type: .int32, defaultValue: .int(2))))
    }
    let slot = try store.read { transaction in
      try #require(transaction.schema.model(id: store.model.id)?.properties.firstIndex { $0.name == "copies" })
    }
    for _ in 0..<4 {
      #expect(try store.ids(store.query(.compare(slot: slot, .equal, .int(2)))).count == 300)
      #expect(try store.ids(store.query(.compare(slot: slot, .less, .int(2)))).count == 0)
      #expect(try store.ids(store.query(.compare(slot: Books.Slot.year, .equal, .int(3)))).count == 30)
    }
  }

  @Test func manyThreadsMakeColumnsAtOnce() throws {
    let store = try TestStore(.memory, indexed: false)
    try store.write {
      try store.insert($0, (0..<20_000).map { Book(id: $0, year: Int32($0 % 100), shelf: Int16($0 % 7)) })
    }
    for round in 0..<5 {
      let backend = store.backend
      let queries = [Books.Slot.year, Books.Slot.shelf].map { store.query(.compare(slot: $0, .equal, .int(3))) }
      let found = Mutex<[Int]>([])
      DispatchQueue.concurrentPerform(iterations: 6) { thread in
        for part in 0..<4 {
          let count = try? Self.count(queries[(thread + part) % 2], backend)
          found.withLock { $0.append(count ?? -1) }
        }
      }
      #expect(found.withLock { $0.sorted() } == Array(repeating: 200, count: 12) + Array(repeating: 2857, count: 12))
      try store.write { transaction in
        for id in stride(from: Int64(0), to: 20_000, by: 100) {
          try store.update(transaction, Book(id: id, title: "round \(round)", shelf: Int16(id % 7)))
          _ = try store.get(transaction, id)
        }
      }
    }
  }

  private static func count(_ query: BoundQuery, _ backend: any Backend) throws -> Int {
    let transaction = try backend.beginRead()
    defer { transaction.end() }
    return try transaction.count(query)
  }

  /// A filter that comes once costs no memory.
  @Test func columnsAreMadeWhenAFieldIsAskedForAgain() throws {
    var tree = BTree()
    let store = try TestStore(.memory, indexed: false)
    for id in 0..<640 as Range<Int64> {
      let row = try store.bytes(Book(id: id, year: Int32(id % 10)).values)
      try tree.put(store.key(id).bytes, row)
    }
    let plain = tree.statistics().bytes
    func filter(_ slot: Int, _ value: Int64) throws -> Int {
      let predicate = try CompiledPredicate(.compare(slot: slot, .equal, .int(value)), store.layout)
      let probe = try #require(predicate.probe)
      var cursor = tree.cursor(in: .all, descending: false)
      var found = 0
      withBuffer(64) { batch in
        while case let count = cursor.fill(batch, passing: probe), count > 0 { found += count }
      }
      return found
    }
    #expect(try filter(Books.Slot.year, 3) == 640)
    #expect(tree.statistics().bytes == plain)
    #expect(try filter(Books.Slot.year, 3) == 64)
    let once = tree.statistics().bytes - plain
    #expect(once >= 640 * 4 && once < 640 * 8)
    #expect(try filter(Books.Slot.year, 4) == 64)
    #expect(tree.statistics().bytes - plain == once)
    // A change in place drops those of its leaf, a copy has none.
    try tree.put(store.key(5).bytes, store.bytes(Book(id: 5, year: 3).values))
    #expect(tree.statistics().bytes - plain < once)
    #expect(try filter(Books.Slot.year, 3) > 65)
    #expect(try filter(Books.Slot.year, 3) == 65)
    let copy = tree
    try tree.put(store.key(15).bytes, store.bytes(Book(id: 15, year: 3).values))
    #expect(try filter(Books.Slot.year, 3) > 66)
    #expect(try filter(Books.Slot.year, 3) == 66)
    #expect(copy.defects() == [] && tree.defects() == [])
  }
}
