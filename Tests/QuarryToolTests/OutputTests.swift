import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarryData
@testable import QuarryTool

@Suite struct OutputTests {
  @Test func tablesAreAligned() throws {
    let rows: [[Value]] = [
      [.string("Zürich"), .int(1), .null], [.string("日本"), .int(1000), .string("x")],
      [.string("e\u{301}"), .null, .null],
    ]
    #expect(
      try written(["name", "n", "note"], rows, .table) == """
        name       n  note
        ------  ----  ----
        Zürich     1  nil
        日本    1000  x
        e\u{301}        nil  nil

        """)
  }

  @Test func tablesFitTheTerminal() throws {
    let rows: [[Value]] = [[.string("a long text that is cut"), .int(12), .string("日本日本日本日本")]]
    let text = try written(["first", "n", "second"], rows, .table, width: 24)
    #expect(
      text == """
        first       n  second
        ---------  --  ---------
        a long t…  12  日本日本…

        """)
    #expect(text.split(separator: "\n").allSatisfy { DisplayWidth.of(String($0)) <= 24 })
  }

  @Test func manyColumnsAreCutAtTheTerminal() throws {
    let columns = (0..<50).map { "column\($0)" }
    let text = try written(columns, [columns.map { .string($0) }], .table, width: 40)
    #expect(text.split(separator: "\n").allSatisfy { DisplayWidth.of(String($0)) <= 40 })
  }

  @Test func aFewRowsThatDoNotFitStandOneValueOnALine() throws {
    let columns = (0..<9).map { "column\($0)" }
    let text = try written(columns, [columns.map { .string($0 + " value\u{1B}[31m") }], .table, width: 40)
    #expect(text.hasPrefix("-- row 1 --\ncolumn0  column0 value\\u{1B}[31m\n"))
    #expect(text.split(separator: "\n").count == 10)
  }

  @Test func columnsThatDoNotFitAreNamed() throws {
    let columns = (0..<9).map { "column\($0)" }
    let rows = (0..<11).map { _ in columns.map { Value.string($0 + " value") } }
    let lines = try written(columns, rows, .table, width: 40).split(separator: "\n").map(String.init)
    #expect(lines.count == 14)
    #expect(lines.last == "+5 columns: column4, column5, column6, …")
    #expect(lines.allSatisfy { DisplayWidth.of($0) <= 40 })
  }

  @Test(arguments: [1, 2, 7, 8, 9, 20]) func anyWidthIsKept(_ width: Int) throws {
    let rows = (0..<20).map { _ in [Value.string("日本日本日本日本日本"), .int(123_456_789), .null] }
    let text = try written(["first", "second", "third"], rows, .table, width: width)
    #expect(text.split(separator: "\n").allSatisfy { DisplayWidth.of(String($0)) <= max(width, 1) })
  }

  @Test func longTablesAreStreamed() throws {
    let rows = (0..<TableWriter.sampleSize + 5).map { [Value.int(Int64($0) * 1_000_000)] }
    #expect(try written(["n"], rows, .table).split(separator: "\n").count == rows.count + 2)
  }

  @Test func controlCharactersAreEscapedInTables() throws {
    let text = try written(["a\u{1B}[2J"], [[.string("\u{1B}[31m\n\u{9B}x\u{202E}")]], .table)
    #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.isEscapedForDisplay })
    #expect(text.contains("\\u{1B}[31m\\n\\u{9B}x\\u{202E}"))
  }

  @Test func json() throws {
    let rows: [[Value]] = [[.uint(.max), .string("a\"\\\n\u{1}\u{85}é")], [.null, .double(.nan)]]
    #expect(
      try written(["n", "t\n"], rows, .json) == """
        [
        {"n":18446744073709551615,"t\\n":"a\\"\\\\\\n\\u0001\\u0085é"},
        {"n":null,"t\\n":"NaN"}
        ]

        """)
    #expect(try written(["n"], [], .json) == "[]\n")
    #expect(try written(["n"], [], .jsonl) == "")
  }

  @Test func csv() throws {
    let rows: [[Value]] = [
      [.null, .string(""), .string("a,b"), .string("say \"x\"")],
      [.int(-5), .string("007"), .string("12"), .string("true")],
      [.double(1e20), .bool(true), .string(" x"), .data(Data(base64Encoded: "1234")!)],
    ]
    let lines = try written(["a", "b", "c,d", "e"], rows, .csv).split(separator: "\n")
    #expect(
      lines == [
        #"a,b,"c,d",e"#, #","","a,b","say ""x""""#, #"-5,007,"12","true""#, #"1e+20,true," x","1234""#,
      ])
  }

  /// Every type that an import infers, with values at its edges.
  private static let columns: [(String, [Value])] = [
    ("bool", [.bool(true), .bool(false), .null, .bool(true)]),
    ("int", [.int(.min), .int(.max), .int(0), .null]),
    ("uint", [.uint(.max), .int(0), .int(1), .null]),
    ("double", [.double(0.1), .double(-0.0), .double(.leastNonzeroMagnitude), .double(.greatestFiniteMagnitude)]),
    ("special", [.double(.nan), .double(.infinity), .double(-.infinity), .double(1)]),
    ("whole", [.double(1), .double(1e16), .double(1e300), .null]),
    ("decimal", [.decimal(Decimal(string: "0.1234567890123456789")!), .decimal(1), .null, .decimal(-3)]),
    ("string", [.string(""), .null, .string("a\r\nb,\"c\" \u{1F600}"), .string("\u{FEFF}x")]),
    ("numbers", [.string("1"), .string("2.5"), .string("-3"), .string("NaN")]),
    ("bools", [.string("true"), .string("false"), .null, .string("true")]),
    ("zeros", [.string("007"), .string("08"), .string(" 9 "), .string("\t")]),
    ("uuid", [.uuid(UUID()), .uuid(UUID()), .null, .uuid(UUID())]),
    (
      "date",
      [.date(Date(timeIntervalSinceReferenceDate: 812_345_678.123456)), .date(.distantPast), .null, .date(Date())]
    ),
    ("norms", [.string("\u{E9}"), .string("e\u{301}"), .string("\0"), .string("x")]),
  ]

  @Test(arguments: columns.indices, ["csv", "jsonl"])
  func whatIsWrittenIsReadBack(_ index: Int, _ ending: String) throws {
    let (name, values) = Self.columns[index]
    let rows = values.enumerated().map { [.int(Int64($0)), $1] }
    let format = try #require(OutputFormat(rawValue: ending))
    let text = try written(["key", name], rows, format)
    #expect(try imported(text, ending).rows == rows, "\(text)")
  }

  @Test func nestedValuesAreReadBackFromJSONLines() throws {
    let rows: [[Value]] = [
      [.int(1), .array([.string("a"), .string("")]), .object([.init("x", .array([.null, .double(0.5)]))])],
      [.int(2), .array([]), .null],
    ]
    let text = try written(["key", "tags", "more"], rows, .jsonl)
    let result = try imported(text, "jsonl")
    #expect(result.rows == rows)
    #expect(result.types == ["int64", "[string]", "nested?"])
  }

  @Test func aFullDeviceIsAnError() throws {
    let descriptor = open("/dev/full", O_WRONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let sink = ByteSink(descriptor: descriptor, name: "/dev/full")
    try sink.write("x")
    #expect(code { try sink.flush() } == .full)
  }

  @Test(arguments: [
    ("a", 1), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("😀", 2), ("👩‍👩‍👧", 2), ("❤️", 2), ("한국", 4), ("ｱ", 1), ("Ａ", 2),
    ("…", 1), ("\u{200B}", 0),
  ])
  func widths(_ text: String, _ width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }
}
