import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

/// `assign(query)` with Doubles, and what becomes of a transaction whose first statement fails.
@Suite struct CalculatedUpdateTests {
  private func store(_ count: Int64, nans: Set<Int64> = []) throws -> TestStore {
    let store = try TestStore(TestModel.item)
    try store.insert((1...count).map { StatementTests.item($0, score: nans.contains($0) ? .nan : Double($0)) })
    return store
  }

  private func add(_ amount: Double, _ store: TestStore, in transaction: SQLiteWriteTransaction) throws -> Int {
    try transaction.update(store.query(), [BoundAssignment(slot: 3, operation: .add, value: .double(amount))])
  }

  @Test func doublesAreAddedByTheEngine() throws {
    let store = try store(10)
    #expect(try store.write { try add(0.1, store, in: $0) } == 10)
    #expect(try store.fetch(store.query()).map { $0[3] } == (1...10).map { .double(Double($0) + 0.1) })
  }

  @Test func whatSQLiteCalculatesOtherwiseIsAddedRowByRow() throws {
    let store = try store(10, nans: [4])
    try store.plain("UPDATE Item SET score = 7 WHERE id = 7; UPDATE Item SET score = 9e999 WHERE id = 8")
    #expect(try store.write { try add(-.infinity, store, in: $0) } == 10)
    let scores = try store.fetch(store.query()).map { $0[3] }
    for (index, score) in scores.enumerated() {
      guard case .double(let value) = score else { throw TestStore.PlainError(message: "no number") }
      #expect(index == 3 || index == 7 ? value.isNaN : value == -.infinity)
    }
  }

  @Test func aStatementThatFailsIsUndoneAndTheTransactionGoesOn() throws {
    let store = try store(10)
    try store.plain(
      "CREATE TRIGGER refuse BEFORE UPDATE ON Item WHEN old.id = 5 BEGIN SELECT RAISE(ABORT, 'refused'); END")
    try store.write { transaction in
      #expect(code { _ = try add(1, store, in: transaction) } == .corrupt)
      #expect(!transaction.isEnded)
      try transaction.insert(store.id, store.batch([StatementTests.item(11)]))
    }
    #expect(try store.fetch(store.query()).map { $0[3] } == (1...10).map { .double(Double($0)) } + [.double(0)])
  }

  @Test func aStatementThatFailsAfterOthersIsUndoneAlone() throws {
    let store = try store(10)
    try store.plain(
      "CREATE TRIGGER refuse BEFORE UPDATE ON Item WHEN old.id = 5 BEGIN SELECT RAISE(ABORT, 'refused'); END")
    try store.write { transaction in
      try transaction.insert(store.id, store.batch([StatementTests.item(11)]))
      #expect(code { _ = try add(1, store, in: transaction) } == .corrupt)
    }
    #expect(try store.fetch(store.query()).count == 11)
    #expect(try store.get(.int(4))?[3] == .double(4))
  }
}
