import Foundation
package import QuarryBackend
import QuarryCore
import QuarryQuery
import Synchronization

/// Asks a backend for one capability: what it offers must work, and what it does not must be refused without effect.
package struct CapabilityProbe {
  /// A store with a few objects, and the backend below it.
  package final class Stage {
    let kit: ConformanceContext
    let place: any BackendProvider
    let store: Store
    let backend: any Backend

    init(_ kit: ConformanceContext) throws {
      self.kit = kit
      place = try kit.makePlace()
      let capturing = CapturingProvider(kit.undecorated(place))
      store = try kit.open([Plain.self], at: capturing)
      backend = try unwrap(capturing.backend, "the backend")
      try store.insert(contentsOf: Stage.objects)
    }

    static let objects = [
      Plain(1, number: 3, name: "a", tags: ["x"]), Plain(2, name: "b"), Plain(3, number: 1, name: "B", tags: []),
    ]

    /// Opens another new place with an option.
    func open(_ change: (inout OpenOptions) throws -> Void) throws {
      var options = OpenOptions()
      try change(&options)
      try kit.undecorated(kit.makePlace()).open(options).close()
    }

    func query(_ predicate: PredicateTree = .constant(true), _ change: (inout QueryTree) -> Void = { _ in }) throws {
      var query = QueryTree(model: "Plain", predicate: predicate)
      change(&query)
      let changed = query
      _ = try store.read { try $0.records.fetch(changed) }
    }

    func write(_ body: (any BackendWriteTransaction, ModelSchema) throws -> Void) throws {
      // With many writers a call may meet a conflict, and the transaction is run again (TXN-7).
      for attempt in 1... {
        let transaction = try backend.beginWrite(WriteOptions(attempt: attempt))
        defer { transaction.rollback() }
        do {
          return try body(transaction, unwrap(transaction.schema.model(named: "Plain"), "the model"))
        } catch {
          guard transaction.failure?.code == .conflict, attempt < 20 else { throw error }
        }
      }
    }

    func apply(_ change: @escaping (ModelSchema) -> SchemaChange) throws {
      try write { try $0.apply(change($1)) }
    }

    func createModel(_ columns: [IndexSchema.Column], isUnique: Bool = false) throws {
      let model = ModelSchema(
        name: "Indexed",
        properties: [
          PropertySchema(name: "id", type: .int64), PropertySchema(name: "a", type: .int64),
          PropertySchema(name: "b", type: .string),
        ], primaryKey: 0, indexes: columns.isEmpty ? [] : [IndexSchema(name: "i", columns: columns, isUnique: isUnique)]
      )
      try apply { _ in .createModel(model) }
    }
  }

  let capability: Capability
  /// Uses the capability; nil where no call of the interface asks for it.
  package let attempt: (@Sendable (Stage) throws -> Void)?

  /// Throws unless the backend does with the capability what the manifest declares.
  package func inspect(_ kit: ConformanceContext) throws {
    if capability == .multipleProcesses { return try inspectSharing(kit) }
    guard let attempt else { return }
    let stage = try Stage(kit)
    guard let support = kit.manifest.capabilities[capability], !support.isSupported else { return try attempt(stage) }
    let models = try stage.store.models()
    let error = try expectError(.unsupported, capability.rawValue) { try attempt(stage) }
    try expectEqual(error.capability, capability, "the capability that the refusal names")
    try expectEqual(try stage.store.models(), models, "the schema after the refusal of \(capability.rawValue)")
    try expectEqual(
      try stage.store.read { tx in try Stage.objects.map { try tx.get(Plain.self, $0.id) } }, Stage.objects,
      "the objects after the refusal of \(capability.rawValue)")
    try stage.store.insert(Plain(100, name: "after"))
    try expectEqual(try stage.store.get(Plain.self, 100)?.name, "after", "a write after the refusal")
  }

  /// What a store for one process refuses is no call but another process, as `inUse`.
  private func inspectSharing(_ kit: ConformanceContext) throws {
    guard kit.manifest.capabilities[capability]?.isSupported == false, kit.harness.isPersistent,
      let process = kit.harness.secondProcess, process.obstacle == nil
    else { return }
    try ExclusiveUse.expectRefusedHere(kit)
    try ExclusiveUse.expectRefusedThere(kit)
  }

  /// The probe of a capability. A test of the kit looks that each has an attempt, so that a new one is not forgotten.
  package init(_ capability: Capability) {
    self.capability = capability
    attempt = Self.opening(capability) ?? Self.querying(capability) ?? Self.changing(capability)
  }

  private static func opening(_ capability: Capability) -> (@Sendable (Stage) throws -> Void)? {
    switch capability {
    case .openReadOnly:
      { stage in
        var options = OpenOptions()
        options.isReadOnly = true
        // A place where there is nothing is notFound on engines that persist; that is an answer to the option too.
        let place = try stage.kit.undecorated(stage.kit.makePlace())
        do throws(StorageError) {
          try place.open(options).close()
        } catch {
          guard error.code == .notFound else { throw error }
        }
      }
    case .openDurability:
      { stage in
        let others = [BackendManifest.Durability.none, .processCrash, .powerLoss]
          .filter { $0 != stage.kit.manifest.durability }
        if stage.kit.manifest.capabilities[.openDurability]?.isSupported == true {
          // Each is what was asked for, or more than the engine can give: CAP.durability looks closer.
          return try stage.open { $0.durability = stage.kit.manifest.durability }
        }
        for durability in others { try stage.open { $0.durability = durability } }
      }
    case .openEncryption: { try $0.open { $0.encryption = Encryption(try ConformanceKey.key()) } }
    case .openNamespace: { try $0.open { $0.namespace = "n" } }
    case .transactions: { try $0.write { _, _ in } }
    case .snapshots: { try $0.backend.snapshot().close() }
    case .savepoints:
      { stage in
        try stage.write { tx, _ in
          try tx.savepoint()
          try tx.rollbackSavepoint()
        }
      }
    // No call of one process asks for it: `inspectSharing`.
    case .multipleProcesses: nil
    case .captureKeys: { try $0.backend.beginWrite(WriteOptions(capture: .keys)).rollback() }
    case .captureRows: { try $0.backend.beginWrite(WriteOptions(capture: .rows)).rollback() }
    case .statistics: { _ = try $0.backend.statistics() }
    case .check: { try expectEqual(try $0.backend.check(), []) }
    case .repair:
      { stage in
        let tx = try stage.backend.beginWrite(WriteOptions())
        defer { tx.rollback() }
        for model in tx.schema.models {
          _ = try tx.requireRepairing(stage.kit.manifest).removeUnreadableRows(model.id) { _ in }
        }
      }
    case .compact: { try $0.backend.requireCompacting().compact() }
    case .backup:
      { stage in
        let path = FileManager.default.temporaryDirectory.appending(path: "quarry-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try stage.backend.requireBackup().backup(to: path)
      }
    case .destroy: { try $0.backend.destroy() }
    default: nil
    }
  }

  private static func querying(_ capability: Capability) -> (@Sendable (Stage) throws -> Void)? {
    switch capability {
    case .queryCompare: { try $0.query(.compare(.named("number"), .equal, .value(.int(1)))) }
    case .queryCompareColumns: { try $0.query(.compare(.named("number"), .less, .named("id"))) }
    case .queryText: { try $0.query(.text(.named("name"), .contains, "a", [])) }
    case .queryTextFolding: { try $0.query(.text(.named("name"), .contains, "b", .caseInsensitive)) }
    case .queryNested: { try $0.query(.containsElement(PropertyPath("tags"), .string("x"))) }
    case .querySort: { try $0.query { $0.order = [QueryTree.SortKey("name", isDescending: true)] } }
    case .queryLimit: { try $0.query { $0.limit = 1 } }
    case .queryPaging:
      { stage in
        let query = Plain.all
        let first = try stage.store.page(query, size: 1)
        _ = try stage.store.page(query.after(first.next), size: 1)
      }
    case .queryAggregate:
      { stage in _ = try stage.store.read { try $0.records.aggregate(QueryTree(model: "Plain"), [(.sum, "number")]) } }
    case .queryGroup:
      { stage in
        _ = try stage.store.read {
          try $0.records.aggregate(QueryTree(model: "Plain"), groupedBy: ["name"], [(.count, nil)])
        }
      }
    case .queryExplain: { stage in _ = try stage.store.read { try $0.records.explain(QueryTree(model: "Plain")) } }
    default: nil
    }
  }

  private static func changing(_ capability: Capability) -> (@Sendable (Stage) throws -> Void)? {
    switch capability {
    case .upsert: { try $0.store.upsert(Stage.objects[0]) }
    case .compareAndUpdate: { try $0.store.update(Stage.objects[0], ifUnchangedFrom: Stage.objects[0]) }
    case .updateWhere:
      { stage in
        try stage.store.write { tx in
          _ = try tx.records.assign(QueryTree(model: "Plain"), [AssignmentTree("name", .set, .string("z"))])
        }
      }
    case .deleteWhere: { stage in try stage.store.write { _ = try $0.records.delete(QueryTree(model: "Plain")) } }
    case .indexPlain: { try $0.createModel([.init(slot: 1)]) }
    case .indexUnique: { try $0.createModel([.init(slot: 1)], isUnique: true) }
    case .indexCompound: { try $0.createModel([.init(slot: 1), .init(slot: 2)]) }
    case .indexDescending: { try $0.createModel([.init(slot: 1, isDescending: true)]) }
    case .schemaCreateModel: { try $0.createModel([]) }
    case .schemaDropModel: { try $0.apply { .dropModel($0.id) } }
    case .schemaRenameModel: { try $0.apply { .renameModel($0.id, to: "Other") } }
    case .schemaAddProperty:
      { try $0.apply { .addProperty($0.id, PropertySchema(name: "new", type: .int64, isOptional: true)) } }
    case .schemaRenameProperty: { try $0.apply { .renameProperty($0.id, slot: 1, to: "other") } }
    case .schemaDropProperty: { try $0.apply { .dropProperty($0.id, slot: 1) } }
    case .schemaChangeOptionality:
      { try $0.apply { .changeOptionality($0.id, slot: $0.slot(named: "name") ?? 0, isOptional: true) } }
    case .schemaChangeReference:
      {
        try $0.apply {
          .changeReference(
            $0.id, slot: $0.slot(named: "id") ?? 0, PropertySchema.Reference(to: "Plain", deleteRule: .deny))
        }
      }
    case .schemaCreateIndex:
      { try $0.apply { .createIndex($0.id, IndexSchema(name: "i", columns: [.init(slot: 1)])) } }
    case .schemaSetVersion: { try $0.apply { _ in .setProgramVersion(7) } }
    case .schemaDropIndex, .schemaRenameIndex:
      { stage in
        try stage.write { tx, model in
          try tx.apply(.createIndex(model.id, IndexSchema(name: "i", columns: [.init(slot: 1)])))
          let index = try unwrap(tx.schema.model(named: "Plain")?.indexes.first, "the index")
          try tx.apply(
            capability == .schemaDropIndex
              ? .dropIndex(model.id, index: index.id) : .renameIndex(model.id, index: index.id, to: "j"))
        }
      }
    default: nil
    }
  }
}

/// Keeps the backend that was opened.
package final class CapturingProvider: BackendProvider {
  private let inner: any BackendProvider
  private let captured = Mutex<(any Backend)?>(nil)

  package init(_ inner: any BackendProvider) {
    self.inner = inner
  }

  package var backend: (any Backend)? { captured.withLock { $0 } }

  package func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    let backend = try inner.open(options)
    captured.withLock { $0 = backend }
    return backend
  }
}
