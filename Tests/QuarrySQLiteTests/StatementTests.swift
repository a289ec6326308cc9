import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

@Suite struct StatementTests {
  static func item(_ id: Int64, rank: Int64? = nil, count: Int64? = nil, score: Double = 0) -> [Value] {
    [.int(id), rank.map { .int($0) } ?? .null, count.map { .int($0) } ?? .null, .double(score)]
  }

  private func store(_ rows: [[Value]]) throws -> TestStore {
    let store = try TestStore(TestModel.item)
    if !rows.isEmpty { try store.insert(rows) }
    return store
  }

  @Test func insertIsAtomicAndTheTransactionStaysUsable() throws {
    let store = try store([Self.item(2, rank: 1)])
    let bad = try store.batch([Self.item(1), Self.item(2)])
    let good = try store.batch([Self.item(3)])
    let transaction = try store.backend.beginWrite(WriteOptions())
    var seen: StorageError?
    do { try transaction.insert(store.id, bad) } catch { seen = error }
    #expect(seen?.code == .duplicateKey)
    #expect(seen?.model == "Item")
    #expect(seen?.property == "id")
    #expect(seen?.key == "2")
    try transaction.insert(store.id, good)
    _ = try transaction.commit()
    #expect(try store.fetch(store.query()).map { $0[0] } == [.int(2), .int(3)])
  }

  @Test func violationNamesTheIndexedProperties() throws {
    let store = try store([Self.item(1, rank: 7)])
    var seen: StorageError?
    do { try store.insert([Self.item(2, rank: 7)]) } catch let error as StorageError { seen = error }
    #expect(seen?.code == .uniqueViolation)
    #expect(seen?.property == "rank")
    #expect(seen?.key == "2")
  }

  @Test func duplicateKeyIsToldBeforeAViolation() throws {
    let store = try store([Self.item(1, rank: 7), Self.item(2)])
    #expect(code { try store.insert([Self.item(3, rank: 7), Self.item(2)]) } == .duplicateKey)
    #expect(code { try store.insert([Self.item(3, rank: 7), Self.item(4), Self.item(4)]) } == .duplicateKey)
    #expect(code { try store.insert([Self.item(1, rank: 7)]) } == .duplicateKey)
    #expect(code { try store.insert([Self.item(3, rank: 7), Self.item(4)]) } == .uniqueViolation)
  }

  @Test func nilIsNoValueInAUniqueIndex() throws {
    let store = try store([Self.item(1), Self.item(2), Self.item(3)])
    #expect(try store.read { try $0.count(store.query()) } == 3)
  }

  @Test func upsertCountsWhatItAdded() throws {
    let store = try store([Self.item(1, rank: 1)])
    let batch = try store.batch([Self.item(1, rank: 5, score: 2), Self.item(2, rank: 6), Self.item(2, rank: 8)])
    let transaction = try store.backend.beginWrite(WriteOptions())
    #expect(try transaction.upsert(store.id, batch, .replace) == 1)
    _ = try transaction.commit()
    #expect(try store.get(.int(1)) == Self.item(1, rank: 5, score: 2))
    #expect(try store.get(.int(2)) == Self.item(2, rank: 8))
  }

  @Test func upsertExchangesUniqueValues() throws {
    let store = try store([Self.item(1, rank: 1), Self.item(2, rank: 2)])
    let batch = try store.batch([Self.item(1, rank: 2), Self.item(2, rank: 3), Self.item(3, rank: 1)])
    let transaction = try store.backend.beginWrite(WriteOptions())
    #expect(try transaction.upsert(store.id, batch, .replace) == 1)
    _ = try transaction.commit()
    #expect(try store.fetch(store.query()).map { $0[1] } == [.int(2), .int(3), .int(1)])
  }

  @Test func upsertOfAnotherRowsUniqueValueChangesNothing() throws {
    let rows = [Self.item(1, rank: 1), Self.item(2, rank: 2)]
    let store = try store(rows)
    let batch = try store.batch([Self.item(3, rank: 9), Self.item(1, rank: 2)])
    let transaction = try store.backend.beginWrite(WriteOptions())
    #expect(code { try transaction.upsert(store.id, batch, .replace) } == .uniqueViolation)
    _ = try transaction.commit()
    #expect(try store.fetch(store.query()) == rows)
  }

  @Test func mergeReplacesOnlyTheNamedSlots() throws {
    let store = try store([Self.item(1, rank: 1, count: 5, score: 1)])
    let batch = try store.batch([
      Self.item(1, rank: 9, count: 6, score: .nan), Self.item(2, rank: 2, count: 3, score: 4),
    ])
    let transaction = try store.backend.beginWrite(WriteOptions())
    #expect(try transaction.upsert(store.id, batch, .merge(slots: [2])) == 1)
    _ = try transaction.commit()
    #expect(try store.get(.int(1)) == Self.item(1, rank: 1, count: 6, score: 1))
    #expect(try store.get(.int(2)) == Self.item(2, rank: 2, count: 3, score: 4))
  }

  @Test func getOrInsertGivesBackTheStoredRow() throws {
    let store = try store([Self.item(1, score: 1)])
    let other = try store.row(Self.item(1, score: 2))
    let new = try store.row(Self.item(2, score: 3))
    try store.write { transaction in
      let stored = try other.bytes.withUnsafeBytes { row in
        try transaction.getOrInsert(store.id, row).map { try TestStore.values($0, store.layout) }
      }
      #expect(stored == Self.item(1, score: 1))
      #expect(try new.bytes.withUnsafeBytes { try transaction.getOrInsert(store.id, $0) } == nil)
    }
    #expect(try store.get(.int(2)) == Self.item(2, score: 3))
  }

  @Test func updateWritesSlotsAndComparesBits() throws {
    let store = try store([Self.item(1, rank: 1, count: 2, score: -0.0)])
    let new = try store.row(Self.item(1, rank: 8, count: 9, score: 7))
    let zero = try store.row(Self.item(1, rank: 1, count: 2, score: 0))
    let exact = try store.row(Self.item(1, rank: 1, count: 2, score: -0.0))
    func update(_ expected: Row?, _ slots: [Int]?) throws {
      try store.write { transaction in
        try new.bytes.withUnsafeBytes { new in
          if let expected {
            try expected.bytes.withUnsafeBytes {
              try transaction.update(store.id, new, slots: slots, expected: $0, expectedSlots: nil)
            }
          } else {
            try transaction.update(store.id, new, slots: slots, expected: nil, expectedSlots: nil)
          }
        }
      }
    }
    #expect(code { try update(zero, [2]) } == .conflict)
    try update(exact, [2])
    #expect(try store.get(.int(1)) == Self.item(1, rank: 1, count: 9, score: -0.0))
    try update(nil, nil)
    #expect(try store.get(.int(1)) == Self.item(1, rank: 8, count: 9, score: 7))
    _ = try store.write { try $0.delete(store.id, [try store.key(.int(1))]) }
    #expect(code { try update(nil, [2]) } == .notFound)
    #expect(code { try update(exact, nil) } == .notFound)
  }

  @Test func updateOfOneNaNKeepsTheBitsOfAnother() throws {
    let store = try TestStore(
      ModelSchema(
        name: "Pair",
        properties: [
          PropertySchema(name: "id", type: .int64), PropertySchema(name: "a", type: .double),
          PropertySchema(name: "b", type: .double),
        ], primaryKey: 0))
    let odd = Value.double(Double(bitPattern: 0xFFF8_0000_0000_0042))
    try store.insert([[.int(1), odd, odd]])
    func update(_ value: Value) throws {
      let row = try store.row([.int(1), value, .double(0)])
      try store.write { transaction in
        try row.bytes.withUnsafeBytes {
          try transaction.update(store.id, $0, slots: [1], expected: nil, expectedSlots: nil)
        }
      }
    }
    try update(.double(1))
    #expect(try store.get(.int(1)) == [.int(1), .double(1), odd])
    try update(.double(.nan))
    #expect(try store.get(.int(1)) == [.int(1), .double(.nan), odd])
    let other = Value.double(Double(bitPattern: 0x7FF8_0000_0000_0777))
    try update(other)
    #expect(try store.get(.int(1)) == [.int(1), other, odd])
  }

  @Test func uniqueTreatsAllNaNsAndBothZerosAsOne() throws {
    let store = try TestStore(
      ModelSchema(
        name: "Unique",
        properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "x", type: .double)],
        primaryKey: 0, indexes: [IndexSchema(name: "x", columns: [.init(slot: 1)], isUnique: true)]))
    try store.insert([[.int(1), .double(.nan)], [.int(2), .double(-0.0)]])
    #expect(
      code { try store.insert([[.int(3), .double(Double(bitPattern: 0xFFF8_0000_0000_0001))]]) } == .uniqueViolation)
    #expect(code { try store.insert([[.int(3), .double(0)]]) } == .uniqueViolation)
  }

  // MARK: By a query

  @Test func updateWhereShiftsUniqueValues() throws {
    let store = try store((1...5).map { Self.item($0, rank: $0) })
    let count = try store.write { transaction in
      try transaction.update(
        store.query(), [BoundAssignment(slot: 1, operation: .add, value: .int(1))])
    }
    #expect(count == 5)
    #expect(try store.fetch(store.query()).map { $0[1] } == (2...6).map { .int($0) })
  }

  @Test func updateWhereThatViolatesChangesNothing() throws {
    let rows = (1...3).map { Self.item($0, rank: $0) }
    let store = try store(rows)
    let set = [BoundAssignment(slot: 1, operation: .set, value: .int(9))]
    #expect(code { try store.write { try $0.update(store.query(), set) } } == .uniqueViolation)
    #expect(try store.fetch(store.query()) == rows)
  }

  @Test(arguments: [AssignmentOperation.add, .subtract, .multiply])
  func updateWhereRefusesWhatDoesNotFit(_ operation: AssignmentOperation) throws {
    let rows = [Self.item(1, count: 5), Self.item(2, count: Int64(Int32.min)), Self.item(3)]
    let store = try store(rows)
    let change = [
      BoundAssignment(
        slot: 2, operation: operation, value: .int(operation == .add ? -1 : operation == .subtract ? 1 : 2))
    ]
    #expect(code { try store.write { try $0.update(store.query(), change) } } == .invalidValue)
    #expect(try store.fetch(store.query()) == rows)
    let some = store.query(.compare(slot: 2, .greater, .int(0)))
    #expect(try store.write { try $0.update(some, change) } == 1)
    #expect(try store.get(.int(3)) == rows[2])
  }

  @Test func integersOfFullWidthOverflowToAnError() throws {
    let store = try TestStore(
      ModelSchema(
        name: "Wide",
        properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "n", type: .int64)], primaryKey: 0))
    try store.insert([[.int(1), .int(.min)]])
    let change = [BoundAssignment(slot: 1, operation: .subtract, value: .int(1))]
    #expect(code { try store.write { try $0.update(store.query(), change) } } == .invalidValue)
    let double = [BoundAssignment(slot: 1, operation: .multiply, value: .int(2))]
    #expect(code { try store.write { try $0.update(store.query(), double) } } == .invalidValue)
    #expect(try store.get(.int(1)) == [.int(1), .int(.min)])
  }

  @Test func updateWhereOfDoublesStaysADouble() throws {
    let store = try store([Self.item(1, score: .infinity), Self.item(2, score: 2)])
    let change = [BoundAssignment(slot: 3, operation: .subtract, value: .double(.infinity))]
    #expect(try store.write { try $0.update(store.query(), change) } == 2)
    guard case .double(let result)? = try store.get(.int(1))?[3] else { return #expect(Bool(false)) }
    #expect(result.isNaN)
    #expect(try store.get(.int(2))?[3] == .double(-.infinity))
  }

  @Test func deleteWhereWithLimitAndResidual() throws {
    let store = try store((1...10).map { Self.item($0, count: $0 % 2) })
    let limited = store.query(order: [BoundSortKey(slot: 0, isDescending: true)], limit: 3, offset: 1)
    #expect(try store.write { try $0.delete(limited) } == 3)
    #expect(try store.fetch(store.query()).map { $0[0] } == [1, 2, 3, 4, 5, 6, 10].map { .int($0) })
    let odd = store.query(.compare(slot: 2, .equal, .int(1)))
    #expect(try store.write { try $0.delete(odd) } == 3)
    #expect(try store.write { try $0.delete(store.query()) } == 4)
  }

  @Test func deleteSaysHowManyThereWere() throws {
    let store = try store([Self.item(1), Self.item(2)])
    let keys = try [1, 1, 7].map { try store.key(.int($0)) }
    #expect(try store.write { try $0.delete(store.id, keys) } == 1)
    #expect(try store.write { try $0.delete(store.id, []) } == 0)
  }

  @Test func rowsComeInTheOrderOfTheirKeys() throws {
    let store = try store([Self.item(1), Self.item(2)])
    let keys = try [2, 9, 1, 2].map { try store.key(.int($0)) }
    var seen: [Value?] = []
    try store.read { transaction in
      try transaction.rows(store.id, keys) { (_, row) throws(StorageError) in
        var first: Value?
        if let row { first = try RowView(row, store.layout).value(store.layout.slots[0], store.layout) }
        seen.append(first)
      }
    }
    #expect(seen == [.int(2), nil, .int(1), .int(2)])
  }

  @Test func halfOfSQLitesLimitIsDeclaredForARow() throws {
    let directory = try TestDirectory()
    let backend = try SQLiteBackend(SQLiteConfiguration(path: directory.file()), OpenOptions())
    #expect(backend.manifest.limits.rowBytes == 500_000_000)
  }
}
