import QuarryBackend
import QuarryCore
import QuarryQuery
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

/// What a migration leaves in the database, as other programs see it.
@Suite struct MigrationTests {
  private static let old = ModelSchema(
    name: "Book",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "title", type: .string),
      PropertySchema(name: "year", type: .string),
    ], primaryKey: 0, indexes: [IndexSchema(name: "title", columns: [.init(slot: 1)])])
  private static let new = ModelSchema(
    name: "Book",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "title", type: .string),
      PropertySchema(name: "year", type: .int32), PropertySchema(name: "pages", type: .int64, isOptional: true),
    ], primaryKey: 0, indexes: [IndexSchema(name: "title", columns: [.init(slot: 1)])])

  private static func tables(_ path: String) throws -> [String?] {
    try TestStore.plain(
      path,
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE '\\_quarry%' ESCAPE '\\' ORDER BY name"
    ).map { $0[0] }
  }

  @Test func tablesAndViewsAreAsIfTheProgramHadAlwaysBeenSo() throws {
    let folder = try ScratchFolder()
    let place = SQLiteConfiguration(path: folder.path + "/a.db", checksums: false)
    let store = try Store(program: [Self.old], in: place)
    try store.write { tx in
      try tx.records.insert(
        into: "Book",
        (1...3).map { Record(["id": .int($0), "title": .string("t\($0)"), "year": .string("\(1900 + $0)")]) })
    }
    try store.close()
    try TestStore.plain(place.path, "CREATE VIEW recent AS SELECT title FROM Book WHERE year > 1901 ORDER BY id")

    for step in 1...2 {
      let migrated = try Store(
        program: [Self.new], in: place,
        migration: .to(step) { m in
          if m.storedVersion < 1 {
            try m.convert("year", in: "Book") { (old: String?) in old.flatMap { Int32($0) } }
          } else {
            try m.enumerate("Book") { old, new in new["pages"] = old["id"] }
          }
        })
      #expect(try migrated.check() == [])
      try migrated.close()
      #expect(try TestStore.plain(place.path, "SELECT title FROM recent") == [["t2"], ["t3"]])
    }

    let fresh = SQLiteConfiguration(path: folder.path + "/b.db", checksums: false)
    try Store(program: [Self.new], in: fresh).close()
    let view = "CREATE VIEW recent AS SELECT title FROM Book WHERE year > 1901 ORDER BY id"
    #expect(try Self.tables(place.path) == Self.tables(fresh.path) + [view])
    #expect(try TestStore.plain(place.path, "PRAGMA integrity_check") == [["ok"]])
    #expect(
      try TestStore.plain(place.path, "SELECT id, pages FROM Book ORDER BY id") == [
        ["1", "1"], ["2", "2"], ["3", "3"],
      ])
  }
}
