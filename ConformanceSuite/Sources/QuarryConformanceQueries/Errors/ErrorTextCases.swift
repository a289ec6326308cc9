import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What errors say, word by word: docs/errors.md. An engine that says the same in other words is wrong.
enum ErrorTextCases {
  private static func text(
    _ name: String, _ code: StorageError.Code, _ message: String, _ model: String? = nil, _ property: String? = nil,
    key: String? = nil, needs: Set<Capability> = [], persists: Bool = false,
    without: Set<ConformanceVariant> = ConformanceVariant.ofReads,
    _ provoke: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "ERR.text.\(name)", ["ERR-5", "ERR-2"], "The error says: \(message).", needs: needs,
      requiresPersistence: persists, level: .core, without: without
    ) { kit in
      let error = try expectError(code) { try provoke(kit) }
      try expectEqual(error.message, message)
      try expectEqual(error.model, model, "the model")
      try expectEqual(error.property, property, "the property")
      try expectEqual(error.key, key, "the key")
    }
  }

  private static func store(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Item.self, Figure.self)
    try store.insert(contentsOf: [Item(1, code: "a", rank: .max), Item(2, code: "b", rank: 5)])
    try store.insert(contentsOf: [Figure(1, number: .max, small: 127), Figure(2, number: .max, small: 0)])
    return store
  }

  private static let exists = "an object with this primary key exists"
  private static let taken = "another object has this value in the unique index code"
  private static let missing = "there is no object with this primary key"
  private static let changed = "the object was changed since it was read"

  static let all: [ConformanceCase] = rows + results + ends

  private static let rows: [ConformanceCase] = [
    text("insert", .duplicateKey, exists, "Item", "id", key: "1") { try store($0).insert(Item(1, code: "new")) },
    text("insert-many", .duplicateKey, exists, "Item", "id", key: "2") {
      try store($0).insert(contentsOf: [Item(8), Item(2, code: "new"), Item(9)])
    },
    text("insert-twice", .duplicateKey, exists, "Item", "id", key: "8") {
      try store($0).insert(contentsOf: [Item(8), Item(8, code: "new")])
    },
    text("insert-records", .duplicateKey, exists, "Item", "id", key: "1") { kit in
      let row = Record(["id": .int(1), "code": .string("x"), "name": .string(""), "score": .double(0)])
      try store(kit).write { try $0.records.insert(into: "Item", [row]) }
    },
    text("unique", .uniqueViolation, taken, "Item", "code", key: "9") { try store($0).insert(Item(9, code: "a")) },
    text("unique-many", .uniqueViolation, taken, "Item", "code", key: "9") {
      try store($0).insert(contentsOf: [Item(8), Item(9, code: "a")])
    },
    text("unique-upsert", .uniqueViolation, taken, "Item", "code", key: "2") {
      _ = try store($0).upsert(Item(2, code: "a"))
    },
    text("unique-upsert-many", .uniqueViolation, taken, "Item", "code", key: "9") {
      _ = try store($0).upsert(contentsOf: [Item(2, code: "b"), Item(9, code: "a")])
    },
    text("unique-get-or-insert", .uniqueViolation, taken, "Item", "code", key: "9") {
      _ = try store($0).getOrInsert(Item(9, code: "a"))
    },
    text("unique-update", .uniqueViolation, taken, "Item", "code", key: "2") {
      try store($0).update(Item(2, code: "a"))
    },
    text("unique-closure", .uniqueViolation, taken, "Item", "code", key: "2") {
      _ = try store($0).update(Item.self, 2) { $0.code = "a" }
    },
    text("unique-assigned", .uniqueViolation, taken, "Item", "code", key: "2") {
      try store($0).assign(Item.self, 2) { $0.code = "a" }
    },
    text("unique-query", .uniqueViolation, taken, "Item", "code", key: "2") {
      _ = try store($0).assign(Item.where { $0.id == 2 }) { $0.code = "a" }
    },
    text(
      "unique-index-made", .uniqueViolation,
      "the unique index small cannot be created: the objects with the keys 1 and 3 have the same value", "Figure",
      "small",
      key: "3", needs: [.schemaCreateIndex, .indexUnique]
    ) { kit in
      let store = try store(kit)
      try store.insert(contentsOf: [Figure(7, small: 5), Figure(3, small: 127), Figure(4, small: 0)])
      try store.write { tx in
        let model = try tx.model(named: "Figure")
        let slot = try unwrap(model.slot(named: "small"))
        try tx.apply(
          .createIndex(model.id, IndexSchema(name: "small", columns: [.init(slot: slot)], isUnique: true)))
      }
    },
    text("update", .notFound, missing, "Item", key: "77") { try store($0).update(Item(77)) },
    text("update-closure", .notFound, missing, "Item", key: "77") {
      _ = try store($0).update(Item.self, 77) { $0.name = "x" }
    },
    text("update-assigned", .notFound, missing, "Item", key: "77") {
      try store($0).assign(Item.self, 77) { $0.name = "x" }
    },
    text("update-calculated", .notFound, missing, "Item", key: "77") {
      try store($0).assign(Item.self, 77) { $0.rank += 1 }
    },
    text("update-unchanged", .notFound, missing, "Item", key: "77") {
      try store($0).update(Item(77), ifUnchangedFrom: Item(77))
    },
    text("conflict", .conflict, changed, "Item", key: "2") {
      try store($0).update(Item(2, name: "x"), ifUnchangedFrom: Item(2))
    },
    text("conflict-one", .conflict, changed, "Item", key: "2") {
      try store($0).write { try $0.update(Item(2, name: "x"), ifStored: \.rank, is: 4) }
    },
    text("iteration", .iterationActive, "a cursor over the model is open in this transaction", "Item") { kit in
      try store(kit).write { tx in
        let cursor = try tx.cursor(Item.all)
        _ = try cursor.next()
        try tx.insert(Item(9))
      }
    },
    text("nil", .missingValue, "nil in a property that is not optional", "Item", "name", key: "9") { kit in
      let row = Record(["id": .int(9), "code": .string("x"), "name": .null, "score": .double(0)])
      try store(kit).write { try $0.records.insert(into: "Item", [row]) }
    },
    text("not-a-number", .invalidValue, "a Decimal that is not a number cannot be stored", "Figure", "price", key: "9")
    {
      try store($0).insert(contentsOf: [Figure(8, price: 1), Figure(9, price: .nan)])
    },
  ]

  private static let results: [ConformanceCase] = [
    text("overflow", .invalidValue, "the result does not fit into int64", "Item", "rank", key: "1") {
      _ = try store($0).assign(Item.all) { $0.rank += 1 }
    },
    text("overflow-small", .invalidValue, "the result does not fit into int8", "Figure", "small", key: "1") {
      _ = try store($0).assign(Figure.all) { $0.small *= 2 }
    },
    text("overflow-one", .invalidValue, "the result does not fit into int64", "Item", "rank", key: "1") {
      try store($0).assign(Item.self, 1) { $0.rank += 1 }
    },
    text("overflow-decimal", .invalidValue, "the result does not fit into decimal", "Figure", "price", key: "9") {
      kit in
      let store = try store(kit)
      try store.insert(Figure(9, price: .greatestFiniteMagnitude))
      _ = try store.assign(Figure.all) { $0.price *= 1_000_000 }
    },
    text("sum", .invalidValue, "the sum does not fit into int64", "Figure", "number") {
      _ = try store($0).read { try $0.sum(Figure.all, of: \.number) }
    },
  ]

  private static let ends: [ConformanceCase] = [
    text("reentrant", .reentrant, "a write inside a read of the same store") { kit in
      let store = try store(kit)
      _ = try store.read { _ in try store.insert(Item(9)) }
    },
    text("read-only", .readOnly, "the store was opened for reading only", needs: [.openReadOnly], persists: true) {
      kit in
      let place = try kit.makePlace()
      try kit.open([Item.self], at: place).close()
      var options = OpenOptions()
      options.isReadOnly = true
      try kit.open([Item.self], at: place, options: options).insert(Item(1))
    },
    text(
      "read-only-backend", .readOnly, "the store was opened for reading only", needs: [.openReadOnly], persists: true,
      without: ConformanceVariant.allButFresh
    ) { kit in
      let place = try kit.makePlace()
      try kit.open([Item.self], at: place).close()
      var options = OpenOptions()
      options.isReadOnly = true
      let backend = try kit.undecorated(place).open(options)
      defer { try? backend.close() }
      _ = try backend.beginWrite(WriteOptions())
    },
    text("busy", .busy, "another write transaction was open for longer than 0.01 s") { kit in
      let store = try store(kit)
      let writer = try ScriptedTransaction.write(store)
      defer { writer.abort() }
      try store.write(timeout: 0.01) { try $0.insert(Item(9)) }
    }.only(.one),
    text("closed", .closed, "the store was closed") { kit in
      let store = try store(kit)
      try store.close()
      _ = try store.count(Item.all)
    },
    text("closed-inside", .closed, "the store was closed") { kit in
      let store = try store(kit)
      try store.read { tx in
        try store.close()
        _ = try tx.count(Item.all)
      }
    },
    text("closed-backend", .closed, "the store was closed", without: ConformanceVariant.allButFresh) { kit in
      let backend = try kit.undecorated(kit.makePlace()).open(OpenOptions())
      try backend.close()
      _ = try backend.beginRead()
    },
    text("closed-frozen", .closed, "the snapshot was closed", needs: [.snapshots]) { kit in
      let frozen = try store(kit).freeze()
      frozen.close()
      _ = try frozen.count(Item.all)
    },
    text("ended", .transactionEnded, "the transaction has ended") { kit in
      var escaped: ReadTransaction?
      try store(kit).read { escaped = $0 }
      _ = try escaped?.count(Item.all)
    },
    text("ended-backend", .transactionEnded, "the transaction has ended", without: ConformanceVariant.allButFresh) {
      kit in
      let backend = try kit.undecorated(kit.makePlace()).open(OpenOptions())
      defer { try? backend.close() }
      let read = try backend.beginRead()
      read.end()
      _ = try read.version()
    },
    text("thread", .wrongThread, "the transaction belongs to another thread") { kit in
      try store(kit).read { tx in
        nonisolated(unsafe) let other = tx
        try onAnotherThread { _ = try other.count(Item.all) }
      }
    },
    ConformanceCase(
      "ERR.text.localized", ["ERR-9"], "localizedDescription says what the description says.", level: .core,
      without: ConformanceVariant.ofReads
    ) { kit in
      let store = try store(kit)
      let full = "duplicateKey: \(exists) (model Item, property id, key 1)"
      try expectEqual("\(try expectError(.duplicateKey) { try store.insert(Item(1)) })", full)
      do {
        try store.insert(Item(1))
      } catch {
        try expectEqual(error.localizedDescription, full)
      }
    },
    ConformanceCase(
      "ERR.text.savepoint", ["ERR-7", "ERR-5"],
      "Without an open savepoint there is none to end, and the transaction goes on.", needs: [.savepoints],
      level: .core, without: ConformanceVariant.allButFresh
    ) { kit in
      let backend = try kit.undecorated(kit.makePlace()).open(OpenOptions())
      defer { try? backend.close() }
      let write = try backend.beginWrite(WriteOptions())
      defer { write.rollback() }
      for round in 0..<2 {
        for error in [
          try expectError(.transactionEnded) { try write.releaseSavepoint() },
          try expectError(.transactionEnded) { try write.rollbackSavepoint() },
        ] { try expectEqual(error.message, "no savepoint is open") }
        guard round == 0 else { break }
        // One that was ended is open no longer.
        try write.savepoint()
        try write.releaseSavepoint()
      }
      _ = try write.version()
    },
  ]
}
