import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarryData

@Suite struct JSONParserTests {
  private func tree(_ text: String) throws -> Value? {
    JSONConversion.tree(try JSONParser.parse(Array(text.utf8), line: 1))
  }

  @Test(
    arguments: [
      ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
      ("18446744073709551615", .uint(.max)), ("0.1", .double(0.1)), ("-0", .double(-0.0)), ("1e5", .double(100_000)),
      ("5e-324", .double(.leastNonzeroMagnitude)), ("\"\\u00e9\\ud83d\\ude00\\n\\/\"", .string("é😀\n/")),
      ("null", .null),
      ("[1, [true], {}]", .array([.int(1), .array([.bool(true)]), .object([])])),
      (" {\"b\" : 1 , \"a\":\"x\"} ", .object(unordered: [.init("a", .string("x")), .init("b", .int(1))])),
    ] as [(String, Value)])
  func values(_ text: String, _ value: Value) throws {
    #expect(try tree(text) == value)
  }

  @Test(arguments: ["18446744073709551616", "0.12345678901234567890123456789012345678", "123456789012345678.5"])
  func longNumbersAreDecimals(_ text: String) throws {
    guard case .decimal(let value) = try tree(text) else {
      Issue.record("no decimal")
      return
    }
    #expect(value.description == text)
  }

  @Test(arguments: [
    "", "{", "[1,]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "01", "+1", "1.", ".5", "1e", "--1", "1-", "tru", "nul",
    "\"a", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\u{1}\"",
    "\"\u{1}\"", "\"\u{1}a\"", "1 2", "[1 2]",
    "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "NaN", "'a'",
  ])
  func wrongTextIsRefused(_ text: String) {
    #expect(code { _ = try tree(text) } == .invalidValue)
  }

  @Test func namesAreComparedByBytes() throws {
    #expect(try tree("{\"\u{E9}\":1,\"e\u{301}\":2}") != nil)
  }

  @Test func manyNamesTwice() {
    let members = (0..<100).map { "\"k\($0)\":0" } + ["\"k50\":1"]
    #expect(code { _ = try tree("{\(members.joined(separator: ","))}") } == .invalidValue)
  }

  @Test func depthIsBounded() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(try tree(nested(JSONParser.depthLimit)) != nil)
    #expect(code { _ = try tree(nested(JSONParser.depthLimit + 1)) } == .limitExceeded)
    #expect(code { _ = try tree(String(repeating: "[", count: 1_000_000)) } == .limitExceeded)
  }
}
