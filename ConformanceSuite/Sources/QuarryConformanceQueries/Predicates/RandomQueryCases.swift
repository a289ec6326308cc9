import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Hundreds of queries from fixed seeds, each on the same rows without an index, with many and with compound ones.
enum RandomQueryCases {
  static let all: [ConformanceCase] =
    (1...10).map { seed in
      ConformanceCase(
        "PRED.partition-\(seed)", ["PRED-4"], "A random predicate and its negation give all objects, each once."
      ) { kit in
        try inspect(kit, UInt64(seed)) { generator, tx, rows in
          for _ in 0..<kit.tries(40) {
            let predicate = generator.predicate()
            for model in QueryGenerator.models {
              let fulfilled = try ids(tx, QueryTree(model: model.name, predicate: predicate))
              let others = try ids(tx, QueryTree(model: model.name, predicate: .not(predicate)))
              try expectEqual(
                (fulfilled + others).sorted(), rows.map { number($0["id"]) }, "\(model.name): \(predicate)")
            }
          }
        }
      }
    }
    + (1...10).map { seed in
      ConformanceCase(
        "PRED.random-\(seed)", ["PRED-12", "SORT-2", "PAGE-1", "IDX-4"],
        "Random queries give what the reference gives, in its order, with any indexes."
      ) { kit in
        try inspect(kit, 100 + UInt64(seed)) { generator, tx, rows in
          for _ in 0..<kit.tries(50) {
            var query = generator.query()
            let expected = Reference.rows(query, from: rows).map { number($0["id"]) }
            for model in QueryGenerator.models {
              query.model = model.name
              try expectEqual(try ids(tx, query), expected, "\(query)")
            }
          }
        }
      }
    }
    + (1...5).map { seed in
      ConformanceCase(
        "AGG.count-\(seed)", ["AGG-5"], "The count of a random query is the number of objects that it gives."
      ) { kit in
        try inspect(kit, 200 + UInt64(seed)) { generator, tx, rows in
          for _ in 0..<kit.tries(50) {
            var query = generator.query()
            let expected = Reference.rows(query, from: rows).count
            for model in QueryGenerator.models {
              query.model = model.name
              try expectEqual(try tx.records.count(query), expected, "\(query)")
            }
          }
        }
      }
    }

  static func inspect(
    _ kit: ConformanceContext, _ seed: UInt64,
    _ body: (inout QueryGenerator, ReadTransaction, [Record]) throws -> Void
  ) throws {
    var generator = QueryGenerator(seed: kit.caseSeed(seed))
    let store = try kit.store(making: QueryGenerator.models)
    let rows = generator.rows(60)
    try store.write { tx in
      for model in QueryGenerator.models { try tx.records.insert(into: model.name, rows) }
    }
    try store.read { try body(&generator, $0, rows) }
  }

  private static func number(_ value: Value?) -> Int { Int(value?.integer ?? -1) }

  static func ids(_ tx: ReadTransaction, _ query: QueryTree) throws -> [Int] {
    try tx.records.fetch(query, columns: ["id"]).map { number($0["id"]) }
  }
}
