import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

@Suite struct SchemaTests {
  @Test func tablesAreWhatAPersonWouldHaveWritten() throws {
    let store = try TestStore(TestModel.book)
    try store.write { try $0.apply(.createModel(TestModel.item)) }
    let sql = try store.plain(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE '\\_quarry%' ESCAPE '\\'")
    #expect(
      sql.compactMap { $0[0] } == [
        """
        CREATE TABLE "Book" (
          "id" TEXT NOT NULL PRIMARY KEY,
          "isbn" TEXT NOT NULL,
          "year" INTEGER NOT NULL,
          "price" TEXT,
          "score" ANY NOT NULL DEFAULT 0.5,
          "_quarry_order_price" BLOB,
          "_quarry_nan" BLOB
        ) STRICT, WITHOUT ROWID
        """,
        #"CREATE UNIQUE INDEX "Book_isbn" ON "Book" ("isbn")"#,
        #"CREATE INDEX "Book_year" ON "Book" ("year")"#,
        #"CREATE INDEX "Book_price" ON "Book" ("_quarry_order_price" DESC, "id" DESC)"#,
        """
        CREATE TABLE "Item" (
          "id" INTEGER PRIMARY KEY,
          "rank" INTEGER,
          "count" INTEGER,
          "score" ANY NOT NULL,
          "_quarry_nan" BLOB
        ) STRICT
        """,
        #"CREATE UNIQUE INDEX "Item_rank" ON "Item" ("rank")"#,
        #"CREATE INDEX "Item_count" ON "Item" ("count")"#,
      ])
  }

  @Test func aPlainProgramFindsTheDatabaseSound() throws {
    let store = try TestStore(TestModel.book)
    var random = SeededGenerator(seed: 7)
    for turn in 0..<20 {
      let rows = (0..<50).map { index -> [Value] in
        [
          .uuid(UUID()), .string("isbn \(turn) \(index)"), .int(Int64.random(in: 1900...2000, using: &random)),
          Bool.random(using: &random) ? .null : .decimal(Decimal(Int.random(in: 0..<1000, using: &random)) / 10),
          .double(Double.random(in: 0..<1, using: &random)),
        ]
      }
      try store.insert(rows)
      try store.write { transaction in
        _ = try transaction.update(
          store.query(.compare(slot: 2, .less, .int(1950))), [BoundAssignment(slot: 2, operation: .add, value: .int(1))]
        )
        _ = try transaction.delete(store.query(.compare(slot: 4, .less, .double(0.2))))
      }
    }
    #expect(try store.plain("PRAGMA integrity_check") == [["ok"]])
    let counted = try store.read { try $0.count(store.query()) }
    #expect(try store.plain("SELECT count(*) FROM Book") == [[String(counted)]])
    let priced = try store.read { try $0.count(store.query(.compare(slot: 3, .greaterOrEqual, .decimal(50)))) }
    #expect(try store.plain("SELECT count(*) FROM Book WHERE CAST(price AS REAL) >= 50") == [[String(priced)]])
  }

  @Test(arguments: [
    "order", "select\"'; DROP TABLE x; --", "e\u{301}", "rowid", "value\nline", "[a]", "`b`", "🙂", "index",
  ])
  func namesAreOnlyNames(_ name: String) throws {
    let model = ModelSchema(
      name: name,
      properties: [
        PropertySchema(name: name, type: .int64), PropertySchema(name: name + "2", type: .decimal, isOptional: true),
      ],
      primaryKey: 0, indexes: [IndexSchema(name: name, columns: [.init(slot: 1)])])
    let store = try TestStore(model)
    try store.insert([[.int(1), .decimal(2)]])
    #expect(try store.fetch(store.query(.compare(slot: 1, .equal, .decimal(2)))) == [[.int(1), .decimal(2)]])
    #expect(try store.write { try $0.delete(store.query()) } == 1)
  }

  @Test func composedAndDecomposedNamesAreTwoModels() throws {
    func model(_ name: String) -> ModelSchema {
      ModelSchema(name: name, properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)
    }
    let store = try TestStore(model("caf\u{e9}"))
    try store.write { try $0.apply(.createModel(model("cafe\u{301}"))) }
    try store.insert([[.int(1)]])
    let counts = try store.backend.statistics().models.map(\.rows)
    #expect(counts == [1, 0])
  }

  @Test(arguments: [
    PropertySchema(name: "new", type: .string, isOptional: true),
    PropertySchema(name: "new", type: .string, defaultValue: .string("it's")),
    PropertySchema(name: "new", type: .string, defaultValue: .string("a\0b")),
    PropertySchema(name: "new", type: .int64, defaultValue: .int(.min)),
    PropertySchema(name: "new", type: .uint64, defaultValue: .uint(.max)),
    PropertySchema(name: "new", type: .double, defaultValue: .double(-0.0)),
    PropertySchema(name: "new", type: .double, defaultValue: .double(0.1)),
    PropertySchema(name: "new", type: .double, defaultValue: .double(Double(bitPattern: 0xFFF8_0000_0000_0001))),
    PropertySchema(name: "new", type: .float, isOptional: true, defaultValue: .float(.infinity)),
    PropertySchema(name: "new", type: .date, isOptional: true),
    PropertySchema(name: "new", type: .decimal, defaultValue: .decimal(Decimal(string: "1.5")!)),
    PropertySchema(name: "new", type: .decimal, isOptional: true),
    PropertySchema(name: "new", type: .bool, defaultValue: .bool(true)),
    PropertySchema(name: "new", type: .data, defaultValue: .data(Data([0, 1, 255]))),
    PropertySchema(
      name: "new", type: .uuid, defaultValue: .uuid(UUID(uuidString: "00000000-0000-4000-8000-0000000000AB")!)),
    PropertySchema(name: "new", type: .url, defaultValue: .url(URL(string: "https://a.org/?b='c'")!)),
    PropertySchema(name: "new", type: .array, elementType: .string, defaultValue: .array([.string("'")])),
    PropertySchema(name: "new", type: .nested, defaultValue: .object([.init("d", .date(.distantPast))])),
  ])
  func addedPropertiesHaveTheirDefault(_ property: PropertySchema) throws {
    let store = try TestStore(
      ModelSchema(name: "Growing", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0))
    try store.insert([[.int(1)]])
    let old = try store.row([.int(2)])
    try store.write { try $0.apply(.addProperty(store.id, property)) }
    store.layout = RowLayout(try #require(try store.read { $0.schema.models.first }))
    let value = property.defaultValue ?? .null
    #expect(try store.get(.int(1)) == [.int(1), value])
    // A row of the older age, too.
    var batch = RowBatch()
    old.bytes.withUnsafeBytes { batch.append($0) }
    let transaction = try store.backend.beginWrite(WriteOptions())
    try transaction.insert(store.id, batch)
    _ = try transaction.commit()
    #expect(try store.get(.int(2)) == [.int(2), value])
    #expect(try store.plain("PRAGMA integrity_check") == [["ok"]])
  }

  @Test func propertiesAreRenamedAndDropped() throws {
    let store = try TestStore(TestModel.book)
    let row: [Value] = [.uuid(UUID()), .string("x"), .int(1), .decimal(2), .double(3)]
    try store.insert([row])
    try store.write { transaction in
      try transaction.apply(.renameProperty(store.id, slot: 3, to: "cost"))
      #expect(code { try transaction.apply(.dropProperty(store.id, slot: 3)) } == .schemaMismatch)
      try transaction.apply(.dropIndex(store.id, index: store.schema.indexes[2].id))
      try transaction.apply(.dropProperty(store.id, slot: 3))
      try transaction.apply(.dropProperty(store.id, slot: 4))
      try transaction.apply(.addProperty(store.id, PropertySchema(name: "score", type: .float, isOptional: true)))
      try transaction.apply(.addProperty(store.id, PropertySchema(name: "cost", type: .decimal, isOptional: true)))
    }
    store.layout = RowLayout(try #require(try store.read { $0.schema.models.first }))
    let read = try #require(try store.fetch(store.query()).first)
    #expect(Array(read[0..<3]) == Array(row[0..<3]))
    #expect(Array(read[5...]) == [.null, .null])
  }

  @Test func modelsAreRenamedWithTheirIndexes() throws {
    let store = try TestStore(TestModel.book)
    try store.insert([[.uuid(UUID()), .string("x"), .int(1), .null, .double(3)]])
    try store.write { transaction in
      try transaction.apply(.renameModel(store.id, to: "BOOK"))
      try transaction.apply(.renameModel(store.id, to: "Volume"))
      try transaction.apply(.renameIndex(store.id, index: store.schema.indexes[1].id, to: "published"))
    }
    let names = try store.plain("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    #expect(names.compactMap { $0[0] } == ["Volume_isbn", "Volume_price", "Volume_published"])
    #expect(try store.read { try $0.count(store.query(.compare(slot: 2, .equal, .int(1)))) } == 1)
    try store.write { try $0.apply(.dropModel(store.id)) }
    #expect(try store.plain("SELECT count(*) FROM sqlite_schema WHERE tbl_name = 'Volume'") == [["0"]])
    #expect(code { try store.read { try $0.count(store.query()) } } == .schemaMismatch)
  }

  @Test func aTableThatWasMadeAnewReadsAsIfItWereTheFirst() throws {
    let store = try TestStore(TestModel.book)
    try store.plain(
      """
      CREATE INDEX "own" ON "Book" ("year", "isbn");
      CREATE VIEW "Titles" AS SELECT "isbn" FROM "Book";
      CREATE TABLE "Log" ("what" TEXT);
      CREATE TRIGGER "noted" AFTER DELETE ON "Book" BEGIN INSERT INTO "Log" VALUES (old."isbn"); END;
      """)
    func definitions() throws -> [String: String] {
      var result: [String: String] = [:]
      for row in try store.plain("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL") {
        result[try #require(row[0])] = row[1]
      }
      return result
    }
    let before = try definitions()
    let id = UUID()
    let rows: [[Value]] = [
      [.uuid(id), .string("x"), .int(1), .decimal(2), .double(.nan)],
      [.uuid(UUID()), .string("y"), .int(2), .null, .double(-0.0)],
      [.uuid(UUID()), .string("z"), .int(3), .decimal(-7), .double(Double(bitPattern: 0x7FF8_0000_0000_0001))],
    ].sorted { "\($0[0])" < "\($1[0])" }
    try store.insert(rows)
    func bits(_ rows: [[Value]]) -> [UInt64] {
      rows.map { row in if case .double(let value) = row[4] { value.bitPattern } else { 0 } }
    }
    let stored = try store.fetch(store.query())
    try store.write { transaction in
      for slot in [2, 4] { try transaction.apply(.changeOptionality(store.id, slot: slot, isOptional: true)) }
    }
    var expected = before
    expected["Book"] = before["Book"]?.replacing(#""year" INTEGER NOT NULL"#, with: #""year" INTEGER"#)
      .replacing(#""score" ANY NOT NULL DEFAULT"#, with: #""score" ANY DEFAULT"#)
    #expect(try definitions() == expected)
    store.layout = RowLayout(try #require(try store.read { $0.schema.models.first }))
    #expect(try bits(store.fetch(store.query())) == bits(stored))
    #expect(try store.fetch(store.query()).map { Array($0[..<4]) } == rows.map { Array($0[..<4]) })
    #expect(try store.plain("PRAGMA integrity_check") == [["ok"]])
    #expect(try store.plain("SELECT count(*) FROM Log") == [["0"]])
    try store.write { transaction in
      let nothing = BoundAssignment(slot: 2, operation: .set, value: .null)
      _ = try transaction.update(store.query(.compare(slot: 1, .equal, .string("x"))), [nothing])
      let refused = failure { try transaction.apply(.changeOptionality(store.id, slot: 2, isOptional: false)) }
      #expect(refused?.code == .missingValue)
      #expect([refused?.model, refused?.property, refused?.key] == ["Book", "year", id.uuidString])
      _ = try transaction.delete(store.query(.isNull(slot: 2)))
      for slot in [2, 4] { try transaction.apply(.changeOptionality(store.id, slot: slot, isOptional: false)) }
    }
    #expect(try definitions() == before)
    #expect(try store.plain("SELECT * FROM Log") == [["x"]])
    #expect(try store.plain("SELECT * FROM Titles ORDER BY 1") == [["y"], ["z"]])
  }

  @Test func decimalsAndIntegerKeysAreInATableThatWasMadeAnew() throws {
    let store = try TestStore(
      ModelSchema(
        name: "Priced",
        properties: [
          PropertySchema(name: "price", type: .decimal), PropertySchema(name: "id", type: .int32),
          PropertySchema(name: "gone", type: .string),
        ], primaryKey: 1, indexes: [IndexSchema(name: "price", columns: [.init(slot: 0)], isUnique: true)]))
    let rows: [[Value]] = [[.decimal(10), .int(-3), .string("a")], [.decimal(9), .int(8), .string("b")]]
    try store.insert(rows)
    try store.write { transaction in
      try transaction.apply(.dropProperty(store.id, slot: 2))
      try transaction.apply(
        .addProperty(store.id, PropertySchema(name: "more", type: .decimal, defaultValue: .decimal(1))))
      for slot in [0, 3] { try transaction.apply(.changeOptionality(store.id, slot: slot, isOptional: true)) }
    }
    let model = try #require(try store.read { $0.schema.models.first })
    store.layout = RowLayout(model)
    #expect(try store.fetch(store.query()).map { [$0[0], $0[1], $0[3]] } == rows.map { [$0[0], $0[1], .decimal(1)] })
    let byPrice = store.query(order: [BoundSortKey(slot: 0), BoundSortKey(slot: 1)])
    #expect(try store.fetch(byPrice).map { $0[1] } == [.int(8), .int(-3)])
    #expect(try store.backend.check() == [])
    try store.insert([[.null, .int(100), .null, .null], [.null, .int(101), .null, .decimal(2)]])
    #expect(try store.fetch(store.query(.isNull(slot: 0))).map { $0[1] } == [.int(100), .int(101)])
    #expect(try store.backend.check() == [])
  }

  @Test func namesOfIndexesAndTablesDoNotMeet() throws {
    let store = try TestStore(TestModel.item)
    func plain(_ name: String, _ index: String) -> ModelSchema {
      ModelSchema(
        name: name, properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "x", type: .int64)],
        primaryKey: 0, indexes: [IndexSchema(name: index, columns: [.init(slot: 1)])])
    }
    try store.write { transaction in
      try transaction.apply(.createModel(plain("item_RANK", "a")))
      try transaction.apply(.createModel(plain("A", "B_C")))
      try transaction.apply(.createModel(plain("A_B", "C")))
      let models = transaction.schema.models
      try transaction.apply(.dropIndex(models[3].id, index: models[3].indexes[0].id))
      try transaction.apply(.dropIndex(models[0].id, index: models[0].indexes[0].id))
    }
    let names = try store.plain("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    #expect(names.compactMap { $0[0] } == ["A_B_C", "Item_count", "item_RANK_a"])
  }

  @Test func aUniqueIndexOverEqualRowsIsRefused() throws {
    let store = try TestStore(TestModel.item)
    try store.insert([StatementTests.item(1, count: 5), StatementTests.item(2, count: 5)])
    let index = IndexSchema(name: "both", columns: [.init(slot: 2)], isUnique: true)
    let transaction = try store.backend.beginWrite(WriteOptions())
    #expect(code { try transaction.apply(.createIndex(store.id, index)) } == .uniqueViolation)
    #expect(transaction.schema.models[0].indexes.count == 2)
    try transaction.apply(
      .createIndex(store.id, IndexSchema(name: "both", columns: [.init(slot: 2), .init(slot: 0)], isUnique: true)))
    _ = try transaction.commit()
    #expect(try store.plain("SELECT count(*) FROM sqlite_schema WHERE name = 'Item_both'") == [["1"]])
  }

  @Test func theSchemaDoesNotChangeUnderACursor() throws {
    let store = try TestStore(TestModel.item)
    try store.insert([StatementTests.item(1)])
    let transaction = try store.backend.beginWrite(WriteOptions())
    let cursor = try transaction.cursor(store.query())
    #expect(code { try transaction.apply(.dropModel(store.id)) } == .iterationActive)
    cursor.close()
    try transaction.apply(.dropModel(store.id))
    transaction.rollback()
    #expect(try store.read { $0.schema.models.count } == 1)
  }

  @Test func tooManyPropertiesAreRefused() throws {
    let store = try TestStore(TestModel.item)
    let limit = try #require(store.backend.manifest.limits.properties)
    func model(_ count: Int) -> ModelSchema {
      ModelSchema(
        name: "Wide",
        properties: [PropertySchema(name: "id", type: .int64)]
          + (1..<count).map { PropertySchema(name: "p\($0)", type: .decimal, isOptional: true) }, primaryKey: 0)
    }
    let transaction = try store.backend.beginWrite(WriteOptions())
    #expect(code { try transaction.apply(.createModel(model(limit + 1))) } == .limitExceeded)
    try transaction.apply(.createModel(model(limit)))
    _ = try transaction.commit()
  }
}
