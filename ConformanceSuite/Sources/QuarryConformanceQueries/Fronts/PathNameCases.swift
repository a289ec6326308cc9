import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Conditions that are a Bool behind a path, and paths through names that the library uses too.
enum PathNameCases {
  private static let keepers = (0..<4).map { id in
    Keeper(id, isActive: id % 2 == 0, isIn: id, member: "m\(id)")
  }

  private static func gate(_ id: Int) -> Gateway {
    Gateway(isOpen: id % 3 == 0, isNil: id % 2 == 0, member: "m\(id % 4)", storedName: id % 5 == 0 ? nil : "s\(id % 5)")
  }

  private static let gardens = (0..<24).map { id in
    Garden(
      id, gate: gate(id), second: id % 4 == 0 ? nil : gate(id + 1), lamps: (0..<id % 3).map { ($0 + id) % 2 == 0 },
      keeper: id % 4, guest: id % 5 == 0 ? nil : (id + 1) % 4)
  }

  /// A case whose queries find just the gardens of a closure, among others and not all of them.
  private static func paths(
    _ name: String, _ clauses: [String], _ about: String,
    _ queries: [(Query<Garden>, @Sendable (Garden) -> Bool)]
  ) -> ConformanceCase {
    ConformanceCase("FRONT.\(name)", clauses, about) { kit in
      let store = try kit.store(Keeper.self, Garden.self)
      try store.insert(contentsOf: keepers)
      try store.insert(contentsOf: gardens)
      for (place, (query, expected)) in queries.enumerated() {
        let keys = gardens.filter(expected).map(\.id)
        try expect(!keys.isEmpty && keys.count < gardens.count, "query \(place) tells nothing")
        try expectEqual(try store.keys(query), keys, "query \(place): \(query.tree)")
        try expectEqual(try store.count(query), keys.count, "query \(place): \(query.tree)")
      }
    }
  }

  private static func keeper(_ key: Int?) -> Keeper? { key.map { keepers[$0] } }

  static let all: [ConformanceCase] = [
    paths(
      "bool-path", ["PRED-16", "PRED-2"], "A Bool behind a path is a condition, fulfilled where it is true.",
      [
        (Garden.where { $0.gate.isOpen }, { $0.gate.isOpen }),
        (Garden.where { !$0.gate.isOpen }, { !$0.gate.isOpen }),
        (Garden.where { $0.second.isOpen }, { $0.second?.isOpen == true }),
        (Garden.where { !$0.second.isOpen }, { $0.second?.isOpen != true }),
        (Garden.where { $0.keeper.isActive }, { keeper($0.keeper.key)?.isActive == true }),
        (Garden.where { $0.guest.isActive }, { keeper($0.guest?.key)?.isActive == true }),
        (Garden.where { !$0.guest.isActive }, { keeper($0.guest?.key)?.isActive != true }),
        (
          Garden.where { $0.gate.isOpen && $0.guest.isActive || $0.second.isOpen && $0.id > 3 },
          { $0.gate.isOpen && keeper($0.guest?.key)?.isActive == true || $0.second?.isOpen == true && $0.id > 3 }
        ),
        (Garden.where { $0.lamps.any { $0 } }, { $0.lamps.contains(true) }),
        (Garden.where { $0.lamps.all { $0 } }, { $0.lamps.allSatisfy { $0 } }),
        (Garden.where { $0.lamps.any { !$0 } }, { $0.lamps.contains(false) }),
      ]),
    paths(
      "path-names", ["PRED-18"], "A property or member is found before what every column has under its name.",
      [
        (Garden.where { $0.gate.isNil }, { $0.gate.isNil }),
        (Garden.where { $0.second.isNil == false }, { $0.second?.isNil == false }),
        (Garden.where { $0.gate.member == "m1" }, { $0.gate.member == "m1" }),
        (Garden.where { $0.gate.storedName == nil }, { $0.gate.storedName == nil }),
        (Garden.where { $0.second.storedName == "s3" }, { $0.second?.storedName == "s3" }),
        (Garden.where { $0.keeper.isIn > 1 }, { $0.keeper.key > 1 }),
        (Garden.where { $0.guest.member.hasPrefix("m2") }, { $0.guest?.key == 2 }),
        // What the value has no name for is still there.
        (Garden.where { $0.gate.member.isIn(["m1", "m2"]) }, { ["m1", "m2"].contains($0.gate.member) }),
        (Garden.where { $0.gate.member("isOpen", as: Bool.self) == true }, { $0.gate.isOpen }),
        (Garden.where { $0.guest.isNil }, { $0.guest == nil }),
      ]),
    ConformanceCase(
      "FRONT.predicate-raw-value", ["PRED-11"],
      "A #Predicate compares the raw value of an enum that lists its cases; what is no raw value is refused."
    ) { kit in
      let store = try kit.store(Shaded.self)
      let shades: [Shaded.Shade] = [.light, .dark, .none, .dark, .light]
      try store.insert(contentsOf: shades.enumerated().map { Shaded($0, $1) })
      let light = "light"
      func keys(_ test: (Shaded.Shade) -> Bool) -> [Int] { shades.indices.filter { test(shades[$0]) } }
      let queries: [(Query<Shaded>, [Int])] = [
        (try Shaded.where(#Predicate { $0.shade.rawValue == light }), keys { $0 == .light }),
        (try Shaded.where(#Predicate { $0.shade.rawValue != light }), keys { $0 != .light }),
        (try Shaded.where(#Predicate { !($0.shade.rawValue == "dark") }), keys { $0 != .dark }),
        (try Shaded.where(#Predicate { $0.shade.rawValue > "light" }), keys { $0.rawValue > "light" }),
      ]
      for (place, (query, keys)) in queries.enumerated() {
        try expectEqual(try store.keys(query), keys, "query \(place): \(query.tree)")
      }
      try expectError(.unsupported) { try Shaded.where(#Predicate { $0.shade.first == light }) }
    },
    ConformanceCase(
      "FRONT.condition-in-a-loop", ["PRED-17", "PRED-10"],
      "A condition of 10,000 parts is built in little more than the time of its parts, whichever side they are added to.",
      within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<50).map { Item($0) })
      let columns = Item.Columns()
      for isAppended in [true, false] {
        var any = columns.id == -1
        for number in 0..<3_000 {
          let part = columns.id == (number % 3 == 0 ? number / 100 : -number)
          any = isAppended ? any || part : part || any
        }
        try expectEqual(try store.keys(Item.where { _ in any }), Array(0..<30), "appended: \(isAppended)")
        var all = columns.id >= 0
        for number in 0..<3_000 {
          all = isAppended ? all && columns.id != number / 100 : columns.id != number / 100 && all
        }
        try expectEqual(try store.keys(Item.where { _ in all }), Array(30..<50), "appended: \(isAppended)")
        for number in 0..<8_000 { any = any || columns.id == number }
        try expectError(.limitExceeded) { try store.count(Item.where { _ in any }) }
      }
    },
    ConformanceCase(
      "FRONT.deep-condition", ["PRED-17", "PRED-10", "PRED-4"],
      "Conditions and calculations of 100,000 levels are refused; two negations are none.",
      within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<6).map { Item($0) })
      let columns = Item.Columns()
      var negated = columns.id < 2
      for _ in 0..<100_000 { negated = !negated }
      try expectEqual(try store.keys(Item.where { _ in negated }), [0, 1])
      try expectEqual(try store.keys(Item.where { _ in !negated }), [2, 3, 4, 5])
      var deep = columns.id < 2
      for _ in 0..<100_000 { deep = !(deep && columns.id != 9) }
      let copy = deep
      try expectError(.limitExceeded) { try store.count(Item.where { _ in copy || columns.id == 1 }) }
      var sum = columns.id + 0
      for _ in 0..<100_000 { sum = sum + 1 }
      let isGreat = sum > 3
      try expectError(.limitExceeded) { try store.count(Item.where { _ in isGreat }) }
      var few = columns.id + 0
      for _ in 0..<100 { few = few + 1 }
      let isFew = few < 103
      try expectEqual(try store.keys(Item.where { _ in isFew }), [0, 1, 2])
    },
  ]
}
