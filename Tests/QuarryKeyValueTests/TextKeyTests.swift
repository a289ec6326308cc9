import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarryKeyValue

/// Primary keys of variable length, which stand in tables as they are and in indexes with an end.
@Suite struct TextKeyTests {
  private static let texts = ["", "\0", "\0\u{1}", "a", "a\0", "a\0b", "aa", "ab", "b", "\u{7F}", "e\u{301}", "\u{E9}"]

  private static let model = ModelSchema(
    name: "Note",
    properties: [
      PropertySchema(name: "number", type: .int64), PropertySchema(name: "id", type: .string),
      PropertySchema(name: "rank", type: .double, isOptional: true),
      PropertySchema(name: "code", type: .data, isOptional: true),
    ],
    primaryKey: 1,
    indexes: [
      IndexSchema(name: "byRank", columns: [.init(slot: 2, isDescending: true)]),
      IndexSchema(name: "byCode", columns: [.init(slot: 3)], isUnique: true),
      IndexSchema(name: "byCodeBackwards", columns: [.init(slot: 3, isDescending: true)], isUnique: true),
    ])

  private static let rows: [[Value]] = texts.enumerated().map { place, text in
    let ranks: [Value] = [.null, .double(1), .double(-0.0), .double(.nan), .double(0)]
    let code: Value = place % 4 == 0 ? .null : .data(.init((text + "!").utf8))
    return [.int(Int64(place)), .string(text), ranks[place % 5], code]
  }

  private static let predicates: [BoundPredicate] =
    texts.flatMap { text in
      Comparison.allCases.map { .compare(slot: 1, $0, .string(text)) }
        + Comparison.allCases.map { .compare(slot: 3, $0, .data(.init((text + "!").utf8))) }
        + [.text(slot: 1, .hasPrefix, text, []), .oneOf(slot: 1, [.string(text), .string("zz")])]
    } + [
      .constant(true), .isNull(slot: 2), .compare(slot: 2, .less, .double(1)), .compare(slot: 2, .greater, .double(-1)),
      .and([.compare(slot: 1, .greater, .string("a")), .compare(slot: 1, .less, .string("a\0"))]),
      .and([.compare(slot: 1, .greater, .string("a")), .text(slot: 1, .hasPrefix, "a", [])]),
    ]

  private static let orders: [[BoundSortKey]] = [1, 2, 3].flatMap { slot in
    [false, true].map { isDescending in
      let first = BoundSortKey(slot: slot, isDescending: isDescending)
      return slot == 1 ? [first] : [first, BoundSortKey(slot: 1, isDescending: isDescending)]
    }
  }

  @Test(arguments: EngineKind.allCases, orders) func everyConditionInEveryOrder(
    _ kind: EngineKind, _ order: [BoundSortKey]
  ) throws {
    let store = try TestStore(kind.backend(), Self.model)
    try store.write { try store.insert($0, Self.rows) }
    let reference = try Reference(store, Self.rows, ids: Self.rows.map { $0[0].int })
    try store.read { transaction in
      for predicate in Self.predicates {
        let query = BoundQuery(model: store.model.id, predicate: predicate, order: order)
        let expected = try reference.ids(query)
        #expect(try store.ids(transaction, query) == expected, "\(predicate)")
        #expect(try transaction.count(query) == expected.count, "\(predicate)")
      }
    }
  }

  @Test(arguments: EngineKind.allCases, orders) func pagesFollowOneAnother(
    _ kind: EngineKind, _ order: [BoundSortKey]
  ) throws {
    let store = try TestStore(kind.backend(), Self.model)
    try store.write { try store.insert($0, Self.rows) }
    try store.read { transaction in
      var query = BoundQuery(model: store.model.id, order: order)
      let expected = try store.ids(transaction, query)
      query.limit = 1
      var found: [Int64] = []
      while let last = try store.rows(transaction, query).first {
        found.append(last[0].int)
        query.predicate = .after(order, order.map { last[$0.slot] })
        #expect(try transaction.explain(query).sorts == false)
      }
      #expect(found == expected)
    }
  }

  @Test func theKeyOfAnErrorIsAsPeopleReadIt() throws {
    let store = try TestStore(EngineKind.sortedArray.backend(), Self.model)
    try store.write { transaction throws in
      try store.insert(transaction, Self.rows)
      let error = failure { try store.insert(transaction, [[.int(0), .string("a\0b"), .null, .null]]) }
      #expect(error?.code == .duplicateKey)
      #expect(error?.key == "a\0b")
    }
  }
}
