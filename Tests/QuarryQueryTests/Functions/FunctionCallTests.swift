import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarryQuery

/// Calls of functions as trees: their JSON, their texts, their identity, and what is refused.
@Suite struct FunctionCallTests {
  static let title = Operand.property(PropertyPath("title"))

  static func json(_ tree: PredicateTree) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(tree), as: UTF8.self)
  }

  static func tree(_ json: String) throws -> PredicateTree {
    try JSONDecoder().decode(PredicateTree.self, from: Data(json.utf8))
  }

  /// The forms that programs have stored before there were functions.
  @Test(
    arguments: [
      (
        PredicateTree.text(title, .like, "a*", .caseInsensitive),
        #"{"text":{"is":"like","needle":"a*","operand":{"property":{"_0":{"members":[],"property":"title"}}},"options":1}}"#
      ),
      (
        .containsElement(PropertyPath("tags"), .string("x")),
        #"{"containsElement":{"path":{"members":[],"property":"tags"},"value":{"string":"x"}}}"#
      ),
      (
        .matches(title, "a+"),
        #"{"function":{"arguments":[{"string":"a+"}],"name":"matches","operands":[{"property":{"_0":{"members":[],"property":"title"}}}]}}"#
      ),
    ])
  func storedForms(_ tree: PredicateTree, _ json: String) throws {
    #expect(try Self.json(tree) == json)
    #expect(try Self.tree(json) == tree)
  }

  @Test(
    arguments: [
      "title MATCHES 'a'", "title MATCHES[cd] 'a'", "NOT title MATCHES '\\\\d'", "a BETWEEN {1, b + 2}",
      "a + b BETWEEN {c, 4}",
      "ANY tags MATCHES 'x'", "ALL a.b (SELF.c BETWEEN {1, 2})", "title LIKE[c] 'x'", "title ==[] 'x'", "'x' IN tags",
      "'abc' MATCHES 'x'",
    ])
  func textsComeBack(_ text: String) throws {
    let tree = try PredicateParser.parse(text)
    #expect(try PredicateParser.parse("\(tree)") == tree, "\(tree)")
    #expect(try Self.tree(try Self.json(tree)) == tree)
  }

  @Test func anAbbreviationHasTheIdentityOfWhatItStandsFor() throws {
    let between = PredicateTree.between(Self.title, .value(.string("a")), .value(.string("b")))
    let comparisons = PredicateTree.and([
      .compare(Self.title, .greaterOrEqual, .value(.string("a"))),
      .compare(Self.title, .lessOrEqual, .value(.string("b"))),
    ])
    #expect(between != comparisons)
    #expect(
      QueryTree(model: "M", predicate: between).fingerprint == QueryTree(model: "M", predicate: comparisons).fingerprint
    )
    let patterns = ["a", "b"].map { QueryTree(model: "M", predicate: .matches(Self.title, $0)).fingerprint }
    #expect(patterns[0] != patterns[1])
  }

  @Test func callsAreEqualByBytes() {
    #expect(PredicateTree.matches(Self.title, "é") != .matches(Self.title, "e\u{301}"))
    #expect(FunctionCall("é", []) != FunctionCall("e\u{301}", []))
  }

  @Test(
    arguments: [
      FunctionCall("matchs", [title], [.string("a")]), FunctionCall("matches", [], [.string("a")]),
      FunctionCall("matches", [title, title], [.string("a")]), FunctionCall("matches", [title], []),
      FunctionCall("matches", [title], [.int(1)]), FunctionCall("matches", [title], [.string("(")]),
      FunctionCall("matches", [.count(PropertyPath("title"))], [.string("a")]),
      FunctionCall("matches", [.value(.int(1))], [.string("a")]),
      FunctionCall("matches", [.property(PropertyPath("id"))], [.string("a")]),
      FunctionCall("between", [title, title]),
      FunctionCall("between", [title, title, title], [.int(1)]),
      FunctionCall("between", [title, title, title], [], .caseInsensitive),
      FunctionCall("like", [title], []), FunctionCall("contains", [title], [.int(1)]),
      FunctionCall("containsElement", [title], []),
      FunctionCall("containsElement", [title], [.int(1)]),
      FunctionCall("containsElement", [.value(.array([.int(1)]))], [.int(1)]),
      FunctionCall("", [title]),
    ])
  func wrongCallsAreRefused(_ call: FunctionCall) throws {
    let model = ModelSchema(
      name: "M", properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "title", type: .string)],
      primaryKey: 0)
    let error = #expect(throws: StorageError.self) { try QueryBinder(model).bind(.function(call)) }
    #expect(error?.code == .invalidQuery)
    // A wrong call can still be described, stored and compared.
    #expect(!"\(PredicateTree.function(call))".isEmpty)
    #expect(try Self.tree(try Self.json(.function(call))) == .function(call))
  }

  @Test func anUnknownFunctionHasTheNearestName() throws {
    let model = ModelSchema(name: "M", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)
    let error = #expect(throws: StorageError.self) {
      try QueryBinder(model).bind(.function(FunctionCall("matchs", [.property(PropertyPath("id"))])))
    }
    #expect(error?.message.contains("matches") == true)
  }

  @Test func manyAbbreviationsCountForWhatTheyStandFor() {
    let model = ModelSchema(name: "M", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)
    let id = Operand.property(PropertyPath("id"))
    let tree = PredicateTree.and(Array(repeating: .between(id, .value(.int(1)), .value(.int(2))), count: 4000))
    #expect(throws: StorageError.self) { try QueryBinder(model).bind(tree) }
  }
}
