import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// A place in a call at which Quarry runs the caller's code.
struct CallPlace: Sendable {
  enum Kind: Sendable {
    /// A sequence or closure of a statement.
    case statement
    /// Code that runs while nothing is written and nothing is open.
    case plain
    /// Code that runs while a cursor over the items is open.
    case stream
  }

  let name: String
  let kind: Kind
  /// Makes the call, in which the probe is fired.
  let run: @Sendable (WriteTransaction, Probe) throws -> Void
  /// What the call does itself.
  let effect: @Sendable (inout TwoModels) -> Void

  init(
    _ name: String, _ kind: Kind, effect: @escaping @Sendable (inout TwoModels) -> Void = { _ in },
    _ run: @escaping @Sendable (WriteTransaction, Probe) throws -> Void
  ) {
    self.name = name
    self.kind = kind
    self.run = run
    self.effect = effect
  }

  private static func record(_ id: Int) -> Record {
    Record(["id": .int(Int64(id)), "code": .string("r\(id)"), "name": .string("record"), "score": .double(0)])
  }

  private static func recorded(_ id: Int) -> Item { Item(id, code: "r\(id)", name: "record") }

  /// The elements, with the probe fired before the second.
  private static func firing<T>(_ elements: [T], _ probe: Probe) -> LazyMapSequence<[Int], T> {
    Array(elements.indices).lazy.map { place in
      if place == 1 { probe.fire() }
      return elements[place]
    }
  }

  static let statements: [CallPlace] = [
    CallPlace("insert-sequence", .statement, effect: { $0.put(Item(20), Item(21), Item(22)) }) { tx, probe in
      try tx.insert(contentsOf: firing([Item(20), Item(21), Item(22)], probe))
    },
    CallPlace("insert-with-progress", .statement, effect: { $0.put(Item(20), Item(21), Item(22)) }) { tx, probe in
      try tx.insert(contentsOf: firing([Item(20), Item(21), Item(22)], probe), progress: Progress(totalUnitCount: 0))
    },
    CallPlace("upsert-sequence", .statement, effect: { $0.put(Item(1, name: "x"), Item(21)) }) { tx, probe in
      try expectEqual(try tx.upsert(contentsOf: firing([Item(1, name: "x"), Item(21)], probe)), 1)
    },
    CallPlace("insert-records", .statement, effect: { $0.put(recorded(20), recorded(21)) }) { tx, probe in
      try tx.records.insert(into: "Item", firing([record(20), record(21)], probe))
    },
    CallPlace("upsert-records", .statement, effect: { $0.put(recorded(1), recorded(21)) }) { tx, probe in
      try expectEqual(try tx.records.upsert(into: "Item", firing([record(1), record(21)], probe)), 1)
    },
    CallPlace(
      "upsert-records-in-part", .statement,
      effect: {
        $0.items[1]?.name = "record"
        $0.put(recorded(21))
      }
    ) { tx, probe in
      let added = try tx.records.upsert(into: "Item", firing([record(1), record(21)], probe), updating: ["name"])
      try expectEqual(added, 1)
    },
    CallPlace(
      "delete-records", .statement,
      effect: {
        $0.items[1] = nil
        $0.items[2] = nil
      }
    ) { tx, probe in
      let keys: [Value] = [.int(1), .int(2), .int(77)]
      try expectEqual(try tx.records.delete(in: "Item", keys: firing(keys, probe)), 2)
    },
    CallPlace(
      "delete-keys", .statement,
      effect: {
        $0.items[1] = nil
        $0.items[2] = nil
      }
    ) { tx, probe in
      try expectEqual(try tx.delete(Item.self, keys: firing([1, 2, 77], probe)), 2)
    },
    CallPlace("update-closure", .statement, effect: { $0.items[1]?.name = "x" }) { tx, probe in
      let stored = try tx.update(Item.self, 1) { item in
        item.name = "x"
        probe.fire()
      }
      try expectEqual(stored, Item(1, rank: 1, name: "x"))
    },
    CallPlace("assign-closure", .statement, effect: { $0.items[1]?.name = "x" }) { tx, probe in
      try tx.assign(Item.self, 1) { item in
        probe.fire()
        item.name = "x"
      }
    },
    CallPlace(
      "assign-query-closure", .statement,
      effect: { models in for id in 1...2 { models.items[id]?.name = "x" } }
    ) { tx, probe in
      let count = try tx.assign(Item.where { $0.id <= 2 }) { item in
        probe.fire()
        item.name = "x"
      }
      try expectEqual(count, 2)
    },
    CallPlace("get-or-insert-closure", .statement, effect: { $0.put(Item(20, name: "made")) }) { tx, probe in
      let item = try tx.getOrInsert(Item.self, 20) {
        probe.fire()
        return Item(20, name: "made")
      }
      try expectEqual(item, Item(20, name: "made"))
    },
    CallPlace("mapped-insert", .statement, effect: { $0.put(Item(20)) }) { tx, probe in
      try MappedItem.$probe.withValue(probe) { _ = try tx.mapped(MappedItem.self).insert(MappedItem(Item(20))) }
    },
    CallPlace("mapped-upsert-sequence", .statement, effect: { $0.put(Item(1, name: "x"), Item(21)) }) { tx, probe in
      try MappedItem.$probe.withValue(probe) {
        _ = try tx.mapped(MappedItem.self).upsert(contentsOf: [MappedItem(Item(1, name: "x")), MappedItem(Item(21))])
      }
    },
  ]

  static let others: [CallPlace] = [
    CallPlace("get-keys", .plain) { tx, probe in
      // What the keys' own calls have written is read.
      let found = try tx.get(Item.self, keys: firing([2, 1, 77], probe))
      try expectEqual(found.map { $0?.id }, [2, 1, nil])
    },
    CallPlace("comparator", .plain) { tx, probe in
      let sorted = try tx.fetch(Item.where { $0.id <= 2 }).sorted { left, right in
        probe.fire()
        return left.id > right.id
      }
      try expectEqual(sorted, [TwoModels.before.items[2], TwoModels.before.items[1]])
    },
    CallPlace("savepoint-body", .plain) { tx, probe in try tx.savepoint { probe.fire() } },
    CallPlace("for-each", .stream) { tx, probe in
      var seen: [Item] = []
      try tx.forEach(Item.all) { item in
        probe.fire()
        seen.append(item)
      }
      try expectEqual(seen, TwoModels.before.sortedItems)
    },
    CallPlace("for-each-by-index", .stream) { tx, probe in
      var seen: [Item] = []
      try tx.forEach(Item.where { $0.rank >= 1 }.sorted(by: \.rank, order: .reverse)) { item in
        probe.fire()
        seen.append(item)
      }
      try expectEqual(seen, TwoModels.before.sortedItems.reversed())
    },
    CallPlace("cursor-loop", .stream) { tx, probe in
      let cursor = try tx.cursor(Item.all)
      var seen: [Item] = []
      while let item = try cursor.next() {
        probe.fire()
        seen.append(item)
      }
      try expectEqual(seen, TwoModels.before.sortedItems)
    },
    CallPlace("for-each-row", .stream) { tx, probe in
      var seen: [Value?] = []
      try tx.records.forEach(QueryTree(model: "Item")) { record in
        probe.fire()
        seen.append(record["code"])
      }
      try expectEqual(seen, TwoModels.before.sortedItems.map { .string($0.code) })
    },
    CallPlace(
      "update-query-closure", .stream,
      effect: { models in for id in 1...4 { models.items[id]?.name = "x\(id)" } }
    ) { tx, probe in
      let count = try tx.update(Item.all) { item in
        probe.fire()
        item.name = "x\(item.id)"
      }
      try expectEqual(count, 4)
    },
    CallPlace("mapped-fetch", .stream) { tx, probe in
      let found = try MappedItem.$probe.withValue(probe) { try tx.mapped(MappedItem.self).fetch(Item.all) }
      try expectEqual(found.map(\.item), TwoModels.before.sortedItems)
    },
  ]

  static let all = statements + others
}
