import Foundation
import Testing

@testable import QuarryBackend
@testable import QuarryQuery

/// What the texts of predicates mean, and what is said of those that mean nothing.
struct PredicateParserTests {
  private static func p(_ name: String, _ members: String...) -> Operand {
    .property(PropertyPath(name, members: members))
  }

  private static let decimal = Decimal(string: "0.1")!
  private static let uuid = UUID(uuidString: "F0000000-0000-0000-0000-000000000001")!

  struct Case: Sendable, CustomTestStringConvertible {
    let text: String
    let tree: PredicateTree
    init(_ text: String, _ tree: PredicateTree) {
      self.text = text
      self.tree = tree
    }
    var testDescription: String { text }
  }

  @Test(arguments: [
    Case("a == 1", .compare(p("a"), .equal, .value(.int(1)))),
    Case("a = 1", .compare(p("a"), .equal, .value(.int(1)))),
    Case("a != 1", .compare(p("a"), .notEqual, .value(.int(1)))),
    Case("a<>1", .compare(p("a"), .notEqual, .value(.int(1)))),
    Case("a<-1", .compare(p("a"), .less, .value(.int(-1)))),
    Case("a <= 1", .compare(p("a"), .lessOrEqual, .value(.int(1)))),
    Case("a =< 1", .compare(p("a"), .lessOrEqual, .value(.int(1)))),
    Case("a > 1", .compare(p("a"), .greater, .value(.int(1)))),
    Case("a >= 1", .compare(p("a"), .greaterOrEqual, .value(.int(1)))),
    Case("a => 1", .compare(p("a"), .greaterOrEqual, .value(.int(1)))),
    Case("1 < a", .compare(.value(.int(1)), .less, p("a"))),
    Case("a < b.c", .compare(p("a"), .less, p("b", "c"))),
    Case("1 == 2", .compare(.value(.int(1)), .equal, .value(.int(2)))),
    Case("a == 18446744073709551615", .compare(p("a"), .equal, .value(.uint(.max)))),
    Case("a == -9223372036854775808", .compare(p("a"), .equal, .value(.int(.min)))),
    Case("a == 18446744073709551616", .compare(p("a"), .equal, .value(.decimal(Decimal(UInt64.max) + 1)))),
    Case("a == 0.1", .compare(p("a"), .equal, .value(.decimal(decimal)))),
    Case("a == 1e-1", .compare(p("a"), .equal, .value(.double(0.1)))),
    Case("a == 1.5E+2", .compare(p("a"), .equal, .value(.double(150)))),
    Case(
      "a == 3.14159265358979323846264338327950288419716939937510", .compare(p("a"), .equal, .value(.double(.pi)))),
    Case("a == TRUE", .compare(p("a"), .equal, .value(.bool(true)))),
    Case("a == no", .compare(p("a"), .equal, .value(.bool(false)))),
    Case("a != nil", .compare(p("a"), .notEqual, .value(.null))),
    Case("a == NULL", .compare(p("a"), .equal, .value(.null))),
    Case(#"a == "x'y""#, .compare(p("a"), .equal, .value(.string("x'y")))),
    Case(#"a == 'x\'\"\\\n\t\u{1F600}\u00e9\ud83d\ude00'"#, .compare(p("a"), .equal, .value(.string("x'\"\\\n\t😀é😀")))),
    Case("a == {1, 'x', {}}", .compare(p("a"), .equal, .value(.array([.int(1), .string("x"), .array([])])))),
    Case("a == {'b': 1}", .compare(p("a"), .equal, .value(.object([.init("b", .int(1))])))),
    Case("a == {:}", .compare(p("a"), .equal, .value(.object([])))),
    Case("a == uuid 'F0000000-0000-0000-0000-000000000001'", .compare(p("a"), .equal, .value(.uuid(uuid)))),
    Case(
      "date == date '2001-01-01'", .compare(p("date"), .equal, .value(.date(Date(timeIntervalSinceReferenceDate: 0))))),
    Case("a == data 'AAE='", .compare(p("a"), .equal, .value(.data(Data([0, 1]))))),
    Case("a BETWEEN {1, 2}", .between(p("a"), .value(.int(1)), .value(.int(2)))),
    Case("a IN {1, nil}", .oneOf(p("a"), [.int(1), .null])),
    Case("a in (1)", .oneOf(p("a"), [.int(1)])),
    Case("a NOT IN {}", .not(.oneOf(p("a"), []))),
    Case("'x' IN tags", .containsElement(PropertyPath("tags"), .string("x"))),
    Case("tags CONTAINS 1", .containsElement(PropertyPath("tags"), .int(1))),
    Case("a CONTAINS 'x'", .text(p("a"), .contains, "x", [])),
    Case("a beginswith[c] 'x'", .text(p("a"), .hasPrefix, "x", [.caseInsensitive])),
    Case("a ENDSWITH[cd] 'x'", .text(p("a"), .hasSuffix, "x", [.caseInsensitive, .diacriticInsensitive])),
    Case("a LIKE[d] '*x?'", .text(p("a"), .like, "*x?", [.diacriticInsensitive])),
    Case("a ==[c] 'x'", .text(p("a"), .equal, "x", [.caseInsensitive])),
    Case("a !=[cd] 'x'", .not(.text(p("a"), .equal, "x", [.caseInsensitive, .diacriticInsensitive]))),
    Case("TRUEPREDICATE", .constant(true)),
    Case("NOT falsepredicate", .not(.constant(false))),
    Case(
      "a==1 AND b==2 && c==3",
      .and([
        .compare(p("a"), .equal, .value(.int(1))), .compare(p("b"), .equal, .value(.int(2))),
        .compare(p("c"), .equal, .value(.int(3))),
      ])),
    Case(
      "a==1 || b==2 AND c==3",
      .or([
        .compare(p("a"), .equal, .value(.int(1))),
        .and([.compare(p("b"), .equal, .value(.int(2))), .compare(p("c"), .equal, .value(.int(3)))]),
      ])),
    Case(
      "!a==1 OR (b==2)",
      .or([
        .not(.compare(p("a"), .equal, .value(.int(1)))), .compare(p("b"), .equal, .value(.int(2))),
      ])),
    Case("`a b`.`c``d` == #in", .compare(p("a b", "c`d"), .equal, p("in"))),
    Case("tags.@count > 2", .compare(.count(PropertyPath("tags")), .greater, .value(.int(2)))),
    Case("ANY tags == 'x'", .any(PropertyPath("tags"), .compare(p(""), .equal, .value(.string("x"))))),
    Case("SOME a.b.c > 1", .any(PropertyPath("a"), .compare(p("", "b", "c"), .greater, .value(.int(1))))),
    Case("ALL tags BEGINSWITH 'x'", .all(PropertyPath("tags"), .text(p(""), .hasPrefix, "x", []))),
    Case("NONE tags IN {1}", .not(.any(PropertyPath("tags"), .oneOf(p(""), [.int(1)])))),
    Case(
      "ANY a.b (SELF == 1 OR SELF.c == 2)",
      .any(
        PropertyPath("a", members: ["b"]),
        .or([
          .compare(p(""), .equal, .value(.int(1))), .compare(p("", "c"), .equal, .value(.int(2))),
        ]))),
  ])
  func textMeansTree(_ test: Case) throws {
    #expect(try PredicateParser.parse(test.text) == test.tree)
  }

  @Test func argumentsAreTakenInOrder() throws {
    let tree = try PredicateParser.parse(
      "%K == %@ AND b IN %@ AND %K > %@ AND c BETWEEN %@",
      arguments: [
        .string("a.x"), .double(0.5), .array([.int(1)]), .string("tags.@count"), .int(3), .array([.int(4), .int(5)]),
      ])
    #expect(
      tree
        == .and([
          .compare(Self.p("a", "x"), .equal, .value(.double(0.5))), .oneOf(Self.p("b"), [.int(1)]),
          .compare(.count(PropertyPath("tags")), .greater, .value(.int(3))),
          .between(Self.p("c"), .value(.int(4)), .value(.int(5))),
        ]))
  }

  private static func error(_ text: String, _ arguments: [Value] = []) -> StorageError? {
    do throws(StorageError) {
      _ = try PredicateParser.parse(text, arguments: arguments)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    ("", 1), ("a", 2), ("a ==", 5), ("a == 1 b", 8), ("(a == 1", 8), ("a == 1)", 7), ("a === 1", 5), ("é == 'x", 6),
    ("👨‍👩‍👧 ==", 5), ("a == 'x\\q'", 8), ("a == '\\ud800'", 7), ("a == '\\u{110000}'", 7), ("a == `b", 6), ("a == 12ab", 6),
    ("a == 1e999", 6), ("a ? 1", 3), ("a & 1", 3), ("a == %d", 6), ("a == %", 6), ("a IN 1", 6), ("a IN b", 6),
    ("a IN {1", 8), ("a IN {1 2}", 9), ("a BETWEEN {1}", 13), ("a BETWEEN 1", 11), ("a CONTAINS 1.5 AND", 19),
    ("a BEGINSWITH 1", 14), ("a CONTAINS b", 12), ("a ==[x] 'b'", 6), ("a ==[c] 1", 9), ("a ==[c 'b'", 8),
    ("NOT", 4), ("AND", 1), ("a == 1 AND", 11), ("in == 1", 1), ("f(a) == 1", 1), ("a.@sum > 1", 4), ("a. == 1", 4),
    ("ANY 1 == 1", 5), ("a == {'x': 1, 'x': 2}", 6), ("a == {'x': 1, 2}", 16), ("a == uuid 'x'", 6), ("# == 1", 1),
    ("a == date '2024-02-30'", 6), ("a == {1,,2}", 9), ("a\u{0} == 1", 2), ("a == SELF.", 11),
    ("a > ``", 5), ("a > SELF.``.b", 10), ("``.b == 1", 1), ("ANY a (``.b == 1)", 8),
  ])
  func errorNamesTheColumn(_ text: String, _ column: Int) throws {
    let error = try #require(Self.error(text))
    #expect(error.code == .invalidQuery)
    #expect(error.message.hasPrefix("at column \(column): "), "\(error.message)")
  }

  @Test(arguments: ["SUBQUERY(a, $x, $x == 1).@count > 0", "a <[c] 'x'"])
  func whatIsNotOfferedIsUnsupported(_ text: String) {
    #expect(Self.error(text)?.code == .unsupported)
  }

  @Test(
    arguments: [
      ("a == %@", []), ("a == 1", [.int(1)]), ("%K == 1", [.int(1)]), ("a IN %@", [.int(1)]),
      ("a BETWEEN %@", [.array([.int(1)])]), ("%K == 1", [.string("")]), ("%K == 1", [.string(".a")]),
    ] as [(String, [Value])])
  func argumentsMustFit(_ text: String, _ arguments: [Value]) {
    #expect(Self.error(text, arguments)?.code == .invalidQuery)
  }

  @Test(arguments: ["(", "NOT ", "!", "a IN {", "a == {", "a == {'x':", "ANY a (", "AND(", "ALL ", "a == {{'x':"])
  func hostileDepthIsRefused(_ opening: String) {
    let code = Self.error(String(repeating: opening, count: 50_000))?.code
    #expect(code == .limitExceeded || code == .invalidQuery)
  }

  @Test func deepParenthesesAreRefusedWithBothNumbers() {
    let text = String(repeating: "(", count: 100_000) + "a == 1" + String(repeating: ")", count: 100_000)
    #expect(Self.error(text)?.code == .limitExceeded)
    #expect(Self.error(text)?.message.contains("200") == true)
    #expect(Self.error(String(repeating: "(", count: 199) + "a == 1" + String(repeating: ")", count: 199)) == nil)
  }

  @Test func tooManyPartsAreRefused() {
    let text = Array(repeating: "a == 1", count: TreeLimits.maximumNodes + 1).joined(separator: " OR ")
    #expect(Self.error(text)?.code == .limitExceeded)
  }

  @Test func longListIsRead() throws {
    let text = "a IN {\((0..<50_000).map(String.init).joined(separator: ", "))}"
    guard case .oneOf(_, let values) = try PredicateParser.parse(text) else {
      Issue.record("no list")
      return
    }
    #expect(values.count == 50_000)
  }

  @Test func longTextIsRefused() {
    #expect(
      Self.error("a == '" + String(repeating: "x", count: PredicateLexer.maximumBytes) + "'")?.code == .limitExceeded)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func randomTextsAreReadOrRefused(_ seed: UInt64) {
    var random = RandomPredicates(seed: seed)
    let pieces = [
      "a", "==", "=", "<", "'x'", "\"", "'", "(", ")", "{", "}", "AND", "OR", "NOT", "ANY", "IN", "1", "-", ".",
      "@count",
      "%@", "%K", "[c]", "[", "]", ",", ":", "`", "#", "\\", "é", "BETWEEN", "CONTAINS", "SELF", "nil", "date",
      "uuid ''", "\0",
    ]
    var codes: Set<String> = []
    for _ in 0..<5_000 {
      let count = Int.random(in: 0...12, using: &random)
      let isBytes = Bool.random(using: &random)
      let text =
        isBytes
        ? String(decoding: (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }, as: UTF8.self)
        : (0..<count).map { _ in pieces.randomElement(using: &random)! }.joined(separator: " ")
      if let error = Self.error(text, [.int(1), .string("k")]) { codes.insert(error.code.description) }
      _ = try? SortParser.parse(text)
      _ = try? AssignmentParser.parse(text)
    }
    #expect(codes.isSubset(of: ["invalidQuery", "limitExceeded", "unsupported"]))
  }
}
