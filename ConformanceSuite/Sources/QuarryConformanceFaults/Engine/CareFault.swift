import Foundation
import QuarryBackend
import QuarryConformance
import QuarryFlatFile
import Synchronization

/// Stores in flat files that are compacted and put aside wrongly.
enum CareFault: String, FaultGroup {
  static let group = "care"

  case compactLosesNewest, compactDropsIndex, compactDoesNothing, compactAlwaysBusy, compactCloses
  case snapshotSeesNew, compactEndsSnapshots, compactOfReaderSilent, freeBytesHalf
  case freeBytesUnknown, freeBytesNone, ruleCompactsNothing
  case quarantineKeepsNothing, quarantineLosesObject, quarantineWithoutPath, quarantineReplaces, quarantineWhileOpen
  case quarantineLeavesStore, quarantineUndated, damagePutAside

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .compactLosesNewest: ("Compaction loses the last object of each model.", ["CARE-4"])
    case .compactDropsIndex: ("Compaction loses the indexes of each model.", ["CARE-4"])
    case .compactDoesNothing: ("Compaction gives no space back.", ["CARE-4"])
    case .compactAlwaysBusy: ("Compaction is busy though nobody writes.", ["CARE-4", "CARE-9"])
    case .compactCloses: ("Compaction closes the store.", ["CARE-4"])
    case .snapshotSeesNew: ("After a compaction, snapshots of before see the newest state.", ["CARE-4"])
    case .compactEndsSnapshots: ("Compaction ends the snapshots that are open.", ["CARE-4"])
    case .compactOfReaderSilent:
      ("Compaction of a store that is opened for reading does nothing, and says nothing.", ["CARE-9"])
    case .freeBytesHalf: ("Half of the bytes are told as free, whatever is stored.", ["CARE-10"])
    case .freeBytesUnknown: ("The free bytes are not known.", ["CARE-10"])
    case .freeBytesNone: ("A rule is told that all bytes are in use.", ["CARE-10"])
    case .ruleCompactsNothing: ("A compaction that a rule asks for is not done.", ["CARE-10"])
    case .quarantineKeepsNothing: ("A store that is put aside is destroyed.", ["MIG-11"])
    case .quarantineLosesObject: ("A store that is put aside loses its first object.", ["MIG-11"])
    case .quarantineWithoutPath: ("The report does not say where the old store is.", ["MIG-11"])
    case .quarantineReplaces: ("A store that is put aside takes the place of the one before.", ["MIG-11"])
    case .quarantineWhileOpen: ("A store that is open elsewhere is put aside.", ["MIG-11"])
    case .quarantineLeavesStore: ("A copy is put aside, and the store stays.", ["MIG-11"])
    case .quarantineUndated: ("What is put aside has no time in its name.", ["MIG-11"])
    case .damagePutAside: ("A damaged store is put aside, and a new one is made.", ["MIG-11"])
    }
  }

  var target: PlantedFault.Target { .backend { CareHarness(self) } }
}

struct CareHarness: ConformanceHarness {
  private let fault: CareFault?

  init(_ fault: CareFault?) {
    self.fault = fault
  }

  var name: String { "care.\(fault?.rawValue ?? "sound")" }
  let isPersistent = true
  var manifest: BackendManifest { FlatFileConfiguration.manifest }

  func makePlace() throws -> any BackendProvider {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-fault-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return CarePlace(fault: fault, path: folder.appending(path: "store.quarry").path)
  }

  func remove(_ place: any BackendProvider) {
    guard let place = place as? CarePlace else { return }
    try? FileManager.default.removeItem(at: URL(fileURLWithPath: place.path).deletingLastPathComponent())
  }

  func files(at place: any BackendProvider) -> [String] {
    [(place as? CarePlace)?.path].compactMap { $0 }.filter { FileManager.default.fileExists(atPath: $0) }
  }

  func place(at path: String) -> (any BackendProvider)? { CarePlace(fault: nil, path: path) }
}

private struct CarePlace: BackendProvider {
  let fault: CareFault?
  let path: String

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    let place = FlatFileConfiguration(path: path, compaction: .manual)
    do throws(StorageError) {
      return CareBackend(try place.open(options), fault, path, options)
    } catch {
      guard error.code == .corrupt, fault == .damagePutAside else { throw error }
      try? FileManager.default.moveItem(atPath: path, toPath: path + ".quarantine-damaged")
      return try place.open(options)
    }
  }
}

private final class CareBackend: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; what it stores is constant and Sendable,
  // or locked.
  private let fault: CareFault?
  private let path: String
  private let options: OpenOptions
  private let snapshots = Mutex<[any BackendSnapshot]>([])

  init(_ backend: any Backend, _ fault: CareFault?, _ path: String, _ options: OpenOptions) {
    self.fault = fault
    self.path = path
    self.options = options
    super.init(backend)
  }

  override func compact() throws(StorageError) {
    switch fault {
    case .compactDoesNothing, .ruleCompactsNothing:
      if options.isReadOnly || fault == .ruleCompactsNothing && options.compaction == nil { try super.compact() }
      return
    case .compactAlwaysBusy: throw .busy(options.busyTimeout)
    case .compactOfReaderSilent where options.isReadOnly: return
    default: try super.compact()
    }
    switch fault {
    case .compactLosesNewest: try change { tx throws(StorageError) in try tx.deleteLastObjects() }
    case .compactDropsIndex: try change { tx throws(StorageError) in try tx.dropIndexes() }
    case .compactCloses: try close()
    case .compactEndsSnapshots: for snapshot in snapshots.withLock({ $0 }) { snapshot.close() }
    default: break
    }
  }

  private func change(_ body: (any BackendWriteTransaction) throws(StorageError) -> Void) throws(StorageError) {
    let tx = try base.beginWrite(WriteOptions())
    try body(tx)
    _ = try tx.commit()
  }

  override func snapshot() throws(StorageError) -> any BackendSnapshot {
    let snapshot = try super.snapshot()
    if fault == .compactEndsSnapshots { snapshots.withLock { $0.append(snapshot) } }
    return fault == .snapshotSeesNew ? NewestSnapshot(snapshot, of: base) : snapshot
  }

  override func space() throws(StorageError) -> (bytes: Int, freeBytes: Int)? {
    guard let space = try super.space() else { return nil }
    return fault == .freeBytesNone ? (space.bytes, 0) : space
  }

  override func statistics() throws(StorageError) -> BackendStatistics {
    var statistics = try super.statistics()
    if fault == .freeBytesUnknown { statistics.freeBytes = nil }
    if fault == .freeBytesHalf { statistics.freeBytes = statistics.bytes.map { $0 / 2 } }
    return statistics
  }

  override func quarantine() throws(StorageError) -> String {
    let files = FileManager.default
    switch fault {
    case .quarantineKeepsNothing:
      let place = try super.quarantine()
      try? files.removeItem(atPath: place)
      return place
    case .quarantineLosesObject:
      try base.removeFirstObjects()
      return try super.quarantine()
    case .quarantineWithoutPath:
      _ = try super.quarantine()
      return ""
    case .quarantineReplaces, .quarantineUndated:
      let place = try super.quarantine()
      let name =
        path + (fault == .quarantineUndated ? ".quarantine-\(UUID().uuidString)" : ".quarantine-20261122T000000Z")
      try? files.removeItem(atPath: name)
      try? files.moveItem(atPath: place, toPath: name)
      return name
    case .quarantineWhileOpen:
      let place = try QuarantineName.free(for: path) { files.fileExists(atPath: $0) }
      try? files.moveItem(atPath: path, toPath: place)
      try close()
      return place
    case .quarantineLeavesStore:
      let place = try super.quarantine()
      try? files.copyItem(atPath: place, toPath: path)
      return place
    default: return try super.quarantine()
    }
  }
}

/// Reads the newest state of a backend, whatever the snapshot is of.
private final class NewestSnapshot: SnapshotLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; what it stores is constant and Sendable.
  private let backend: any Backend

  init(_ snapshot: any BackendSnapshot, of backend: any Backend) {
    self.backend = backend
    super.init(snapshot)
  }

  override func beginRead() throws(StorageError) -> any BackendReadTransaction { try backend.beginRead() }
}

extension BackendWriteTransaction {
  fileprivate func deleteLastObjects() throws(StorageError) {
    for model in schema.models {
      var order = BoundSortKey(slot: model.primaryKey)
      order.isDescending = true
      _ = try delete(BoundQuery(model: model.id, order: [order], limit: 1))
    }
  }

  fileprivate func dropIndexes() throws(StorageError) {
    for model in schema.models {
      for index in model.indexes { try apply(.dropIndex(model.id, index: index.id)) }
    }
  }
}
