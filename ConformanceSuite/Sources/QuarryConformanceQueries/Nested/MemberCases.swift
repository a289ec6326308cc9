import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Members of nested types that the program knows: typed paths, names that are wrong, defaults of what is missing.
enum MemberCases {
  private static let parcels: [Parcel] = (0..<24).map { place in
    var parcel = Parcel(place)
    let city = ["Oslo", "Bergen", "", "caf\u{E9}"][place % 4]
    parcel.address = Address(
      city: city, zip: place % 3 == 0 ? nil : place % 5,
      since: Date(timeIntervalSinceReferenceDate: Double(place) * 86_400),
      spot: Site(lat: Double(place % 7) - 2.5, kind: [.house, .office, .locker][place % 3], floor: place % 6))
    if place % 4 != 1 {
      parcel.other = parcel.address
      parcel.other?.second = place % 2 == 0 ? Site(lat: Double(place), lon: 0.5) : nil
    }
    parcel.address.spots = (0..<place % 3).map { Site(lat: Double($0), floor: $0 + place % 2) }
    parcel.lines = (0..<place % 4).map { number in
      Line(
        sku: "s\(number)", name: city, count: number + place % 3,
        parts: number == 2 ? [Line(sku: "p\(place % 5)", count: place)] : [])
    }
    parcel.spots = place % 3 == 0 ? nil : parcel.address.spots
    return parcel
  }

  /// A case in which the fronts say what a closure over objects says.
  private static func same(
    _ id: String, _ summary: String, _ expected: @escaping @Sendable (Parcel) -> Bool,
    _ queries: @escaping @Sendable () throws -> [Query<Parcel>]
  ) -> ConformanceCase {
    ConformanceCase("NEST.member-\(id)", ["NEST-1", "NEST-6", "NEST-8", "PRED-11"], summary) { kit in
      let store = try kit.store(Parcel.self)
      try store.insert(contentsOf: parcels)
      let keys = parcels.filter(expected).map(\.id)
      try expect(!keys.isEmpty && keys.count < parcels.count, "the case tells nothing")
      for (place, query) in try queries().enumerated() {
        try expectEqual(try store.keys(query), keys, "front \(place): \(query.tree)")
        try expectEqual(try store.count(query), keys.count, "front \(place)")
      }
    }
  }

  static let all: [ConformanceCase] = fronts + fixed

  private static let fronts: [ConformanceCase] = [
    same("equal", "A member is compared by its name, which may be another in the store.", { $0.address.city == "Oslo" })
    {
      [
        Parcel.where { $0.address.city == "Oslo" }, try Parcel.where("address.town == 'Oslo'"),
        Parcel.where { $0.address.member("town", as: String.self) == "Oslo" },
        try Parcel.where(#Predicate { $0.address.city == "Oslo" }),
      ]
    },
    same("deep", "Paths go into nested values of nested values.", { $0.address.spot.lat > 1 }) {
      [
        Parcel.where { $0.address.spot.lat > 1 }, try Parcel.where("address.spot.lat > 1"),
        try Parcel.where(#Predicate { $0.address.spot.lat > 1 }),
      ]
    },
    same("raw", "A member with raw values is compared by them.", { $0.address.spot.kind == .locker }) {
      let kind = SiteKind.locker
      return [
        Parcel.where { $0.address.spot.kind == .locker }, try Parcel.where("address.spot.kind == 'locker'"),
        try Parcel.where(#Predicate { $0.address.spot.kind == kind }),
      ]
    },
    same(
      "date", "A date in quotes is one beside a member that is a date.",
      {
        $0.address.since >= Date(timeIntervalSinceReferenceDate: 864_000)
      }
    ) {
      let date = Date(timeIntervalSinceReferenceDate: 864_000)
      return [
        Parcel.where { $0.address.since >= date }, try Parcel.where("address.since >= '2001-01-11T00:00:00Z'"),
        try Parcel.where(#Predicate { $0.address.since >= date }),
      ]
    },
    same("optional", "An optional member is compared, and is nil.", { $0.address.zip == nil || $0.address.zip == 2 }) {
      [
        Parcel.where { $0.address.zip == nil || $0.address.zip == 2 },
        try Parcel.where("address.zip == nil OR address.zip == 2"), Parcel.where { $0.address.zip.isIn([nil, 2]) },
        try Parcel.where(#Predicate { $0.address.zip == nil || $0.address.zip == 2 }),
      ]
    },
    same("of-nil", "A member of a nested value that is nil is nil.", { $0.other?.city == "caf\u{E9}" }) {
      [
        Parcel.where { $0.other.city == "caf\u{E9}" }, try Parcel.where("other.town == 'caf\u{E9}'"),
        try Parcel.where(#Predicate { $0.other?.city == "caf\u{E9}" }),
        Parcel.where { $0.other.city.hasPrefix("caf") && $0.other.city != nil },
      ]
    },
    same("unequal-nil", "A member of nil is unequal to every value.", { $0.other?.city != "Oslo" }) {
      [
        Parcel.where { $0.other.city != "Oslo" }, try Parcel.where("other.town != 'Oslo'"),
        try Parcel.where(#Predicate { $0.other?.city != "Oslo" }), Parcel.where { !($0.other.city == "Oslo") },
        try Parcel.where("NOT other.town == 'Oslo'"), try Parcel.where(#Predicate { !($0.other?.city == "Oslo") }),
      ]
    },
    same(
      "not-less-nil", "What is not less is greater, equal or nil.", { !(($0.other?.spot.lat).map { $0 < 1 } ?? false) }
    ) {
      [
        Parcel.where { !($0.other.spot.lat < 1) }, try Parcel.where("NOT other.spot.lat < 1"),
        Parcel.where { $0.other.spot.lat >= 1 || $0.other.spot.lat == nil },
        try Parcel.where(#Predicate { !(($0.other?.spot.lat ?? 5) < 1) }),
      ]
    },
    same("nil-in-nil", "An optional member of an optional is nil where either is.", { $0.other?.second == nil }) {
      [
        Parcel.where { $0.other.second == nil }, try Parcel.where("other.second == nil"),
        Parcel.where { $0.other.second.isNil }, try Parcel.where(#Predicate { $0.other?.second == nil }),
        Parcel.where { $0.other.second.lon == nil },
      ]
    },
    same("exact", "Numbers of members are compared by their exact values.", { $0.other?.second?.lon == 0.5 }) {
      [
        Parcel.where { $0.other.second.lon == 0.5 }, try Parcel.where("other.second.lon == 0.5"),
        try Parcel.where(#Predicate { $0.other?.second?.lon == 0.5 }),
      ]
    },
    same("whole", "A nested value is equal to another.", { $0.address.spot == Site(lat: -2.5, floor: 0) }) {
      let spot = Site(lat: -2.5, floor: 0)
      return [
        Parcel.where { $0.address.spot == Site(lat: -2.5, floor: 0) },
        try Parcel.where(#Predicate { $0.address.spot == spot }),
      ]
    },
    same(
      "elements", "A member of an element, beside another of the same.",
      {
        $0.lines.contains { $0.sku == "s1" && $0.count > 1 }
      }
    ) {
      [
        Parcel.where { $0.lines.any { $0.sku == "s1" && $0.count > 1 } },
        try Parcel.where(#Predicate { $0.lines.contains { $0.sku == "s1" && $0.count > 1 } }),
      ]
    },
    same("all-elements", "A member of every element.", { ($0.spots ?? []).allSatisfy { $0.floor > 0 } }) {
      [
        Parcel.where { $0.spots.all { $0.floor > 0 } }, try Parcel.where("ALL spots.floor > 0"),
        Parcel.where { !$0.spots.any { $0.floor <= 0 } },
      ]
    },
    same(
      "inner-elements", "Elements of a member, and of elements.",
      {
        $0.address.spots.contains { $0.floor == 2 } || $0.lines.contains { $0.parts.contains { $0.sku == "p3" } }
      }
    ) {
      [
        Parcel.where {
          $0.address.spots.any { $0.floor == 2 } || $0.lines.any { $0.parts.any { $0.sku == "p3" } }
        },
        try Parcel.where("ANY address.spots (SELF.floor == 2) OR ANY lines (ANY SELF.parts (SELF.sku == 'p3'))"),
        try Parcel.where(
          #Predicate {
            $0.address.spots.contains { $0.floor == 2 } || $0.lines.contains { $0.parts.contains { $0.sku == "p3" } }
          }),
      ]
    },
    same("counted", "The number of elements of a member.", { $0.address.spots.count == 2 }) {
      [
        Parcel.where { $0.address.spots.count == 2 }, try Parcel.where("address.spots.@count == 2"),
        try Parcel.where(#Predicate { $0.address.spots.count == 2 }),
      ]
    },
  ]

  private static func record(_ id: Int, _ address: Value, _ more: (String, Value)...) -> Record {
    Record([
      "id": .int(Int64(id)), "address": address, "lines": .array([]),
      "other": more.first { $0.0 == "other" }?.1 ?? .null,
      "spots": more.first { $0.0 == "spots" }?.1 ?? .null,
    ])
  }

  private static func object(_ members: (String, Value)...) -> Value {
    .object(unordered: members.map { Value.Member($0.0, $0.1) })
  }

  /// An address as it was stored before there were spots.
  private static let old = object(
    ("town", .string("Oslo")), ("since", .date(Date(timeIntervalSinceReferenceDate: 0))), ("names", object()))
  /// A spot as it was stored before it had a kind and a floor.
  private static let oldSpot = object(("lat", .double(2)))

  private static func address(_ spot: Value, _ second: Value? = nil) -> Value {
    object(
      ("town", .string("Rom")), ("since", .date(Date(timeIntervalSinceReferenceDate: 0))), ("names", object()),
      ("spot", spot), ("second", second ?? .null), ("spots", .array([spot])))
  }

  /// A store with an address that lacks its spot, one whose spots lack members, and one with all of them.
  private static func oldStore(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Parcel.self)
    let whole = object(("lat", .double(2)), ("kind", .string("office")), ("floor", .int(1)))
    try store.write {
      try $0.records.insert(
        into: "Parcel",
        [
          record(0, old), record(1, address(oldSpot, oldSpot), ("spots", .array([oldSpot, whole]))),
          record(2, address(whole), ("other", old)),
        ])
    }
    return store
  }

  private static let fixed: [ConformanceCase] = [
    ConformanceCase(
      "NEST.member-default", ["NEST-7", "NEST-8"],
      "A member that a stored value lacks has its default, when it is read."
    ) { kit in
      let store = try oldStore(kit)
      let frozen = try store.freeze()
      defer { frozen.close() }
      for source: any ReadableStore in [store, frozen] {
        let parcels = try source.fetch(Parcel.all)
        try expectEqual(parcels.map(\.address.spot.floor), [5, 5, 1])
        try expectEqual(parcels.map(\.address.spot.lat), [1, 2, 2])
        try expectEqual(parcels.map(\.address.spot.kind), [.house, .house, .office])
        try expectEqual(parcels.map { $0.address.spots.map(\.floor) }, [[], [5], [1]])
        try expectEqual(parcels.map { $0.address.second?.floor }, [nil, 5, nil])
        try expectEqual(parcels.map { $0.other?.spot.floor }, [nil, nil, 5])
        try expectEqual(parcels.map { $0.spots?.map(\.floor) }, [nil, [5, 1], nil])
        try expectEqual(try source.get(Parcel.self, 0)?.address.spot, Site(lat: 1))
      }
    },
    ConformanceCase(
      "NEST.member-default-predicate", ["NEST-7", "NEST-8", "PRED-4", "PRED-11"],
      "Predicates see of a member that a stored value lacks what the object has."
    ) { kit in
      let store = try oldStore(kit)
      let parcels = try store.fetch(Parcel.all)
      let spot = Site(lat: 1)
      let questions: [([Query<Parcel>], @Sendable (Parcel) -> Bool)] = try [
        (
          [
            Parcel.where { $0.address.spot.floor == 5 }, Parcel.where("address.spot.floor == 5"),
            Parcel.where(#Predicate { $0.address.spot.floor == 5 }),
            Parcel.where("address.spot.floor != nil AND address.spot.floor > 1"),
          ], { $0.address.spot.floor == 5 }
        ),
        (
          [Parcel.where { $0.address.spot == spot }, Parcel.where(#Predicate { $0.address.spot == spot })],
          { $0.address.spot == spot }
        ),
        (
          [
            Parcel.where { $0.other.spot.kind == .house }, Parcel.where("other.spot.kind BEGINSWITH 'ho'"),
            Parcel.where(#Predicate { $0.other?.spot.floor == 5 }),
          ], { $0.other?.spot.kind == .house }
        ),
        (
          [
            Parcel.where { $0.spots.any { $0.floor == 5 } }, Parcel.where("ANY spots.floor == 5"),
            Parcel.where(#Predicate { $0.address.second?.floor == 5 }),
          ], { $0.spots?.contains { $0.floor == 5 } ?? false }
        ),
        (
          [
            Parcel.where { $0.address.spots.all { $0.floor == 5 } },
            Parcel.where("ALL address.spots (SELF.floor == 5)"),
            Parcel.where("address.spots.@count == 0 OR ANY address.spots (SELF.kind IN {'house'})"),
          ], { $0.address.spots.allSatisfy { $0.floor == 5 } }
        ),
        ([Parcel.where { $0.address == parcels[0].address }], { $0.address == parcels[0].address }),
        ([Parcel.where { $0.address.second.floor == nil }], { $0.address.second?.floor == nil }),
      ]
      for (queries, expected) in questions {
        for query in queries {
          let keys = parcels.filter(expected).map(\.id)
          try expectEqual(try store.keys(query), keys, "\(query.tree)")
          let opposite = try Query<Parcel>(tree: QueryTree(model: "Parcel", predicate: .not(query.tree.predicate)))
          try expectEqual(try store.keys(opposite), [0, 1, 2].filter { !keys.contains($0) }, "NOT \(query.tree)")
        }
      }
    },
    ConformanceCase(
      "NEST.member-default-update", ["NEST-7", "CRUD-7", "CRUD-9"],
      "An object with defaults of members is unchanged, and is stored with them when it is written."
    ) { kit in
      let store = try oldStore(kit)
      let before = try unwrap(store.get(Parcel.self, 1))
      try store.write { tx in
        try tx.update(Parcel.self, 1) { _ in }
        try tx.update(Parcel.all) { _ in }
        try expectEqual(try tx.records.get(in: "Parcel", key: .int(1))?["address"], address(oldSpot, oldSpot))
        try tx.update(before, ifUnchangedFrom: before)
        try expectEqual(try tx.records.get(in: "Parcel", key: .int(1))?["address"], try before.address.storedValue())
        try tx.update(before, ifUnchangedFrom: before)
      }
      var first = try unwrap(store.get(Parcel.self, 0))
      let old = first
      first.lines = [Line(sku: "x")]
      try store.write { tx in
        try tx.update(first, ifStored: \.address, is: old.address)
        try expectEqual(try tx.get(Parcel.self, 0), first)
        var changed = first
        changed.address.spot.floor = 6
        try tx.update(Parcel.self, 2) { $0.other?.spot.floor = 7 }
        try expectEqual(try tx.get(Parcel.self, 2)?.other?.spot, Site(lat: 1, floor: 7))
        try expectError(.conflict) { try tx.update(first, ifUnchangedFrom: changed) }
        try expectError(.conflict) { try tx.update(first, ifUnchangedFrom: old) }
      }
    },
    ConformanceCase(
      "NEST.member-default-beside-update", ["CRUD-7", "NEST-7"],
      "An update with a closure leaves a nested value that it does not change as it is stored, without its defaults."
    ) { kit in
      let store = try oldStore(kit)
      let changed = try store.update(Parcel.self, 1) { $0.lines = [Line(sku: "x")] }
      try expectEqual(changed.address.spot.floor, 5)
      try store.read { tx in
        try expectEqual(try tx.records.get(in: "Parcel", key: .int(1))?["address"], address(oldSpot, oldSpot))
        try expectEqual(try tx.get(Parcel.self, 1), changed)
      }
    },
    ConformanceCase(
      "NEST.member-default-beside-updates", ["CRUD-7", "NEST-7"], "So does an update of all objects of a query."
    ) { kit in
      let store = try oldStore(kit)
      let lines = [Line(sku: "x")]
      try expectEqual(try store.update(Parcel.all) { $0.lines = lines }, 3)
      try store.read { tx in
        let addresses = try (0...1).map { try tx.records.get(in: "Parcel", key: .int($0))?["address"] }
        try expectEqual(addresses, [old, address(oldSpot, oldSpot)])
        try expectEqual(try tx.fetch(Parcel.all).map(\.lines), [lines, lines, lines])
      }
    },
    ConformanceCase(
      "NEST.member-missing", ["NEST-7", "VAL-4"],
      "A member that is missing without a default is nil in predicates, and an error where its object is read."
    ) { kit in
      let store = try oldStore(kit)
      try store.write { try $0.records.insert(into: "Parcel", [record(9, object(("town", .string("Oslo"))))]) }
      try expectError(.invalidValue) { try store.get(Parcel.self, 9) }
      try expectEqual(try store.keys(Parcel.where("address.since == nil")), [9])
      try expectEqual(try store.keys(Parcel.where { $0.address.zip == nil && $0.address.city == "Oslo" }), [0, 9])
      try expectEqual(try store.get(Parcel.self, 0)?.address.zip, nil)
    },
    ConformanceCase(
      "NEST.member-unknown", ["NEST-6", "PRED-9"], "A member that is not there is named, and its nearest."
    ) {
      kit in
      let store = try kit.store(Parcel.self)
      try store.insert(contentsOf: parcels)
      for (query, name) in try [
        (Parcel.where("address.twon == 'x'"), "town"), (Parcel.where("other.spot.flor > 1"), "floor"),
        (Parcel.where { $0.address.member("twon", as: String.self) == "x" }, "town"),
        (Parcel.where { $0.other.second.member("lta", as: Double.self) == 1 }, "lat"),
        (Parcel.where("ANY lines.skku == 'x'"), "sku"),
        (Parcel.where("ANY lines (ANY SELF.parts (SELF.cuont == 1))"), "count"),
        (Parcel.where { $0.spots.all { $0.member("knid", as: String.self) == "x" } }, "kind"),
        (Parcel.where("address.spots.@count == 1 AND address.zpi == nil"), "zip"),
      ] as [(Query<Parcel>, String)] {
        let error = try expectError(.invalidQuery, "\(query.tree)") { try store.count(query) }
        try expect(error.message.contains("did you mean \(name)?"), error.message)
        try expect(error.model == "Parcel" && error.property != nil, "\(error)")
      }
      // Of a dictionary any name may be asked, and records know no types.
      try expectEqual(try store.count(Parcel.where("address.names.twon == 1")), 0)
      try expectEqual(try store.read { try $0.records.fetch(in: "Parcel", where: "address.twon == 'x'").count }, 0)
    },
    ConformanceCase(
      "NEST.member-type", ["NEST-6", "PRED-8"], "What a member's type cannot be compared with is invalidQuery."
    ) { kit in
      let store = try kit.store(Parcel.self)
      for text in [
        "address.town > 3", "address.zip == 'x'", "address.since == 'soon'", "address.spot == 3",
        "address.town.length == 1", "address.zip BEGINSWITH '1'", "ANY address.town == 'x'", "address.spot.@count == 1",
        "address.spots == 'x'", "address.spots.lat == 1", "ANY lines.count == 'x'", "address.zip IN {1, 'x'}",
      ] {
        try expectError(.invalidQuery, text) { try store.count(Parcel.where(text)) }
      }
    },
  ]
}
