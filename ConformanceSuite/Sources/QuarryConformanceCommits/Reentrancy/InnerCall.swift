import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// A call that is made from inside another.
struct InnerCall: Sendable {
  enum Kind: Sendable { case reading, writing, schema, refused }

  let name: String
  let kind: Kind
  /// Whether it writes to the items, if only in a savepoint that is undone.
  let writesItems: Bool
  let call: @Sendable (Store, WriteTransaction) throws -> Void
  let effect: @Sendable (inout TwoModels) -> Void

  init(
    _ name: String, _ kind: Kind, writesItems: Bool = false,
    effect: @escaping @Sendable (inout TwoModels) -> Void = { _ in },
    _ call: @escaping @Sendable (Store, WriteTransaction) throws -> Void
  ) {
    self.name = name
    self.kind = kind
    self.writesItems = writesItems
    self.call = call
    self.effect = effect
  }

  /// The error that the contract says for the call at the place.
  func error(at place: CallPlace.Kind) -> StorageError.Code? {
    switch (kind, place) {
    case (.reading, _): nil
    case (.writing, .stream): writesItems ? .iterationActive : nil
    case (.writing, _): nil
    case (.schema, .stream): .iterationActive
    case (.schema, .statement): .reentrant
    case (.schema, .plain): nil
    case (.refused, _): .reentrant
    }
  }

  private struct Undone: Error {}

  /// Runs the body, which is to throw ``Undone``.
  private static func undoing(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch is Undone {}
  }

  /// What the calls see: nothing of the statement that they are made in.
  private static let before = TwoModels.before

  static let reads: [InnerCall] = [
    InnerCall("fetch", .reading) { _, tx in try expectEqual(try tx.fetch(Item.all), before.sortedItems) },
    InnerCall("get", .reading) { _, tx in
      try expectEqual(try tx.get(Item.self, keys: [4, 9, 1]), [before.items[4], nil, before.items[1]])
      try expectEqual(try tx.get(Item.self, 2), before.items[2])
    },
    InnerCall("cursor", .reading) { _, tx in
      let cursor = try tx.cursor(Item.all)
      try expectEqual(try cursor.next(), before.items[1])
      cursor.close()
      try tx.forEach(Item.where { $0.rank > 3 }) { try expectEqual($0, before.items[4]) }
    },
    InnerCall("page", .reading) { _, tx in
      let page = try tx.page(Item.all, size: 3)
      try expectEqual(page.elements.map(\.id), [1, 2, 3])
      try expectEqual(try tx.page(Item.all.after(page.next), size: 3).elements.map(\.id), [4])
    },
    InnerCall("count", .reading) { _, tx in
      try expectEqual(try tx.count(Item.where { $0.rank > 1 }), 3)
      try expectEqual(try tx.sum(Numbered.all, of: \.number), 60)
    },
    InnerCall("store-read", .reading) { store, _ in
      try expectEqual(try store.read { try TwoModels($0) }, before)
      try expectEqual(try store.get(Item.self, 3), before.items[3])
    },
    InnerCall("frozen", .reading) { _, tx in
      let frozen = try tx.frozen(Item.all)
      try expectEqual(try frozen.map { try $0.thawed() }, before.sortedItems)
    },
  ]

  static let writesOfItems: [InnerCall] = [
    InnerCall("insert", .writing, writesItems: true, effect: { $0.put(Item(100)) }) { _, tx in
      try tx.insert(Item(100))
    },
    InnerCall("insert-many", .writing, writesItems: true, effect: { $0.put(Item(100), Item(101)) }) { _, tx in
      try tx.insert(contentsOf: [Item(100), Item(101)])
    },
    InnerCall("upsert-many", .writing, writesItems: true, effect: { $0.put(Item(4, name: "y"), Item(101)) }) { _, tx in
      try tx.upsert(contentsOf: [Item(4, name: "y"), Item(101)])
    },
    InnerCall("update", .writing, writesItems: true, effect: { $0.items[4]?.name = "y" }) { _, tx in
      _ = try tx.update(Item.self, 4) { $0.name = "y" }
    },
    InnerCall("assign", .writing, writesItems: true, effect: { $0.items[4]?.name = "y" }) { _, tx in
      try tx.assign(Item.self, 4) { $0.name = "y" }
    },
    InnerCall("delete", .writing, writesItems: true, effect: { $0.items[4] = nil }) { _, tx in
      try expect(try tx.delete(Item.self, 4))
    },
  ]

  static let writesOfOthers: [InnerCall] = [
    InnerCall("insert-other", .writing, effect: { $0.put(Numbered(id: 8, number: 8)) }) { _, tx in
      try tx.insert(Numbered(id: 8, number: 8))
    },
    InnerCall(
      "insert-many-of-another", .writing, effect: { $0.put(Numbered(id: 8, number: 8), Numbered(id: 9, number: 9)) }
    ) { _, tx in
      try tx.insert(contentsOf: [Numbered(id: 8, number: 8), Numbered(id: 9, number: 9)])
    },
    InnerCall("upsert-other", .writing, effect: { $0.put(Numbered(id: 1, number: 8)) }) { _, tx in
      try expect(try !tx.upsert(Numbered(id: 1, number: 8)))
    },
    InnerCall("failing-insert-of-another", .writing) { _, tx in
      try expectError(.duplicateKey) {
        try tx.insert(contentsOf: [Numbered(id: 8, number: 8), Numbered(id: 9, number: 9), Numbered(id: 1, number: 7)])
      }
      try expectEqual(try tx.count(Numbered.all), 3)
    },
    InnerCall("delete-all-of-another", .writing, effect: { $0.numbers = [:] }) { _, tx in
      try expectEqual(try tx.delete(Numbered.all), 3)
    },
    InnerCall(
      "update-all-of-another", .writing,
      effect: { models in for id in 1...3 { models.numbers[id]?.number += 1 } }
    ) { _, tx in
      try expectEqual(try tx.assign(Numbered.all) { $0.number += 1 }, 3)
    },
  ]

  static let savepoints: [InnerCall] = [
    InnerCall("savepoint", .writing, effect: { $0.put(Numbered(id: 8, number: 8)) }) { _, tx in
      try tx.savepoint { _ = try tx.insert(Numbered(id: 8, number: 8)) }
    },
    InnerCall("savepoint-undone", .writing) { _, tx in
      try undoing {
        try tx.savepoint {
          try tx.insert(Numbered(id: 8, number: 8))
          try tx.delete(Numbered.all)
          throw Undone()
        }
      }
      try expectEqual(try tx.count(Numbered.all), 3)
    },
    InnerCall("empty-savepoint-undone", .writing) { _, tx in try undoing { try tx.savepoint { throw Undone() } } },
    InnerCall("savepoint-of-items-undone", .writing, writesItems: true) { _, tx in
      try undoing {
        try tx.savepoint {
          try tx.insert(Item(100))
          throw Undone()
        }
      }
    },
    InnerCall("store-write", .writing, effect: { $0.put(Numbered(id: 8, number: 8)) }) { store, _ in
      try store.write { try $0.insert(Numbered(id: 8, number: 8)) }
    },
    InnerCall("store-write-undone", .writing) { store, _ in
      try undoing {
        try store.write { inner in
          try inner.insert(Numbered(id: 8, number: 8))
          throw Undone()
        }
      }
    },
    InnerCall(
      "savepoints-nest", .writing, effect: { $0.put(Numbered(id: 8, number: 8)) }
    ) { _, tx in
      try tx.savepoint {
        try tx.insert(Numbered(id: 8, number: 8))
        try undoing {
          try tx.savepoint {
            try tx.savepoint { try tx.delete(Numbered.all) }
            throw Undone()
          }
        }
      }
    },
  ]

  static let ofTheStore: [InnerCall] = [
    InnerCall("schema-change", .schema) { _, tx in
      try tx.apply(
        .createModel(ModelSchema(name: "New", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)))
    },
    InnerCall("freeze", .refused) { store, _ in _ = try store.freeze() },
    InnerCall("destroy", .refused) { store, _ in try store.destroy() },
    InnerCall("compact", .refused) { store, _ in try store.compact() },
    InnerCall("check", .reading) { store, _ in
      guard store.manifest.capabilities[.check]?.isSupported == true else { return }
      try expectEqual(try store.check(), [])
    },
    InnerCall("version", .reading) { store, tx in try expectEqual(try tx.version, try store.read { try $0.version }) },
  ]

  /// By what they do.
  static let groups: [(name: String, calls: [InnerCall])] = [
    ("reads", reads), ("writes", writesOfItems), ("writes-of-another", writesOfOthers), ("savepoints", savepoints),
    ("store", ofTheStore),
  ]

  static let all = groups.flatMap(\.calls)
}
