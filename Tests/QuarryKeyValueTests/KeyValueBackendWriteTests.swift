import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarryKeyValue

@Suite struct KeyValueBackendWriteTests {
  // MARK: Insert

  @Test(arguments: EngineKind.allCases) func anInsertedRowIsRead(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    let book = Book(id: 7, isbn: "a", year: 1979, title: "The Guide", rating: 4.5, author: "Adams", shelf: 1, place: 2)
    try store.write { try store.insert($0, [book]) }
    #expect(try store.read { try store.get($0, 7) } == book.values)
  }

  @Test(arguments: EngineKind.allCases) func withRowLendsTheRow(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    try store.write { try store.insert($0, [Book(id: 7, title: "x")]) }
    var title: Value?
    let isThere = try store.key(7).bytes.withUnsafeBytes { key in
      try store.backend.withRow(store.model.id, key) { row throws(StorageError) in
        title = try RowView(row, store.layout).value(store.layout.slots[3], store.layout)
      }
    }
    #expect(isThere)
    #expect(title == .string("x"))
  }

  @Test func withRowOfAMissingKeyDoesNotCallTheBody() throws {
    let store = try TestStore()
    let isThere = try store.key(7).bytes.withUnsafeBytes { key in
      try store.backend.withRow(store.model.id, key) { _ throws(StorageError) in Issue.record("called") }
    }
    #expect(!isThere)
  }

  @Test func rowsAreGivenInTheOrderOfTheKeys() throws {
    let store = try TestStore()
    try store.write { try store.insert($0, [Book(id: 1), Book(id: 2), Book(id: 3)]) }
    var found: [[Value]?] = []
    try store.read { transaction in
      try transaction.rows(store.model.id, [store.key(3), store.key(9), store.key(1)]) {
        (_, row) throws(StorageError) in
        found.append(row.flatMap { try? store.values($0) })
      }
    }
    #expect(found.map { $0?[0] } == [.int(3), nil, .int(1)])
  }

  @Test(arguments: EngineKind.allCases, [1, 2]) func aKeyThatExistsIsADuplicate(_ kind: EngineKind, _ count: Int) throws
  {
    let store = try TestStore(kind)
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, isbn: "a")])
      let rows = (1...count).reversed().map { Book(id: Int64($0), isbn: "b\($0)") }
      let error = failure { try store.insert(transaction, rows) }
      #expect(error?.code == .duplicateKey)
      #expect(error?.model == "Book")
      #expect(error?.property == "id")
      #expect(error?.key == "1")
      #expect(try store.ids(transaction, store.query()) == [1])
    }
  }

  @Test func aKeyTwiceInABatchIsADuplicate() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      #expect(thrownCode { try store.insert(transaction, [Book(id: 1), Book(id: 1)]) } == .duplicateKey)
      #expect(try transaction.count(store.query()) == 0)
    }
  }

  @Test(arguments: EngineKind.allCases, [1, 3]) func aUniqueValueThatExistsIsAViolation(
    _ kind: EngineKind, _ count: Int
  ) throws {
    let store = try TestStore(kind)
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, isbn: "a")])
      let rows = (2..<2 + count).map { Book(id: Int64($0), isbn: $0 == 1 + count ? "a" : "b\($0)") }
      let error = failure { try store.insert(transaction, rows) }
      #expect(error?.code == .uniqueViolation)
      #expect(error?.model == "Book")
      #expect(error?.property == "isbn")
      #expect(error?.key == String(1 + count))
      #expect(try store.ids(transaction, store.query()) == [1])
    }
  }

  @Test func aCompoundViolationNamesAllProperties() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, shelf: 4, place: 5)])
      let error = failure { try store.insert(transaction, [Book(id: 2, shelf: 4, place: 5)]) }
      #expect(error?.property == "shelf, place")
    }
  }

  @Test(arguments: [1, 2]) func aDuplicateKeyGoesBeforeAUniqueViolation(_ count: Int) throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, isbn: "a")])
      let rows = [Book(id: 9, isbn: "a"), Book(id: 1, isbn: "a")].suffix(count)
      #expect(thrownCode { try store.insert(transaction, Array(rows)) } == .duplicateKey)
    }
  }

  @Test func nilIsNoUniqueValue() throws {
    let store = try TestStore()
    try store.write { try store.insert($0, [Book(id: 1), Book(id: 2), Book(id: 3, shelf: 0, place: nil)]) }
    #expect(try store.ids(store.query(.isNull(slot: Books.Slot.isbn))) == [1, 2, 3])
  }

  @Test func composedAndDecomposedTextAreDistinctUniqueValues() throws {
    let store = try TestStore()
    try store.write { try store.insert($0, [Book(id: 1, isbn: "\u{E9}"), Book(id: 2, isbn: "e\u{301}")]) }
    #expect(try store.ids(store.query(.compare(slot: 1, .equal, .string("e\u{301}")))) == [2])
  }

  @Test func getOrInsertAddsARowThatIsNotThere() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      let stored = try store.bytes(Book(id: 1, title: "new").values).withUnsafeBytes {
        try transaction.getOrInsert(store.model.id, $0).map { Array($0) }
      }
      #expect(stored == nil)
      #expect(try store.get(transaction, 1)?[3] == .string("new"))
    }
  }

  @Test func getOrInsertGivesTheStoredRow() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, title: "old")])
      let stored = try store.bytes(Book(id: 1, title: "new").values).withUnsafeBytes {
        try transaction.getOrInsert(store.model.id, $0).map { try store.values($0) }
      }
      #expect(stored?[3] == .string("old"))
    }
  }

  @Test func getOrInsertOfATakenUniqueValueIsAViolation() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, isbn: "a")])
      let code = try store.bytes(Book(id: 2, isbn: "a").values).withUnsafeBytes { row in
        thrownCode { _ = try transaction.getOrInsert(store.model.id, row) }
      }
      #expect(code == .uniqueViolation)
      #expect(try store.get(transaction, 2) == nil)
    }
  }

  // MARK: Upsert

  @Test(arguments: EngineKind.allCases) func upsertAddsAndReplaces(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, isbn: "a", title: "old")])
      let added = try store.upsert(
        transaction, [Book(id: 1, isbn: "b", title: "new"), Book(id: 2, isbn: "a", title: "other")])
      #expect(added == 1)
      #expect(try store.rows(transaction, store.query()).map { $0[3] } == [.string("new"), .string("other")])
    }
  }

  @Test func upsertOfOneRowReplacesIt() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, isbn: "a", year: 1)])
      #expect(try store.upsert(transaction, [Book(id: 1, isbn: "b", year: 2)]) == 0)
      #expect(try store.ids(transaction, store.query(.compare(slot: 1, .equal, .string("a")))) == [])
      #expect(try store.ids(transaction, store.query(.compare(slot: 1, .equal, .string("b")))) == [1])
    }
  }

  @Test func ofRowsWithOneKeyTheLastIsStored() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      let rows = [Book(id: 2), Book(id: 1, isbn: "a", title: "first"), Book(id: 1, isbn: "b", title: "last")]
      #expect(try store.upsert(transaction, rows) == 2)
      #expect(try store.get(transaction, 1)?[3] == .string("last"))
    }
  }

  @Test(arguments: EngineKind.allCases) func upsertMayExchangeUniqueValues(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, isbn: "a"), Book(id: 2, isbn: "b")])
      try store.upsert(transaction, [Book(id: 1, isbn: "b"), Book(id: 2, isbn: "a")])
      #expect(try store.ids(transaction, store.query(order: [BoundSortKey(slot: 1)])) == [2, 1])
    }
  }

  @Test(arguments: [1, 2]) func anUpsertOfATakenUniqueValueLeavesNothing(_ count: Int) throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, isbn: "a"), Book(id: 5, isbn: "c", title: "kept")])
      let rows = [Book(id: 2, isbn: "b"), Book(id: 5, isbn: "a", title: "lost")].suffix(count)
      #expect(thrownCode { try store.upsert(transaction, Array(rows)) } == .uniqueViolation)
      #expect(try store.ids(transaction, store.query()) == [1, 5])
      #expect(try store.get(transaction, 5)?[3] == .string("kept"))
    }
  }

  @Test func aPartialUpsertReplacesOnlyItsSlots() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, isbn: "a", year: 1, title: "old")])
      let rows = [Book(id: 1, isbn: "z", year: 9, title: "new"), Book(id: 2, isbn: "b", year: 9, title: "whole")]
      #expect(try store.upsert(transaction, rows, .merge(slots: [Books.Slot.year])) == 1)
      #expect(try store.get(transaction, 1) == Book(id: 1, isbn: "a", year: 9, title: "old").values)
      #expect(try store.get(transaction, 2) == rows[1].values)
    }
  }

  // MARK: Update

  @Test func updateReplacesTheRow() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, isbn: "a", year: 1)])
      try store.update(transaction, Book(id: 1, isbn: "b", year: 2))
      #expect(try store.get(transaction, 1) == Book(id: 1, isbn: "b", year: 2).values)
    }
  }

  @Test func updateOfSlotsLeavesTheOthers() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, isbn: "a", year: 1, title: "t")])
      try store.update(transaction, Book(id: 1, isbn: "x", year: 2, title: "x"), slots: [Books.Slot.year])
      #expect(try store.get(transaction, 1) == Book(id: 1, isbn: "a", year: 2, title: "t").values)
    }
  }

  @Test func updateOfAMissingKeyIsNotFound() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      let error = failure { try store.update(transaction, Book(id: 4)) }
      #expect(error?.code == .notFound)
      #expect(error?.model == "Book")
      #expect(error?.key == "4")
    }
  }

  @Test func updateOfAChangedRowConflicts() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, year: 1, title: "a")])
      let error = failure {
        try store.update(transaction, Book(id: 1, year: 3), expected: Book(id: 1, year: 2, title: "a"))
      }
      #expect(error?.code == .conflict)
      #expect(try store.get(transaction, 1)?[2] == .int(1))
    }
  }

  @Test func updateLooksAtTheExpectedSlotsOnly() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, year: 1, title: "a")])
      try store.update(
        transaction, Book(id: 1, year: 3, title: "b"), expected: Book(id: 1, year: 1, title: "z"),
        expectedSlots: [Books.Slot.year])
      #expect(try store.get(transaction, 1)?[2] == .int(3))
    }
  }

  @Test func updateToATakenUniqueValueIsAViolation() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, isbn: "a"), Book(id: 2, isbn: "b")])
      #expect(thrownCode { try store.update(transaction, Book(id: 2, isbn: "a")) } == .uniqueViolation)
      #expect(try store.get(transaction, 2)?[1] == .string("b"))
    }
  }

  @Test func onlyIndexesWhoseEntriesChangeAreTouched() throws {
    let store = try TestStore()
    try store.write { try store.insert($0, [Book(id: 1, isbn: "a", year: 1, shelf: 1, place: 1)]) }
    let transaction = try store.backend.beginWrite(WriteOptions())
    try store.update(transaction, Book(id: 1, isbn: "a", year: 1, title: "other", rating: 3, shelf: 1, place: 1))
    let inner = try #require(transaction as? KeyValueBackendReadTransaction<SortedArrayTransaction>).transaction
    let index = try #require(store.model.indexes.first { $0.name == "byRating" })
    #expect(inner.touched == [store.model.id.rawValue, index.id])
    transaction.rollback()
  }

  // MARK: Update and delete by query

  @Test(arguments: EngineKind.allCases) func updateWhereMayPermuteUniqueValues(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    try store.write { transaction throws in
      try store.insert(transaction, (0..<200).map { Book(id: Int64($0), shelf: 1, place: Int16($0)) })
      let changed = try transaction.update(
        store.query(), [BoundAssignment(slot: Books.Slot.place, operation: .add, value: .int(1))])
      #expect(changed == 200)
      #expect(try store.rows(transaction, store.query()).map { $0[7] } == (1...200).map { .int($0) })
    }
  }

  @Test func updateWhereToOneUniqueValueLeavesNothing() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, (0..<10).map { Book(id: Int64($0), isbn: "\($0)") })
      let code = thrownCode {
        _ = try transaction.update(
          store.query(), [BoundAssignment(slot: Books.Slot.isbn, operation: .set, value: .string("x"))])
      }
      #expect(code == .uniqueViolation)
      #expect(try store.rows(transaction, store.query()).map { $0[1] } == (0..<10).map { .string("\($0)") })
    }
  }

  @Test func updateWhereThatOverflowsLeavesNothing() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, (0..<10).map { Book(id: Int64($0), year: $0 == 7 ? .max : 1) })
      let code = thrownCode {
        _ = try transaction.update(
          store.query(), [BoundAssignment(slot: Books.Slot.year, operation: .add, value: .int(1))])
      }
      #expect(code == .invalidValue)
      #expect(try transaction.count(store.query(.compare(slot: 2, .equal, .int(1)))) == 9)
    }
  }

  @Test func updateWhereFixesItsRowsFirst() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, (0..<100).map { Book(id: Int64($0), year: Int32($0)) })
      let changed = try transaction.update(
        store.query(.compare(slot: 2, .greaterOrEqual, .int(50))),
        [BoundAssignment(slot: 2, operation: .add, value: .int(10))])
      #expect(changed == 50)
    }
  }

  @Test func updateWhereKeepsToItsLimit() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, (0..<10).map { Book(id: Int64($0), year: Int32($0)) })
      let query = store.query(order: [BoundSortKey(slot: 2, isDescending: true)], limit: 2, offset: 1)
      _ = try transaction.update(query, [BoundAssignment(slot: 3, operation: .set, value: .string("x"))])
      #expect(try store.ids(transaction, store.query(.compare(slot: 3, .equal, .string("x")))) == [7, 8])
    }
  }

  @Test func thePrimaryKeyIsNotAssignedTo() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      let code = thrownCode {
        _ = try transaction.update(store.query(), [BoundAssignment(slot: 0, operation: .add, value: .int(1))])
      }
      #expect(code == .invalidQuery)
    }
  }

  @Test(arguments: EngineKind.allCases) func deleteSaysHowManyThereWere(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    try store.write { transaction throws in
      try store.insert(transaction, (0..<5).map { Book(id: $0, isbn: "\($0)") })
      #expect(try transaction.delete(store.model.id, [store.key(1), store.key(9), store.key(1), store.key(2)]) == 2)
      #expect(try transaction.delete(store.model.id, [store.key(9)]) == 0)
      #expect(try transaction.delete(store.model.id, [store.key(3)]) == 1)
      #expect(try store.ids(transaction, store.query()) == [0, 4])
    }
  }

  @Test(arguments: [true, false]) func deleteWhereRemovesItsRows(_ indexed: Bool) throws {
    let store = try TestStore(indexed: indexed)
    try store.write { transaction throws in
      try store.insert(transaction, (0..<100).map { Book(id: $0, isbn: "\($0)", year: Int32($0 % 10)) })
      #expect(try transaction.delete(store.query(.compare(slot: 2, .less, .int(5)))) == 50)
      #expect(try transaction.delete(store.query(.compare(slot: 0, .less, .int(50)))) == 25)
      #expect(try transaction.count(store.query()) == 25)
    }
  }

  @Test func deleteWhereKeepsToItsLimit() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, (0..<10).map { Book(id: $0) })
      #expect(try transaction.delete(store.query(order: [BoundSortKey(slot: 0, isDescending: true)], limit: 3)) == 3)
      #expect(try store.ids(transaction, store.query()) == [0, 1, 2, 3, 4, 5, 6])
    }
  }

  @Test(arguments: EngineKind.allCases) func deleteOfEverythingEmptiesTheIndexes(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    try store.write { transaction throws in
      try store.insert(transaction, (0..<100).map { Book(id: $0, isbn: "\($0)") })
      #expect(try transaction.delete(store.query()) == 100)
    }
    #expect(try store.read { try $0.count(store.query()) } == 0)
  }
}
