import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What conditions say every day, in every front that can say it: arithmetic, lengths, membership, Bool columns, words of
/// predicate strings.
enum EverydayCases {
  // Each by itself: the compiler takes long over a list of them.
  static let all: [ConformanceCase] = [
    arithmetic, arithmeticNil, textCount, textEmpty, contains, ranges, mixedNumbers, search, boolColumn, decimalFloat,
    stringWords, sortComparators,
  ]

  private static let arithmetic = FrontCases.same(
    "arithmetic", "Arithmetic means the same in every front.", { $0.id % 3 == 1 && $0.score * 2 - 1 > 0 }
  ) {
    [
      Item.where { $0.id % 3 == 1 && $0.score * 2 - 1 > 0 }, try Item.where("id % 3 == 1 AND score * 2 - 1 > 0"),
      try Item.where("id - id / 3 * 3 = 1 && (0 < (score + score) - 1)"),
      try Item.where(#Predicate { $0.id % 3 == 1 && $0.score * 2 - 1 > 0 }),
    ]
  }

  private static let arithmeticNil = FrontCases.same(
    "arithmetic-nil", "Arithmetic with nil is nil in every front.", { $0.rank.map { $0 + $0 * 2 > 9 } ?? true }
  ) {
    [
      Item.where { $0.rank + $0.rank * 2 > 9 || $0.rank + 1 == nil },
      try Item.where("rank + rank * 2 > 9 OR rank + 1 == nil"),
      try Item.where(#Predicate { ($0.rank ?? 9) + ($0.rank ?? 9) * 2 > 9 }),
    ]
  }

  private static let textCount = FrontCases.same(
    "text-count", "The number of characters means the same in every front.", { $0.name.count == 2 }
  ) {
    [
      Item.where { $0.name.count == 2 }, Item.where { (2..<3).contains($0.name.count) },
      try Item.where("name.@count == 2"), try Item.where("name.@count IN {2}"),
      try Item.where(#Predicate { $0.name.count == 2 }),
    ]
  }

  private static let textEmpty = FrontCases.same(
    "text-empty", "Empty text means the same in every front.", { $0.name.isEmpty }
  ) {
    [
      Item.where { $0.name.isEmpty }, Item.where { $0.name.count == 0 }, try Item.where("name == ''"),
      try Item.where("name.@count == 0"), try Item.where(#Predicate { $0.name.isEmpty }),
    ]
  }

  private static let contains = FrontCases.same(
    "contains", "What the program holds contains a column: an array, a set, a range.",
    { [3, 5, 8].contains($0.id) || ["n1"].contains($0.note ?? "") || (50...).contains($0.id) }
  ) {
    let (ids, notes): ([Int], Set<String>) = ([3, 5, 8], ["n1"])
    return [
      Item.where { ids.contains($0.id) || notes.contains($0.note) || (50...).contains($0.id) },
      try Item.where("id IN %@ OR note IN %@ OR id >= 50", ids, Array(notes)),
    ]
  }

  private static let ranges = FrontCases.same(
    "ranges", "Every kind of range means the same in every front.",
    {
      ($0.rank.map { (2...4).contains($0) || (6..<7).contains($0) } ?? false) && (..<40).contains($0.id)
        && (...1.5).contains($0.score)
    }
  ) {
    [
      Item.where {
        ((2...4).contains($0.rank) || (6..<7).contains($0.rank)) && (..<40).contains($0.id)
          && (...1.5).contains($0.score)
      },
      Item.where {
        ($0.rank.isIn(2...4) || $0.rank.isIn(6..<7)) && $0.id.isIn(..<40) && $0.score.isIn(...1.5)
          && ($0.rank.isIn(2...) || $0.rank.isIn(...0)) && $0.id.isIn(0...)
      },
      try Item.where("(rank BETWEEN {2, 4} OR rank BETWEEN {6, 6}) AND id < 40 AND score <= 1.5"),
    ]
  }

  private static let mixedNumbers = FrontCases.same(
    "mixed-numbers", "A number of another type is compared by its value.", { $0.score > 1 && $0.rank != 3 }
  ) {
    let (one, three, most): (Int, Double, Decimal) = (1, 3, 1.5)
    return [
      Item.where { $0.score > one && $0.rank != three }, Item.where { one < $0.score && three != $0.rank },
      Item.where { $0.score >= most && $0.rank != three }, try Item.where("score > 1 AND rank != 3.0"),
      try Item.where("score > %d AND rank != %f", one, three),
    ]
  }

  private static let search = FrontCases.same(
    "search", "A search without case and accents is the same in both fronts that have it.",
    { ["Ab", "caf\u{E9}", "a"].contains($0.name) }
  ) {
    [
      Item.where { $0.name.contains("A", options: .caseAndDiacriticInsensitive) },
      try Item.where("name CONTAINS[cd] 'A'"),
    ]
  }

  private static let boolColumn = ConformanceCase(
    "FRONT.bool-column", ["PRED-11"], "A column of Bool is a condition by itself."
  ) { kit in
    let store = try kit.store(Everything.self)
    try store.insert(
      contentsOf: (0..<6).map {
        var thing = Everything($0)
        thing.bool = $0 % 2 == 0
        thing.maybeBool = $0 < 2 ? nil : $0 > 3
        return thing
      })
    let some = try Everything.where("bool == YES AND maybeBool != NO")
    for (query, keys) in try [
      (Everything.where { $0.bool }, [0, 2, 4]), (Everything.where { !$0.bool }, [1, 3, 5]),
      (Everything.where { $0.bool && $0.id > 1 }, [2, 4]), (Everything.where { $0.id > 3 || $0.bool }, [0, 2, 4, 5]),
      (Everything.where { !$0.bool || !($0.id < 3 && $0.bool) }, [1, 3, 4, 5]),
      (Everything.where { $0.bool && $0.maybeBool != false }, [0, 4]), (some, [0, 4]),
      (Everything.where { $0.id < 4 }.where { $0.bool }, [0, 2]), (Everything.where("NOT bool = TRUE"), [1, 3, 5]),
      (Everything.where(#Predicate { $0.bool && !($0.id == 2) }), [0, 4]),
    ] {
      try expectEqual(try store.keys(query), keys, "\(query.tree)")
    }
  }

  private static let decimalFloat = ConformanceCase(
    "FRONT.decimal-float", ["PRED-6", "PRED-11", "PRED-13"],
    "A literal with a point beside a Float is rounded once, not by way of a Double."
  ) { kit in
    let store = try kit.store(Figure.self)
    // A little more than the middle between 1 and the next Float, which is where the nearest Double lies.
    let (literal, next) = ("1.00000005960464477540", (1 as Float).nextUp)
    try store.insert(contentsOf: [Figure(1, ratio: 1), Figure(2, ratio: next), Figure(3, ratio: 0.1), Figure(4)])
    let decimal = try Figure.where("ratio == %@", Samples.decimal(literal))
    for (query, keys) in try [
      (Figure.where("ratio == \(literal)"), [2]), (Figure.where("\(literal) == ratio"), [2]), (decimal, [2]),
      (Figure.where("ratio >= \(literal)"), [2]), (Figure.where("ratio < \(literal)"), [1, 3]),
      (Figure.where("ratio IN {\(literal), 0.1}"), [2, 3]), (Figure.where("ratio BETWEEN {\(literal), 2}"), [2]),
      (Figure.where("ratio * 1 == \(literal)"), [2]), (Figure.where("ratio - \(literal) == 0"), [2]),
      (Figure.where("\(literal) * ratio == ratio"), [4]), (Figure.where { $0.ratio == next }, [2]),
      (Figure.where { $0.ratio == 0.1 }, [3]), (Figure.where { $0.ratio * 2 == 0.2 }, [3]),
      (Figure.where("ratio == %@", 0.1), []), (Figure.where("ratio == %@", 0.1 as Float), [3]),
    ] {
      try expectEqual(try store.keys(query), keys, "\(query.tree)")
    }
  }

  private static let stringWords = ConformanceCase(
    "FRONT.string-words", ["PRED-9", "PRED-11", "PRED-15"],
    "Words of NSPredicate work, or are refused with what to write."
  ) { kit in
    let store = try FrontCases.store(kit)
    for (text, arguments, plain) in [
      ("id < %d AND rank == %ld", [7, 3], "id < 7 AND rank == 3"), ("score > %f", [1.5], "score > 1.5"),
      ("id == %i OR id == %u OR id == %lld", [1, 2, 3], "id IN {1, 2, 3}"), ("score >= %g", [1], "score >= 1"),
      ("SELF.id == 4", [], "id == 4"), ("SELF.tags.@count == 0", [], "tags.@count == 0"),
      ("ANY SELF.tags == 't1'", [], "ANY tags == 't1'"), ("rank = <null>", [], "rank == nil"),
      ("rank <> NULL && rank => 3 && rank =< 4", [], "rank BETWEEN {3, 4}"), ("!(id == 3)", [], "id != 3"),
      ("NONE tags == 't1'", [], "NOT ANY tags == 't1'"), ("SOME tags == 't1'", [], "ANY tags == 't1'"),
      ("name BEGINSWITH[cd] 'A'", [], "name LIKE[cd] 'a*'"), ("rank BETWEEN %@", [[1, 2]], "rank IN {1, 2}"),
      ("TRUEPREDICATE AND NOT FALSEPREDICATE", [], "id >= 0"), ("id-1 == 4", [], "id == 5"),
      ("id -1 == 4", [], "id = 5"),
      ("(id + 1) * 2 == 8", [], "id == 3"), ("((id) + (1)) == 4 OR (id == 5)", [], "id IN {3, 5}"),
      ("id == -(-3)", [], "id == 3"), ("id %2 == 1", [], "NOT id % 2 == 0"),
      ("id BETWEEN {1 + 1, 2 * 2}", [], "id IN {2,3,4}"),
      ("name.@count > rank", [], "rank < name.@count"),
    ] as [(String, [any Storable], String)] {
      let query = try Item.all.where(text, arguments: arguments)
      try expectEqual(try store.keys(query), try store.keys(Item.where(plain)), text)
      try expectEqual(try Item.where("\(query.tree.predicate)"), query, "\(text) does not come back from its text")
    }
    for (text, arguments, code, hint) in [
      ("name MATCHES 3", [], .invalidQuery, "string"),
      ("SUBQUERY(tags, $t, $t == 'x').@count > 0", [], .unsupported, "ANY"),
      ("name.length > 2", [], .invalidQuery, "name.@count"), ("id == %d", ["x"], .invalidQuery, "%@"),
      ("score > %f", ["x"], .invalidQuery, "%@"), ("id == %d", [1.5], .invalidQuery, "%@"),
      ("id == %s", ["x"], .invalidQuery, "%@"), ("lowercase(name) == 'x'", [], .invalidQuery, "functions"),
      ("tags.@sum > 2", [], .invalidQuery, "@count"), ("(id)", [], .invalidQuery, "comparison"),
      ("id + == 3", [], .invalidQuery, "property"), ("(id + 1 == 3", [], .invalidQuery, ")"),
      ("SELF.nothing == 3", [], .invalidQuery, "nothing"), ("SELF == 3", [], .invalidQuery, "ANY"),
      ("name <[c] 'x'", [], .unsupported, "[c]"), ("id == %d", [], .invalidQuery, "argument"),
    ] as [(String, [any Storable], StorageError.Code, String)] {
      let error = try expectError(code, text) { try store.count(Item.all.where(text, arguments: arguments)) }
      try expect(error.message.contains(hint), "\(text): \(error.message)")
    }
  }

  private static let sortComparators = ConformanceCase(
    "FRONT.sort-comparators", ["SORT-6", "PRED-11"],
    "A comparator of the characters' numbers is honoured, one of a language and an order of a type's own are not."
  ) { kit in
    let store = try FrontCases.store(kit)
    let lexical = try Item.all.sorted(by: [SortDescriptor(\.name, comparator: .lexical, order: .reverse)])
    try expectEqual(lexical, Item.all.sorted(by: \.name, order: .reverse))
    try expectEqual(try store.keys(lexical), try store.keys(Item.all.sorted("-name")))
    #if canImport(Darwin)
      try expectError(.unsupported) { try Item.all.sorted(by: SortDescriptor(\.name)) }
      try expectError(.unsupported) { try Item.all.sorted(by: SortDescriptor(\.name, comparator: .localized)) }
    #else
      try expectEqual(try Item.all.sorted(by: SortDescriptor(\.name, order: .reverse)), lexical)
    #endif
  }
}
