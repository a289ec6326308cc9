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
