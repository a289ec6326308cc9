import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// An empty text or data as primary key, whose bytes are none: it is a key as any other, undone or not.
enum EmptyKeyCases {
  static let all: [ConformanceCase] = [PropertyType.string, .data].flatMap { type in
    [false, true].map { undone(type, isUnique: $0) }
  }

  private static let name = "Keyed"

  private static func keys(_ type: PropertyType) -> [Value] {
    type == .string ? ["", "a", "\0"].map { .string($0) } : [[], [1], [0]].map { .data(Data($0 as [UInt8])) }
  }

  private static func undone(_ type: PropertyType, isUnique: Bool) -> ConformanceCase {
    ConformanceCase(
      "TXN.savepoint-empty-key.\(type.name)\(isUnique ? "-unique" : "")", ["TXN-3", "IDX-4", "STMT-1", "VAL-3"],
      "What a savepoint did to the object whose \(type.name) key is empty is undone, in its indexes too.",
      needs: [.savepoints], without: ConformanceVariant.ofReads
    ) { kit in
      let keys = keys(type)
      let model = ModelSchema(
        name: name,
        properties: [
          PropertySchema(name: "key", type: type), PropertySchema(name: "rank", type: .int64, isOptional: true),
          PropertySchema(name: "word", type: .string, isOptional: true),
        ], primaryKey: 0,
        indexes: [
          IndexSchema(name: "rank", columns: [.init(slot: 1)], isUnique: isUnique),
          IndexSchema(name: "word", columns: [.init(slot: 2, isDescending: true)]),
        ])
      let rows = keys.enumerated().map { place, key in
        Record(["key": key, "rank": .int(Int64(place)), "word": .string("w")])
      }
      let store = try kit.store(making: [model])
      try store.write { try $0.records.insert(into: name, rows) }
      func isEmptyKey() -> QueryTree {
        QueryTree(model: name, predicate: .compare(.named("key"), .equal, .value(keys[0])))
      }
      let statements: [(WriteTransaction) throws -> Void] = [
        { try expectEqual(try $0.records.delete(isEmptyKey()), 1) },
        { try expectEqual(try $0.records.delete(QueryTree(model: name)), 3) },
        { try expectEqual(try $0.records.assign(isEmptyKey(), [.init("rank", .set, .int(9))]), 1) },
        {
          try $0.records.assign(QueryTree(model: name), [.init("word", .set, .null), .init("rank", .add, .int(10))])
        },
        { try $0.records.upsert(into: name, [Record(["key": keys[0], "rank": .int(77), "word": .string("")])]) },
        { tx in
          try tx.records.delete(isEmptyKey())
          try tx.records.insert(into: name, [Record(["key": keys[0], "rank": .int(5)])])
        },
      ]
      func look(_ tx: ReadTransaction, _ about: String) throws {
        let view = ColumnTable.View(name: about, transaction: tx, columns: [], rows: rows)
        try expectEqual(Set(try tx.records.fetch(QueryTree(model: name))), Set(rows), about)
        for rank in [0, 5, 9, 10, 77] {
          let test = PredicateTree.compare(.named("rank"), .equal, .value(.int(Int64(rank))))
          try expectEqual(
            try tx.records.fetch(QueryTree(model: name, predicate: test)).map { $0["key"] },
            rank == 0 ? [keys[0]] : [], "\(about): \(rank)")
        }
        for order in ["rank", "word"] {
          let query = QueryTree(model: name, order: [.init(order, isDescending: true)])
          try expectEqual(
            try view.transaction.records.fetch(query).map { $0["key"] },
            Reference.rows(query, from: rows, key: "key").map { $0["key"] }, "\(about): \(order)")
        }
        try expectEqual(try tx.records.get(in: name, key: keys[0]), rows[0], about)
      }
      for (place, statement) in statements.enumerated() {
        try store.write { tx in
          do {
            try tx.savepoint {
              try statement(tx)
              throw Abandoned()
            }
          } catch is Abandoned {}
          try look(tx, "statement \(place), undone")
        }
        try store.read { try look($0, "statement \(place), committed") }
      }
    }
  }
}
