import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What a write transaction remembers of its changes.
enum CaptureCases {
  static let all: [ConformanceCase] = [
    capture("rows", "Rows before and after are captured.", .rows) { store in
      let (set, schema) = try store.change(.rows) { tx, model in
        try tx.insert(model, [7, 3])
        try tx.update(model, 1, name: "new")
        _ = try tx.delete(model.id, [try Key.primary(.int(2), model)])
      }
      try expectEqual(set.isUnknown, false)
      let changes = try objects(set, schema.id)
      try expectEqual(try keys(changes), [1, 2, 3, 7])
      try expectEqual(changes.map(\.kind), [.update, .deletion, .insertion, .insertion])
      try expectEqual(try changes.map { try name($0.old, schema) }, ["n1", "n2", nil, nil])
      try expectEqual(try changes.map { try name($0.new, schema) }, ["new", nil, "n3", "n7"])
    },
    capture("keys", "Keys are captured without rows.", .keys) { store in
      let (set, schema) = try store.change(.keys) { tx, model in
        try tx.insert(model, [7])
        try tx.update(model, 1, name: "new")
      }
      let changes = try objects(set, schema.id)
      try expectEqual(try keys(changes), [1, 7])
      try expectEqual(changes.map(\.kind), [.update, .insertion])
      try expect(changes.allSatisfy { $0.old == nil && $0.new == nil }, "rows are captured")
    },
    capture("touched", "That a model was written to is captured.", .keys) { store in
      let (set, schema) = try store.change(Capture(.touched)) { tx, model in try tx.insert(model, [7]) }
      try expectEqual(set.models[schema.id], .unknown)
      try expectEqual(set.isUnknown, false)
      let nothing = try store.change(Capture(.touched)) { _, _ in }.set
      try expectEqual(nothing.models.count, 0)
    },
    capture("of-models", "Only what is asked for is captured.", .rows) { store in
      let schema = try store.model()
      let other = try store.change(Capture(.none, [ModelID(schema.id.rawValue + 1): .rows])) { tx, model in
        try tx.insert(model, [7])
      }.set
      try expectEqual(other.models.count, 0)
      let own = try store.change(Capture(.keys, [schema.id: .rows])) { tx, model in try tx.insert(model, [8]) }.set
      try expect(try objects(own, schema.id).allSatisfy { $0.new != nil })
    },
    capture("undone", "Changes that a savepoint has undone, or that were taken back, are not captured.", .rows) {
      store in
      let (set, schema) = try store.change(.rows) { tx, model in
        try tx.savepoint()
        try tx.insert(model, [8])
        try tx.update(model, 1, name: "undone")
        try tx.rollbackSavepoint()
        try tx.savepoint()
        try tx.insert(model, [9])
        try tx.releaseSavepoint()
        try tx.insert(model, [10])
        _ = try tx.delete(model.id, [try Key.primary(.int(10), model)])
        try tx.update(model, 2, name: "back")
        try tx.update(model, 2, name: "n2")
      }
      try expectEqual(try keys(try objects(set, schema.id)), [9])
    },
    capture("get-or-insert", "An object that a get-or-insert finds is not captured, and one that it adds is.", .rows) {
      store in
      let (set, schema) = try store.change(.rows) { tx, model in
        try tx.getOrInsert(model, 1, name: "other")
        try tx.getOrInsert(model, 7, name: "n7")
        try tx.getOrInsert(model, 7, name: "other")
      }
      let changes = try objects(set, schema.id)
      try expectEqual(try keys(changes), [7])
      try expectEqual(changes.map(\.kind), [.insertion])
      try expectEqual(try changes.map { try name($0.new, schema) }, ["n7"])
      let found = try store.change(.rows) { tx, model in try tx.getOrInsert(model, 2, name: "other") }.set
      try expectEqual(found, ChangeSet())
    },
    capture("refused", "A statement that is refused leaves no trace.", .rows) { store in
      let (set, schema) = try store.change(.rows) { tx, model in
        try expectError(.duplicateKey) { try tx.insert(model, [8, 1]) }
        try expectError(.notFound) { try tx.update(model, 77, name: "none") }
        try tx.insert(model, [9])
      }
      try expectEqual(try keys(try objects(set, schema.id)), [9])
    },
    capture("nothing", "A commit that changes nothing has no changes.", .rows) { store in
      let set = try store.change(.rows) { tx, model in try tx.update(model, 1, name: "n1") }.set
      try expectEqual(set, ChangeSet())
    },
    capture("queries", "Updates and deletes of queries are captured.", .rows) { store in
      let (set, schema) = try store.change(.rows) { tx, model in
        let slot = try unwrap(model.slot(named: "name"))
        let query = BoundQuery(
          model: model.id, predicate: .compare(slot: model.primaryKey, .less, .int(2)),
          order: [BoundSortKey(slot: model.primaryKey)])
        _ = try tx.update(query, [BoundAssignment(slot: slot, operation: .set, value: .string("all"))])
        var rest = query
        rest.predicate = .compare(slot: model.primaryKey, .greaterOrEqual, .int(2))
        _ = try tx.delete(rest)
      }
      let changes = try objects(set, schema.id)
      try expectEqual(changes.map(\.kind), [.update, .deletion])
      try expectEqual(try changes.map { try name($0.old, schema) }, ["n1", "n2"])
      try expectEqual(try changes.map { try name($0.new, schema) }, ["all", nil])
    },
    capture("too-much", "Of more than is kept it is known that something changed.", .rows) { store in
      let text = String(repeating: "x", count: 1 << 20)
      let (set, schema) = try store.change(.rows) { tx, model in
        for id in 100..<118 { try tx.insert(model, [id], name: text) }
      }
      try expectEqual(set.models[schema.id], .unknown)
    },
    capture("schema", "A change of the schema makes all unknown.", .rows, needs: [.schemaCreateIndex]) { store in
      let set = try store.change(.rows) { tx, model in
        try tx.insert(model, [7])
        try tx.apply(.createIndex(model.id, IndexSchema(name: "more", columns: [.init(slot: 1)])))
      }.set
      try expectEqual(set.isUnknown, true)
    },
    capture("version", "The commit has the version of its state.", .rows) { store in
      let transaction = try store.backend.beginWrite(WriteOptions(capture: .rows))
      defer { transaction.end() }
      try transaction.insert(try store.model(), [55])
      let version = try transaction.commit().version
      let reader = try store.backend.beginRead()
      defer { reader.end() }
      try expectEqual(try reader.version(), version)
    },
    capture("nil", "An object that has nil again is the object that it was, also in the bytes of its row.", .rows) {
      store in
      func set(_ number: Value) throws -> (set: ChangeSet, model: ModelSchema) {
        try store.change(.rows) { tx, model in
          let query = BoundQuery(
            model: model.id, predicate: .constant(true), order: [BoundSortKey(slot: model.primaryKey)])
          _ = try tx.update(query, [BoundAssignment(slot: 1, operation: .set, value: number)])
        }
      }
      var (changes, schema) = try set(.int(5))
      let before = try objects(changes, schema.id).map(\.old)
      try expectEqual(before.count, 2)
      let later = try set(.null).set
      try expectEqual(try objects(later, schema.id).map(\.new), before)
      changes.merge(later)
      try expectEqual(changes, ChangeSet(), "a number that became nil again")
    },
    ConformanceCase("OBS.encoded", ["OBS-18"], "The bytes of changes give them again; others are corrupt.") { kit in
      let store = try CapturingStore(kit)
      let set = try store.change(.rows) { tx, model in
        try tx.insert(model, [7, 3])
        try tx.update(model, 1, name: "new")
        _ = try tx.delete(model.id, [try Key.primary(.int(2), model)])
      }.set
      var both = set
      both.models[ModelID(90)] = .unknown
      for changes in [set, both, ChangeSet(), .unknown] {
        let committed = CommittedChanges(version: CommitVersion(.max), schemaVersion: 7, changes: changes)
        let bytes = committed.encoded()
        try expectEqual(try bytes.withUnsafeBytes { try CommittedChanges(decoding: $0) }, committed)
        for place in bytes.indices {
          var damaged = bytes
          damaged[place] ^= 1 << UInt8(place % 8)
          let code = damaged.withUnsafeBytes { bytes in
            do throws(StorageError) {
              _ = try CommittedChanges(decoding: bytes)
              return StorageError.Code?.none
            } catch {
              return error.code
            }
          }
          try expect(
            code == .corrupt || place == 4 && code == .schemaTooNew,
            "byte \(place) was changed: \(String(describing: code))")
        }
        for count in bytes.indices {
          try expectError(.corrupt) {
            try Array(bytes[..<count]).withUnsafeBytes { try CommittedChanges(decoding: $0) }
          }
        }
      }
    },
    ConformanceCase("OBS.merged", ["OBS-5", "OBS-17"], "Two change sets that are merged are as one.") { kit in
      let store = try CapturingStore(kit)
      var merged = try store.change(.rows) { tx, model in
        try tx.insert(model, [7, 8])
        try tx.update(model, 1, name: "new")
      }.set
      let (later, schema) = try store.change(.rows) { tx, model in
        try tx.update(model, 1, name: "n1")
        try tx.update(model, 7, name: "seven")
        _ = try tx.delete(model.id, [try Key.primary(.int(8), model), try Key.primary(.int(2), model)])
      }
      merged.merge(later)
      let changes = try objects(merged, schema.id)
      try expectEqual(try keys(changes), [2, 7])
      try expectEqual(changes.map(\.kind), [.deletion, .insertion])
      try expectEqual(try changes.map { try name($0.new, schema) }, [nil, "seven"])
      merged.merge(.unknown)
      try expectEqual(merged, .unknown)
    },
  ]

  private static func capture(
    _ name: String, _ summary: String, _ most: Capture, needs: Set<Capability> = [], line: Int = #line,
    _ body: @escaping @Sendable (CapturingStore) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "OBS.capture-\(name)", ["OBS-17"], summary,
      needs: needs.union(most == .rows ? [.captureKeys, .captureRows] : [.captureKeys]), line: line
    ) { kit in try body(try CapturingStore(kit)) }
  }

  private static func objects(_ set: ChangeSet, _ model: ModelID) throws -> [ChangeSet.Change] {
    guard case .objects(let changes)? = set.models[model] else {
      throw ConformanceFailure(message: "got \(set), the contract says objects", file: #fileID, line: #line)
    }
    return changes
  }

  private static func keys(_ changes: [ChangeSet.Change]) throws -> [Int] {
    try changes.map { change in
      let value = try change.key.bytes.withUnsafeBytes { try Key.value(of: $0, type: .int64) }
      return value.intValue ?? 0
    }
  }

  private static func name(_ row: Row?, _ model: ModelSchema) throws -> String? {
    guard let row else { return nil }
    let layout = RowLayout(model)
    return try row.bytes.withUnsafeBytes { bytes in
      try RowView(bytes, layout).string(layout.slots[try unwrap(model.slot(named: "name"))])
    }
  }
}

/// A backend with two objects, written to without a store.
struct CapturingStore {
  let backend: any Backend

  init(_ kit: ConformanceContext) throws {
    let place = CapturingProvider(try kit.makePlace())
    let store = try kit.open([Plain.self], at: place)
    try store.insert(contentsOf: [Plain(1, name: "n1"), Plain(2, name: "n2")])
    backend = try unwrap(place.backend)
  }

  func model() throws -> ModelSchema {
    let reader = try backend.beginRead()
    defer { reader.end() }
    return try unwrap(reader.schema.model(named: "Plain"))
  }

  /// What a transaction captures.
  func change(
    _ capture: Capture, _ body: (any BackendWriteTransaction, ModelSchema) throws -> Void
  ) throws -> (set: ChangeSet, model: ModelSchema) {
    let transaction = try backend.beginWrite(WriteOptions(capture: capture))
    defer { transaction.end() }
    let model = try unwrap(transaction.schema.model(named: "Plain"))
    try body(transaction, model)
    return (try transaction.commit().changes, model)
  }
}

extension BackendWriteTransaction {
  fileprivate func insert(_ model: ModelSchema, _ ids: [Int], name: String? = nil) throws {
    var batch = RowBatch()
    for id in ids { try row(model, id, name ?? "n\(id)") { batch.append($0) } }
    try insert(model.id, batch)
  }

  fileprivate func update(_ model: ModelSchema, _ id: Int, name: String) throws {
    try row(model, id, name) { row throws(StorageError) in
      try update(model.id, row, slots: [try slot(model)], expected: nil, expectedSlots: nil)
    }
  }

  fileprivate func getOrInsert(_ model: ModelSchema, _ id: Int, name: String) throws {
    try row(model, id, name) { row throws(StorageError) in _ = try getOrInsert(model.id, row) }
  }

  private func slot(_ model: ModelSchema) throws(StorageError) -> Int {
    guard let slot = model.slot(named: "name") else { throw StorageError(.schemaMismatch, "no name") }
    return slot
  }

  private func row(
    _ model: ModelSchema, _ id: Int, _ name: String, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    let layout = RowLayout(model)
    let writer = RowWriter(layout)
    writer.begin()
    let values: [Value] = [.int(Int64(id)), .null, .string(name), .array([])]
    for (slot, value) in zip(layout.slots, values) { try writer.set(slot, value: value) }
    try body(try writer.finish())
  }
}
