import QuarryBackend
import QuarryCore

/// What the words of the string front mean beside one another: signs of an order, `SELF` inside and outside of `ANY`.
enum TextGrammarCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("SORT.signs", ["SORT-1", "SORT-2"], "An order by text has one sign before a name, or none.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<4).map { Item($0, rank: ($0 * 3) % 4) })
      for (text, keys) in [
        ("rank", [0, 3, 2, 1]), ("+rank", [0, 3, 2, 1]), ("-rank", [1, 2, 3, 0]), (" + rank , - id ", [0, 3, 2, 1]),
        ("- rank,+id", [1, 2, 3, 0]),
      ] {
        try expectEqual(try store.keys(Item.all.sorted(text)), keys, text)
      }
      for text in ["-+rank", "+-rank", "--rank", "++rank", "-", "+", "rank,", ",rank", "rank -id", "-1"] {
        try expectError(.invalidQuery, text) { try store.keys(Item.all.sorted(text)) }
      }
    },
    ConformanceCase(
      "FRONT.self-beside-elements", ["PRED-15", "NEST-1"],
      "SELF is an element inside the parentheses of ANY, ALL and NONE, and the object before and after them."
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [
        Item(1, name: "a", tags: ["a", "b"]), Item(2, name: "b", tags: ["a"]), Item(3, name: "a", tags: ["c"]),
        Item(4, name: "b"),
      ])
      for (text, keys) in [
        ("ANY tags (SELF == 'a') AND SELF.name == 'a'", [1]),
        ("SELF.name == 'a' AND ANY tags (SELF == 'a')", [1]),
        ("ANY tags (SELF == 'a') AND ANY SELF.tags (SELF == 'b')", [1]),
        ("(ANY tags (SELF == 'a') OR ALL tags (SELF == 'c')) AND NOT SELF.name == 'b'", [1, 3]),
        ("NONE tags (SELF == 'a') AND SELF.name == 'b'", [4]),
      ] {
        try expectEqual(try store.keys(Item.where(text)), keys, text)
      }
      for text in ["ANY tags (SELF == 'a') AND SELF == 'a'", "SELF == 'a' AND ANY tags (SELF == 'a')", "SELF == 'a'"] {
        try expectError(.invalidQuery, text) { try store.keys(Item.where(text)) }
      }
    },
  ]
}
