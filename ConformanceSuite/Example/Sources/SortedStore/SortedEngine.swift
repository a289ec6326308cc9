import Foundation
public import QuarryBackend
public import QuarryKeyValue
import Synchronization

/// An engine whose trees are sorted arrays: a state is a value, so that a snapshot, a savepoint and a reader each keep one.
/// A commit writes all of it to a file. Writing costs O(n); it is an example of what an engine has to do, not of how to be
/// quick.
public final class SortedEngine: KeyValueEngine {
  public let properties: KeyValueEngineProperties
  private let folder: SortedFolder
  private let isClosed = Atomic(false)

  /// Arrays have no limit. Sealed pages have this one, and a store that is to be sealed may have no longer keys.
  private static let maximumKeyBytes = 960

  /// What an engine of a folder says of itself.
  public static func properties(isReadOnly: Bool = false) -> KeyValueEngineProperties {
    KeyValueEngineProperties(
      name: "sorted", version: "2", maximumKeyBytes: maximumKeyBytes, durability: .powerLoss, sharing: .oneProcess,
      isReadOnly: isReadOnly, countsRanges: true, encrypts: true)
  }

  /// Opens the store in a folder.
  ///
  /// - Throws: `notFound`, `keyRequired`, `notEncrypted`, `corrupt`, `inUse`, `io`; what a path may not be.
  public init(_ path: String, _ options: OpenOptions) throws(StorageError) {
    properties = Self.properties(isReadOnly: options.isReadOnly)
    folder = try SortedFolder.open(path, options, ofAnyKind: false)
  }

  /// Opens a plain or a sealed store for reading.
  init(ofAnyKind path: String) throws(StorageError) {
    properties = Self.properties(isReadOnly: true)
    var options = OpenOptions()
    options.isReadOnly = true
    folder = try SortedFolder.open(path, options, ofAnyKind: true)
  }

  /// Makes a store in memory, which is gone with the engine.
  public init() {
    var properties = Self.properties()
    properties.durability = .none
    self.properties = properties
    folder = SortedFolder(path: nil)
  }

  deinit {
    try? close()
  }

  func state() throws(StorageError) -> SortedState {
    if isClosed.load(ordering: .acquiring) { throw .storeClosed }
    return folder.state
  }

  func publish(_ state: SortedState) throws(StorageError) {
    _ = try self.state()
    try folder.publish(state)
  }

  /// Removes what a process left that ended while it wrote. Only who has the key may change a file.
  func removeUnfinished() {
    if !properties.isReadOnly { folder.removeUnfinished() }
  }

  func letNextWriterIn() {
    folder.writer.give()
  }

  public func beginRead() throws(StorageError) -> SortedTransaction {
    SortedTransaction(self, try state(), isWriting: false)
  }

  public func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    guard let entry = try state().find(tree, key).entry else { return false }
    try withExtendedLifetime(entry) { () throws(StorageError) in try body(entry.value) }
    return true
  }

  public func beginWrite(timeout: Double) throws(StorageError) -> SortedTransaction {
    _ = try state()
    guard folder.writer.take(within: timeout) else { throw .busy(timeout) }
    do throws(StorageError) {
      return SortedTransaction(self, try state(), isWriting: true)
    } catch {
      letNextWriterIn()
      throw error
    }
  }

  public func snapshot() throws(StorageError) -> SortedSnapshot { SortedSnapshot(self, try state()) }

  public func statistics() throws(StorageError) -> KeyValueEngineStatistics {
    KeyValueEngineStatistics(details: ["trees": String(try state().trees.count)])
  }

  public func check() throws(StorageError) -> [String] {
    try state().trees.filter { _, entries in
      zip(entries, entries.dropFirst()).contains { !$0.key.lexicographicallyPrecedes($1.key) }
    }.map { "tree \($0.key) is not sorted" }
  }

  public func destroy() throws(StorageError) {
    _ = try state()
    if folder.path != nil {
      try folder.alone { folder, path throws(StorageError) in
        SortedFile.remove(in: folder)
        if rmdir(path) != 0 { throw .path(path, errno: errno) }
      }
    }
    try close()
  }

  /// Gives the folder another name.
  public func quarantine() throws(StorageError) -> String {
    _ = try state()
    let place = try folder.alone { _, path throws(StorageError) in
      let place = try QuarantineName.free(for: path) { access($0, F_OK) == 0 }
      if rename(path, place) != 0 { throw .path(path, errno: errno) }
      try SortedFolder.syncName(of: place)
      return place
    }
    try close()
    return place
  }

  /// Puts another state into the place of one, unless there was a commit since, and closes the engine.
  ///
  /// - Throws: `inUse` when somebody else of this process has the store open; `busy` after a commit; `full`, `io`.
  func replace(_ old: SortedState, with new: SortedState, isSealed: Bool) throws(StorageError) {
    var file = SortedFile(new, isSealed: isSealed)
    file.state.version = old.version
    try folder.alone { [file] folder, path throws(StorageError) in
      guard self.folder.state.version == old.version else {
        throw StorageError(.busy, "\(path) was written to meanwhile")
      }
      try file.write(in: folder, path)
    }
    try close()
  }

  public func close() throws(StorageError) {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    folder.close(isReadOnly: properties.isReadOnly)
  }
}

/// A state that is kept until it is closed.
public final class SortedSnapshot: KeyValueSnapshot {
  private let engine: SortedEngine
  private let state: SortedState
  private let isClosed = Atomic(false)

  init(_ engine: SortedEngine, _ state: SortedState) {
    self.engine = engine
    self.state = state
  }

  public var version: CommitVersion { CommitVersion(state.version) }

  public func beginRead() throws(StorageError) -> SortedTransaction {
    _ = try engine.state()
    if isClosed.load(ordering: .relaxed) { throw StorageError.snapshotClosed }
    return SortedTransaction(engine, state, isWriting: false)
  }

  public func close() {
    isClosed.store(true, ordering: .relaxed)
  }
}
