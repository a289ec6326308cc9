import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Queries as values: which are equal, and what is read of their JSON.
enum QueryTreeCases {
  private static let a = Operand.named("rank")
  private static let b = Operand.named("id")

  /// Predicates no two of which are the same.
  private static let predicates: [PredicateTree] = [
    .constant(true), .constant(false), .compare(a, .equal, b), .compare(b, .equal, a), .compare(a, .less, b),
    .compare(a, .equal, .value(.int(1))), .compare(b, .equal, .value(.int(1))), .compare(a, .equal, .value(.int(2))),
    .compare(a, .equal, .value(.double(1))), .oneOf(a, [.int(1)]), .oneOf(a, [.int(1), .int(2)]), .oneOf(b, [.int(1)]),
    .text(.named("name"), .contains, "é", []), .text(.named("name"), .contains, "e\u{301}", []),
    .text(.named("name"), .hasPrefix, "é", []), .text(.named("name"), .contains, "é", .caseInsensitive),
    .text(.named("note"), .contains, "é", []), .containsElement(PropertyPath("tags"), .string("x")),
    .containsElement(PropertyPath("tags"), .string("y")), .any(PropertyPath("tags"), .constant(true)),
    .any(PropertyPath("tags"), .constant(false)), .all(PropertyPath("tags"), .constant(true)),
    .not(.constant(true)), .not(.not(.constant(true))), .and([.constant(true)]), .or([.constant(true)]), .and([]),
    .or([]), .and([.constant(true), .constant(false)]), .and([.constant(false), .constant(true)]),
  ]

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "FRONT.queries-apart", ["PRED-11"], "Queries are equal when they say the same, and no others are.",
      without: ConformanceVariant.allButFresh
    ) { _ in
      for (place, first) in predicates.enumerated() {
        for (other, second) in predicates.enumerated() {
          let queries = (QueryTree(model: "Item", predicate: first), QueryTree(model: "Item", predicate: second))
          try expectEqual(queries.0 == queries.1, place == other, "predicates \(place) and \(other)")
        }
        let kept = try JSONDecoder().decode(PredicateTree.self, from: JSONEncoder().encode(first))
        try expectEqual(kept, first, "predicate \(place) after JSON")
      }
      let query = QueryTree(model: "Item", predicate: predicates[2], limit: 3, offset: 1)
      var others = Array(repeating: query, count: 5)
      others[0].model = "item"
      others[1].limit = 4
      others[2].offset = 2
      others[3].order = [QueryTree.SortKey("rank")]
      others[4].predicate = .constant(true)
      for other in others { try expect(query != other, "\(other)") }
    },
    ConformanceCase(
      "FRONT.query-too-deep", ["PRED-9", "LIM-1"], "The JSON of a query that goes too deep is refused.",
      without: ConformanceVariant.allButFresh
    ) { _ in
      func json(_ depth: Int, _ begin: String, _ end: String) -> Data {
        let constant = String(
          decoding: (try? JSONEncoder().encode(PredicateTree.constant(true))) ?? Data(), as: UTF8.self)
        return Data(
          (String(repeating: begin, count: depth) + constant + String(repeating: end, count: depth)).utf8)
      }
      let path = String(decoding: try JSONEncoder().encode(PropertyPath("tags")), as: UTF8.self)
      for (begin, end) in [
        ("{\"any\":{\"path\":\(path),\"condition\":", "}}"), ("{\"all\":{\"path\":\(path),\"condition\":", "}}"),
        ("{\"not\":", "}"), ("{\"and\":[", "]}"),
      ] {
        _ = try JSONDecoder().decode(PredicateTree.self, from: json(20, begin, end))
        do {
          _ = try JSONDecoder().decode(PredicateTree.self, from: json(230, begin, end))
          throw ConformanceFailure(message: "\(begin) 230 times was read", file: #fileID, line: #line)
        } catch is DecodingError {
        } catch let error as StorageError {
          try expect([.invalidQuery, .limitExceeded].contains(error.code), "\(error)")
        }
      }
    },
    ConformanceCase(
      "FRONT.string-escapes", ["PRED-15"], "Escapes in strings stand for their characters, halves of pairs together."
    ) { kit in
      let store = try kit.store(Item.self)
      let names = ["😀", "é", "a\nb\t\r", "\0", "\\'\"`", "\u{10FFFF}"]
      try store.insert(contentsOf: names.enumerated().map { Item($0, name: $1) })
      let texts = [
        "'\\uD83D\\uDE00'", "'\\u00e9'", "'a\\nb\\t\\r'", "'\\0'", "'\\\\\\'\\\"\\`'", "'\\u{10FFFF}'",
      ]
      for (id, text) in texts.enumerated() {
        try expectEqual(
          try store.records.fetch(in: "Item", where: "name == \(text)").map { $0["id"] }, [.int(Int64(id))], text)
      }
      try expectEqual(try store.records.fetch(in: "Item", where: "name == '\\u{1F600}'").count, 1)
      for text in [
        "'\\uD83D'", "'\\uD83Dx'", "'\\uD83D\\n'", "'\\uDE00'", "'\\uD83D\\u0041'", "'\\u{110000}'", "'\\u12'", "'\\q'",
        "'\\u{}'",
      ] {
        try expectError(.invalidQuery, text) { try store.records.fetch(in: "Item", where: "name == \(text)") }
      }
    },
  ]
}
