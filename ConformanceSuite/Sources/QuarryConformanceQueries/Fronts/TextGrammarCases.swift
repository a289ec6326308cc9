import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What the words of the string front mean beside one another: signs of an order, `SELF` inside and outside of `ANY`.
enum TextGrammarCases {
  static let all: [ConformanceCase] = [
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
    }
  ]
}
