import QuarryBackend
import QuarryConformance
import Synchronization

/// Options, limits and capabilities that are swallowed or lied about.
enum OptionFault: String, FaultGroup, Twist {
  static let group = "option"

  case encryptionSwallowed, namespaceSwallowed, durabilitySwallowed, readOnlySwallowed, makesMissing
  case capabilityMisnamed, refusalWithoutCapability, compactDoesNothing, backupDoesNothing, captureSwallowed
  case refusalHasEffect, refusalCloses, claimsBackup, claimsDurability, deniesSavepoints, deniesUpsert
  case keyLimitHidden, keyLimitTruncates, rowLimitHidden, propertyLimitTooLow, snapshotLimitTooLow
  case snapshotLimitHidden, explainEmpty, explainHidesResidual, statisticsWrong, statisticsWithoutIndexes
  case reasonMissing, capabilityUndeclared, checkWrites

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .encryptionSwallowed: ("An encryption key is taken and not used.", ["CAP-2"])
    case .namespaceSwallowed: ("A namespace is taken and not used.", ["CAP-2"])
    case .durabilitySwallowed: ("A durability that is not offered is taken and not kept.", ["CAP-2"])
    case .readOnlySwallowed: ("A store that was opened for reading can be written to.", ["OPEN-2"])
    case .makesMissing: ("A store is made although it is not to be.", ["OPEN-2"])
    case .capabilityMisnamed: ("A refusal names another capability.", ["CAP-2", "ERR-1"])
    case .refusalWithoutCapability: ("A refusal names no capability.", ["CAP-2", "ERR-1"])
    case .compactDoesNothing: ("Compaction is not offered, and does nothing without a word.", ["CAP-2"])
    case .backupDoesNothing: ("A backup is not offered, and does nothing without a word.", ["CAP-2"])
    case .captureSwallowed: ("That changes are to be captured is taken and not done.", ["OBS-17"])
    case .refusalHasEffect: ("Compaction is refused after an object was deleted.", ["CAP-2"])
    case .refusalCloses: ("After a refusal the store is closed.", ["CAP-2"])
    case .claimsBackup: ("The manifest offers backups, which are refused.", ["CAP-1"])
    case .claimsDurability:
      ("The manifest claims that commits survive a loss of power, which cannot be asked for.", ["CAP-1"])
    case .deniesSavepoints: ("The manifest denies savepoints, which work.", ["CAP-2"])
    case .deniesUpsert: ("The manifest denies upserts, which work.", ["CAP-2"])
    case .keyLimitHidden: ("Keys of more than 2,000 bytes are refused, which the manifest does not say.", ["LIM-1"])
    case .keyLimitTruncates: ("Rows with keys that are as long as the limit are left out without a word.", ["LIM-1"])
    case .rowLimitHidden: ("Rows of more than a megabyte are refused, which the manifest does not say.", ["LIM-1"])
    case .propertyLimitTooLow: ("Models have more properties than the manifest allows.", ["LIM-1"])
    case .snapshotLimitTooLow: ("More snapshots are open than the manifest allows.", ["LIM-1"])
    case .snapshotLimitHidden: ("The hundredth snapshot is refused, which the manifest does not say.", ["LIM-1"])
    case .explainEmpty: ("An explanation names no part of the predicate.", ["CAP-4"])
    case .explainHidesResidual: ("An explanation does not name what the engine does not decide.", ["CAP-4"])
    case .statisticsWrong: ("Statistics count a row too many.", ["CAP-1", "AGG-1"])
    case .statisticsWithoutIndexes: ("Statistics know no indexes.", ["CAP-1"])
    case .reasonMissing: ("The manifest gives no reason for what is missing.", ["CAP-1"])
    case .checkWrites: ("A check removes an object.", ["CARE-3"])
    case .capabilityUndeclared: ("The manifest says nothing of a capability.", ["CAP-1"])
    }
  }

  var target: PlantedFault.Target {
    .backend {
      TwistedHarness("option.\(rawValue)", options: { options in change(&options) }) { self }
    }
  }

  private func change(_ options: inout OpenOptions) {
    switch self {
    case .encryptionSwallowed: options.encryption = nil
    case .namespaceSwallowed: options.namespace = nil
    case .durabilitySwallowed, .claimsDurability: options.durability = nil
    case .readOnlySwallowed: options.isReadOnly = false
    case .makesMissing:
      options.createsIfMissing = true
      options.isReadOnly = false
    default: break
    }
  }

  func manifest(_ backend: any Backend) -> BackendManifest {
    var manifest = backend.manifest
    switch self {
    case .claimsBackup: manifest.capabilities[.backup] = .native
    case .claimsDurability: manifest.durability = .powerLoss
    case .deniesSavepoints: manifest.capabilities[.savepoints] = .unsupported(reason: "they are denied")
    case .deniesUpsert: manifest.capabilities[.upsert] = .unsupported(reason: "they are denied")
    case .keyLimitTruncates: manifest.limits.keyBytes = 500
    case .propertyLimitTooLow: manifest.limits.properties = 50
    case .snapshotLimitTooLow: manifest.limits.openSnapshots = 5
    case .reasonMissing: manifest.capabilities[.compact] = .unsupported(reason: "")
    case .capabilityUndeclared: manifest.capabilities[.compact] = nil
    default: break
    }
    return manifest
  }

  // MARK: Refusals

  func compact(_ backend: any Backend) throws(StorageError) {
    switch self {
    case .compactDoesNothing: return
    case .refusalHasEffect: try backend.removeFirstObjects()
    case .refusalCloses: try backend.close()
    default: break
    }
    do throws(StorageError) {
      try backend.requireCompacting().compact()
    } catch {
      throw changed(error, .compact)
    }
  }

  func check(_ backend: any Backend) throws(StorageError) -> [String] {
    let defects = try backend.check()
    // Not where a transaction is open, which it would have to wait for.
    if self == .checkWrites { try? backend.removeFirstObjects() }
    return defects
  }

  func backup(_ backend: any Backend, to path: String, _ progress: @escaping BackupProgress) throws(StorageError) {
    if self == .backupDoesNothing { return }
    do throws(StorageError) {
      try backend.requireBackup().backup(to: path, progress: progress)
    } catch {
      throw changed(error, .backup)
    }
  }

  private func changed(_ error: StorageError, _ capability: Capability) -> StorageError {
    switch self {
    case .capabilityMisnamed: .unsupported(.check, error.message)
    case .refusalWithoutCapability: StorageError(.unsupported, error.message)
    case .refusalCloses: .unsupported(capability, error.message)
    default: error
    }
  }

  func beginWrite(_ backend: any Backend, _ options: WriteOptions) throws(StorageError) -> Writer {
    var options = options
    if self == .captureSwallowed { options.capture = .none }
    return try backend.beginWrite(options)
  }

  // MARK: Limits

  func insert(_ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    guard [.keyLimitHidden, .keyLimitTruncates, .rowLimitHidden].contains(self) else {
      return try tx.insert(model, rows)
    }
    let coding = try RowCoding(tx.schema, model)
    var kept: [Row] = []
    try rows.forEach { _, row throws(StorageError) in
      let key = try coding.key(coding.values(row)).bytes.count
      if self == .keyLimitHidden, key > 2000 { throw .limitExceeded("bytes of a key", limit: 2000, actual: key) }
      if self == .rowLimitHidden, row.count > 1 << 20 {
        throw .limitExceeded("bytes of a row", limit: 1 << 20, actual: row.count)
      }
      if self != .keyLimitTruncates || key < 500 { kept.append(Row(copying: row)) }
    }
    try tx.insert(model, RowBatch(kept))
  }

  func snapshot(_ backend: any Backend) throws(StorageError) -> any BackendSnapshot {
    // Of all stores together: enough to be met by one that has many open.
    guard self == .snapshotLimitHidden else { return try backend.snapshot() }
    return try CountedSnapshot.make(backend.snapshot())
  }

  // MARK: What is told
  func explain(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> QueryPlan {
    var plan = try tx.explain(query)
    if self == .explainEmpty { plan.pushed = [] }
    if self == .explainEmpty || self == .explainHidesResidual { plan.residual = [] }
    return plan
  }

  func statistics(_ backend: any Backend) throws(StorageError) -> BackendStatistics {
    var statistics = try backend.statistics()
    for place in statistics.models.indices {
      if self == .statisticsWrong { statistics.models[place].rows += 1 }
      if self == .statisticsWithoutIndexes { statistics.models[place].indexes = [] }
    }
    return statistics
  }
}

extension Backend {
  /// Removes the first object of each model.
  func removeFirstObjects() throws(StorageError) {
    let tx = try beginWrite(WriteOptions(timeout: 0))
    for model in tx.schema.models {
      _ = try tx.delete(BoundQuery(model: model.id, order: [BoundSortKey(slot: model.primaryKey)], limit: 1))
    }
    _ = try tx.commit()
  }
}

/// One of at most 99.
private final class CountedSnapshot: SnapshotLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; the flag is atomic.
  private static let open = Atomic(0)
  private let isClosed = Atomic(false)

  static func make(_ snapshot: any BackendSnapshot) throws(StorageError) -> any BackendSnapshot {
    guard open.add(1, ordering: .relaxed).newValue < 100 else {
      open.subtract(1, ordering: .relaxed)
      snapshot.close()
      throw .limitExceeded("open snapshots", limit: 99, actual: 100)
    }
    return CountedSnapshot(snapshot)
  }

  deinit { close() }

  override func close() {
    super.close()
    if !isClosed.exchange(true, ordering: .relaxed) { Self.open.subtract(1, ordering: .relaxed) }
  }
}
