import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Each kind of change, of objects and of the schema, that is kept, undone, rolled back, frozen away from, and looked at
/// after the store was closed and opened again.
enum ChangeCases {
  struct Change: Sendable {
    let name: String
    let needs: Set<Capability>
    let apply: @Sendable (WriteTransaction) throws -> Void

    init(_ name: String, needs: Set<Capability> = [], _ apply: @escaping @Sendable (WriteTransaction) throws -> Void) {
      self.name = name
      self.needs = needs
      self.apply = apply
    }
  }

  private static let model = ModelSchema(
    name: "Thing",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "code", type: .string, isOptional: true),
      PropertySchema(name: "rank", type: .int32, isOptional: true), PropertySchema(name: "score", type: .double),
      PropertySchema(name: "spare", type: .string, isOptional: true),
    ], primaryKey: 0,
    indexes: [
      IndexSchema(name: "code", columns: [.init(slot: 1)], isUnique: true),
      IndexSchema(name: "rank", columns: [.init(slot: 2, isDescending: true)]),
    ])

  private static func row(_ id: Int, _ code: String? = nil, _ rank: Int? = nil) -> Record {
    Record([
      "id": .int(Int64(id)), "code": code.map { .string($0) } ?? .null, "rank": rank.map { .int(Int64($0)) } ?? .null,
      "score": .double(Double(id) / 2), "spare": .null,
    ])
  }

  private static func query(_ comparison: Comparison, _ id: Int) -> QueryTree {
    QueryTree(model: "Thing", predicate: .compare(.named("id"), comparison, .value(.int(Int64(id)))))
  }

  private static func thing(_ tx: ReadTransaction) throws -> ModelSchema { try tx.model(named: "Thing") }

  static let changes: [Change] = [
    Change("insert") { try $0.records.insert(into: "Thing", [row(100, "new", 3)]) },
    Change("insert-many") { tx in try tx.records.insert(into: "Thing", (100..<300).map { row($0, "n\($0)", $0 % 7) }) },
    Change("upsert-new", needs: [.upsert]) { _ = try $0.records.upsert(into: "Thing", [row(100, "new")]) },
    Change("upsert-old", needs: [.upsert]) { _ = try $0.records.upsert(into: "Thing", [row(1, "other", 9)]) },
    Change("upsert-exchange", needs: [.upsert]) { tx in
      try tx.records.upsert(into: "Thing", [row(1, "c2", 1), row(2, "c1", 2)])
    },
    Change("assign", needs: [.updateWhere]) { tx in
      try tx.records.assign(
        QueryTree(model: "Thing"), [.init("rank", .add, .int(5)), .init("spare", .set, .string("s"))])
    },
    Change("assign-unique", needs: [.updateWhere]) { tx in
      try tx.records.assign(query(.equal, 3), [.init("code", .set, .string("zz"))])
    },
    Change("assign-nil", needs: [.updateWhere]) { tx in
      try tx.records.assign(query(.less, 4), [.init("code", .set, .null), .init("rank", .set, .null)])
    },
    Change("delete", needs: [.deleteWhere]) { try $0.records.delete(query(.equal, 2)) },
    Change("delete-many", needs: [.deleteWhere]) { try $0.records.delete(query(.greater, 2)) },
    Change("delete-all", needs: [.deleteWhere]) { try $0.records.delete(QueryTree(model: "Thing")) },
    Change("delete-and-insert", needs: [.deleteWhere]) { tx in
      try tx.records.delete(query(.equal, 2))
      try tx.records.insert(into: "Thing", [row(2, "c2", 40), row(100, "new")])
    },
    Change("failed-statement") { tx in
      try expectError(.duplicateKey) { try tx.records.insert(into: "Thing", [row(100, "new"), row(1, "x")]) }
      try tx.records.insert(into: "Thing", [row(101, "new")])
    },
    Change("savepoints", needs: [.savepoints]) { tx in
      try tx.savepoint { try tx.records.insert(into: "Thing", [row(100, "kept")]) }
      do {
        try tx.savepoint {
          try tx.records.delete(QueryTree(model: "Thing"))
          throw Abandoned()
        }
      } catch is Abandoned {}
    },
    Change("create-model") { tx in
      try tx.apply(.createModel(ColumnTable.model(.double)))
      try tx.records.insert(into: ColumnTable.name, ColumnTable.rows(Samples.few(.double)))
    },
    Change("drop-model", needs: [.schemaDropModel]) { tx in try tx.apply(.dropModel(try thing(tx).id)) },
    Change("rename-model", needs: [.schemaRenameModel]) { tx in
      try tx.apply(.renameModel(try thing(tx).id, to: "Renamed"))
      try tx.records.insert(into: "Renamed", [row(100, "new")])
    },
    Change("add-property", needs: [.schemaAddProperty]) { tx in
      let id = try thing(tx).id
      try tx.apply(.addProperty(id, PropertySchema(name: "added", type: .int64, defaultValue: .int(7))))
      try tx.records.insert(into: "Thing", [row(100, "new")])
    },
    Change("rename-property", needs: [.schemaRenameProperty]) { tx in
      try tx.apply(.renameProperty(try thing(tx).id, slot: 2, to: "grade"))
      try tx.records.assign(QueryTree(model: "Thing"), [.init("grade", .add, .int(1))])
    },
    Change("drop-property", needs: [.schemaDropProperty]) { tx in
      try tx.apply(.dropProperty(try thing(tx).id, slot: 4))
    },
    Change("create-index", needs: [.schemaCreateIndex]) { tx in
      let index = IndexSchema(name: "score", columns: [.init(slot: 3), .init(slot: 1, isDescending: true)])
      try tx.apply(.createIndex(try thing(tx).id, index))
      try tx.records.insert(into: "Thing", [row(100, "new")])
    },
    Change("create-unique-index", needs: [.schemaCreateIndex]) { tx in
      let index = IndexSchema(name: "score", columns: [.init(slot: 3)], isUnique: true)
      try tx.apply(.createIndex(try thing(tx).id, index))
    },
    Change("drop-index", needs: [.schemaDropIndex]) { tx in
      let model = try thing(tx)
      try tx.apply(.dropIndex(model.id, index: model.indexes[0].id))
      try tx.records.insert(into: "Thing", [row(100, "c1")])
    },
    Change("rename-index", needs: [.schemaRenameIndex]) { tx in
      let model = try thing(tx)
      try tx.apply(.renameIndex(model.id, index: model.indexes[1].id, to: "renamed"))
    },
    Change("several-schema-changes", needs: [.schemaDropIndex, .schemaDropProperty, .schemaAddProperty]) { tx in
      let model = try thing(tx)
      try tx.apply(.dropIndex(model.id, index: model.indexes[1].id))
      try tx.apply(.dropProperty(model.id, slot: 2))
      try tx.apply(.addProperty(model.id, PropertySchema(name: "rank", type: .string, isOptional: true)))
      try tx.apply(.createIndex(model.id, IndexSchema(name: "rank", columns: [.init(slot: 5)])))
      try tx.records.assign(query(.less, 3), [.init("rank", .set, .string("r"))])
    },
  ]

  private static func store(_ kit: ConformanceContext, at place: any BackendProvider) throws -> Store {
    let store = try kit.open([], at: place)
    try store.write { tx in
      try tx.apply(.createModel(model))
      try tx.records.insert(into: "Thing", (0..<8).map { row($0, "c\($0)", $0 % 3) })
    }
    return store
  }

  /// Makes the change in a savepoint that is undone, and then something that stays.
  private static func undo(_ change: Change, _ tx: WriteTransaction) throws {
    do {
      try tx.savepoint {
        try change.apply(tx)
        throw Abandoned()
      }
    } catch is Abandoned {}
  }

  private static func rollBack(_ change: Change, _ store: Store) throws {
    do {
      try store.write { tx in
        try change.apply(tx)
        throw Abandoned()
      }
    } catch is Abandoned {}
  }

  /// What another store looks like in which the change was made and nothing undone.
  private static func image(after change: Change, _ kit: ConformanceContext) throws -> StoreImage {
    let other = try store(kit, at: kit.makePlace())
    try other.write { try change.apply($0) }
    return try StoreImage(other)
  }

  static let all: [ConformanceCase] = changes.flatMap { change in
    let schema: [String] = change.name.contains("model") || change.name.contains("index") ? ["IDX-4"] : []
    return [
      ConformanceCase(
        "TXN.kept.\(change.name)", ["TXN-1", "TXN-2"] + schema,
        "What a transaction sees of its own (\(change.name)) is what is there after the commit.",
        needs: change.needs, without: ConformanceVariant.ofReads
      ) { kit in
        let store = try store(kit, at: kit.makePlace())
        let inside = try store.write { tx in
          try change.apply(tx)
          return try StoreImage(tx)
        }
        try expectEqual(try StoreImage(store), inside)
      },
      ConformanceCase(
        "TXN.rolled-back.\(change.name)", ["TXN-1"] + schema,
        "After a rollback (\(change.name)) the store is as it was, and takes the same change.",
        needs: change.needs, without: ConformanceVariant.ofReads
      ) { kit in
        let store = try store(kit, at: kit.makePlace())
        let before = try StoreImage(store)
        try rollBack(change, store)
        try expectEqual(try StoreImage(store), before)
        try store.write { try change.apply($0) }
        try expect(try StoreImage(store) != before, "the second time nothing was changed")
      },
      ConformanceCase(
        "TXN.savepoint-undone.\(change.name)", ["TXN-3"] + schema,
        "After a savepoint is undone (\(change.name)) the transaction is as before it, and takes the same change.",
        needs: change.needs.union([.savepoints]), without: ConformanceVariant.ofReads
      ) { kit in
        let store = try store(kit, at: kit.makePlace())
        let before = try StoreImage(store)
        try store.write { tx in
          try undo(change, tx)
          try expectEqual(try StoreImage(tx), before, "inside")
          try undo(change, tx)
        }
        try expectEqual(try StoreImage(store), before, "after the commit")
        try store.write { tx in
          try undo(change, tx)
          try change.apply(tx)
        }
        let rows = try StoreImage(store).rows
        try expectEqual(rows, try image(after: change, kit).rows, "undone and made")
      },
      ConformanceCase(
        "TXN.savepoint-lost.\(change.name)", ["TXN-1", "TXN-3"] + schema,
        "A savepoint that was kept (\(change.name)) is undone with the one around it.",
        needs: change.needs.union([.savepoints]), without: ConformanceVariant.ofReads
      ) { kit in
        let store = try store(kit, at: kit.makePlace())
        let before = try StoreImage(store)
        try store.write { tx in
          do {
            try tx.savepoint {
              try tx.savepoint { try change.apply(tx) }
              throw Abandoned()
            }
          } catch is Abandoned {}
          try expectEqual(try StoreImage(tx), before)
        }
        try expectEqual(try StoreImage(store), before)
      },
      ConformanceCase(
        "SNAP.before.\(change.name)", ["SNAP-1", "ISO-2"],
        "A snapshot and an open read do not see what is changed later (\(change.name)).",
        needs: change.needs, without: ConformanceVariant.ofWriter
      ) { kit in
        let store = try store(kit, at: kit.makePlace())
        let before = try StoreImage(store)
        let frozen = try store.freeze()
        defer { frozen.close() }
        var hasWaited = false
        try store.read { tx in
          do {
            try onAnotherThread { try store.write { try change.apply($0) } }
          } catch let error as StorageError where error.code == .busy && kit.manifest.schemaChanges == .afterSnapshots {
            hasWaited = true
          }
          try expectEqual(try StoreImage(tx), before, "the read")
        }
        try expectEqual(try frozen.read { try StoreImage($0) }, before, "the snapshot")
        frozen.close()
        if hasWaited { try store.write { try change.apply($0) } }
        try expect(try StoreImage(store) != before, "nothing was changed")
      },
      ConformanceCase(
        "DUR.reopened.\(change.name)", ["CRUD-1", "TXN-1"],
        "What was committed (\(change.name)) is there when the store is opened again.", needs: change.needs,
        requiresPersistence: true, without: ConformanceVariant.ofReads
      ) { kit in
        let place = try kit.makePlace()
        let first = try store(kit, at: place)
        try first.write { try change.apply($0) }
        let image = try StoreImage(first)
        try first.close()
        let second = try kit.open([], at: place)
        try expectEqual(try StoreImage(second), image)
        try second.close()
        try expectEqual(try StoreImage(kit.open([], at: place)), image, "opened a third time")
      },
      ConformanceCase(
        "DUR.rolled-back.\(change.name)", ["TXN-1", "TXN-3"],
        "What was rolled back or undone (\(change.name)) is not there when the store is opened again.",
        needs: change.needs.union([.savepoints]), requiresPersistence: true, without: ConformanceVariant.ofReads
      ) { kit in
        let place = try kit.makePlace()
        let first = try store(kit, at: place)
        try rollBack(change, first)
        try first.write { tx in
          try undo(change, tx)
          try tx.records.insert(into: "Thing", [row(500, "stays")])
        }
        let image = try StoreImage(first)
        try first.close()
        let second = try kit.open([], at: place)
        try expectEqual(try StoreImage(second), image)
        try second.write { try change.apply($0) }
      },
    ]
  }
}
