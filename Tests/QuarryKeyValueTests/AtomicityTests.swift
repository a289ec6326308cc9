import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarryKeyValue

/// A statement that fails leaves nothing behind, wherever it fails.
@Suite struct AtomicityTests {
  private func books(_ count: Int64) -> [Book] {
    (0..<count).map { Book(id: $0 * 2, isbn: "\($0)", year: Int32($0 % 3), author: "a", shelf: 1, place: Int16($0)) }
  }

  @Test(arguments: 0..<8) func aBatchThatFailsAtARowLeavesNothing(_ bad: Int) throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, books(4))
      let before = try store.rows(transaction, store.query())
      for (isKey, code) in [(true, StorageError.Code.duplicateKey), (false, .uniqueViolation)] {
        var rows = (0..<8).map { Book(id: 101 + Int64($0), isbn: "new \($0)") }
        if isKey { rows[bad].id = 4 } else { rows[bad].isbn = "3" }
        #expect(thrownCode { try store.insert(transaction, rows) } == code)
        #expect(try store.rows(transaction, store.query()) == before)
        #expect(try indexFaults(transaction) == [])
      }
    }
  }

  @Test(arguments: 0..<8) func anUpsertThatFailsAtARowLeavesNothing(_ bad: Int) throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, books(6))
      let before = try store.rows(transaction, store.query())
      var rows = (0..<8).map { Book(id: Int64($0), isbn: "new \($0)", year: 9) }
      rows[bad].isbn = "5"
      #expect(thrownCode { try store.upsert(transaction, rows) } == .uniqueViolation)
      #expect(try store.rows(transaction, store.query()) == before)
      #expect(try indexFaults(transaction) == [])
    }
  }

  @Test(arguments: 0..<8) func anUpdateThatFailsAtARowLeavesNothing(_ bad: Int) throws {
    let store = try TestStore()
    try store.write { transaction throws in
      var rows = books(8)
      rows[bad].year = .max
      try store.insert(transaction, rows)
      let before = try store.rows(transaction, store.query())
      let assignment = BoundAssignment(slot: Books.Slot.year, operation: .add, value: .int(1))
      #expect(thrownCode { _ = try transaction.update(store.query(), [assignment]) } == .invalidValue)
      #expect(try store.rows(transaction, store.query()) == before)
      #expect(try indexFaults(transaction) == [])
    }
  }

  /// Statements of several rows, and of one.
  static let statements: [@Sendable (TestStore, any BackendWriteTransaction) throws -> Void] = [
    { try $0.insert($1, [Book(id: 101, isbn: "x"), Book(id: 102, isbn: "y"), Book(id: 103)]) },
    { try $0.upsert($1, [Book(id: 0, isbn: "x"), Book(id: 102, isbn: "y"), Book(id: 2)]) },
    { _ = try $1.update($0.query(), [BoundAssignment(slot: Books.Slot.year, operation: .add, value: .int(1))]) },
    { _ = try $1.delete($0.query(.compare(slot: Books.Slot.year, .equal, .int(1)))) },
    { _ = try $1.delete($0.query()) },
    { try $1.apply(.createIndex($0.model.id, IndexSchema(name: "byTitle", columns: [.init(slot: 3)]))) },
  ]

  @Test(arguments: statements.indices) func anEngineThatFailsMidwayLeavesNothing(_ place: Int) throws {
    let engine = SortedArrayEngine()
    let store = try TestStore(KeyValueBackend(engine, options: OpenOptions()))
    try store.write { try store.insert($0, books(6)) }
    var writes = 0
    var hasFailed = true
    while hasFailed {
      try store.write { transaction throws in
        let before = try store.rows(transaction, store.query())
        let schema = transaction.schema
        try transaction.savepoint()
        engine.fail(after: writes)
        hasFailed = thrownCode { try Self.statements[place](store, transaction) } == .full
        engine.fail(after: nil)
        if !hasFailed { try transaction.rollbackSavepoint() }
        #expect(try store.rows(transaction, store.query()) == before)
        #expect(transaction.schema == schema)
        #expect(try indexFaults(transaction) == [])
      }
      writes += 1
    }
    #expect(writes > 5)
  }

  @Test func anEngineThatFailsInsideASingleRowEndsTheTransaction() throws {
    let engine = SortedArrayEngine()
    let store = try TestStore(KeyValueBackend(engine, options: OpenOptions()))
    let transaction = try store.backend.beginWrite(WriteOptions())
    engine.fail(after: 2)
    #expect(thrownCode { try store.insert(transaction, [Book(id: 1, isbn: "a")]) } == .full)
    engine.fail(after: nil)
    #expect(thrownCode { _ = try transaction.count(store.query()) } == .full)
    #expect(thrownCode { _ = try transaction.commit() } == .full)
    try store.write { transaction throws in #expect(try transaction.count(store.query()) == 0) }
  }

  @Test func aCommitThatFailsRollsBack() throws {
    let engine = SortedArrayEngine()
    let store = try TestStore(KeyValueBackend(engine, options: OpenOptions()))
    let transaction = try store.backend.beginWrite(WriteOptions())
    try transaction.apply(.renameModel(store.model.id, to: "Volume"))
    engine.fail(after: 0)
    #expect(thrownCode { _ = try transaction.commit() } == .full)
    engine.fail(after: nil)
    #expect(try store.read { $0.schema.models[0].name } == "Book")
    #expect(thrownCode { _ = try transaction.count(store.query()) } == .transactionEnded)
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func indexesAreSoundAfterAnyStatements(_ seed: UInt64) throws {
    var numbers = SeededGenerator(seed: seed)
    var generator = QueryGenerator(seed: seed)
    let store = try TestStore(.memory)
    for _ in 0..<6 {
      try store.write { transaction throws in
        for _ in 0..<15 {
          let isUndone = Bool.random(using: &numbers)
          if isUndone { try transaction.savepoint() }
          let before = try store.rows(transaction, store.query())
          let books = generator.books(Int.random(in: 1..<60, using: &numbers)).shuffled(using: &numbers).prefix(20)
          let query = generator.query(store)
          let code = thrownCode {
            switch Int.random(in: 0..<6, using: &numbers) {
            case 0: try store.insert(transaction, Array(books))
            case 1: try store.upsert(transaction, Array(books))
            case 2: try store.upsert(transaction, Array(books), .merge(slots: [1, 2, 5]))
            case 3: _ = try transaction.delete(query)
            case 4:
              _ = try transaction.update(query, [BoundAssignment(slot: 7, operation: .add, value: .int(1))])
            default: try store.update(transaction, books[books.startIndex])
            }
          }
          if code != nil || isUndone {
            if isUndone { try transaction.rollbackSavepoint() }
            #expect(try store.rows(transaction, store.query()) == before)
          }
          #expect(try indexFaults(transaction) == [])
        }
      }
    }
  }
}
