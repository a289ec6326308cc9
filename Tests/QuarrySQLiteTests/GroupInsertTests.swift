import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

/// Inserts of so many rows that a statement takes several.
@Suite struct GroupInsertTests {
  private static let many = Int64(SQLiteGroupInsert.fewestRows + 7)

  private static func items(_ ids: some Sequence<Int64>) -> [[Value]] {
    ids.map { StatementTests.item($0, rank: $0, count: $0 % 7, score: Double($0)) }
  }

  @Test func valuesOfAllTypesSurvive() throws {
    let store = try TestStore(TestModel.everything)
    var rows: [[Value]] = []
    for round in 0..<11 {
      var row: [Value] = [.int(Int64(round))]
      for property in TestModel.everything.properties.dropFirst() {
        let values = ColumnRoundTripTests.cases.first { $0.property == property.name }?.values ?? []
        row.append(round == 10 || values.isEmpty ? .null : values[round % values.count])
      }
      for copy in 0..<13 {
        row[0] = .int(Int64(round * 13 + copy))
        rows.append(row)
      }
    }
    try store.insert(rows)
    #expect(try store.fetch(store.query()) == rows)
    for row in rows { #expect(try store.get(row[0]) == row) }
  }

  @Test func textsOfUUIDsStayUntilTheStatementIsRun() throws {
    let store = try TestStore(TestModel.book)
    let books = (0..<Self.many).map { number in
      [.uuid(UUID()), .string("\(number)"), .int(number % 3), .decimal(Decimal(number)), .double(0)] as [Value]
    }
    try store.insert(books)
    for book in books { #expect(try store.get(book[0]) == book) }
  }

  @Test(arguments: [0, 1, 14, 15, 16, 40, many - 1])
  func theRefusedRowIsNamed(_ place: Int64) throws {
    let store = try TestStore(TestModel.item)
    try store.insert([StatementTests.item(1000, rank: 1000)])
    var rows = Self.items(0..<Self.many)
    rows[Int(place)] = StatementTests.item(1000)
    let duplicate = failure { try store.insert(rows) }
    #expect(duplicate?.code == .duplicateKey)
    #expect(duplicate?.key == "1000")
    rows[Int(place)] = StatementTests.item(place, rank: 1000)
    let violation = failure { try store.insert(rows) }
    #expect(violation?.code == .uniqueViolation)
    #expect(violation?.key == "\(place)")
    #expect(try store.fetch(store.query()).count == 1)
  }

  @Test func aRefusedBatchLeavesWhatTheTransactionDidBefore() throws {
    let store = try TestStore(TestModel.item)
    let first = try store.batch(Self.items(0..<150))
    let twice = try store.batch(Self.items((150..<299) + [200]))
    try store.write { transaction in
      try transaction.insert(store.id, first)
      #expect(code { try transaction.insert(store.id, twice) } == .duplicateKey)
    }
    #expect(try store.fetch(store.query()) == Self.items(0..<150))
  }

  /// The policy of the statement would be that of the trigger's, too.
  @Test func aTriggerOfAnotherProgramIgnoresWhatItIgnores() throws {
    let store = try TestStore(TestModel.item)
    try store.plain(
      """
      CREATE TABLE seen (count INTEGER PRIMARY KEY);
      CREATE TRIGGER see AFTER INSERT ON Item BEGIN INSERT OR IGNORE INTO seen VALUES (new.count); END;
      """)
    try store.insert(Self.items(0..<Self.many))
    #expect(try store.fetch(store.query()).count == Int(Self.many))
    #expect(try store.plain("SELECT count(*) FROM seen") == [["7"]])
  }

  @Test func aLoadTakesThemToo() throws {
    let store = try TestStore(TestModel.item)
    var batches = try [100..<300, 0..<100].map { try Self.items($0).map { try store.row($0) } }
    try store.write { transaction in
      try transaction.load(store.id) { (batch) throws(StorageError) in
        for row in batches.popLast() ?? [] { row.bytes.withUnsafeBytes { batch.append($0) } }
      }
    }
    #expect(try store.fetch(store.query()) == Self.items(0..<300))
    #expect(try store.fetch(store.query(.compare(slot: 1, .equal, .int(250)))) == Self.items(250..<251))
  }
}
