import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// The pivoted-row oracle: a row is chosen, a predicate is built that is true of it, and the row must be found.
enum PivotCases {
  static let all: [ConformanceCase] = (0..<40).map { seed in
    ConformanceCase(
      "PRED.pivot-\(seed)", ["PRED-4", "PRED-12", "IDX-4"],
      "A row is found by a predicate that was built to match it, with any indexes.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      var generator = QueryGenerator(seed: kit.caseSeed(7000 + UInt64(seed)))
      let rows = generator.rows(25)
      let store = try kit.open([], at: kit.makePlace())
      try store.write { tx in
        for model in QueryGenerator.models {
          try tx.apply(.createModel(model))
          try tx.records.insert(into: model.name, rows)
        }
      }
      try store.read { tx in
        for _ in 0..<kit.tries(12) {
          let pivot = generator.pick(rows)
          var parts: [PredicateTree] = []
          for _ in 0..<3 {
            let part = generator.predicate(2)
            parts.append(Reference.holds(part, pivot) ? part : .not(part))
          }
          let key = pivot["id"] ?? .null
          for tree: PredicateTree in [.and(parts), .or([parts[0], .not(parts[1])]), .not(.or(parts.map { .not($0) }))] {
            for model in QueryGenerator.models {
              let query = QueryTree(model: model.name, predicate: tree)
              let keys = try tx.records.fetch(query, columns: ["id"]).map { $0["id"] }
              try expect(keys.contains(key), "\(model.name) does not find the row \(key) by \(tree)")
            }
          }
        }
      }
    }
  }
}
