import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

@Suite struct RowFunctionTests {
  private static let nan = Double(bitPattern: 0x7FF8_0000_0000_1234)

  private func store(_ count: Int64, nans: Set<Int64> = []) throws -> TestStore {
    let store = try TestStore(TestModel.item)
    try store.insert(
      (1...count).map { id in
        // The index is in another order than the key.
        StatementTests.item(id, rank: id, count: count - id, score: nans.contains(id) ? Self.nan : Double(id))
      })
    return store
  }

  /// What SQLite sorts by the key, after it has found it in an index.
  private func sorted(_ store: TestStore, _ counts: Range<Int64>) -> BoundQuery {
    store.query(.oneOf(slot: 2, counts.map { .int($0) }))
  }

  @Test func rowsThatAreSortedFirst() throws {
    let store = try store(300)
    #expect(try store.read { try $0.explain(sorted(store, 0..<10)) }.sorts)
    for _ in 1...3 {
      #expect(try store.fetch(sorted(store, 0..<10)).map { $0[0] } == (291...300).map { .int($0) })
      // One row is sorted without another call.
      #expect(try store.fetch(sorted(store, 9..<11)).map { $0[0] } == [.int(290), .int(291)])
      #expect(try store.fetch(sorted(store, 299..<310)).map { $0[0] } == [.int(1)])
      #expect(try store.fetch(sorted(store, 300..<310)).isEmpty)
    }
  }

  @Test func nansHaveTheirBits() throws {
    let store = try store(100, nans: [3, 50, 51, 100])
    for _ in 1...2 {
      let scores = try store.fetch(store.query()).map { $0[3] }
      for (index, score) in scores.enumerated() {
        let id = Int64(index + 1)
        guard case .double(let value) = score else { throw TestStore.PlainError(message: "no number") }
        #expect(value.bitPattern == ([3, 50, 51, 100].contains(id) ? Self.nan : Double(id)).bitPattern)
      }
      for id in [3, 4, 50] as [Int64] {
        guard case .double(let value)? = try store.get(.int(id))?[3] else {
          throw TestStore.PlainError(message: "no number")
        }
        #expect(value.bitPattern == (id == 4 ? 4.0 : Self.nan).bitPattern)
      }
    }
  }

  @Test func nansInSelectedColumns() throws {
    let store = try store(10, nans: [2])
    var query = store.query()
    query.projection = [3]
    let rows = try store.fetch(query)
    #expect(rows.count == 10)
    guard case .double(let value) = rows[1][3] else { throw TestStore.PlainError(message: "no number") }
    #expect(value.bitPattern == Self.nan.bitPattern)
    #expect(rows.allSatisfy { $0[1] == .null && $0[2] == .null })
  }

  @Test func manyColumns() throws {
    let properties = (0..<140).map { PropertySchema(name: "p\($0)", type: $0 % 2 == 0 ? .int64 : .string) }
    let store = try TestStore(ModelSchema(name: "Wide", properties: properties, primaryKey: 0))
    let row = (0..<140).map { $0 % 2 == 0 ? Value.int(Int64($0)) : .string("text \($0)") }
    try store.insert([row])
    #expect(try store.fetch(store.query()) == [row])
    #expect(try store.get(.int(0)) == row)
  }

  @Test func damageIsToldOfTheRowThatHasIt() throws {
    let store = try store(10)
    try store.plain("UPDATE Item SET score = 'text' WHERE id = 5")
    #expect(code { _ = try store.fetch(store.query()) } == .corrupt)
    #expect(code { _ = try store.get(.int(5)) } == .corrupt)
    #expect(try store.get(.int(6))?[3] == .double(6))
    // What is not read is not looked at.
    #expect(try store.fetch(store.query(.compare(slot: 0, .greater, .int(5)))).count == 5)
  }
}
