import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Each type as primary key in conditions: keys have a form of their own, and ends of it.
enum KeyRangeCases {
  static let all: [ConformanceCase] = Samples.orderedTypes.flatMap { [compared($0), between($0), deleted($0)] }

  private static let name = "Keyed"

  private static func keys(_ type: PropertyType) -> [Value] { Samples.distinct(type) }

  private static func store(_ kit: ConformanceContext, _ type: PropertyType) throws -> (Store, [Record]) {
    let model = ModelSchema(
      name: name, properties: [PropertySchema(name: "key", type: type), PropertySchema(name: "half", type: .int8)],
      primaryKey: 0, indexes: [IndexSchema(name: "half", columns: [.init(slot: 1, isDescending: true)])])
    let rows = keys(type).enumerated().map { Record(["key": $0.element, "half": .int(Int64($0.offset % 2))]) }
    let store = try kit.open([], at: kit.makePlace())
    var random = kit.random(5)
    try store.write { tx in
      try tx.apply(.createModel(model))
      try tx.records.insert(into: name, rows.shuffled(using: &random))
    }
    return (store, rows)
  }

  /// A few constants, the first and the last key, NaN and infinities among them, and what no key can be.
  private static func constants(_ type: PropertyType) -> [Value] {
    var constants = Samples.few(type, 6) + [.null]
    if type.isNumeric {
      constants += [.int(0), .double(0.5), .double(.nan), .double(.infinity), .double(-.infinity), .double(1e300)]
    }
    return constants
  }

  private static func inspect(
    _ kit: ConformanceContext, _ type: PropertyType, _ body: (_ ask: (PredicateTree) throws -> Void) throws -> Void
  ) throws {
    let (store, rows) = try store(kit, type)
    try store.read { tx in
      try body { predicate in
        for order: [QueryTree.SortKey] in [
          [], [.init("key", isDescending: true)], [.init("half"), .init("key", isDescending: true)],
        ] {
          for limit in [nil, 2] {
            let query = QueryTree(model: name, predicate: predicate, order: order, limit: limit)
            try expectEqual(
              try tx.records.fetch(query).map { $0["key"] },
              Reference.rows(query, from: rows, key: "key").map { $0["key"] },
              "\(query)")
          }
        }
        let query = QueryTree(model: name, predicate: predicate)
        try expectEqual(
          try tx.records.count(query), Reference.rows(query, from: rows, key: "key").count, "the count of \(query)")
      }
    }
  }

  private static func compared(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "PRED.\(type.name).key-compared", ["PRED-3", "PRED-5", "PRED-6", "PRED-7", "IDX-4"],
      "A primary key of type \(type.name) is compared with constants as any property is.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      let constants = constants(type)
      try inspect(kit, type) { ask in
        for constant in constants {
          for comparison in Comparison.allCases {
            let test = PredicateTree.compare(.named("key"), comparison, .value(constant))
            try ask(test)
            try ask(.not(test))
          }
        }
        for list in [[], [constants[0]], Array(constants.prefix(3)), constants, [.null]] {
          try ask(.oneOf(.named("key"), list))
          try ask(.not(.oneOf(.named("key"), list)))
        }
        guard type == .string || type == .url else { return }
        for needle in ["", "a", "a\0", "http://a", "\u{10FFFF}"] {
          try ask(.text(.named("key"), .hasPrefix, needle, []))
          try ask(.not(.text(.named("key"), .hasPrefix, needle, [])))
        }
      }
    }
  }

  private static func between(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "PRED.\(type.name).key-between", ["PRED-3", "PRED-6", "PRED-7", "IDX-4"],
      "Two bounds on a primary key of type \(type.name) hold both, whichever is the tighter.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      let bounds = Samples.few(type, 4)
      try inspect(kit, type) { ask in
        for low in bounds {
          for high in bounds {
            for (first, second) in [
              (Comparison.greater, Comparison.lessOrEqual), (.greaterOrEqual, .less), (.greater, .greaterOrEqual),
              (.less, .lessOrEqual),
            ] {
              try ask(
                .and([
                  .compare(.named("key"), first, .value(low)), .compare(.named("key"), second, .value(high)),
                ]))
            }
          }
        }
      }
    }
  }

  private static func deleted(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "CRUD.key-range.\(type.name)", ["CRUD-5", "STMT-5", "PRED-3", "PRED-7"],
      "A range of keys of type \(type.name) is updated and deleted, and no key beside it.",
      needs: [.deleteWhere, .updateWhere], without: ConformanceVariant.ofReads
    ) { kit in
      let bounds = Samples.few(type, 3)
      for (place, comparison) in [Comparison.greater, .greaterOrEqual, .less, .lessOrEqual].enumerated() {
        let (store, rows) = try store(kit, type)
        let test = PredicateTree.compare(.named("key"), comparison, .value(bounds[place % 2 + (place < 2 ? 0 : 1)]))
        let query = QueryTree(model: name, predicate: test)
        let found = Reference.rows(query, from: rows, key: "key").map { $0["key"] }
        try store.write { tx in
          try expectEqual(try tx.records.assign(query, [.init("half", .set, .int(9))]), found.count, "\(test)")
          try expectEqual(
            try tx.records.fetch(QueryTree(model: name, predicate: .compare(.named("half"), .equal, .value(.int(9)))))
              .map { $0["key"] }, found, "\(test)")
          try expectEqual(try tx.records.delete(query), found.count, "\(test)")
        }
        let rest = try store.read { try $0.records.fetch(QueryTree(model: name)) }.map { $0["key"] }
        try expectEqual(rest, rows.map { $0["key"] }.filter { !found.contains($0) }, "\(test)")
      }
    }
  }
}
