import Foundation
import QuarryBackend
import QuarryConformance
import QuarryKeyValue
import QuarryMemory
import QuarryTree
import Synchronization

/// A change of a tree: a put, or a removal without a value, of a key or of a range.
enum LogOperation: Sendable {
  case put(TreeID, [UInt8], [UInt8])
  case delete(TreeID, [UInt8])
  case deleteRange(TreeID, KeyRange)

  func apply(to writer: TreeWriteTransaction) throws(StorageError) {
    switch self {
    case .put(let tree, let key, let value):
      try Row(key).lend { (key) throws(StorageError) in
        try Row(value).lend { (value) throws(StorageError) in _ = try writer.put(tree, key, value) }
      }
    case .delete(let tree, let key):
      try Row(key).lend { (key) throws(StorageError) in _ = try writer.delete(tree, key) }
    case .deleteRange(let tree, let range): _ = try writer.delete(tree, in: range)
    }
  }

  var tree: TreeID {
    switch self {
    case .put(let tree, _, _), .delete(let tree, _), .deleteRange(let tree, _): tree
    }
  }
}

/// A place whose store is in memory while it is open, and is replayed from the log of its commits when it is opened.
final class LogPlace: BackendProvider {
  private struct State {
    var batches: [[LogOperation]] = []
    var exists = false
    /// The name and the holder of the trees while somebody has the store open.
    var live: (name: String, holder: MemoryEngine)?
    var users = 0
  }

  let fault: LogFault?
  private let state = Mutex(State())

  init(_ fault: LogFault?) {
    self.fault = fault
  }

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    let result: Result<LogEngine, StorageError> = state.withLock { state in
      do throws(StorageError) {
        guard state.exists || options.createsIfMissing && !options.isReadOnly else {
          throw StorageError(.notFound, "there is no store")
        }
        state.exists = true
        let live: (name: String, holder: MemoryEngine)
        if let known = state.live { live = known } else { live = try replay(state.batches) }
        state.live = live
        let engine = try MemoryEngine(named: live.name, isReadOnly: options.isReadOnly)
        state.users += 1
        return .success(LogEngine(engine, self))
      } catch {
        return .failure(error)
      }
    }
    return try KeyValueBackend(result.get(), options: options)
  }

  func append(_ batch: [LogOperation]) {
    state.withLock { $0.batches.append(batch) }
  }

  func leave(destroying: Bool) {
    state.withLock { state in
      state.users -= 1
      if destroying {
        state.batches = []
        state.exists = false
      }
      guard state.users == 0 else { return }
      try? state.live?.holder.close()
      state.live = nil
    }
  }

  // MARK: Replaying

  private func replay(_ batches: [[LogOperation]]) throws(StorageError) -> (name: String, holder: MemoryEngine) {
    let name = UUID().uuidString
    let engine = try MemoryEngine(named: name)
    var batches = kept(batches)
    if fault == .versionsRestart { batches = [batches.flatMap { $0 }] }
    for batch in batches {
      let writer = try engine.beginWrite(timeout: 5)
      for operation in kept(batch) { try operation.apply(to: writer) }
      _ = try writer.commit()
    }
    return (name, engine)
  }

  private func kept(_ batches: [[LogOperation]]) -> [[LogOperation]] {
    var batches = batches
    // Commits of the schema stay: without them a store would not be found wrong but refused.
    let data = batches.indices.filter { place in batches[place].contains { $0.tree != 0 } }
    guard let last = data.last else { return fault == .nothingKept ? [] : batches }
    switch fault {
    case .lastCommitLost: batches[last] = []
    case .tornBatchAccepted: batches[last] = Array(batches[last].prefix(batches[last].count / 2))
    case .smallCommitLost:
      for place in data where Set(batches[place].map(\.tree)).count == batches[place].count { batches[place] = [] }
    case .batchesReversed where data.count > 1: batches.swapAt(data[data.count - 2], last)
    case .nothingKept: return []
    default: break
    }
    return batches
  }

  private func kept(_ batch: [LogOperation]) -> [LogOperation] {
    let index = batch.map(\.tree).max() ?? 0
    return batch.compactMap { operation in
      switch (fault, operation) {
      case (.deletesForgotten, .delete(1..., _)), (.deletesForgotten, .deleteRange): return nil
      case (.rangeDeletesForgotten, .deleteRange): return nil
      case (.schemaForgotten, _) where operation.tree == 0: return nil
      case (.indexForgotten, .put(let tree, _, _)) where tree > 1 && tree == index: return nil
      case (.valuesCut, .put(let tree, let key, let value)) where tree != 0:
        return .put(tree, key, Array(value.prefix(100)))
      default: return operation
      }
    }
  }
}

struct LogHarness: ConformanceHarness {
  private let fault: LogFault?

  init(_ fault: LogFault?) {
    self.fault = fault
  }

  var name: String { "log.\(fault?.rawValue ?? "sound")" }
  let isPersistent = true
  var manifest: BackendManifest { BackendManifest.keyValue(MemoryEngine().properties) }
  func makePlace() throws -> any BackendProvider { LogPlace(fault) }
  func remove(_ place: any BackendProvider) {}
}

/// The engine of memory stores with a log of what was committed.
final class LogEngine: KeyValueEngine {
  private let inner: MemoryEngine
  private let place: LogPlace
  private let isClosed = Atomic(false)

  init(_ engine: MemoryEngine, _ place: LogPlace) {
    inner = engine
    self.place = place
  }

  deinit { leave(destroying: false) }

  private func leave(destroying: Bool) {
    if !isClosed.exchange(true, ordering: .sequentiallyConsistent) { place.leave(destroying: destroying) }
  }

  var properties: KeyValueEngineProperties { inner.properties }
  func beginRead() throws(StorageError) -> TreeReadTransaction { try inner.beginRead() }

  func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try inner.withValue(tree, key, body)
  }

  func beginWrite(timeout: Double) throws(StorageError) -> LogWriter {
    guard place.fault == .lostUpdate || place.fault == .writeSkew, !inner.properties.isReadOnly else {
      return LogWriter(try inner.beginWrite(timeout: timeout), self, base: nil)
    }
    // The writer works on a copy of its own.
    let base = try inner.beginRead()
    let copy = MemoryEngine()
    let filling = try copy.beginWrite(timeout: timeout)
    for tree in 0..<32 as Range<TreeID> {
      var cursor = try base.cursor(tree, .all, descending: false)
      while let entry = try cursor.next() { try filling.put(tree, entry.key, entry.value) }
    }
    _ = try filling.commit()
    return LogWriter(try copy.beginWrite(timeout: timeout), self, base: base)
  }

  /// Commits what a writer did on its copy.
  func commit(_ operations: [LogOperation], _ base: TreeReadTransaction) throws(StorageError) -> CommitVersion {
    let writer = try inner.beginWrite(timeout: 5)
    do throws(StorageError) {
      for operation in operations {
        if place.fault == .writeSkew, try hasChanged(operation, base, writer) {
          throw StorageError(.conflict, "another transaction has written the object")
        }
      }
      for operation in operations { try operation.apply(to: writer) }
      return try writer.commit()
    } catch {
      writer.end()
      throw error
    }
  }

  private func hasChanged(
    _ operation: LogOperation, _ base: TreeReadTransaction, _ writer: TreeWriteTransaction
  ) throws(StorageError) -> Bool {
    switch operation {
    case .put(let tree, let key, _), .delete(let tree, let key):
      try Row(key).lend { (key) throws(StorageError) in
        try base.get(tree, key).map { Array($0) } != writer.get(tree, key).map { Array($0) }
      }
    case .deleteRange: false
    }
  }

  func log(_ batch: [LogOperation]) { place.append(batch) }
  var fault: LogFault? { place.fault }

  func snapshot() throws(StorageError) -> TreeSnapshot { try inner.snapshot() }
  func statistics() throws(StorageError) -> KeyValueEngineStatistics { try inner.statistics() }
  func check() throws(StorageError) -> [String] { try inner.check() }

  func destroy() throws(StorageError) {
    try inner.close()
    leave(destroying: true)
  }

  func close() throws(StorageError) {
    try inner.close()
    leave(destroying: false)
  }
}

final class LogWriter: KeyValueWriteTransaction {
  private let inner: TreeWriteTransaction
  private let engine: LogEngine
  /// The state that a writer on a copy began with.
  private let base: TreeReadTransaction?
  private var operations: [LogOperation] = []
  private var savepoints: [Int] = []
  private var hasEnded = false

  init(_ writer: TreeWriteTransaction, _ engine: LogEngine, base: TreeReadTransaction?) {
    inner = writer
    self.engine = engine
    self.base = base
  }

  var version: CommitVersion { inner.version }

  func get(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    try inner.get(tree, key)
  }

  func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> TreeCursor {
    try inner.cursor(tree, range, descending: descending)
  }

  func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int { try inner.count(tree, range) }
  func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics { try inner.statistics(of: tree) }

  @discardableResult
  func put(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    operations.append(.put(tree, Array(key), Array(value)))
    return try inner.put(tree, key, value)
  }

  func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    guard try inner.insert(tree, key, value) else { return false }
    operations.append(.put(tree, Array(key), Array(value)))
    return true
  }

  func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    operations.append(.delete(tree, Array(key)))
    return try inner.delete(tree, key)
  }

  func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int {
    operations.append(.deleteRange(tree, range))
    return try inner.delete(tree, in: range)
  }

  func savepoint() throws(StorageError) {
    try inner.savepoint()
    savepoints.append(operations.count)
  }

  func releaseSavepoint() throws(StorageError) {
    try inner.releaseSavepoint()
    guard let start = savepoints.popLast(), engine.fault == .savepointReplayedEarly, start > 0 else { return }
    // To the front, before what was done before the savepoint.
    operations = Array(operations[start...] + operations[..<start])
  }

  func rollbackSavepoint() throws(StorageError) {
    try inner.rollbackSavepoint()
    guard let start = savepoints.popLast() else { return }
    if engine.fault != .undoneSavepointReplayed { operations.removeSubrange(start...) }
  }

  func commit() throws(StorageError) -> CommitVersion {
    hasEnded = true
    defer { base?.end() }
    let version: CommitVersion
    if let base {
      version = try engine.commit(operations, base)
      inner.end()
    } else {
      version = try inner.commit()
    }
    engine.log(operations)
    return version
  }

  func end() {
    if engine.fault == .rolledBackReplayed, !hasEnded { engine.log(operations) }
    hasEnded = true
    base?.end()
    inner.end()
  }
}
