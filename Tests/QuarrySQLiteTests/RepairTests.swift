import Foundation
import QuarryBackend
import QuarryCore
import QuarryDump
import Testing

@testable import QuarrySQLite

/// Stores that were damaged with plain SQL, and mended.
@Suite struct RepairTests {
  let damaged: CheckTests

  init() throws {
    damaged = try CheckTests()
  }

  private func repair() throws -> (report: RepairReport, file: String) {
    let path = damaged.store.directory.file("unreadable.jsonl")
    let store = try Store(opening: SQLiteConfiguration(path: damaged.store.path))
    defer { try? store.close() }
    let report = try store.repair(quarantine: path)
    return (report, (try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
  }

  @Test(
    arguments: [
      ("flag", "2", "\"flag\":2"), ("small", "300", "\"small\":300"), ("big", "'x'", "\"big\":\"x\""),
      ("ratio", "0.1", "\"ratio\":0.1"), ("when", "x'0102'", "\"when\":{\"$data\":\"AQI=\"}"),
      ("name", "CAST(x'ff' AS TEXT)", "\"name\":{\"$data\":\"/w==\"}"), ("tags", "'[1'", "\"tags\":\"[1\""),
    ])
  func aRowThatCannotBeReadIsKept(_ column: String, _ value: String, _ kept: String) throws {
    try damaged.store.plain("UPDATE Thing SET \"\(column)\" = \(value) WHERE small = 2")
    let (report, file) = try repair()
    #expect(report.removedRows == 1)
    #expect(report.remaining == [])
    #expect(file.contains(kept), "\(file)")
    #expect(file.contains("\"key\":\"00000000-0000-0000-0000-000000000002\""), "\(file)")
    #expect(try damaged.store.backend.check() == [])
    #expect(try damaged.store.plain("SELECT count(*) FROM Thing") == [["3"]])
  }

  @Test(arguments: ["x'00'", "NULL", "(SELECT \"_quarry_order_price\" FROM Thing WHERE small = 3)"])
  func anOrderThatIsNotThatOfTheNumberIsSetRight(_ order: String) throws {
    let sound = try damaged.store.plain("SELECT small FROM Thing ORDER BY \"_quarry_order_price\"")
    try damaged.store.plain("UPDATE Thing SET \"_quarry_order_price\" = \(order) WHERE small = 2")
    try damaged.store.plain("UPDATE Thing SET \"_quarry_order_price\" = x'01' WHERE small = 4")
    #expect(try damaged.store.backend.check().count == 2)
    let (report, file) = try repair()
    #expect(report.removedRows == 0)
    #expect(report.actions.contains { $0.contains("2 rows of Thing") }, "\(report.actions)")
    #expect(report.remaining == [])
    #expect(file.isEmpty)
    #expect(try damaged.store.plain("SELECT small FROM Thing ORDER BY \"_quarry_order_price\"") == sound)
    #expect(try damaged.store.plain("SELECT count(*) FROM Thing WHERE \"_quarry_order_price\" IS NULL") == [["1"]])
  }

  @Test func aNumberUnderTheKeyOfAnotherIsTakenOut() throws {
    let model = ModelSchema(
      name: "Price",
      properties: [PropertySchema(name: "id", type: .decimal), PropertySchema(name: "note", type: .string)],
      primaryKey: 0)
    let store = try TestStore(model)
    try store.write { tx throws in
      try tx.insert(store.id, store.batch([[.decimal(1), .string("a")], [.decimal(2), .string("b")]]))
    }
    try store.plain("UPDATE Price SET \"_quarry_order_id\" = x'01' WHERE note = 'b'")
    #expect(try store.backend.check().count == 1)
    let path = store.directory.file("unreadable.jsonl")
    let opened = try Store(opening: SQLiteConfiguration(path: store.path))
    defer { try? opened.close() }
    let report = try opened.repair(quarantine: path)
    #expect(report.removedRows == 1)
    #expect(report.remaining == [])
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("\"b\""))
    #expect(try store.plain("SELECT note FROM Price") == [["a"]])
  }

  @Test func anIndexThatIsGoneIsMadeAnew() throws {
    try damaged.store.plain("DROP INDEX Thing_byName")
    try damaged.store.plain("DROP INDEX Thing_byPrice")
    try damaged.store.plain("CREATE INDEX Thing_byPrice ON Thing (name)")
    let (report, file) = try repair()
    #expect(report.defects.count == 2)
    #expect(report.removedRows == 0)
    #expect(report.remaining == [])
    #expect(file.isEmpty)
    #expect(try damaged.store.backend.check() == [])
  }

  @Test func twoRowsThatAUniqueIndexAllowsOneOfAreNamed() throws {
    try damaged.store.plain("DROP INDEX Thing_byName")
    try damaged.store.plain("UPDATE Thing SET name = 'same' WHERE small < 3")
    let defects = try damaged.store.backend.check()
    #expect(throws: StorageError.self) { try repair() }
    do {
      _ = try repair()
    } catch let error as StorageError {
      #expect(error.code == .uniqueViolation)
      #expect(error.description.contains("00000000-0000-0000-0000-000000000001"), "\(error)")
    }
    #expect(try damaged.store.backend.check() == defects)
  }
}
