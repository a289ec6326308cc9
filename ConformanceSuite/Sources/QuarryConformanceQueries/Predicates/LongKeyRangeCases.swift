import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Ranges between keys that are longer than engines keep in one piece and begin alike: such keys are found by a beginning, and
/// both ends of a range may have the same.
enum LongKeyRangeCases {
  private static let name = "Long"

  /// Texts in their order: short ones, and long ones in three families that each begin alike.
  private static let keys: [String] = {
    let families = ["a", "b", "c"].map { String(repeating: $0, count: 1_400) }
    var keys = ["", "a", "b", "bz", "c", "zz"]
    for (number, family) in families.enumerated() {
      // A short beginning, one at each likely limit, and many that differ at the end alone.
      keys += [496, 502, 503, 511, 512, 951, 960, 961].map { String(family.prefix($0)) }
      keys += (0..<(number == 1 ? 9 : 3)).map { family + "\($0)" }
      keys.append(family)
    }
    return keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }()

  private static func store(_ kit: ConformanceContext, isIndexed: Bool = true) throws -> (Store, [Record]) {
    let model = ModelSchema(
      name: name,
      properties: [
        PropertySchema(name: "key", type: .string), PropertySchema(name: "text", type: .string),
        PropertySchema(name: "mark", type: .int8),
      ], primaryKey: 0, indexes: isIndexed ? [IndexSchema(name: "text", columns: [.init(slot: 1)])] : [])
    let store = try kit.open(program: [model], at: kit.makePlace())
    // The index has the keys in another order than the table.
    let rows = keys.enumerated().map { place, key in
      Record(["key": .string(key), "text": .string(keys[keys.count - 1 - place]), "mark": .int(0)])
    }
    try store.records.insert(into: name, rows)
    return (store, rows)
  }

  /// Ends of ranges: two of one family, of two, and with a short one.
  private static let bounds: [(String, String)] = {
    let long = { (letter: String, end: String) in String(repeating: letter, count: 1_400) + end }
    return [
      (long("b", "2"), long("b", "5")), (long("b", ""), long("b", "8")), (long("b", "5"), long("b", "5")),
      (long("b", "6"), long("b", "3")), (long("a", "1"), long("b", "4")), (long("b", "4"), long("c", "1")),
      (long("a", "1"), long("c", "1")), ("b", long("b", "4")), (long("b", "4"), "bz"),
      (String(long("b", "").prefix(511)), long("b", "1")), (String(long("b", "").prefix(960)), long("b", "2")),
      (long("b", "2").appending("!"), long("b", "5").appending("!")), ("", "zzz"),
    ]
  }()

  private static func between(_ property: String, _ low: String, _ high: String, isClosed: Bool) -> PredicateTree {
    .and([
      .compare(.named(property), isClosed ? .greaterOrEqual : .greater, .value(.string(low))),
      .compare(.named(property), isClosed ? .lessOrEqual : .less, .value(.string(high))),
    ])
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "PRED.long-keys-between", ["PRED-3", "IDX-4", "LIM-1"],
      "A range between two long keys that begin alike has its objects, and is counted so.",
      without: ConformanceVariant.ofWrites, within: .seconds(60)
    ) { kit in
      let (store, rows) = try store(kit)
      try store.read { tx in
        for property in ["key", "text"] {
          for (low, high) in bounds {
            for isClosed in [true, false] {
              let test = between(property, low, high, isClosed: isClosed)
              for isDescending in [false, true] {
                let order = [QueryTree.SortKey(property, isDescending: isDescending)]
                let query = QueryTree(model: name, predicate: test, order: order)
                let due = Reference.rows(query, from: rows, key: "key")
                let about = "\(property) of \(low.utf8.count) \(low.suffix(3)) to \(high.utf8.count) \(high.suffix(3))"
                try expectEqual(
                  try tx.records.fetch(query).map { $0["key"]?.shortText }, due.map { $0["key"]?.shortText }, about)
                try expectEqual(try tx.records.count(query), due.count, "the count of \(about)")
              }
            }
          }
          let prefix = String(repeating: "b", count: 1_400)
          for length in [1, 495, 502, 512, 960, 1_400] {
            let query = QueryTree(
              model: name, predicate: .text(.named(property), .hasPrefix, String(prefix.prefix(length)), []))
            let due = Reference.rows(query, from: rows, key: "key").count
            try expectEqual(try tx.records.count(query), due, "\(property) that begins with \(length)")
          }
        }
      }
    },
    ConformanceCase(
      "CRUD.long-keys-between", ["CRUD-5", "STMT-5", "PRED-3"],
      "A range between two long keys that begin alike is updated and deleted, and nothing beside it.",
      needs: [.deleteWhere, .updateWhere, .check], without: ConformanceVariant.ofReads,
      within: .seconds(60)
    ) { kit in
      for (low, high) in bounds.prefix(5) {
        let (store, rows) = try store(kit)
        let query = QueryTree(model: name, predicate: between("key", low, high, isClosed: true))
        let due = Reference.rows(query, from: rows, key: "key").map { $0["key"] }
        let about = "\(low.suffix(3)) to \(high.suffix(3))"
        try store.write { tx in
          try expectEqual(try tx.records.assign(query, [.init("mark", .set, .int(1))]), due.count, about)
          try expectEqual(
            try tx.records.fetch(QueryTree(model: name, predicate: .compare(.named("mark"), .equal, .value(.int(1)))))
              .map { $0["key"] }, due, about)
          try expectEqual(try tx.records.delete(query), due.count, about)
        }
        let rest = try store.records.fetch(QueryTree(model: name)).map { $0["key"] }
        try expectEqual(rest.count, rows.count - due.count, about)
        try expectEqual(rest, rows.map { $0["key"] }.filter { !due.contains($0) }, about)
        try expectEqual(try store.check(), [], about)
      }
    },
    ConformanceCase(
      "CRUD.long-keys-between-alone", ["CRUD-5", "PRED-3"],
      "Of a model without indexes, a range between two long keys is deleted, and nothing beside it.",
      needs: [.deleteWhere, .check, .savepoints], without: ConformanceVariant.ofReads, within: .seconds(60)
    ) { kit in
      let (store, rows) = try store(kit, isIndexed: false)
      try store.write { tx in
        for (low, high) in bounds {
          let query = QueryTree(model: name, predicate: between("key", low, high, isClosed: true))
          let due = Reference.rows(query, from: rows, key: "key").map { $0["key"] }
          let about = "\(low.utf8.count) \(low.suffix(3)) to \(high.utf8.count) \(high.suffix(3))"
          try expectAbandoned {
            try tx.savepoint {
              try expectEqual(try tx.records.delete(query), due.count, about)
              let rest = try tx.records.fetch(QueryTree(model: name)).map { $0["key"]?.shortText }
              try expectEqual(rest, rows.map { $0["key"] }.filter { !due.contains($0) }.map { $0?.shortText }, about)
              throw Abandoned()
            }
          }
        }
        try expectEqual(try tx.records.count(QueryTree(model: name)), rows.count)
      }
      try expectEqual(try store.check(), [])
    },
  ]
}

extension Value {
  /// The length and the end of a text, which failures have in place of all of it.
  fileprivate var shortText: String {
    guard case .string(let text) = self else { return "\(self)" }
    return "\(text.utf8.count) \(text.suffix(4))"
  }
}
