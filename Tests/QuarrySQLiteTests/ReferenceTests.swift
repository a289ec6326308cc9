import QuarryBackend
import QuarryCore
import QuarryQuery
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

/// References as other programs see them in the database.
@Suite struct ReferenceTests {
  private static let author = ModelSchema(
    name: "Author",
    properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "name", type: .string)], primaryKey: 0)

  private static func reference(
    _ name: String, to model: String, _ rule: PropertySchema.Reference.DeleteRule, isOptional: Bool = true
  ) -> PropertySchema {
    PropertySchema(
      name: name, type: .int64, isOptional: isOptional, reference: .init(to: model, deleteRule: rule))
  }

  private static let book = ModelSchema(
    name: "Book",
    properties: [
      PropertySchema(name: "id", type: .int64), reference("author", to: "Author", .cascade, isOptional: false),
      reference("editor", to: "Author", .deny), reference("sequel", to: "Book", .nullify),
    ], primaryKey: 0,
    indexes: [1, 2, 3].map { IndexSchema(name: ["author", "editor", "sequel"][$0 - 1], columns: [.init(slot: $0)]) })

  @Test func theTableSaysWhatAPersonWouldWrite() throws {
    let folder = try ScratchFolder()
    let place = SQLiteConfiguration(path: folder.path + "/a.db", checksums: false)
    try Store(program: [Self.author, Self.book], in: place).close()
    let table = try TestStore.plain(place.path, "SELECT sql FROM sqlite_schema WHERE name = 'Book'")
    #expect(
      table == [
        [
          """
          CREATE TABLE "Book" (
            "id" INTEGER PRIMARY KEY,
            "author" INTEGER NOT NULL REFERENCES "Author" ON DELETE CASCADE,
            "editor" INTEGER REFERENCES "Author",
            "sequel" INTEGER REFERENCES "Book" ON DELETE SET NULL
          ) STRICT
          """
        ]
      ])
  }

  /// The check names the row and goes on, and each reference to a missing row.
  @Test func anUnreadableRowThatOthersReferToEndsNoCheck() throws {
    let folder = try ScratchFolder()
    let place = SQLiteConfiguration(path: folder.path + "/a.db", checksums: false)
    let store = try Store(program: [Self.author, Self.book], in: place)
    try store.write { tx in
      try tx.records.insert(into: "Author", (1...2).map { Record(["id": .int($0), "name": .string("a")]) })
      try tx.records.insert(
        into: "Book",
        (1...6).map { Record(["id": .int($0), "author": .int(1), "editor": .int(2), "sequel": .null]) })
    }
    _ = try TestStore.plain(place.path, "UPDATE Author SET name = CAST(x'ff' AS TEXT) WHERE id = 2")
    let lines = try store.check()
    #expect(lines.count == 1 && lines[0].hasPrefix("model Author, key 2, name: "), "\(lines)")
    _ = try TestStore.plain(place.path, "DELETE FROM Author WHERE id = 2")
    #expect(
      try store.check() == (1...6).map { "Book \($0): editor refers to Author 2, which is not there" })
  }

  @Test func randomCommandsLeaveNothingThatTheCheckOfForeignKeysFinds() throws {
    let folder = try ScratchFolder()
    let place = SQLiteConfiguration(path: folder.path + "/a.db", checksums: false)
    let store = try Store(program: [Self.author, Self.book], in: place)
    var random = SeededGenerator(seed: 5)
    var refused = 0
    for _ in 0..<300 {
      func key() -> Value { .int(Int64.random(in: 0..<12, using: &random)) }
      func maybe() -> Value { Bool.random(using: &random) ? key() : .null }
      let model = Bool.random(using: &random) ? "Author" : "Book"
      do {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: try store.records.delete(in: model, keys: [key()])
        case 1: try store.records.upsert(into: "Author", [Record(["id": key(), "name": .string("a")])])
        default:
          try store.records.upsert(
            into: "Book", [Record(["id": key(), "author": key(), "editor": maybe(), "sequel": maybe()])])
        }
      } catch let error as StorageError where error.code == .missingReference || error.code == .referenced {
        refused += 1
      }
    }
    #expect(refused > 20)
    #expect(try store.records.count(QueryTree(model: "Book")) > 0)
    #expect(try store.check() == [])
    try store.close()
    #expect(try TestStore.plain(place.path, "PRAGMA foreign_key_check") == [])
    // Another program that breaks a reference is found by that check.
    try TestStore.plain(place.path, "UPDATE Book SET author = 99 WHERE id = (SELECT min(id) FROM Book)")
    #expect(try TestStore.plain(place.path, "SELECT count(*) FROM pragma_foreign_key_check") == [["1"]])
  }
}
