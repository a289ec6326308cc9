import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Each writing call, made where it must be refused.
enum MisuseCases {
  struct Operation: Sendable {
    let name: String
    let call: @Sendable (WriteTransaction) throws -> Void

    init(_ name: String, _ call: @escaping @Sendable (WriteTransaction) throws -> Void) {
      self.name = name
      self.call = call
    }
  }

  private static let isFirst = QueryTree(
    model: "Item", predicate: .compare(.named("id"), .equal, .value(.int(1))))

  /// Calls that would all succeed in a sound transaction over ``items``.
  static let operations: [Operation] = [
    Operation("insert") { try $0.insert(Item(100)) },
    Operation("insert-many") { try $0.insert(contentsOf: [Item(100), Item(101)]) },
    Operation("upsert") { _ = try $0.upsert(Item(1, name: "x")) },
    Operation("upsert-many") { _ = try $0.upsert(contentsOf: [Item(1, name: "x"), Item(100)]) },
    Operation("upsert-partial") { _ = try $0.upsert(Item(1, name: "x"), updating: \.name) },
    Operation("get-or-insert") { _ = try $0.getOrInsert(Item(100)) },
    Operation("update-closure") { tx in _ = try tx.update(Item.self, 1) { $0.name = "x" } },
    Operation("assign-key") { tx in try tx.assign(Item.self, 1) { $0.name = "x" } },
    Operation("update-whole") { try $0.update(Item(1, name: "x")) },
    Operation("update-if-unchanged") { try $0.update(Item(1, name: "x"), ifUnchangedFrom: items[1]) },
    Operation("update-if-stored") { try $0.update(Item(1, name: "x"), ifStored: \.rank, is: 1) },
    Operation("assign") { tx in _ = try tx.assign(Item.all) { $0.rank += 1 } },
    Operation("update-query") { tx in _ = try tx.update(Item.all) { $0.name = "x" } },
    Operation("delete") { _ = try $0.delete(Item.self, 1) },
    Operation("delete-object") { _ = try $0.delete(items[1]) },
    Operation("delete-keys") { _ = try $0.delete(Item.self, keys: [1, 2]) },
    Operation("delete-query") { tx in _ = try tx.delete(Item.where { $0.rank == 1 }) },
    Operation("delete-all") { _ = try $0.delete(Item.all) },
    Operation("insert-records") { tx in
      try tx.records.insert(
        into: "Item",
        [Record(["id": .int(100), "code": .string("r"), "name": .string(""), "score": .double(0)])])
    },
    Operation("upsert-records") { tx in
      try tx.records.upsert(
        into: "Item",
        [Record(["id": .int(1), "code": .string("r"), "name": .string(""), "score": .double(0)])])
    },
    Operation("assign-records") { try $0.records.assign(isFirst, [.init("name", .set, .string("x"))]) },
    Operation("delete-records") { try $0.records.delete(isFirst) },
  ]

  static let items = (0..<4).map { Item($0, rank: $0) }

  private static func store(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Item.self, Numbered.self)
    try store.insert(contentsOf: items)
    return store
  }

  static let all: [ConformanceCase] = operations.flatMap { operation in
    [works(operation), iterating(operation), ended(operation), elsewhere(operation), closed(operation)]
  }

  private static func works(_ operation: Operation) -> ConformanceCase {
    ConformanceCase(
      "STMT.call.\(operation.name)", ["STMT-1", "TXN-2"], "\(operation.name) changes what is there, inside and after.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let store = try store(kit)
      let inside = try store.write { tx in
        try operation.call(tx)
        return try tx.fetch(Item.all)
      }
      try expect(inside != items, "nothing was changed")
      try expectEqual(try store.fetch(Item.all), inside)
    }
  }

  private static func iterating(_ operation: Operation) -> ConformanceCase {
    ConformanceCase(
      "STMT.iterating.\(operation.name)", ["STMT-8"],
      "\(operation.name) under an open cursor is iterationActive, changes nothing, and works when it is closed.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let store = try store(kit)
      try store.write { tx in
        let cursor = try tx.cursor(Item.all)
        _ = try cursor.next()
        try expectError(.iterationActive) { try operation.call(tx) }
        try expectEqual(try cursor.next(), items[1])
        try tx.insert(Numbered(id: 1, number: 1))
        cursor.close()
        try expectEqual(try tx.fetch(Item.all), items)
        try operation.call(tx)
      }
      try expect(try store.fetch(Item.all) != items, "nothing was changed")
    }
  }

  private static func ended(_ operation: Operation) -> ConformanceCase {
    ConformanceCase(
      "TXN.ended.\(operation.name)", ["TXN-6"],
      "\(operation.name) in a transaction that has ended is transactionEnded, committed or rolled back.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let store = try store(kit)
      for isAbandoned in [false, true] {
        var escaped: WriteTransaction?
        do {
          try store.write { tx in
            escaped = tx
            if isAbandoned { throw Abandoned() }
          }
        } catch is Abandoned {}
        let tx = try unwrap(escaped)
        try expectError(.transactionEnded) { try operation.call(tx) }
      }
      try expectEqual(try store.fetch(Item.all), items)
    }
  }

  private static func elsewhere(_ operation: Operation) -> ConformanceCase {
    ConformanceCase(
      "TXN.elsewhere.\(operation.name)", ["TXN-6"],
      "\(operation.name) on another thread is wrongThread, without effect.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let store = try store(kit)
      try store.write { tx in
        nonisolated(unsafe) let other = tx
        try onAnotherThread { try expectError(.wrongThread) { try operation.call(other) } }
        try expectEqual(try tx.fetch(Item.all), items)
      }
      try expectEqual(try store.fetch(Item.all), items)
    }
  }

  private static func closed(_ operation: Operation) -> ConformanceCase {
    ConformanceCase(
      "OPEN.closed-under.\(operation.name)", ["OPEN-3", "TXN-6", "ERR-1"],
      "\(operation.name) in a transaction whose store was closed is closed.", without: ConformanceVariant.ofReads
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(contentsOf: items)
      try expectError(.closed) {
        try store.write { tx in
          try store.close()
          try operation.call(tx)
        }
      }
      guard kit.harness.isPersistent else { return }
      try expectEqual(try kit.open([Item.self], at: place).fetch(Item.all), items)
    }
  }
}
