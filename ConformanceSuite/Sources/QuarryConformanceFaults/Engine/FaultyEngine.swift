import QuarryBackend
import QuarryKeyValue
import QuarryMemory
import QuarryTree
import Synchronization

/// The engine of memory stores with one fault, or none.
final class FaultyEngine: KeyValueEngine {
  private let inner: MemoryEngine
  private let fault: EngineFault?
  /// The state before the last commit.
  private let previous = Mutex<TreeSnapshot?>(nil)

  private let letGo: @Sendable () -> Void

  /// - Parameter letGo: Lets go of what else holds the data, before they are destroyed.
  init(_ engine: MemoryEngine, _ fault: EngineFault?, letGo: @escaping @Sendable () -> Void = {}) {
    inner = engine
    self.fault = fault
    self.letGo = letGo
  }

  var properties: KeyValueEngineProperties { inner.properties }

  func beginRead() throws(StorageError) -> FaultyEngineReader {
    FaultyEngineReader(try inner.beginRead(), inner, fault)
  }

  func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    var version = CommitVersion(0)
    return try withValue(tree, key, version: &version, body)
  }

  func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, version: inout CommitVersion,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    let reader: FaultyEngineReader
    if fault == .pointReadStale, let old = previous.withLock({ $0 }) {
      reader = FaultyEngineReader(try old.beginRead(), inner, fault)
    } else {
      reader = try beginRead()
    }
    defer { reader.end() }
    version = reader.version
    guard let value = try reader.get(tree, key) else { return false }
    try body(value)
    return true
  }

  func beginWrite(timeout: Double) throws(StorageError) -> FaultyEngineWriter {
    let writer = try inner.beginWrite(timeout: timeout)
    if fault == .pointReadStale {
      let snapshot = try inner.snapshot()
      previous.withLock { $0 = snapshot }
    }
    let committed =
      switch fault {
      case .cursorSeesNoWrites, .newTreeStaysEmpty, .lateTreeLacksEntry: try inner.beginRead()
      default: nil as TreeReadTransaction?
      }
    return FaultyEngineWriter(writer, committed, fault)
  }

  func snapshot() throws(StorageError) -> FaultyEngineSnapshot {
    FaultyEngineSnapshot(try inner.snapshot(), inner, fault)
  }

  func statistics() throws(StorageError) -> KeyValueEngineStatistics { try inner.statistics() }

  func check() throws(StorageError) -> [String] {
    fault == .checkFindsDamage ? ["there is damage"] : try inner.check()
  }

  func destroy() throws(StorageError) {
    letGo()
    try inner.destroy()
  }

  func close() throws(StorageError) {
    if fault != .closedEngineReads { try inner.close() }
  }
}

final class FaultyEngineSnapshot: KeyValueSnapshot {
  private let inner: TreeSnapshot
  private let engine: MemoryEngine
  private let fault: EngineFault?

  init(_ snapshot: TreeSnapshot, _ engine: MemoryEngine, _ fault: EngineFault?) {
    inner = snapshot
    self.engine = engine
    self.fault = fault
  }

  var version: CommitVersion { inner.version }

  func beginRead() throws(StorageError) -> FaultyEngineReader {
    let reader = try inner.beginRead()
    guard fault == .snapshotMoves else { return FaultyEngineReader(reader, engine, fault) }
    reader.end()
    return FaultyEngineReader(try engine.beginRead(), engine, fault)
  }

  func close() { inner.close() }
}

final class FaultyEngineReader: KeyValueReadTransaction {
  private let lent = ValueRing()
  private let inner: TreeReadTransaction
  private let engine: MemoryEngine
  private let fault: EngineFault?
  private var newest: [TreeReadTransaction] = []

  init(_ reader: TreeReadTransaction, _ engine: MemoryEngine, _ fault: EngineFault?) {
    inner = reader
    self.engine = engine
    self.fault = fault
  }

  var version: CommitVersion { fault == .versionConstant ? CommitVersion(7) : inner.version }

  func get(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    if fault == .lentValuesOverwritten { return try inner.get(tree, key).map { lent.lend($0) } }
    guard fault == .readerMoves else { return try FaultyReads.get(inner, fault, tree, key) }
    let reader = try engine.beginRead()
    newest.append(reader)
    return try reader.get(tree, key)
  }

  func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> FaultyEngineCursor {
    try FaultyReads.cursor(inner, fault, tree, range, descending)
  }

  func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int {
    try FaultyReads.count(inner, fault, tree, range)
  }

  func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics {
    try FaultyReads.statistics(inner, fault, tree)
  }

  func end() {
    for reader in newest { reader.end() }
    inner.end()
  }
}

/// What readers and writers do alike.
enum FaultyReads {
  /// The tree that takes the place of one.
  static func tree(_ tree: TreeID, _ fault: EngineFault?) -> TreeID {
    fault == .treesCollide && tree > 4 ? tree - 4 : tree
  }

  static func get(
    _ tx: some KeyValueReadTransaction, _ fault: EngineFault?, _ tree: TreeID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    let tree = self.tree(tree, fault)
    if fault == .longKeysCut, key.count > 40 { return try tx.get(tree, UnsafeRawBufferPointer(rebasing: key[..<40])) }
    let value = try tx.get(tree, key)
    if fault == .emptyValueMissing, value?.isEmpty == true { return nil }
    if value == nil, fault == .getFindsPrefix, tree != 0 {
      var cursor = try tx.cursor(tree, .prefix(Array(key.dropLast())), descending: false)
      return try cursor.next()?.value
    }
    return value
  }

  static func range(_ range: KeyRange, _ fault: EngineFault?) -> KeyRange {
    var range = range
    switch fault {
    case .upperBoundIncluded: range.upper = range.upper.map { $0 + [0] }
    case .lowerBoundExcluded: range.lower = range.lower.map { $0 + [0] }
    case .upperBoundLostAfterFf where range.lower?.last == 0xFF: range.upper = nil
    case .longKeysCut:
      range.lower = range.lower.map { Array($0.prefix(40)) }
      range.upper = range.upper.map { Array($0.prefix(40)) }
    default: break
    }
    return range
  }

  static func cursor(
    _ tx: some KeyValueReadTransaction, _ fault: EngineFault?, _ tree: TreeID, _ range: KeyRange, _ descending: Bool
  ) throws(StorageError) -> FaultyEngineCursor {
    let isDescending = descending && fault != .descendingAscends
    let cursor = try tx.cursor(self.tree(tree, fault), self.range(range, fault), descending: isDescending)
    return FaultyEngineCursor(cursor, fault, isDescending: descending)
  }

  static func count(
    _ tx: some KeyValueReadTransaction, _ fault: EngineFault?, _ tree: TreeID, _ range: KeyRange
  ) throws(StorageError) -> Int {
    let all = fault == .countIgnoresBounds ? KeyRange.all : self.range(range, fault)
    return try tx.count(self.tree(tree, fault), all) + (fault == .countOneMore ? 1 : 0)
  }

  static func statistics(
    _ tx: some KeyValueReadTransaction, _ fault: EngineFault?, _ tree: TreeID
  ) throws(StorageError) -> KeyValueTreeStatistics {
    var statistics = try tx.statistics(of: self.tree(tree, fault))
    if fault == .treeStatisticsZero { statistics.entries = 0 }
    return statistics
  }
}

struct FaultyEngineCursor: KeyValueCursor {
  private var inner: any KeyValueCursor
  private let fault: EngineFault?
  private let isDescending: Bool
  private var given = 0
  private var isRepeated = false

  init(_ cursor: any KeyValueCursor, _ fault: EngineFault?, isDescending: Bool) {
    inner = cursor
    self.fault = fault
    self.isDescending = isDescending
  }

  mutating func next() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    try skip()
    if fault == .cursorRepeatsEntry, given == 1, !isRepeated, let again = repeated {
      isRepeated = true
      return again
    }
    let entry = try inner.next()
    given += 1
    if fault == .cursorRepeatsEntry, given == 1 { repeated = entry }
    return entry
  }

  /// The bytes of a cursor that reads are valid until its transaction ends.
  private var repeated: (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)?

  private mutating func skip() throws(StorageError) {
    if fault == .descendingSkipsFirst, isDescending, given == 0 {
      given = 1
      _ = try inner.next()
    }
  }

  mutating func fill(_ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    try skip()
    let count = try inner.fill(values)
    switch fault {
    case .fillSkipsEntry where count > 3:
      values[1] = values[count - 1]
      return count - 1
    case .descendingFillAscends where isDescending:
      for place in 0..<count / 2 { values.swapAt(place, count - 1 - place) }
    default: break
    }
    return count
  }
}
