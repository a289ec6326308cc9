import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Functions of conditions in every front, with every type, and what is no function.
enum FunctionCases {
  static let all: [ConformanceCase] = Samples.orderedTypes.map { between($0) } + fronts + patterns

  // MARK: Between

  private static func between(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "PRED.\(type.name).between", ["PRED-20", "PRED-12", "PRED-4", "PRED-7"],
      "A \(type.name) is between two others, one of which may be nil, NaN or the greater one.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      try ColumnTable.look(kit, type) { view in
        let bounds = [Value.null] + Samples.few(type, 4)
        for column in ["plain", "indexed", "falling"] {
          for low in bounds {
            for high in bounds {
              let test = PredicateTree.between(.named(column), .value(low), .value(high))
              try view.expectRows(test)
              if column == "indexed" { try view.expectRows(.not(test)) }
            }
            try view.expectRows(.between(.value(low), .named("plain"), .named(column)))
            try view.expectRows(
              QueryTree(
                model: ColumnTable.name, predicate: .between(.named(column), .value(low), .named("present")),
                order: [.init(column, isDescending: true)], limit: 3))
          }
        }
      }
    }
  }

  // MARK: Fronts

  private static let items = [
    Item(1, rank: 1959, name: "Take Five", score: 5.4, note: "a\nb", tags: ["jazz", "5/4"]),
    Item(2, rank: 1959, name: "So What", score: 9.1, tags: ["jazz"]),
    Item(3, rank: 1977, name: "\u{DC}nder", score: -0.0, note: "x"),
    Item(4, name: "", score: .nan, note: ""),
    Item(5, rank: 2024, name: "take 55", score: .infinity, tags: ["55", "a5"]),
  ]

  private static func front(
    _ id: String, _ clauses: [String], _ summary: String, line: Int = #line,
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      id, clauses, summary, needs: [.queryText, .queryNested], without: ConformanceVariant.ofWrites, line: line
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: items)
      try body(store)
    }
  }

  /// Throws unless each query, and each negation, finds what it should.
  private static func expect(
    _ store: Store, _ keys: [Int], _ queries: [Query<Item>], file: String = #fileID, line: Int = #line
  ) throws {
    for query in queries {
      let text = "\(query.tree.predicate)"
      try expectEqual(try store.keys(query), keys, text, file: file, line: line)
      let rest = QueryTree(model: "Item", predicate: .not(query.tree.predicate))
      try expectEqual(
        try store.records.fetch(rest).compactMap { $0["id"]?.intValue }, items.map(\.id).filter { !keys.contains($0) },
        "NOT \(text)", file: file, line: line)
    }
  }

  private static let fronts: [ConformanceCase] = [
    front("FRONT.between", ["PRED-11", "PRED-20"], "Between means the same in each front.") { store in
      try expect(
        store, [1, 2, 3], [Item.where { $0.rank.isBetween(1959, 1977) }, Item.where("rank BETWEEN {1959, 1977}")])
      try expect(store, [], [Item.where { $0.rank.isBetween(1977, 1959) }, Item.where("rank BETWEEN {1977, 1959}")])
      try expect(
        store, [2, 3],
        [
          Item.where { $0.id.isBetween(2, 3) }, Item.where("id BETWEEN {2, 3}"),
          Item.where(#Predicate { (2...3).contains($0.id) }),
        ])
      try expect(
        store, [2],
        [
          Item.where { $0.id >= 2 && $0.id < 3 }, Item.where(#Predicate { (2..<3).contains($0.id) }),
        ])
      try expect(store, [1, 2, 3], [Item.where { $0.score.isBetween(0, 9.1) }, Item.where("score BETWEEN {0, 9.1}")])
      try expect(store, [1, 2, 3, 5], [Item.where { $0.score.isBetween(-.infinity, .infinity) }])
      try expect(
        store, [], [Item.where { $0.score.isBetween(.nan, .infinity) }, Item.where { $0.score.isBetween(0, .nan) }])
      try expect(store, [1, 2], [Item.where { $0.name.isBetween("S", "Take Five") }])
      try expect(
        store, [1, 5],
        [Item.where { $0.tags.any { $0.isBetween("5", "6") } }, Item.where("ANY tags BETWEEN {'5', '6'}")])
    },
    front("PRED.between-plan", ["PRED-20", "PRED-12"], "Between is looked for as the two comparisons are.") { store in
      let plan = try store.explain(Item.where { $0.rank.isBetween(1, 2) })
      let compared = try store.explain(Item.where { $0.rank >= 1 && $0.rank <= 2 })
      try expectEqual(plan.access, compared.access)
      try expectEqual(plan.pushed, compared.pushed)
      try expectEqual(plan.residual, compared.residual)
    },
    front("FRONT.matches", ["PRED-11", "TEXT-7"], "A pattern means the same in each front.") { store in
      try expect(
        store, [1, 5], [Item.where { $0.name.matches("[Tt]ake .*") }, Item.where("name MATCHES '[Tt]ake .*'")])
      try expect(store, [2], [Item.where { $0.name.matches("So What") }])
      try expect(store, [4], [Item.where { $0.name.matches("") }])
      try expect(store, [3, 4], [Item.where { $0.note.matches(".*") }, Item.where("note MATCHES '.*'")])
      try expect(store, [1, 3, 4], [Item.where { $0.note.matches("[\\s\\S]*") }])
      try expect(
        store, [5],
        [Item.where { $0.tags.any { $0.matches("\\d+") } }, Item.where("ANY tags MATCHES '\\\\d+'")])
    },
    front("PRED.no-function", ["PRED-19", "PRED-9"], "A call of what is no function, or with other parts, is refused.")
    {
      store in
      let name = Operand.named("name")
      func expectRefusal(_ call: FunctionCall, _ word: String) throws {
        let query = QueryTree(model: "Item", predicate: .function(call))
        let error = try expectError(.invalidQuery, "\(call)") { try store.records.fetch(query) }
        try QuarryConformanceKit.expect(error.message.contains(word), "\(error.message) for \(call)")
        try expectError(.invalidQuery, "\(call)") { try store.records.count(query) }
      }
      for (wrong, right) in [("matchs", "matches"), ("betwen", "between"), ("containsElment", "containsElement")] {
        try expectRefusal(FunctionCall(wrong, [name], [.string("a")]), right)
      }
      try expectRefusal(FunctionCall("matches", [], [.string("a")]), "matches")
      try expectRefusal(FunctionCall("matches", [name, name], [.string("a")]), "matches")
      try expectRefusal(FunctionCall("matches", [name], []), "matches")
      try expectRefusal(FunctionCall("matches", [name], [.string("a"), .string("b")]), "matches")
      try expectRefusal(FunctionCall("matches", [name], [.int(1)]), "matches")
      try expectRefusal(FunctionCall("matches", [.named("rank")], [.string("a")]), "matches")
      try expectRefusal(FunctionCall("between", [name, .value(.string("a"))]), "between")
      try expectRefusal(
        FunctionCall("between", [name, .value(.string("a")), .value(.string("b"))], [.string("c")]), "between")
      try expectRefusal(
        FunctionCall("between", [name, .value(.string("a")), .value(.string("b"))], [], .caseInsensitive), "between")
      for operation in TextOperator.allCases {
        try expectRefusal(FunctionCall(operation.rawValue, [name], []), operation.rawValue)
        try expectRefusal(FunctionCall(operation.rawValue, [name], [.int(1)]), operation.rawValue)
      }
    },
  ]

  // MARK: Patterns

  private static let patterns: [ConformanceCase] = [
    front(
      "FRONT.pattern-in-predicate", ["TEXT-9", "PRED-11"], "A pattern in a #Predicate matches a part of the string."
    ) {
      store in
      try expect(store, [5], [Item.where(#Predicate { $0.name.contains(/5+$/) })])
      try expect(store, [1, 2, 5], [Item.where(#Predicate { $0.name.contains(/[a\u{FC}]/) })])
      try expect(store, [1, 5], [Item.where(#Predicate { $0.name.contains(/^[Tt]ake/) })])
      try expect(store, [1, 2, 3, 5], [Item.where(#Predicate { $0.name.contains(/./) })])
      try expect(store, [1, 2, 3, 4, 5], [Item.where(#Predicate { $0.name.contains(/x*/) })])
      try expect(store, [1, 5], [Item.where(#Predicate { $0.name.contains(/F|5/) })])
      for (place, predicate) in [
        #Predicate<Item> { $0.name.contains(/(?<first>a)b/) }, #Predicate<Item> { $0.name.contains(/a(?=b)/) },
        #Predicate<Item> { $0.name.contains(/\bTake/) }, #Predicate<Item> { $0.name.contains(/(a)\1/) },
      ].enumerated() {
        try expectError(.unsupported, "pattern \(place)") { try store.keys(try Item.where(predicate)) }
      }
    },
    ConformanceCase(
      "TEXT.matches-as-swift", ["TEXT-7"], "Random patterns match what Swift's Regex matches of scalars.",
      without: ConformanceVariant.ofWrites, within: .seconds(60)
    ) { kit in
      var random = kit.random(7)
      let texts =
        ["", "\u{E9}", "\n", "a\u{1F600}"]
        + (0..<24).map { _ in
          String(
            (0..<Int.random(in: 1...6, using: &random)).map { _ in Array("abc1 ").randomElement(using: &random) ?? "a" }
          )
        }
      let patterns = (0..<80).map { _ in pattern(&random, depth: 3) }
      try ColumnTable.look(kit, .string, texts.map { .string($0) }) { view in
        for pattern in patterns {
          let regex = try Regex(pattern).matchingSemantics(.unicodeScalar)
          let due = try view.rows.filter { row in
            guard case .string(let text)? = row["plain"] else { return false }
            return try regex.wholeMatch(in: text) != nil
          }
          for column in ["plain", "indexed"] {
            let query = QueryTree(model: ColumnTable.name, predicate: .matches(.named(column), pattern))
            let found = try view.transaction.records.fetch(query, columns: ["id"]).compactMap { $0["id"]?.integer }
            try expectEqual(found, due.compactMap { $0["id"]?.integer }.sorted(), "\(column) MATCHES \(pattern)")
          }
        }
      }
    },
    ConformanceCase(
      "TEXT.matches-sizes", ["TEXT-7"], "A pattern as large as it may be works, and a larger one is limitExceeded.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, name: "a"))
      func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
      func nested(_ depth: Int) -> String { repeated("(", depth) + "a" + repeated(")", depth) }
      // Of 16,384 bytes.
      let long = "a|bb" + repeated("\u{1F600}", 4_095)
      for pattern in [nested(100), "a{0,1000}", "a|(b{998}){5}", long] {
        try expectEqual(try store.keys(Item.where { $0.name.matches(pattern) }), [1], String(pattern.prefix(20)))
      }
      for (pattern, limit) in [
        (nested(101), "100"), ("a{1001}", "1000"), ("a{0,99999999999999999999}", "1000"),
        ("((a{1000}){1000}){1000}", "5000"), ("a|(b{1000}){5}", "5000"), (long + "b", "16384"),
      ] {
        let error = try expectError(.limitExceeded, String(pattern.prefix(20))) {
          try store.keys(Item.where { $0.name.matches(pattern) })
        }
        try QuarryConformanceKit.expect(
          error.message.filter(\.isNumber).contains(limit), "\(error.message) does not have \(limit)")
      }
    },
    ConformanceCase(
      "TEXT.matches-in-linear-time", ["TEXT-7"],
      "A pattern that can match a long string in very many ways is matched in a time that grows with the string's length.",
      without: ConformanceVariant.allButFresh, within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, note: String(repeating: "a", count: 2_000)))
      for (pattern, keys) in [("(a*)*[bc]", []), ("(a|aa)+(a|b)*[b-c]", []), ("(a*)*b?", [1]), ("(a|a)*", [1])] {
        try expectEqual(try store.keys(Item.where { $0.note.matches(pattern) }), keys, pattern)
      }
    },
  ]

  /// A pattern in the syntax that both have.
  private static func pattern(_ random: inout SeededGenerator, depth: Int) -> String {
    func part() -> String { pattern(&random, depth: depth - 1) }
    switch depth == 0 ? Int.random(in: 0...5, using: &random) : Int.random(in: 0...11, using: &random) {
    case 0...2: return ["a", "b", "c", "1", " "].randomElement(using: &random) ?? "a"
    case 3: return "."
    case 4: return ["[ab]", "[^a]", "[a-c]", "[\\d ]", "[^\\w]"].randomElement(using: &random) ?? "[a]"
    case 5: return ["\\d", "\\w", "\\s", "\\D", "\\W", "\\S"].randomElement(using: &random) ?? "\\d"
    case 6...8: return (0..<Int.random(in: 1...3, using: &random)).map { _ in part() }.joined()
    case 9: return "(" + (0..<Int.random(in: 2...3, using: &random)).map { _ in part() }.joined(separator: "|") + ")"
    default:
      let sign = ["*", "+", "?", "{2}", "{1,}", "{1,3}", "{,2}", "*?"].randomElement(using: &random) ?? "*"
      return "(?:\(part()))\(sign)"
    }
  }
}
