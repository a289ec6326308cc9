import Foundation
import QuarryBackend
@testable import QuarryText
import Testing

@Suite struct SearchQueryTests {
  @Test(arguments: [
    ("swift storage", #"all("swift", "storage")"#),
    (#""unit of work" conc* -java"#, #"all("unit of work", prefix("conc"), not("java"))"#),
    (#"-"go on" x"#, #"all(not("go on"), "x")"#),
    ("“smart quotes” „tief“", #"all("smart quotes", "tief")"#),
    (#""unclosed phrase"#, #""unclosed phrase""#),
    (#""to be"*"#, #"prefix("to be")"#),
    ("hello, (world)!", #"all("hello", "world")"#),
    ("well-known C++", #"all("well-known", "C")"#),
    ("a a A a* á", #"all("a", prefix("a"))"#),
    ("--java", #"not("java")"#),
    (#"5" 3*4 4*."#, #"all("5", "3*4", "4")"#),
    ("צה\"ל", "\"צה\\\"ל\""),
    ("-", "any()"), ("", "any()"), ("*", "any()"), ("\"", "any()"), ("- -- \" \" -\"\" !?… \u{0}", "any()"),
    // NUL divides words, and not what was typed.
    ("a\u{0}b", #""a\u{0}b""#),
  ])
  func typed(text: String, expected: String) throws {
    let query = SearchQuery(typed: text)
    #expect(query.description == expected)
    #expect(query.isEmpty == (expected == "any()"))
    #expect(try SearchQuery(parsing: query.description) == query)
  }

  @Test func whateverIsTypedIsBounded() throws {
    let many = (0..<100_000).map { "word\($0)" }.joined(separator: " ")
    let query = SearchQuery(typed: many)
    #expect(try TextSearch(query).leaves.count == SearchQuery.maximumTypedWords)
    for text in [
      "\"" + many, String(repeating: "\"", count: 100_000), String(repeating: "-", count: 1_000_000),
      String(repeating: "*", count: 100_000), String(repeating: "a", count: 10_000_000),
      String(repeating: "\u{301}", count: 100_000), String(repeating: "東", count: 100_000),
      String(decoding: [0xFF, 0, 0xC0], as: UTF8.self),
    ] {
      let query = SearchQuery(typed: text)
      #expect(query.description.utf8.count < 2 * SearchQuery.maximumTypedLength)
      _ = try TextSearch(query)
    }
  }

  @Test func builtQueriesAreWrittenAndRead() throws {
    let query: SearchQuery = .all(
      "swift", .prefix("conc"), .phrase("unit of work"), .not("java"),
      .any(.near("a", "b c", within: 5), .word("say \"x\"\\\n\u{7F}")), .all([]), .any([]), .near([], within: -3))
    let text =
      #"all("swift", prefix("conc"), "unit of work", not("java"), any(near(5, "a", "b c"), "#
      + #""say \"x\"\\\u{a}\u{7f}"), all(), any(), near(0))"#
    #expect(query.description == text)
    #expect(try SearchQuery(parsing: text) == query)
    let data = try JSONEncoder().encode([query])
    #expect(try JSONDecoder().decode([SearchQuery].self, from: data) == [query])
    #expect(SearchQuery.not(.not("a")) == "a")
    // Equal by bytes.
    #expect(SearchQuery.word("é") != .word("e\u{301}"))
  }

  @Test(arguments: [
    "", "swift", "all", "all(", "all(\"a\"", "all(\"a\",)", "\"a", "\"a\" b", "near(\"a\")", "near(99999999999, \"a\")",
    "not()",
    "\"\\x\"", "\"\\u{110000}\"", "\"\\u{d800}\"", "\"\\u{}\"", "\"\\", "prefix(\"a\", \"b\")", "ALL()", "excess()",
  ])
  func otherTextsAreRefused(text: String) {
    #expect(code { try SearchQuery(parsing: text) } == .invalidQuery)
    #expect(throws: DecodingError.self) {
      _ = try JSONDecoder().decode([SearchQuery].self, from: JSONEncoder().encode([text]))
    }
  }

  @Test func deepAndLargeQueriesAreRefusedWhenTheyAreUsed() throws {
    var deep: SearchQuery = "a"
    for _ in 0..<1_000_000 { deep = .all(.any(deep), "b") }
    #expect(code { try TextSearch(deep) } == .limitExceeded)
    #expect(throws: StorageError.self) { _ = try JSONEncoder().encode([deep]) }
    let large = SearchQuery.any((0...SearchQuery.maximumWords).map { .word("\($0)") })
    #expect(code { try TextSearch(large) } == .limitExceeded)
    #expect(code { try TextSearch(.any(large, "x")) } == .limitExceeded)
    #expect(code { try TextSearch(.phrase(String(repeating: "a ", count: 2000))) } == .limitExceeded)
    let nested = String(repeating: "all(", count: 100_000)
    #expect(code { try SearchQuery(parsing: nested) } == .limitExceeded)
    #expect(
      code { try SearchQuery(parsing: "any(" + String(repeating: "any(),", count: 5000) + "any())") } == .limitExceeded)
    let most = SearchQuery.any((0..<SearchQuery.maximumWords).map { .word("\($0)") })
    #expect(try TextSearch(most).leaves.count == SearchQuery.maximumWords)
    #expect(try SearchQuery(parsing: most.description) == most)
  }

  private func code<T>(_ body: () throws -> T) -> StorageError.Code? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? StorageError)?.code
    }
  }
}
