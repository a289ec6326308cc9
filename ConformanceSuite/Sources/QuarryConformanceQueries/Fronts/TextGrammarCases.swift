import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

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
    ConformanceCase(
      "FRONT.assign-keyword", ["PRED-15", "STMT-5"],
      "A property whose name is a word of the language is assigned to, and calculated from itself, like any other."
    ) { kit in
      let words = ["in", "any", "like", "contains", "between", "and"]
      let properties = words.map { PropertySchema(name: $0, type: .int64, isOptional: true) }
      let store = try kit.store(making: [
        ModelSchema(name: "Words", properties: [PropertySchema(name: "id", type: .int64)] + properties, primaryKey: 0)
      ])
      let record = Record([("id", .int(1))] + words.map { (name: $0, value: Value.int(10)) })
      try store.write { try $0.records.insert(into: "Words", [record]) }
      func after(_ text: String, _ word: String) throws -> Value? {
        try store.write { tx in
          _ = try tx.records.assign(QueryTree(model: "Words"), try AssignmentParser.parse(text))
          return try tx.records.get(in: "Words", key: .int(1))?[word]
        }
      }
      for word in words {
        try expectEqual(try after("\(word) = \(word) + 1", word), .int(11), word)
        try expectEqual(try after("\(word) = \(word)-1", word), .int(10), word)
        try expectEqual(try after("\(word) += 5", word), .int(15), word)
        try expectEqual(try after("\(word) = -3", word), .int(-3), word)
        try expectEqual(try after("\(word) = nil", word), .null, word)
        try expectEqual(try after("\(word) = 7", word), .int(7), word)
      }
      for text in ["in = any + 1", "in = like", "in = in in", "in", "= 1", "in = ", "in = 1,"] {
        try expectError(.invalidQuery, text) { try AssignmentParser.parse(text) }
      }
    },
  ]
}
