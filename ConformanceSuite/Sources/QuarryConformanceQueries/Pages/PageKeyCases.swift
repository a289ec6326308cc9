import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Pages along primary keys that begin one another, and positions whose row has made room for another.
enum PageKeyCases {
  static let all: [ConformanceCase] =
    Samples.orderedTypes.map { keyed($0) } + [false, true].map { replaced($0) }

  private static func keyed(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "PAGE.key-\(type.name)", ["PAGE-4", "PAGE-2", "SORT-2", "SORT-3"],
      "Pages in the order of primary keys of type \(type.name), and of an index before them, have each object once.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      let values: [Value] =
        type == .string || type == .data ? CompoundLookupCases.values(type) : Array(Samples.distinct(type, 9))
      let rows = values.enumerated().map { place, key in
        Record(["key": key, "half": .int(Int64(place % 2)), "third": place % 3 == 0 ? .null : .int(Int64(place % 3))])
      }
      for isDescending in [false, true] {
        let model = ModelSchema(
          name: "Keyed",
          properties: [
            PropertySchema(name: "key", type: type), PropertySchema(name: "half", type: .int8),
            PropertySchema(name: "third", type: .int8, isOptional: true),
          ], primaryKey: 0,
          indexes: [
            IndexSchema(name: "half", columns: [.init(slot: 1, isDescending: isDescending)]),
            IndexSchema(
              name: "third", columns: [.init(slot: 2), .init(slot: 0, isDescending: isDescending)], isUnique: true),
          ])
        let store = try kit.store(making: [model])
        try store.write { try $0.records.insert(into: "Keyed", rows.reversed()) }
        try store.read { tx in
          let view = ColumnTable.View(name: "\(isDescending)", transaction: tx, columns: [], rows: rows)
          let isFirst = PredicateTree.compare(.named("half"), .equal, .value(.int(1)))
          for order: [QueryTree.SortKey] in [
            [], [.init("key")], [.init("key", isDescending: true)], [.init("half"), .init("key")],
            [.init("half", isDescending: true), .init("key", isDescending: true)], [.init("half", isDescending: true)],
            [.init("third"), .init("key", isDescending: isDescending)],
            [.init("third", isDescending: true), .init("key", isDescending: !isDescending)],
          ] {
            for predicate in [.constant(true), isFirst] {
              try view.expectPages(
                QueryTree(model: "Keyed", predicate: predicate, order: order), sizes: [1, 2], key: "key")
            }
          }
        }
      }
    }
  }

  private static func replaced(_ isDescending: Bool) -> ConformanceCase {
    ConformanceCase(
      "PAGE.replaced-\(isDescending ? "falling" : "rising")", ["PAGE-2", "PAGE-4", "IDX-4"],
      "A page begins after its position though another object has the unique value of the one that was there.",
      without: ConformanceVariant.ofReads
    ) { kit in
      for isUnique in [false, true] {
        for isFalling in [false, true] {
          let model = ModelSchema(
            name: "Keyed",
            properties: [
              PropertySchema(name: "id", type: .int64), PropertySchema(name: "code", type: .string, isOptional: true),
            ], primaryKey: 0,
            indexes: [IndexSchema(name: "code", columns: [.init(slot: 1, isDescending: isFalling)], isUnique: isUnique)]
          )
          let codes = ["a", "aa", "b", "c", "d"]
          for newID in [Int64(5), 500] {
            var rows = codes.enumerated().map {
              Record(["id": .int(Int64(100 + $0.offset)), "code": .string($0.element)])
            }
            let store = try kit.store(making: [model])
            try store.write { try $0.records.insert(into: "Keyed", rows) }
            var query = QueryTree(model: "Keyed", order: [.init("code", isDescending: isDescending)], limit: 2)
            let last = try unwrap(try store.read { try $0.records.fetch(query) }.last)
            // The object of the position goes, and another takes its code.
            let place = try unwrap(rows.firstIndex(of: last))
            rows[place] = Record(["id": .int(newID), "code": last["code"] ?? .null])
            try store.write { tx in
              let isLast = PredicateTree.compare(.named("id"), .equal, .value(last["id"] ?? .null))
              try expectEqual(try tx.records.delete(QueryTree(model: "Keyed", predicate: isLast)), 1)
              try tx.records.insert(into: "Keyed", [rows[place]])
            }
            query.limit = nil
            query.position = QueryTree.PagePosition(
              values: [last["code"] ?? .null], key: last["id"] ?? .null, fingerprint: query.fingerprint)
            var whole = query
            whole.position = nil
            let all = Reference.rows(whole, from: rows)
            let isAfter = isDescending ? newID < 100 : newID > 100
            let expected = Array(all.drop { $0 != rows[place] }.dropFirst(isAfter ? 0 : 1))
            try expectEqual(
              try store.read { try $0.records.fetch(query) }.map { $0["id"] }, expected.map { $0["id"] },
              "unique \(isUnique), falling \(isFalling), \(newID)")
            try expectEqual(try store.read { try $0.records.count(query) }, expected.count)
          }
        }
      }
    }
  }
}
