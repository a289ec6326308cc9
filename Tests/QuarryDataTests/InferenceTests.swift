import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarryData

@Suite struct InferenceTests {
  @Test(arguments: [
    (["1", "-2"], "int64"), (["9223372036854775807"], "int64"), (["1", "9223372036854775808"], "uint64"),
    (["-1", "9223372036854775808"], "decimal"), (["18446744073709551616"], "decimal"),
    (["100000000000000000000000000000000000001"], "string"), (["1", "2.5"], "double"),
    (["9007199254740993", "2.5"], "decimal"), (["9007199254740992", "2.5"], "double"), (["1e5"], "string"),
    (["0.12345678901234567"], "decimal"), (["0.123456789012345678"], "decimal"), (["1e400"], "string"),
    (["1e-400"], "string"), (["1.2345e-323"], "string"), (["5e-324"], "double"), ([".5", "-.25"], "string"),
    (["-0"], "double"), (["007"], "string"), (["00.5"], "string"), (["+1"], "string"), (["1,5"], "string"),
    (["0x10"], "string"), (["1", "x"], "string"), (["5."], "string"), ([" 1"], "string"), (["true", "false"], "bool"),
    (["True"], "string"), (["true", "1"], "string"), (["1.5", "NaN", "-Infinity"], "double"), (["NaN"], "string"),
    (["nan", "1.5"], "string"), (["1", "NaN"], "double"), (["1", ""], "int64?"), (["x", ""], "string?"),
    (["", ""], "string?"), (["8c2fd9e0-1c4b-4b43-8a64-0f3f3a1c2b11"], "uuid"),
    (["8C2FD9E0-1C4B-4B43-8A64-0F3F3A1C2B11"], "uuid"), (["8c2fd9e01c4b4b438a640f3f3a1c2b11"], "string"),
    (["2026-02-03T04:05:06Z", "2026-02-03T04:05:06.5Z"], "date"), (["2026-02-03T04:05:06+01:00"], "string"),
    (["2026-02-03T04:05:06"], "string"), (["2026-02-03"], "string"), (["2026-02-30T04:05:06Z"], "string"),
    (["2026-02-03T04:05:06.123456789Z"], "string"), (["2026-02-03T04:05:06.123456Z"], "date"),
    (["2026-02-03T04:05:06.000Z", "2026-02-03T04:05:06.500Z"], "date"),
    (["16666666666666666666666666e00", "0e011101"], "string"), (["1.10", "1.100"], "string"), (["32E0134"], "string"),
    (["1", "1.0"], "string"), (["1.0", "1"], "string"), (["1.0", "2.5"], "double"),
    (["0.00001", "0.000001234"], "double"),
    (["0.00001", "1e-05"], "string"), (["1e+20", "0.000001234"], "string"), (["1e+20", "0.0001"], "double"),
    (["100000000000000000", "0.5"], "decimal"), (["100000000000000000000", "0.5"], "decimal"),
  ])
  func typesOfCells(_ cells: [String], _ type: String) throws {
    let rows = cells.map { $0.contains(",") ? "k,\"\($0)\"" : "k,\($0)" }
    #expect(try imported("k,x\n" + rows.joined(separator: "\n") + "\n").types[1] == type)
  }

  @Test func quotedNumbersAreText() throws {
    #expect(try imported("a,b,c,d\n1,\"1\",\"true\",\"NaN\"\n").types == ["int64", "string", "string", "string"])
  }

  @Test func quotesMeanNothingWhereEverythingIsQuoted() throws {
    #expect(try imported("\"a\",\"b\"\n\"1\",\"x\"\n,\"y\"\n").types == ["int64?", "string"])
  }

  @Test func quotedEmptyIsText() throws {
    let result = try imported("a,b\n,\"\"\nx,y\n")
    #expect(result.types == ["string?", "string"])
    #expect(result.rows == [[.null, .string("")], [.string("x"), .string("y")]])
  }

  @Test func emptyAsTextIsForColumnsOfText() throws {
    let result = try imported("a,b,c\n,,\nx,1,\n", emptyAsText: true)
    #expect(result.types == ["string", "int64?", "string"])
    #expect(result.rows[0] == [.string(""), .null, .string("")])
  }

  @Test func columnsOfJSONLines() throws {
    let text = """
      {"i": 1, "d": 1, "s": "1", "t": [1, null], "n": {"x": null}}
      {"i": 18446744073709551615, "d": 2.5, "s": "x", "t": [], "m": [1, "x"], "n": [1]}

      {"m": null, "d": "NaN", "s": "", "t": [3], "n": {}, "i": 0}
      """
    let result = try imported(text, "jsonl")
    #expect(result.names == ["i", "d", "s", "t", "n", "m"])
    #expect(result.types == ["uint64", "double", "string", "[int64]", "nested", "nested?"])
    #expect(result.rows[1][0] == .uint(.max))
    #expect(result.rows[1][5] == .array([.int(1), .string("x")]))
    #expect(result.rows[2][1] == .double(.nan))
    #expect(result.rows[0][5] == .null)
    #expect(result.rows[0][3] == .array([.int(1), .null]))
  }

  @Test(arguments: [
    ("{\"a\":1}\n{\"a\":\"x\"}\n", "line 2, column a:"), ("{\"a\":true}\n{\"a\":0}\n", "line 2, column a:"),
    ("{\"a\":1}\n\n{\"a\":[1]}\n", "line 3, column a:"), ("{}\n[1]\n", "line 2:"),
    ("{}\n{\"a\":}\n", "line 2, byte 6:"),
    ("{\"\":1}\n", "line 1:"), ("{\"a\":1e400}\n", "column a:"), ("{\"a\":[1,1e400]}\n", "line 1, column a: no type"),
    ("{\"a\":" + nest(60, "1e400") + "}\n", "line 1, column a: no type holds 1e400"),
    ("{}\n{\"a\":[[{\"b\":0,\"c\":-1E-400}]]}\n", "line 2, column a: no type holds"),
  ])
  func wrongJSONLines(_ text: String, _ place: String) throws {
    let error = try #require(failure { _ = try imported(text, "jsonl") })
    #expect(error.code == .invalidValue)
    #expect(error.message.hasPrefix(place))
  }

  @Test func numbersThatAreHeldOneByOneAreNested() throws {
    let result = try imported("{\"a\":[18446744073709551616,0.5,1e300]}\n", "jsonl")
    #expect(result.types == ["nested"])
    #expect(result.rows == [[.array([.decimal(Decimal(UInt64.max) + 1), .double(0.5), .double(1e300)])]])
  }

  @Test func theLineOfTheFirstNil() throws {
    let csv = try ScratchFile("a,b\n1,2\n\n1,\n,\n", ending: "csv")
    #expect(try DataFile(path: csv.path, format: .csv).infer().firstNulls == [5, 4])
    let lines = try ScratchFile("{\"a\":1}\n{\"a\":1,\"b\":1}\n{\"b\":1,\"c\":1}\n", ending: "jsonl")
    #expect(try DataFile(path: lines.path, format: .jsonl).infer().firstNulls == [3, 1, 1])
  }

  @Test(
    arguments: [
      ("1", PropertyType.int8, Value.int(1)), ("-129", .int8, nil), ("255", .uint8, .int(255)), ("-1", .uint64, nil),
      ("18446744073709551615", .uint64, .uint(.max)), ("1.0", .int64, nil), ("x", .double, nil),
      ("1", .double, .double(1)),
      ("1e400", .double, nil), ("1e39", .float, nil), ("0.1", .float, .float(0.1)), ("1", .bool, nil),
      ("yes", .bool, nil), ("2026-02-03", .date, nil), ("AQI=", .data, .data(Data([1, 2]))), ("A", .data, nil),
      ("1.50", .decimal, .decimal(Decimal(string: "1.5")!)), ("1", .string, .string("1")),
      ("0e011101", .decimal, .decimal(0)), ("-0.0e-99999999999999999999", .decimal, .decimal(0)),
      ("1" + String(repeating: "0", count: 200) + "e-00202", .decimal, .decimal(Decimal(string: "0.01")!)),
      ("." + String(repeating: "0", count: 40_000) + "25E40001", .decimal, .decimal(Decimal(string: "2.5")!)),
      ("-0." + String(repeating: "0", count: 1_000_001) + "7e1000002", .decimal, .decimal(-7)),
      (String(repeating: "9", count: 38) + "e127", .decimal, .decimal(nines(exponent: 127))),
      ("-" + String(repeating: "9", count: 38) + "e-128", .decimal, .decimal(-nines(exponent: -128))),
      ("1e128", .decimal, nil), ("1e-129", .decimal, nil), (String(repeating: "9", count: 39), .decimal, nil),
      ("{\"a\":1}", .nested, .object([.init("a", .int(1))])), ("{", .nested, nil),
    ] as [(String, PropertyType, Value?)])
  func cellsOfAKnownType(_ text: String, _ type: PropertyType, _ value: Value?) {
    #expect(TextConversion.value(text.utf8, as: PropertySchema(name: "x", type: type)) == value)
  }

  private static func nest(_ depth: Int, _ text: String) -> String {
    String(repeating: "[", count: depth) + text + String(repeating: "]", count: depth)
  }

  /// Thirty-eight nines, the last of which has the power.
  private static func nines(exponent: Int) -> Decimal {
    Decimal(sign: .plus, exponent: exponent, significand: Decimal(string: String(repeating: "9", count: 38))!)
  }

  @Test func aWrongTypeHasLineAndColumn() throws {
    let file = try ScratchFile("a,b\n1,2\n\"x\n\",2\n", ending: "csv")
    let properties = [PropertySchema(name: "b", type: .int64), PropertySchema(name: "a", type: .int64)]
    let error = try #require(failure { _ = try allRows(DataFile(path: file.path, format: .csv), properties) })
    #expect(error.code == .invalidValue)
    #expect(error.property == "a")
    #expect(error.message.hasPrefix("line 3, column 1 (a):"))
  }

  @Test(arguments: [("csv", "a,b\n1,2\n1,\n"), ("jsonl", "{\"a\":1,\"b\":2}\n\n{\"a\":1}\n")])
  func aMissingValueHasLineAndColumn(_ ending: String, _ text: String) throws {
    let file = try ScratchFile(text, ending: ending)
    let properties = [PropertySchema(name: "a", type: .int64), PropertySchema(name: "b", type: .int64)]
    let format = try #require(DataFormat(rawValue: ending))
    let error = try #require(failure { _ = try allRows(DataFile(path: file.path, format: format), properties) })
    #expect(error.code == .missingValue)
    #expect(error.property == "b")
    #expect(error.message.hasPrefix("line 3, column"))
  }
}
