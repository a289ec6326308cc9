import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// NaNs side by side in one object, each with its own bits: a statement that writes one leaves those of the others.
enum NaNCases {
  private static let payloads = [0x7FF8_0000_0000_0001, 0x7FF8_0000_0000_0ABC, 0xFFF8_0000_0000_0000].map {
    Double(bitPattern: $0)
  }
  private static let floats = [Float(bitPattern: 0x7FC0_0001), Float(bitPattern: 0xFFC0_0ABC)]

  /// What a property is given, one after the other: NaNs, the common one, numbers, and a NaN again.
  private static let steps: [Double] = [payloads[1], .nan, 1, payloads[2], .nan, -0.0, payloads[0], 2, .nan]

  private static func first() -> Everything {
    var object = Everything(1)
    object.double = payloads[0]
    object.maybeDouble = payloads[1]
    object.float = floats[0]
    object.date = Date(timeIntervalSinceReferenceDate: payloads[2])
    object.maybeDate = Date(timeIntervalSinceReferenceDate: payloads[0])
    object.doubles = payloads
    return object
  }

  /// A case in which each step is written by the statement, and the whole object is compared after it.
  private static func written(
    _ id: String, _ summary: String, needs: Set<Capability> = [],
    _ write: @escaping @Sendable (WriteTransaction, Everything) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "VAL.nan-beside.\(id)", ["VAL-1", "VAL-7", "CRUD-7"], summary, needs: needs, without: ConformanceVariant.ofReads
    ) { kit in
      let store = try kit.store(Everything.self)
      var object = first()
      // A neighbour that no statement is about.
      var other = first()
      other.id = 2
      other.double = payloads[2]
      try store.insert(contentsOf: [object, other])
      func look(_ tx: ReadTransaction, _ about: String) throws {
        let objects = try tx.fetch(Everything.all)
        try expectEqual(objects.count, 2, about)
        try expectEqual(try objects[0].values(), try object.values(), about)
        try expectEqual(try objects[1].values(), try other.values(), "\(about), the other")
      }
      for (place, step) in steps.enumerated() {
        try store.write { tx in
          object.double = step
          try write(tx, object)
          try look(tx, "\(id) \(place)")
        }
        try store.write { tx in
          object.maybeDouble = place % 3 == 2 ? nil : steps[steps.count - 1 - place]
          object.float = place % 3 == 0 ? floats[1] : place % 3 == 1 ? .nan : 1
          try write(tx, object)
        }
        try store.read { try look($0, "\(id) \(place), twice") }
      }
    }
  }

  private static func isOne(_ object: Everything) -> Query<Everything> { Everything.where { $0.id == object.id } }

  static let all: [ConformanceCase] = [
    written("closure", "An update with a closure that writes one NaN leaves the bits of the others.") { tx, new in
      try tx.update(Everything.self, new.id) {
        $0.double = new.double
        $0.maybeDouble = new.maybeDouble
        $0.float = new.float
      }
    },
    written("assigned", "Assignments by key that write one NaN leave the bits of the others.") { tx, new in
      try tx.records.assign(
        isOne(new).tree,
        [
          .init("double", .set, .double(new.double)), .init("float", .set, .float(new.float)),
          .init("maybeDouble", .set, new.maybeDouble.map { .double($0) } ?? .null),
        ])
    },
    written("assigned-one", "An assignment of one property at a time leaves the bits of the others.") { tx, new in
      try tx.records.assign(isOne(new).tree, [.init("double", .set, .double(new.double))])
      try tx.records.assign(
        isOne(new).tree, [.init("maybeDouble", .set, new.maybeDouble.map { .double($0) } ?? .null)])
      try tx.records.assign(isOne(new).tree, [.init("float", .set, .float(new.float))])
    },
    written("upserted", "An upsert of some properties that are NaN leaves the bits of the others.", needs: [.upsert]) {
      tx, new in
      try tx.upsert(new, updating: \.double)
      try tx.upsert(new, updating: \.float, \.maybeDouble)
    },
    written("other-column", "An update of a column that is no number leaves the bits of all NaNs.") { tx, new in
      try tx.update(new)
      try tx.update(Everything.self, new.id) { $0.string = "s" }
      try tx.upsert(new, updating: \.string, \.int8)
    },
    written("query-closure", "An update of a query with a closure leaves the bits of the other NaNs.") { tx, new in
      try tx.update(isOne(new)) {
        $0.double = new.double
        $0.maybeDouble = new.maybeDouble
        $0.float = new.float
      }
    },
    ConformanceCase(
      "VAL.nan-beside.unchanged", ["VAL-7", "CRUD-9"], "NaNs of other bits are another object to who expects one.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let store = try kit.store(Everything.self)
      let stored = first()
      try store.insert(stored)
      var new = stored
      new.string = "new"
      var expectations: [Everything] = [stored, stored, stored, stored, stored]
      expectations[0].double = .nan
      expectations[1].maybeDouble = payloads[2]
      expectations[2].float = floats[1]
      expectations[3].date = Date(timeIntervalSinceReferenceDate: .nan)
      expectations[4].doubles = [payloads[0], .nan, payloads[2]]
      for (place, expected) in expectations.enumerated() {
        try expectError(.conflict, "\(place)") { try store.update(new, ifUnchangedFrom: expected) }
      }
      try store.update(new, ifUnchangedFrom: stored)
      try expectEqual(try unwrap(try store.get(Everything.self, 1)).values(), try new.values())
    },
  ]
}
