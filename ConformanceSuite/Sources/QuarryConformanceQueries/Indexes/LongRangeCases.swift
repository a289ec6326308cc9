import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Ranges whose bounds are longer than some engines take as keys, and have a long beginning in common.
enum LongRangeCases {
  static let all: [ConformanceCase] = [counts, deletes]

  private static let beginning = String(repeating: "p", count: 700)
  /// Short keys, long ones with the common beginning, and long ones around them.
  private static let names: [String] =
    ["a", "p", String(repeating: "p", count: 500), String(repeating: "o", count: 900), "q", "z"]
    + (0..<12).map { beginning + String(UnicodeScalar(UInt8(97 + $0))) }
    + (0..<4).map { beginning + "c" + String(repeating: "x", count: 100 * $0 + 1) }
    + [beginning, String(repeating: "p", count: 800), String(repeating: "r", count: 900)]

  /// Bounds of which both, one or none are long, with and without the common beginning.
  private static let bounds: [String] =
    ["", "p", "q", beginning, beginning + "a", beginning + "c", beginning + "cx", beginning + "h", beginning + "zz"]
    + [String(repeating: "o", count: 900), String(repeating: "r", count: 900), String(repeating: "p", count: 600)]

  private static func less(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }

  private static func store(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Item.self)
    try store.insert(contentsOf: names.indices.map { Item($0, code: names[$0], name: names[$0], score: Double($0)) })
    return store
  }

  private static let counts = ConformanceCase(
    "IDX.long-ranges", ["IDX-1", "PRED-1"],
    "A range between two long values with a common beginning has what is between them, counted and read.",
    needs: [.queryCompare]
  ) { kit in
    let store = try store(kit)
    try store.read { tx in
      for lower in bounds {
        for upper in bounds {
          let about = "\(lower.utf8.count) \(lower.suffix(3)) to \(upper.utf8.count) \(upper.suffix(3))"
          let inside = names.indices.filter { !less(names[$0], lower) && less(names[$0], upper) }
          let half = names.indices.filter { less(lower, names[$0]) && !less(upper, names[$0]) }
          try expectEqual(try tx.count(Item.where { $0.code >= lower && $0.code < upper }), inside.count, about)
          try expectEqual(try tx.count(Item.where { $0.name > lower && $0.name <= upper }), half.count, about)
          try expectEqual(try tx.keys(Item.where { $0.code > lower && $0.code <= upper }), half, about)
          try expectEqual(try tx.exists(Item.where { $0.name >= lower && $0.name < upper }), !inside.isEmpty, about)
        }
      }
    }
  }

  private static let deletes = ConformanceCase(
    "IDX.long-ranges-removed", ["IDX-1", "CRUD-5"],
    "Of a range between two long values what is between them is removed, and nothing beside it.",
    needs: [.queryCompare, .deleteWhere, .savepoints]
  ) { kit in
    let store = try store(kit)
    try store.write { tx in
      for lower in bounds where lower.utf8.count != 1 {
        for upper in bounds where upper.utf8.count > 1 && less(lower, upper) {
          let inside = names.indices.filter { less(lower, names[$0]) && less(names[$0], upper) }
          try expectAbandoned {
            try tx.savepoint {
              try expectEqual(try tx.delete(Item.where { $0.name > lower && $0.name < upper }), inside.count)
              try expectEqual(try tx.keys(Item.all), names.indices.filter { !inside.contains($0) })
              try expectEqual(try tx.count(Item.where { $0.code >= "" }), names.count - inside.count)
              throw Abandoned()
            }
          }
        }
      }
      try expectEqual(try tx.count(Item.where { $0.name >= beginning }), names.count { !less($0, beginning) })
    }
    try store.expectWhole()
  }
}
