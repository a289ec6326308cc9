import QuarryBackend
import Testing

@testable import QuarryKeyValue

/// The same rows in the same order, whatever path is chosen: generated queries over a store with indexes, compared with
/// the evaluator over all rows.
@Suite struct QueryEquivalenceTests {
  @Test(arguments: EngineKind.allCases, [1, 2, 3] as [UInt64])
  func generatedQueriesGiveWhatTheEvaluatorGives(_ kind: EngineKind, _ seed: UInt64) throws {
    var generator = QueryGenerator(seed: seed)
    let store = try TestStore(kind)
    let books = generator.books(kind == .memory ? 1200 : 200)
    try store.write { try store.insert($0, books) }
    let reference = try Reference(store, books)
    var accesses: Set<String> = []
    try store.read { transaction in
      for round in 0..<(kind == .memory ? 120 : 250) {
        let query = generator.query(store)
        let plan = try transaction.explain(query)
        accesses.formUnion(plan.access.map(\.description))
        let expected = try reference.ids(query)
        let note: Comment = "seed \(seed), round \(round), \(plan)"
        #expect(try store.ids(transaction, query) == expected, note)
        #expect(try transaction.count(query) == expected.count, note)
      }
    }
    #expect(accesses.count >= 8, "every way to find rows is taken: \(accesses)")
  }

  @Test(arguments: EngineKind.allCases, [true, false])
  func pagesPutTogetherAreTheWhole(_ kind: EngineKind, _ indexed: Bool) throws {
    var generator = QueryGenerator(seed: 11)
    let store = try TestStore(kind, indexed: indexed)
    let books = generator.books(200)
    try store.write { try store.insert($0, books) }
    let reference = try Reference(store, books)
    try store.read { transaction in
      for round in 0..<60 {
        var query = generator.query(store)
        query.limit = nil
        query.offset = 0
        let expected = try reference.ids(query)
        let predicate = query.predicate
        query.limit = 7
        var found: [Int64] = []
        while case let page = try store.rows(transaction, query), let last = page.last {
          found += page.map { $0[0].int }
          let position = BoundPredicate.after(query.order, query.order.map { last[$0.slot] })
          query.predicate = .and([predicate, position])
        }
        let plan = try transaction.explain(query)
        #expect(found == expected, "round \(round), \(plan)")
      }
    }
  }

  @Test(arguments: [false, true]) func aPageBeginsWithTheNewHolderOfAUniqueValue(_ isDescending: Bool) throws {
    let store = try TestStore()
    var query = store.query(order: [BoundSortKey(slot: Books.Slot.isbn, isDescending: isDescending)])
    query.predicate = .after(query.order, [.string("a"), .int(3)])
    try store.write { try store.insert($0, [Book(id: isDescending ? 1 : 5, isbn: "a")]) }
    #expect(try store.explain(query).access == [.indexOrder(index: "byISBN")])
    #expect(try store.ids(query) == [isDescending ? 1 : 5])
  }

  @Test(arguments: [1, 2] as [UInt64]) func aggregatesAreThoseOfAScan(_ seed: UInt64) throws {
    var generator = QueryGenerator(seed: seed)
    let books = generator.books(300)
    let indexed = try TestStore(.memory)
    let plain = try TestStore(.memory, indexed: false)
    for store in [indexed, plain] { try store.write { try store.insert($0, books) } }
    for round in 0..<300 {
      var query = generator.query(indexed)
      if round % 2 == 0 { (query.limit, query.offset) = (nil, 0) }
      let aggregate = generator.aggregate(query)
      let found = try indexed.read { try $0.aggregate(aggregate) }
      let expected = try plain.read { try $0.aggregate(aggregate) }
      #expect(found == expected, "round \(round), \(aggregate)")
    }
  }

  @Test func filteredRowsComeInBatchesOfAnySize() throws {
    let store = try TestStore()
    try store.write { try store.insert($0, (0..<500).map { Book(id: $0, year: Int32($0 % 3)) }) }
    for size in [1, 7, 64, 200] {
      var found = 0
      try store.read { transaction in
        let cursor = try transaction.cursor(store.query(.compare(slot: 2, .notEqual, .int(1)), limit: 300, offset: 5))
        try withBuffer(size) { batch in
          while case let count = try cursor.fill(batch), count > 0 { found += count }
          #expect(try cursor.fill(batch) == 0)
        }
      }
      #expect(found == 300)
    }
  }
}

/// The answers of the evaluator over all rows.
struct Reference {
  private let store: TestStore
  private let rows: [[UInt8]]
  private let ids: [Int64]

  init(_ store: TestStore, _ books: [Book]) throws {
    try self.init(store, books.map(\.values), ids: books.map(\.id))
  }

  init(_ store: TestStore, _ rows: [[Value]], ids: [Int64]) throws {
    self.store = store
    self.rows = try rows.map { try store.bytes($0) }
    self.ids = ids
  }

  func ids(_ query: BoundQuery) throws -> [Int64] {
    let predicate = try CompiledPredicate(query.predicate, store.layout)
    let order = RowOrder(query.order, store.layout)
    let found = try rows.indices.filter { place in try rows[place].withUnsafeBytes { try predicate.matches($0) } }
    let sorted = try found.sorted { left, right in
      try rows[left].withUnsafeBytes { left in
        try rows[right].withUnsafeBytes { right in try order.compare(left, right) < 0 }
      }
    }
    return sorted.dropFirst(query.offset).prefix(query.limit ?? .max).map { ids[$0] }
  }
}

extension Value {
  var int: Int64 {
    if case .int(let value) = self { return value }
    return -1
  }
}

func withBuffer(
  _ size: Int, _ body: (UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws -> Void
) rethrows {
  let batch = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: size)
  batch.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
  defer { batch.deallocate() }
  try body(batch)
}
