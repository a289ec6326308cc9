import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

@Suite struct ColumnRoundTripTests {
  static let cases: [(property: String, values: [Value])] = [
    ("flag", [.bool(true), .bool(false)]),
    ("i8", [.int(-128), .int(0), .int(127)]),
    ("i16", [.int(-32768), .int(32767)]),
    ("i32", [.int(Int64(Int32.min)), .int(Int64(Int32.max))]),
    ("i64", [.int(.min), .int(-1), .int(0), .int(.max)]),
    ("u8", [.int(0), .int(255)]),
    ("u16", [.int(65535)]),
    ("u32", [.int(Int64(UInt32.max))]),
    ("u64", [.int(0), .int(.max), .uint(UInt64(Int64.max) + 1), .uint(.max)]),
    (
      "f",
      [
        .float(-0.0), .float(0), .float(.infinity), .float(-.infinity), .float(.leastNonzeroMagnitude),
        .float(.greatestFiniteMagnitude), .float(0.1), .float(.nan), .float(Float(bitPattern: 0xFFC0_1234)),
        .float(.signalingNaN),
      ]
    ),
    (
      "d",
      [
        .double(-0.0), .double(0), .double(.infinity), .double(-.infinity), .double(.leastNonzeroMagnitude),
        .double(.greatestFiniteMagnitude), .double(0.1), .double(9_007_199_254_740_992), .double(.nan),
        .double(Double(bitPattern: 0xFFF8_0000_0000_0001)), .double(.signalingNaN),
      ]
    ),
    ("s", [.string(""), .string("a\0b"), .string("\0"), .string("e\u{301}"), .string("\u{e9}"), .string("%_*'\"🙂")]),
    (
      "when",
      [
        .date(Date(timeIntervalSinceReferenceDate: -0.0)), .date(Date(timeIntervalSinceReferenceDate: 1e300)),
        .date(.distantPast), .date(.distantFuture), .date(Date(timeIntervalSinceReferenceDate: .nan)),
        .date(Date(timeIntervalSinceReferenceDate: 757_382_400.125)),
      ]
    ),
    ("bytes", [.data(Data()), .data(Data([0])), .data(Data((0...255).map { UInt8($0) }))]),
    ("uuid", [.uuid(UUID(uuidString: "00000000-0000-0000-0000-000000000000")!), .uuid(UUID())]),
    (
      "price",
      [
        .decimal(0), .decimal(Decimal(string: "-12.5")!), .decimal(Decimal(string: "0.000000001")!),
        .decimal(Decimal(string: "99999999999999999999999999999999999999")!), .decimal(Decimal(string: "1e100")!),
        .decimal(Decimal(string: "-3e-120")!), .decimal(Decimal(string: "100")!), .decimal(.greatestFiniteMagnitude),
      ]
    ),
    ("link", [.url(URL(string: "https://example.org/a?b=c#d")!), .url(URL(string: "relative/path")!)]),
    (
      "nest",
      [
        .object([]), .object(unordered: [.init("b", .int(1)), .init("a", .array([.null, .double(1)]))]),
        .object([.init("when", .date(.distantPast))]), .double(.nan), .bool(true), .string("{\"x\":1}"),
        .uint(.max), .double(-0.0), .double(1e300), .string("\0\u{1}\"\\"),
      ]
    ),
    ("tags", [.array([]), .array([.string("a"), .null, .string("e\u{301}")])]),
  ]

  @Test(arguments: cases.map(\.property))
  func bitsSurvive(_ property: String) throws {
    let store = try TestStore(TestModel.everything)
    let slot = try #require(store.schema.slot(named: property))
    let values = try #require(Self.cases.first { $0.property == property }).values + [.null]
    for (index, value) in values.enumerated() {
      var row = [Value](repeating: .null, count: store.layout.slotCount)
      row[0] = .int(Int64(index))
      row[slot] = value
      try store.insert([row])
    }
    for (index, value) in values.enumerated() {
      let row = try #require(try store.get(.int(Int64(index))))
      #expect(row[slot] == value, "\(value)")
    }
    #expect(try store.fetch(store.query()).map { $0[slot] } == values)
    #expect(try store.plain("PRAGMA integrity_check") == [["ok"]])
  }

  @Test func everyTypeAtOnceWithTwoNaNs() throws {
    let store = try TestStore(TestModel.everything)
    var row = [Value](repeating: .null, count: store.layout.slotCount)
    row[0] = .int(1)
    for (property, values) in Self.cases {
      row[try #require(store.schema.slot(named: property))] = try #require(values.last)
    }
    let double = try #require(store.schema.slot(named: "d"))
    row[double] = .double(Double(bitPattern: 0x7FF0_0000_0000_00FF))
    try store.insert([row])
    #expect(try store.get(.int(1)) == row)
  }

  @Test(arguments: [
    (PropertyType.bool, [Value.bool(false), .bool(true)]),
    (.int8, [.int(-128), .int(127)]),
    (.int64, [.int(.min), .int(.max)]),
    (.uint32, [.int(0), .int(Int64(UInt32.max))]),
    (.uint64, [.int(5), .uint(.max)]),
    (.double, [.double(-.infinity), .double(-1), .double(0), .double(1), .double(.nan)]),
    (.float, [.float(-1), .float(0.5), .float(.nan)]),
    (.date, [.date(.distantPast), .date(.distantFuture)]),
    (.string, [.string(""), .string("a"), .string("a\0"), .string("e\u{301}"), .string("\u{e9}")]),
    (.data, [.data(Data()), .data(Data([0])), .data(Data([255]))]),
    (.uuid, [.uuid(UUID(uuidString: "00000000-0000-0000-0000-0000000000AA")!)]),
    (.decimal, [.decimal(-2), .decimal(0), .decimal(Decimal(string: "0.5")!), .decimal(10)]),
    (.url, [.url(URL(string: "a")!), .url(URL(string: "b")!)]),
  ])
  func keysOfEveryType(_ type: PropertyType, _ keys: [Value]) throws {
    let store = try TestStore(
      ModelSchema(name: "Keyed", properties: [PropertySchema(name: "key", type: type)], primaryKey: 0))
    try store.insert(keys.reversed().map { [$0] })
    for key in keys { #expect(try store.get(key) == [key], "\(key)") }
    #expect(try store.fetch(store.query()).map { $0[0] } == keys)
    #expect(code { try store.insert([[keys[0]]]) } == .duplicateKey)
    let deleted = try store.write { try $0.delete(store.id, try keys.map { try store.key($0) }) }
    #expect(deleted == keys.count)
  }

  @Test func zeroIsOneKeyAndKeepsItsSpelling() throws {
    let store = try TestStore(
      ModelSchema(name: "Keyed", properties: [PropertySchema(name: "key", type: .double)], primaryKey: 0))
    try store.insert([[.double(-0.0)]])
    #expect(code { try store.insert([[.double(0)]]) } == .duplicateKey)
    #expect(try store.get(.double(0)) == [.double(-0.0)])
    let batch = try store.batch([[.double(0)]])
    let transaction = try store.backend.beginWrite(WriteOptions())
    #expect(try transaction.upsert(store.id, batch, .replace) == 0)
    _ = try transaction.commit()
    #expect(try store.get(.double(-0.0)) == [.double(0)])
  }

  @Test(arguments: [
    "UPDATE Everything SET i8 = 1000", "UPDATE Everything SET flag = 2", "UPDATE Everything SET u8 = -1",
    "UPDATE Everything SET u64 = X'01'", "UPDATE Everything SET u64 = -1", "UPDATE Everything SET d = 'x'",
    "UPDATE Everything SET d = X'00'", "UPDATE Everything SET f = 0.1", "UPDATE Everything SET uuid = 'nonsense'",
    "UPDATE Everything SET price = 'ten'", "UPDATE Everything SET nest = '{\"a\"'", "UPDATE Everything SET nest = 7",
    "UPDATE Everything SET tags = X'FF'", "UPDATE Everything SET s = CAST(X'FF' AS TEXT)",
    "UPDATE Everything SET d = X'7FF8000000000000', \"_quarry_nan\" = X'00'",
  ])
  func whatSomebodyWroteByHandIsCorrupt(_ sql: String) throws {
    let store = try TestStore(TestModel.everything)
    var row = [Value](repeating: .null, count: store.layout.slotCount)
    row[0] = .int(1)
    try store.insert([row])
    try store.plain(sql)
    // The first column that the statement sets is the one that cannot be read. What bytes a text has is looked at where
    // values are made of rows, which is above the engine.
    let isNamed = !sql.contains("AS TEXT")
    let column = sql.dropFirst("UPDATE Everything SET ".count).prefix { $0 != " " }
    for read in [{ _ = try store.get(.int(1)) }, { _ = try store.fetch(store.query()) }] as [() throws -> Void] {
      let error = #expect(throws: StorageError.self) { try read() }
      #expect(error?.code == .corrupt)
      guard isNamed else { continue }
      #expect(error?.model == "Everything" && error?.property == String(column) && error?.key == "1", "\(error as Any)")
    }
  }

  @Test func numbersWrittenByHandAreRead() throws {
    let store = try TestStore(TestModel.everything)
    var row = [Value](repeating: .null, count: store.layout.slotCount)
    row[0] = .int(1)
    try store.insert([row])
    try store.plain("UPDATE Everything SET d = 5, nest = ' {\"b\" : [1, 2.5, \"\\u00e9\\ud83d\\ude42\"], \"a\":null}'")
    let read = try #require(try store.get(.int(1)))
    #expect(read[11] == .double(5))
    #expect(
      read[18]
        == .object([.init("a", .null), .init("b", .array([.int(1), .double(2.5), .string("\u{e9}\u{1F642}")]))]))
  }

  @Test func peopleReadTheColumns() throws {
    let store = try TestStore(TestModel.everything)
    var row = [Value](repeating: .null, count: store.layout.slotCount)
    row[0] = .int(1)
    row[15] = .uuid(UUID(uuidString: "0123ABCD-0000-4000-8000-00000000000f")!)
    row[16] = .decimal(Decimal(string: "-12.50")!)
    row[18] = .object(unordered: [.init("b", .double(2)), .init("a", .array([.string("x")]))])
    row[19] = .array([.string("a"), .null])
    try store.insert([row])
    #expect(
      try store.plain("SELECT uuid, price, nest, tags FROM Everything")
        == [["0123ABCD-0000-4000-8000-00000000000F", "-12.5", "{\"a\":[\"x\"],\"b\":2.0}", "[\"a\",null]"]])
  }
}
