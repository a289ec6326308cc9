import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Conditions on compound keys and on their members, in typed queries and in records.
enum CompoundQueryCases {
  /// Rows at the ends of their type and around zero, with names of which one begins another.
  private static let stalls: [Stall] = [Int64.min, .min + 1, -256, -1, 0, 1, 255, 256, .max - 1, .max].flatMap { row in
    ["", "a", "a\0", "ab", "b"].enumerated().map { Stall(row, $1, $0) }
  }

  private static func query(
    _ name: String, _ summary: String, clauses: [String] = ["KEY-15", "KEY-16", "PRED-1"],
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("KEY.compound-where-\(name)", clauses, summary, within: .seconds(20)) { kit in
      let store = try kit.store(Stall.self, Renter.self)
      try store.insert(contentsOf: stalls.reversed())
      try body(store)
    }
  }

  /// Throws unless a query finds what a filter of all objects leaves, as objects, keys, number, first of them, and backwards.
  private static func expectFound(
    _ store: Store, _ query: Query<Stall>, _ about: String, _ filter: (Stall) -> Bool
  ) throws {
    let due = stalls.filter(filter)
    try expectEqual(try store.fetch(query), due, about)
    try expectEqual(try store.keys(query), due.map(\.primaryKeyValue), "keys \(about)")
    try expectEqual(try store.count(query), due.count, "number \(about)")
    try expectEqual(try store.fetch(query.offset(1).limit(2)), Array(due.dropFirst().prefix(2)), "page \(about)")
    let backwards = query.sorted(by: \.row, order: .reverse).sorted(by: \.name, order: .reverse)
    let sorted = due.sorted { ($0.row, $0.name) > ($1.row, $1.name) }
    try expectEqual(try store.fetch(backwards), sorted, "backwards \(about)")
  }

  static let all: [ConformanceCase] = [
    query("first-member", "A condition on the first member finds all keys that begin with it.") { store in
      for row in Set(stalls.map(\.row)).sorted() {
        try expectFound(store, Stall.where { $0.row == row }, "\(row)") { $0.row == row }
        try expectFound(store, Stall.where { $0.row > row }, "above \(row)") { $0.row > row }
        try expectFound(store, Stall.where { $0.row <= row }, "up to \(row)") { $0.row <= row }
      }
      try expectFound(store, Stall.where { $0.row == 17 }, "a row that is not there") { _ in false }
    },
    query("second-member", "A condition on a later member alone finds it behind every first one.") { store in
      for name in ["", "a", "a\0", "ab", "b", "c"] {
        try expectFound(store, Stall.where { $0.name == name }, "'\(name)'") { $0.name == name }
      }
      try expectFound(store, Stall.where { $0.name.hasPrefix("a") }, "beginnings") { $0.name.hasPrefix("a") }
    },
    query("members", "Conditions on several members meet.") { store in
      for row in [Int64.min, -1, 0, 255, .max] {
        try expectFound(store, Stall.where { $0.row == row && $0.name == "a" }, "\(row)") {
          $0.row == row && $0.name == "a"
        }
        try expectFound(store, Stall.where { $0.row == row && $0.name > "a" }, "\(row) above") {
          $0.row == row && $0.name > "a"
        }
        try expectFound(store, Stall.where { $0.row >= row && $0.rent == 2 }, "\(row) and a rent") {
          $0.row >= row && $0.rent == 2
        }
      }
    },
    query("alternatives", "Alternatives of members and of keys find each object once.") { store in
      try expectFound(store, Stall.where { $0.row == 0 || $0.row == 1 }, "two rows") { [0, 1].contains($0.row) }
      try expectFound(store, Stall.where { $0.row == 0 || $0.name == "b" }, "a row or a name") {
        $0.row == 0 || $0.name == "b"
      }
      try expectFound(store, Stall.where { [.min, -1, 3, .max].contains($0.row) }, "rows of a list") {
        [.min, -1, .max].contains($0.row)
      }
      try expectFound(
        store, Stall.where { ($0.row == 0 && $0.name == "a") || ($0.row == 1 && $0.name == "b") }, "two keys"
      ) { ($0.row == 0 && $0.name == "a") || ($0.row == 1 && $0.name == "b") }
      try expectFound(store, Stall.where { !($0.row == 0 && $0.name == "a") }, "all but one key") {
        !($0.row == 0 && $0.name == "a")
      }
    },
    query("arrays", "In records a key is an array of its members, in conditions, too.", clauses: ["KEY-20"]) { store in
      func keys(_ predicate: PredicateTree) throws -> [Value?] {
        var query = QueryTree(model: "Stall")
        query.predicate = predicate
        return try store.records.fetch(query).map { $0["_key"] }
      }
      let (first, second) = (Value.array([0, "a"]), Value.array([1, "a\0"]))
      let key = Operand.property(PropertyPath("_key"))
      try expectEqual(try keys(.compare(key, .equal, .value(first))), [first])
      try expectEqual(try keys(.oneOf(key, [second, first, .array([7, "a"])])), [first, second])
      try store.insert(contentsOf: [Renter(1, .init(0, "a"), .init(1, "a\0")), Renter(2, .init(1, "a\0"))])
      var renters = QueryTree(model: "Renter")
      renters.predicate = .compare(.property(PropertyPath("stall")), .equal, .value(second))
      try expectEqual(try store.records.fetch(renters).map { $0["id"] }, [2])
      for wrong: Value in [.array([0]), .array([0, "a", "b"]), .array([]), .array(["a", 0])] {
        try expectError(.invalidValue, "\(wrong)") { try keys(.compare(key, .equal, .value(wrong))) }
      }
      for wrong: Value in [0, "a"] {
        try expectError(.invalidQuery, "\(wrong)") { try keys(.compare(key, .equal, .value(wrong))) }
      }
    },
    query("arrays-of-other-length", "An array that is no key of the model is refused.", clauses: ["KEY-20"]) { store in
      for wrong: Value in [.array([0]), .array([0, "a", "b"]), .array([])] {
        try expectError(.invalidValue, "get \(wrong)") { try store.records.get(in: "Stall", key: wrong) }
        try expectError(.invalidValue, "delete \(wrong)") { try store.records.delete(in: "Stall", keys: [wrong]) }
      }
      try expectError(.missingValue) { try store.records.get(in: "Stall", key: .array([0, .null])) }
      try expectEqual(try store.count(Stall.all), stalls.count)
    },
    query(
      "several-records", "Each record of a call is compared with its members, and one that differs stores nothing.",
      clauses: ["KEY-20"]
    ) {
      store in
      let records = [
        Record(["row": 40, "name": "n", "rent": 1]),
        Record(["row": 41, "name": "n", "rent": 1, "_key": .array([41, "m"])]),
      ]
      try expectError(.invalidValue) { try store.records.insert(into: "Stall", records) }
      try expectError(.invalidValue) { try store.records.upsert(into: "Stall", records) }
      try expectEqual(try store.count(Stall.all), stalls.count)
    },
  ]
}
