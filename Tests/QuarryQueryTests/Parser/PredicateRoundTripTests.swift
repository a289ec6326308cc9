import Foundation
import Testing

@testable import QuarryBackend
@testable import QuarryQuery

/// A predicate survives its text and its JSON.
struct PredicateRoundTripTests {
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func textIsReadBackAsTheSameTree(_ seed: UInt64) throws {
    var random = RandomPredicates(seed: seed)
    for _ in 0..<400 {
      let tree = random.tree()
      let text = tree.description
      let read = try PredicateParser.parse(text)
      #expect(read == tree, "\(text)")
    }
  }

  @Test(arguments: 11...14 as ClosedRange<UInt64>)
  func jsonIsReadBackAsTheSameTree(_ seed: UInt64) throws {
    var random = RandomPredicates(seed: seed)
    for _ in 0..<200 {
      let tree = random.tree()
      let read = try JSONDecoder().decode(PredicateTree.self, from: JSONEncoder().encode(tree))
      #expect(read == tree, "\(tree)")
    }
  }

  @Test func wholeQuerySurvivesJSON() throws {
    let query = QueryTree(
      model: "Book", predicate: .not(.constant(true)), order: [.init("year", isDescending: true)], limit: 3, offset: 1,
      position: .init(values: [.int(1)], key: .string("x"), fingerprint: .max))
    #expect(try JSONDecoder().decode(QueryTree.self, from: JSONEncoder().encode(query)) == query)
  }

  @Test func jsonHasTheDocumentedForm() throws {
    let tree = PredicateTree.not(.compare(.property(PropertyPath("a")), .less, .value(.int(1))))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(
      String(decoding: try encoder.encode(tree), as: UTF8.self)
        == #"{"not":{"compare":{"is":"less","left":{"property":{"_0":{"members":[],"property":"a"}}},"#
        + #""right":{"value":{"_0":{"int":"1"}}}}}}"#)
  }

  /// A tree of `depth` levels, each of the kind that takes most of JSON's own depth.
  private func deep(_ depth: Int) -> PredicateTree {
    (1..<depth).reduce(.compare(.property(PropertyPath("a")), .equal, .value(.int(1)))) { tree, _ in .and([tree]) }
  }

  @Test func deepestTreeSurvivesJSONAndText() throws {
    let tree = deep(TreeLimits.maximumDepth)
    #expect(try JSONDecoder().decode(PredicateTree.self, from: JSONEncoder().encode(tree)) == tree)
    let negated = (1..<TreeLimits.maximumDepth).reduce(PredicateTree.constant(true)) { tree, _ in .not(tree) }
    #expect(try PredicateParser.parse(negated.description) == negated)
  }

  @Test func deeperJSONIsRefused() throws {
    let data = try JSONEncoder().encode(deep(TreeLimits.maximumDepth + 1))
    #expect {
      _ = try JSONDecoder().decode(PredicateTree.self, from: data)
    } throws: { ($0 as? StorageError)?.code == .limitExceeded }
  }

  @Test(arguments: [#"{"not":"#, #"{"and":["#, #"{"constant":"#, "["])
  func hostileJSONIsRefused(_ opening: String) {
    let text = String(repeating: opening, count: 100_000)
    #expect(throws: (any Error).self) {
      _ = try JSONDecoder().decode(PredicateTree.self, from: Data(text.utf8))
    }
    #expect(throws: (any Error).self) {
      _ = try JSONDecoder().decode(Value.self, from: Data(String(repeating: #"{"array":["#, count: 100_000).utf8))
    }
  }

  @Test func composedAndDecomposedTextsDiffer() {
    let path = Operand.property(PropertyPath("a"))
    #expect(PredicateTree.text(path, .contains, "é", []) != .text(path, .contains, "e\u{301}", []))
    #expect(
      BoundPredicate.text(slot: 0, .contains, "é", []) != BoundPredicate.text(slot: 0, .contains, "e\u{301}", []))
    #expect(QueryTree(model: "é") != QueryTree(model: "e\u{301}"))
  }
}
