import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Objects from before properties were added are told apart from others, and written, as they read: bit by bit.
enum AgedObjectCases {
  /// A case over a store with as many objects from before as there are changes, and a few more.
  private static func aged(
    _ id: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [],
    _ body: @escaping @Sendable (Store, [Grown.Change]) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      id, clauses + ["SCH-7"], summary, needs: needs, requiresPersistence: true, level: .transactional,
      without: ConformanceVariant.ofReads
    ) { kit in
      let place = try kit.makePlace()
      let changes = Grown.changes
      let first = try kit.open([Seed.self], at: place)
      try first.insert(contentsOf: (0..<changes.count + 2).map { Seed($0) })
      try first.close()
      try body(try kit.open([Grown.self], at: place), changes)
    }
  }

  /// Throws unless the objects are those from before, changed like this.
  private static func expectObjects(
    _ store: Store, _ changes: [Grown.Change], _ about: String = "", line: Int = #line,
    _ change: (Int, inout Grown) -> Void
  ) throws {
    let expected = (0..<changes.count + 2).map { place in
      var object = Grown(place)
      change(place, &object)
      return object
    }
    let objects = try store.fetch(Grown.all)
    try expectEqual(objects.map(\.id), expected.map(\.id), about, line: line)
    for (object, expected) in zip(objects, expected) {
      try expectEqual(try object.values(), try expected.values(), "\(about) \(object.id)", line: line)
    }
  }

  private static func changed(_ id: Int, _ change: Grown.Change) -> Grown {
    var object = Grown(id)
    change.apply(&object)
    return object
  }

  static let all: [ConformanceCase] = [
    aged("CRUD.old-unchanged", ["CRUD-9"], "An object from before is as it reads, and nothing else.") {
      store, changes in
      try store.write { tx in
        for (place, change) in changes.enumerated() {
          let new = changed(place, change)
          for (other, wrong) in changes.enumerated() {
            try expectError(.conflict, "\(wrong.name)") {
              try tx.update(new, ifUnchangedFrom: changed(place, wrong))
            }
            guard other > place else { continue }
            try expectError(.conflict, "\(wrong.name)") {
              try wrong.update(tx, new, changed(place, wrong))
            }
          }
        }
      }
      try expectObjects(store, changes) { _, _ in }
      try store.write { tx in
        for (place, change) in changes.enumerated() {
          try tx.update(changed(place, change), ifUnchangedFrom: Grown(place))
          try expectError(.conflict, change.name) { try tx.update(Grown(place), ifUnchangedFrom: Grown(place)) }
        }
      }
      try expectObjects(store, changes) { if $0 < changes.count { changes[$0].apply(&$1) } }
    },
    aged("CRUD.old-if-stored", ["CRUD-9"], "One property of an object from before is nil or its default.") {
      store, changes in
      try store.write { tx in
        for (place, change) in changes.enumerated() {
          let new = changed(place, change)
          try expectError(.conflict, change.name) { try change.update(tx, new, new) }
          try change.update(tx, new, Grown(place))
          try expectError(.conflict, change.name) { try change.update(tx, new, Grown(place)) }
          try change.update(tx, new, new)
        }
      }
      try expectObjects(store, changes) { if $0 < changes.count { changes[$0].apply(&$1) } }
    },
    aged("CRUD.old-update", ["CRUD-7"], "An update of one property of an object from before writes that one.") {
      store, changes in
      try store.write { tx in
        for (place, change) in changes.enumerated() { try tx.update(Grown.self, place) { change.apply(&$0) } }
        try tx.update(Grown.self, changes.count) { $0 = Grown($0.id) }
      }
      try expectObjects(store, changes) { if $0 < changes.count { changes[$0].apply(&$1) } }
      // And back to what it was.
      try store.write { tx in
        for place in changes.indices { try tx.update(Grown.self, place) { $0 = Grown($0.id) } }
      }
      try expectObjects(store, changes, "back") { _, _ in }
    },
    aged(
      "CRUD.old-update-query", ["CRUD-7", "STMT-5"],
      "An update of a query with a closure leaves objects from before that the closure leaves."
    ) { store, changes in
      let count = try store.update(Grown.all) { object in
        if object.id < changes.count, object.id % 2 == 0 { changes[object.id].apply(&object) }
      }
      try expectEqual(count, changes.count + 2)
      try expectObjects(store, changes) { if $0 < changes.count, $0 % 2 == 0 { changes[$0].apply(&$1) } }
    },
    aged(
      "UPS.old-in-part", ["UPS-3"], "An upsert of one property of an object from before leaves the others.",
      needs: [.upsert]
    ) { store, changes in
      try store.write { tx in
        for (place, change) in changes.enumerated() {
          // All properties are others, but only one of them is stored.
          var object = Grown(place)
          for each in changes { each.apply(&object) }
          try expect(try !change.upsert(tx, object), "\(change.name) was added")
        }
      }
      try expectObjects(store, changes) { if $0 < changes.count { changes[$0].apply(&$1) } }
    },
    aged("PAGE.old-objects", ["PAGE-2", "PAGE-4"], "Pages go on among objects from before.", needs: [.queryPaging]) {
      store, changes in
      try store.write { tx in
        for (place, change) in changes.enumerated() where place % 2 == 0 {
          try tx.update(Grown.self, place) { change.apply(&$0) }
        }
      }
      for order in ["small,-value", "-large,word", "ratio,-text", "-price,maybe", "bytes,-when", "link,flag,-id"] {
        let query = try Grown.all.sorted(order)
        let whole = try store.keys(query)
        try expectEqual(whole.sorted(), Array(0..<changes.count + 2), order)
        for size in [1, 4] {
          var seen: [Int] = []
          var position: PagePosition?
          repeat {
            let page = try store.page(query.after(position), size: size)
            seen += page.elements.map(\.id)
            position = page.next
          } while position != nil && seen.count < 100
          try expectEqual(seen, whole, "\(order), pages of \(size)")
        }
      }
    },
    ConformanceCase(
      "CRUD.unchanged-after-drop", ["CRUD-9", "CRUD-7", "SCH-7"],
      "What a dropped property left in an object has no part in whether the object is unchanged.",
      needs: [.schemaDropProperty, .schemaAddProperty], requiresPersistence: true, level: .transactional,
      without: ConformanceVariant.ofReads
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Seed.self], at: place)
      try first.close()
      let between = try kit.open([], at: place)
      try between.write { tx in
        let id = try tx.model(named: "Grown").id
        try tx.apply(.addProperty(id, PropertySchema(name: "gone", type: .int64, defaultValue: .int(1))))
        try tx.apply(.addProperty(id, PropertySchema(name: "lost", type: .string, isOptional: true)))
        try tx.records.insert(
          into: "Grown", (0..<3).map { Record(["id": .int($0), "gone": .int(7), "lost": .string("x")]) })
        try tx.apply(.dropProperty(id, slot: 1))
        try tx.apply(.dropProperty(id, slot: 2))
      }
      try between.close()
      let store = try kit.open([Grown.self], at: place)
      try store.write { tx in
        var new = Grown(1)
        new.word = "new"
        try tx.update(new, ifUnchangedFrom: Grown(1))
        try expectError(.conflict) { try tx.update(Grown(1), ifUnchangedFrom: Grown(1)) }
        try tx.update(Grown.self, 2) { $0.small = 3 }
      }
      let objects = try store.fetch(Grown.all)
      try expectEqual(objects.map(\.word), [nil, "new", nil])
      try expectEqual(objects.map(\.small), [nil, nil, 3])
      try expect(objects.allSatisfy { $0.text == Grown(0).text && $0.large == .max }, "a default was lost")
    },
  ]
}
