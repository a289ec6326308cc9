import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Engines of ordered trees that take short keys and values alone: a longer key goes into the value, which may be too much.
enum NarrowTreeCases {
  private static let limit = 4_000
  private static let model = ModelSchema(
    name: "Narrow",
    properties: [PropertySchema(name: "key", type: .string), PropertySchema(name: "text", type: .string)],
    primaryKey: 0, indexes: [IndexSchema(name: "text", columns: [.init(slot: 1)])])

  private static func row(_ key: String, _ text: String = "") -> Record {
    Record(["key": .string(key), "text": .string(text)])
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "LIM.long-key-in-value", ["LIM-1"],
      "A row that has room without its long key, or whose entry of an index has too little, is limitExceeded, unwritten.",
      needs: [.check, .updateWhere], without: ConformanceVariant.allButFresh
    ) { kit in
      let place = TwistedTrees(kit.undecorated(try kit.makePlace()), .init(keyBytes: 64, valueBytes: limit))
      let store = try kit.open(program: [model], at: place)
      guard place.isTwisted else { return }
      let long = String(repeating: "k", count: 1_500)
      let first = [row("a", String(repeating: "t", count: 3_500)), row(long + "1", "one"), row(long + "2", "two")]
      try store.write { try $0.records.insert(into: "Narrow", first) }
      // The key stands in the row, too; a zero byte takes two in an index.
      let refused = [
        row(String(repeating: "l", count: 2_500)), row("z", String(repeating: "\0", count: 2_200)),
        row(long + "3", String(repeating: "t", count: 1_200)),
      ]
      for refused in refused {
        for rows in [[refused], [row("b"), refused]] {
          let error = try expectError(.limitExceeded) {
            try store.write { try $0.records.insert(into: "Narrow", rows) }
          }
          try expect(error.message.contains("\(limit)"), error.message)
          try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Narrow")) }, first)
        }
      }
      let isLast = QueryTree(
        model: "Narrow", predicate: .compare(.named("key"), .equal, .value(.string(long + "2"))))
      try store.write { tx in
        let longer = Value.string(String(repeating: "t", count: 1_200))
        try expectError(.limitExceeded) { try tx.records.assign(isLast, [.init("text", .set, longer)]) }
      }
      try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Narrow")) }, first)
      try expectEqual(try store.check(), [])
      try store.write { tx in
        try expectEqual(try tx.records.delete(isLast), 1)
      }
      try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Narrow")) }, Array(first.dropLast()))
    }
  ]
}
