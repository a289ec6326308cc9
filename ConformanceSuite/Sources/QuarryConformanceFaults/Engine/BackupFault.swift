import Foundation
import QuarryBackend
import QuarryConformance
import Synchronization

/// Backups of flat files that go wrong.
enum BackupFault: String, FaultGroup {
  static let group = "backup"

  case backupMissing, backupLosesObject, backupOfFirstState, backupHasHalfACommit, backupReplaces, backupLeavesFile
  case backupReadableByAll, backupForgetsVersion, backupVersionsRestart, backupWaits, backupIsTheStore
  case backupCannotBeCancelled, backupMakesFolders

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .backupMissing: ("A backup says that it is made, and is not.", ["CARE-7"])
    case .backupLosesObject: ("A backup lacks the first object of each model.", ["CARE-7"])
    case .backupOfFirstState: ("A second backup has the state of the first.", ["CARE-7"])
    case .backupHasHalfACommit: ("A backup beside a write lacks an object.", ["CARE-7", "CARE-8"])
    case .backupReplaces: ("A backup replaces what is at its place.", ["CARE-7"])
    case .backupLeavesFile: ("A backup that fails or is cancelled leaves what it has written.", ["CARE-8"])
    case .backupReadableByAll: ("A backup can be read by everybody.", ["CARE-7"])
    case .backupForgetsVersion: ("A backup has no version of the program's models.", ["CARE-7"])
    case .backupVersionsRestart: ("The versions of a backup's states begin anew.", ["CARE-7"])
    case .backupWaits: ("A backup waits for the turn of the writers.", ["CARE-8"])
    case .backupIsTheStore: ("A backup is another name of the store's file.", ["CARE-7"])
    case .backupCannotBeCancelled: ("A backup that is cancelled goes on.", ["CARE-8"])
    case .backupMakesFolders: ("A backup makes the folders that its place needs.", ["CARE-7"])
    }
  }

  var target: PlantedFault.Target {
    .backend { FileHarness("backup.\(rawValue)") { CarefulBackend($0, self) } }
  }
}

/// A flat file whose backups are what is wrong.
final class CarefulBackend: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; what it adds is constant, atomic or locked.
  private let fault: BackupFault?
  private let place: FilePlace
  private let writers = Atomic(0)

  /// What the process remembers of backups.
  private struct Made {
    /// The first backup of each store.
    var first: [String: String] = [:]
    var paths: Set<String> = []
  }

  private static let made = Mutex(Made())

  init(_ opened: FilePlace.Opened, _ fault: BackupFault?) {
    self.fault = fault
    place = opened.place
    super.init(opened.backend)
  }

  // MARK: Backups

  override func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    switch fault {
    case .backupMissing: return
    case .backupReplaces where path != place.path: try? FileManager.default.removeItem(atPath: path)
    case .backupMakesFolders:
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
      try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    case .backupWaits: try super.beginWrite(WriteOptions(timeout: 0.2)).rollback()
    case .backupIsTheStore:
      if (try? FileManager.default.linkItem(atPath: place.path, toPath: path)) != nil { return }
    case .backupOfFirstState:
      if let first = Self.made.withLock({ $0.first[place.path] }),
        (try? FileManager.default.copyItem(atPath: first, toPath: path)) != nil
      {
        return
      }
    default: break
    }
    do throws(StorageError) {
      try super.backup(to: path) { [fault] done, total in progress(done, total) || fault == .backupCannotBeCancelled }
    } catch {
      if fault == .backupLeavesFile, error.cause is CancellationError {
        try? Data("part".utf8).write(to: URL(fileURLWithPath: path + ".part"))
      }
      throw error
    }
    Self.made.withLock { made in
      made.first[place.path] = made.first[place.path] ?? path
      made.paths.insert(path)
    }
    switch fault {
    case .backupReadableByAll: try? FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    case .backupLosesObject: try changeCopy(path) { copy throws(StorageError) in try copy.removeFirstObjects() }
    case .backupHasHalfACommit where writers.load(ordering: .sequentiallyConsistent) > 0:
      try changeCopy(path) { copy throws(StorageError) in try copy.removeFirstObjects() }
    default: break
    }
  }

  private func changeCopy(
    _ path: String, _ body: (any Backend) throws(StorageError) -> Void
  ) throws(StorageError) {
    let copy = try FilePlace.sound(path)
    try body(copy)
    try copy.close()
  }

  private var isBackup: Bool { Self.made.withLock { $0.paths.contains(place.path) } }

  // MARK: Transactions

  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    let reader = try super.beginRead()
    guard fault == .backupForgetsVersion || fault == .backupVersionsRestart, isBackup else { return reader }
    return ReaderLayer(reader, CopyHooks(fault: fault))
  }

  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    let writer = try super.beginWrite(options)
    writers.add(1, ordering: .sequentiallyConsistent)
    return WriterLayer(writer, EndHooks { [self] in writers.subtract(1, ordering: .sequentiallyConsistent) })
  }
}

/// Reads a backup that is not what it is a copy of.
private struct CopyHooks: TransactionHooks {
  let fault: BackupFault?

  func schema(_ base: Reader) -> Schema {
    var schema = base.schema
    if fault == .backupForgetsVersion { schema.programVersion = nil }
    return schema
  }

  func version(_ base: Reader) throws(StorageError) -> CommitVersion {
    let version = try base.version()
    return fault == .backupVersionsRestart ? CommitVersion(1) : version
  }
}
