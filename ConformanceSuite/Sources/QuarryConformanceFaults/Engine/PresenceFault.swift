import Foundation
import QuarryBackend
import QuarryConformance
import QuarryFlatFile

/// Flat files that are treated wrongly when their path no longer names them.
enum PresenceFault: String, FaultGroup {
  static let group = "presence"

  case commitAcknowledged, commitDetectedOnce, otherError, observersGoOn, compactionEndsObservers
  case destroyRemovesOther, destroySaysDone, writesIntoOther, snapshotEnds

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .commitAcknowledged: ("Commits to a file that was removed or replaced return.", ["FILE-20"])
    case .commitDetectedOnce: ("Only the first commit to a file that was removed is an error.", ["FILE-20"])
    case .otherError: ("A commit to a file that was removed is readOnly.", ["FILE-20"])
    case .observersGoOn: ("Observers of a file that was removed are not ended.", ["FILE-21"])
    case .compactionEndsObservers: ("A compaction is taken for a replacement of the file.", ["FILE-22"])
    case .destroyRemovesOther: ("Destroying a store removes what has taken its place.", ["FILE-20"])
    case .destroySaysDone: ("Destroying a store that was replaced says that it was done.", ["FILE-20"])
    case .writesIntoOther: ("A write to a store that was replaced goes into what has taken its place.", ["FILE-20"])
    case .snapshotEnds: ("Snapshots of a store that was removed cannot be read.", ["FILE-20"])
    }
  }

  var target: PlantedFault.Target {
    .backend { FileHarness("presence.\(rawValue)") { AbsentBackend($0, self) } }
  }
}

/// A flat file whose absence is treated wrongly.
private final class AbsentBackend: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; what it adds is constant.
  private let fault: PresenceFault
  private let place: FilePlace
  private let number: Int

  init(_ opened: FilePlace.Opened, _ fault: PresenceFault) {
    self.fault = fault
    place = opened.place
    number = Self.fileNumber(opened.place.path)
    super.init(opened.backend)
  }

  /// 0 where there is no file.
  private static func fileNumber(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.systemFileNumber] as? NSNumber)?.intValue ?? 0
  }

  override func requireInPlace() throws(StorageError) {
    switch fault {
    case .observersGoOn: return
    case .compactionEndsObservers where Self.fileNumber(place.path) != number: throw .removedOrReplaced(place.path)
    default: try super.requireInPlace()
    }
  }

  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    let writer = try super.beginWrite(options)
    return WriterLayer(writer, AbsentHooks(fault: fault, place: place, begun: try? writer.version()))
  }

  override func snapshot() throws(StorageError) -> any BackendSnapshot {
    let snapshot = try super.snapshot()
    return fault == .snapshotEnds ? AbsentSnapshot(snapshot, place) : snapshot
  }

  override func destroy() throws(StorageError) {
    do throws(StorageError) {
      try super.destroy()
    } catch {
      guard error.code == .io else { throw error }
      if fault == .destroySaysDone { return }
      if fault == .destroyRemovesOther { try? FileManager.default.removeItem(atPath: place.path) }
      throw error
    }
  }
}

private struct AbsentHooks: TransactionHooks {
  let fault: PresenceFault
  let place: FilePlace
  /// The version that the transaction began with.
  let begun: CommitVersion?

  func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    do throws(StorageError) {
      return try base.commit()
    } catch {
      guard error.message == StorageError.removedOrReplaced(place.path).message, let begun else { throw error }
      switch fault {
      case .commitAcknowledged: return CommitResult(version: begun)
      case .commitDetectedOnce:
        let marker = place.path + ".detected"
        if FileManager.default.fileExists(atPath: marker) { return CommitResult(version: begun) }
        try? FileManager.default.createDirectory(
          at: URL(fileURLWithPath: marker).deletingLastPathComponent(), withIntermediateDirectories: true)
        _ = FileManager.default.createFile(atPath: marker, contents: nil)
        throw error
      case .otherError: throw StorageError(.readOnly, error.message)
      case .writesIntoOther:
        if let handle = FileHandle(forWritingAtPath: place.path) {
          _ = try? handle.seekToEnd()
          try? handle.write(contentsOf: Data([0]))
          try? handle.close()
        }
        throw error
      default: throw error
      }
    }
  }
}

private final class AbsentSnapshot: SnapshotLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; what it adds is constant.
  private let place: FilePlace

  init(_ base: any BackendSnapshot, _ place: FilePlace) {
    self.place = place
    super.init(base)
  }

  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    if !FileManager.default.fileExists(atPath: place.path) { throw .removedOrReplaced(place.path) }
    return try super.beginRead()
  }
}
