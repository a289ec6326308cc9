import Foundation
import QuarryBackend
import Testing

@testable import QuarrySQLite

/// Damage that is planted with plain SQL, and what the check says of it.
@Suite struct CheckTests {
  let store: TestStore

  static let model = ModelSchema(
    name: "Thing",
    properties: [
      PropertySchema(name: "id", type: .uuid),
      PropertySchema(name: "flag", type: .bool),
      PropertySchema(name: "small", type: .int8),
      PropertySchema(name: "big", type: .uint64),
      PropertySchema(name: "ratio", type: .float),
      PropertySchema(name: "when", type: .date),
      PropertySchema(name: "price", type: .decimal, isOptional: true),
      PropertySchema(name: "name", type: .string),
      PropertySchema(name: "link", type: .url),
      PropertySchema(name: "blob", type: .data),
      PropertySchema(name: "tags", type: .array, elementType: .string),
      PropertySchema(name: "note", type: .string, isOptional: true),
    ],
    primaryKey: 0,
    indexes: [
      IndexSchema(name: "byName", columns: [.init(slot: 7)], isUnique: true),
      IndexSchema(name: "byPrice", columns: [.init(slot: 6, isDescending: true)]),
    ])

  init() throws {
    store = try TestStore(Self.model)
    let rows: [[Value]] = try (1...4).map { number in
      [
        .uuid(try #require(UUID(uuidString: "00000000-0000-0000-0000-00000000000\(number)"))), .bool(true),
        .int(Int64(number)), .uint(UInt64.max), .float(1.5), .date(Date(timeIntervalSinceReferenceDate: .nan)),
        number == 4 ? .null : .decimal(Decimal(number)), .string("name \(number)"),
        .url(try #require(URL(string: "https://example.org"))), .data(Data([1, 2])), .array([.string("x")]), .null,
      ]
    }
    try store.write { transaction throws in try transaction.insert(store.id, store.batch(rows)) }
  }

  @Test func aSoundStoreHasNoDefects() throws {
    #expect(try store.backend.check() == [])
  }

  /// A value of a wrong kind in any column, as far as STRICT tables let it in.
  @Test(
    arguments: [
      ("flag", "2"), ("small", "300"), ("big", "'x'"), ("big", "-1"), ("big", "x'00'"), ("ratio", "0.1"),
      ("ratio", "'x'"), ("when", "x'0102'"), ("when", "'now'"), ("price", "'12,5'"), ("price", "'7'"),
      ("name", "CAST(x'ff' AS TEXT)"), ("link", "'a b://['"), ("tags", "'[1'"), ("tags", "x'ff'"), ("tags", "5"),
      ("tags", "'[1,\"x\"]'"), ("tags", "'[\"x\",{}]'"),
      ("_quarry_order_price", "x'00'"), ("_quarry_order_price", "NULL"), ("_quarry_nan", "x'00'"),
    ])
  func aWrongValueIsNamed(_ column: String, _ value: String) throws {
    try store.plain("UPDATE Thing SET \"\(column)\" = \(value) WHERE small = 2")
    let defects = try store.backend.check()
    #expect(defects.count == 1, "\(defects)")
    #expect(defects.allSatisfy { $0.contains("Thing") && $0.contains("00000000-0000-0000-0000-000000000002") })
    let property = column.hasSuffix("price") ? "price" : column == "_quarry_nan" ? "NaN" : column
    #expect(defects.allSatisfy { $0.contains(property) }, "\(defects)")
  }

  @Test func everyDamagedColumnOfARowIsNamed() throws {
    try store.plain("UPDATE Thing SET flag = 2, big = 'x', tags = 5 WHERE small = 2")
    #expect(try store.backend.check().count == 3)
  }

  @Test func aKeyInAnotherSpellingIsNamed() throws {
    try store.plain("UPDATE Thing SET id = 'abcdef00-0000-0000-0000-000000000002' WHERE small = 2")
    #expect(try store.backend.check().map { $0.contains("id") } == [true])
  }

  @Test(
    arguments: [
      ("DROP INDEX Thing_byName", "byName"),
      ("DROP INDEX Thing_byName; CREATE INDEX Thing_byName ON Thing (name)", "byName"),
      ("DROP INDEX Thing_byName; CREATE UNIQUE INDEX Thing_byName ON Thing (id)", "byName"),
      ("DROP INDEX Thing_byName; CREATE UNIQUE INDEX Thing_byName ON Thing (name) WHERE small > 1", "byName"),
      ("DROP INDEX Thing_byPrice; CREATE INDEX Thing_byPrice ON Thing (_quarry_order_price)", "byPrice"),
      ("CREATE UNIQUE INDEX other ON Thing (small)", "other"),
      ("CREATE TRIGGER t AFTER INSERT ON Thing BEGIN SELECT 1; END", "trigger"),
      ("DROP TABLE Thing", "no table"),
      ("ALTER TABLE Thing DROP COLUMN note", "note"),
    ])
  func aChangedDefinitionIsNamed(_ sql: String, _ word: String) throws {
    try store.plain(sql)
    let defects = try SQLiteBackend(SQLiteConfiguration(path: store.path), OpenOptions()).check()
    #expect(defects.count == 1, "\(defects)")
    #expect(defects.allSatisfy { $0.contains(word) }, "\(defects)")
  }

  @Test func aSchemaThatIsDamagedUnderAnOpenStoreIsNamed() throws {
    try store.plain("UPDATE _quarry_schema SET json = '{}'")
    #expect(try store.backend.check().map { $0.contains("schema") } == [true])
  }

  @Test func otherTablesAndPlainIndexesAreNobodysBusiness() throws {
    try store.plain("CREATE TABLE mine (x); INSERT INTO mine VALUES (1); CREATE INDEX fast ON Thing (small)")
    #expect(try store.backend.check() == [])
  }

  @Test func anIndexThatLacksARowIsNamed() throws {
    // The index is taken out of the schema while a row is written, and put back.
    try store.plain(
      """
      PRAGMA writable_schema = ON;
      CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'Thing_byName';
      DELETE FROM sqlite_schema WHERE name = 'Thing_byName';
      """)
    try store.plain("UPDATE Thing SET name = 'another' WHERE small = 2")
    try store.plain(
      "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM kept; DROP TABLE kept;")
    let defects = try SQLiteBackend(SQLiteConfiguration(path: store.path), OpenOptions()).check()
    #expect(!defects.isEmpty && defects.allSatisfy { $0.contains("Thing_byName") }, "\(defects)")
  }

  @Test func manyDefectsAreCounted() throws {
    let rows: [[Value]] = (0..<150).map { number in
      [
        .uuid(UUID()), .bool(true), .int(1), .int(1), .float(1), .date(.now), .null, .string("more \(number)"),
        .url(URL(fileURLWithPath: "/")), .data(Data()), .array([]), .null,
      ]
    }
    try store.write { transaction throws in try transaction.insert(store.id, store.batch(rows)) }
    try store.plain("UPDATE Thing SET flag = 7 WHERE name LIKE 'more%'")
    let defects = try store.backend.check()
    #expect(defects.count == 101)
    #expect(defects.last == "and 50 more")
  }

  @Test func aDamagedPageIsNamedOrTheStoreDoesNotOpen() throws {
    try store.backend.close()
    let file = URL(fileURLWithPath: store.path)
    let sound = try Data(contentsOf: file)
    for page in 1..<(sound.count / 4096) {
      var damaged = sound
      for place in 0..<64 { damaged[page * 4096 + place] ^= 0x55 }
      try damaged.write(to: file)
      do throws(StorageError) {
        let backend = try SQLiteBackend(SQLiteConfiguration(path: store.path), OpenOptions())
        let defects = try backend.check()
        try backend.close()
        #expect(!defects.isEmpty, "page \(page)")
      } catch {
        #expect(error.code == .corrupt, "page \(page): \(error)")
      }
    }
  }

  @Test func sizesAreThoseOfPages() throws {
    let model = try #require(try store.backend.statistics().models.first)
    #expect(model.rows == 4)
    #expect(model.indexes.map(\.entries) == [4, 4])
    let sizes = [model.bytes] + model.indexes.map(\.bytes)
    // A build of SQLite without dbstat knows none.
    #expect(sizes.allSatisfy { $0 == nil } || sizes.allSatisfy { ($0 ?? 0) >= 4000 }, "\(sizes)")
  }
}
