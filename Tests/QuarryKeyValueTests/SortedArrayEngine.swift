import Foundation
import QuarryBackend
import QuarryKeyValue
import Synchronization

/// The simplest engine that is correct: each tree is a sorted array that is copied when it is written to. What the
/// backend does over it is compared with what it does over the real engines.
///
/// Bytes that were lent for too long show: memory that is given back is overwritten first, and what a cursor lends is its own
/// until it moves or goes.
final class SortedArrayEngine: KeyValueEngine {
  typealias Trees = [TreeID: [Entry]]

  struct Entry: Sendable {
    let key: Block
    let value: Block
  }

  /// Bytes that never change, at one address as long as the block lives.
  final class Block: Sendable {
    nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

    init(_ source: UnsafeRawBufferPointer) {
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 8)
      copy.copyMemory(from: source)
      bytes = UnsafeRawBufferPointer(copy)
    }

    deinit {
      let bytes = UnsafeMutableRawBufferPointer(mutating: bytes)
      for place in bytes.indices { bytes[place] = 0xDD }
      bytes.deallocate()
    }
  }

  struct State: Sendable {
    var trees: Trees = [:]
    var version: UInt64 = 0
    var isClosed = false
    /// How many writes succeed before the engine fails with `full`.
    var writesUntilFailure: Int?
  }

  let properties: KeyValueEngineProperties
  let state: Mutex<State>
  private let writer = NSCondition()
  nonisolated(unsafe) private var hasWriter = false

  init(
    countsRanges: Bool = true, maximumKeyBytes: Int? = nil, maximumValueBytes: Int? = nil, isReadOnly: Bool = false,
    state: State = State()
  ) {
    self.state = Mutex(state)
    properties = KeyValueEngineProperties(
      name: "sorted array", version: "1", maximumKeyBytes: maximumKeyBytes, maximumValueBytes: maximumValueBytes,
      durability: .none, sharing: .oneProcess, isReadOnly: isReadOnly, countsRanges: countsRanges)
  }

  func checked() throws(StorageError) -> State {
    let state = state.withLock { $0 }
    if state.isClosed { throw .storeClosed }
    return state
  }

  func beginRead() throws(StorageError) -> SortedArrayTransaction {
    SortedArrayTransaction(self, try checked(), isWriting: false)
  }

  func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    let transaction = try beginRead()
    defer { transaction.end() }
    guard let value = try transaction.get(tree, key) else { return false }
    try body(value)
    return true
  }

  func beginWrite(timeout: Double) throws(StorageError) -> SortedArrayTransaction {
    _ = try checked()
    writer.lock()
    defer { writer.unlock() }
    let deadline = Date(timeIntervalSinceNow: timeout)
    while hasWriter {
      if !writer.wait(until: deadline), hasWriter { throw StorageError(.busy, "another writer") }
    }
    let state = try checked()
    hasWriter = true
    return SortedArrayTransaction(self, state, isWriting: true)
  }

  func endWrite() {
    writer.lock()
    hasWriter = false
    writer.signal()
    writer.unlock()
  }

  func snapshot() throws(StorageError) -> SortedArraySnapshot {
    SortedArraySnapshot(self, try checked())
  }

  func statistics() throws(StorageError) -> KeyValueEngineStatistics {
    let trees = try checked().trees
    return KeyValueEngineStatistics(details: ["trees": String(trees.count)])
  }

  func check() throws(StorageError) -> [String] {
    _ = try checked()
    return []
  }

  func destroy() throws(StorageError) {
    _ = try checked()
    state.withLock { $0 = State(isClosed: true) }
  }

  func close() throws(StorageError) {
    state.withLock { $0.isClosed = true }
  }

  /// Lets so many writes succeed and the next one fail; nil for none to fail.
  func fail(after writes: Int?) {
    state.withLock { $0.writesUntilFailure = writes }
  }

  /// The committed entries of a tree.
  func entries(_ tree: TreeID) -> [(key: [UInt8], value: [UInt8])] {
    state.withLock { $0.trees[tree] ?? [] }.map { (Array($0.key.bytes), Array($0.value.bytes)) }
  }

  /// Removes a committed entry.
  func unplant(_ tree: TreeID, _ key: [UInt8]) {
    state.withLock { $0.trees[tree]?.removeAll { Array($0.key.bytes) == key } }
  }

  /// Damages or adds a committed entry.
  func plant(_ tree: TreeID, _ key: [UInt8], _ value: [UInt8]) {
    let entry = key.withUnsafeBytes { key in value.withUnsafeBytes { Entry(key: Block(key), value: Block($0)) } }
    state.withLock { state in
      state.trees[tree, default: []].removeAll { Array($0.key.bytes) == key }
      state.trees[tree, default: []].append(entry)
      state.trees[tree]?.sort { $0.key.bytes.precedes($1.key.bytes) }
    }
  }
}

final class SortedArraySnapshot: KeyValueSnapshot {
  private let engine: SortedArrayEngine
  private let state: SortedArrayEngine.State
  private let isClosed = Atomic(false)

  init(_ engine: SortedArrayEngine, _ state: SortedArrayEngine.State) {
    self.engine = engine
    self.state = state
  }

  var version: CommitVersion { CommitVersion(state.version) }

  func beginRead() throws(StorageError) -> SortedArrayTransaction {
    _ = try engine.checked()
    if isClosed.load(ordering: .relaxed) { throw .snapshotClosed }
    return SortedArrayTransaction(engine, state, isWriting: false)
  }

  func close() {
    isClosed.store(true, ordering: .relaxed)
  }
}

final class SortedArrayTransaction: KeyValueWriteTransaction {
  let engine: SortedArrayEngine
  private let isWriting: Bool
  private let base: UInt64
  private var trees: SortedArrayEngine.Trees
  private var savepoints: [(trees: SortedArrayEngine.Trees, writes: [TreeID: Int])] = []
  private var isEnded = false
  /// Raised by every write to the tree, so that its cursors end.
  fileprivate var writes: [TreeID: Int] = [:]
  /// How many calls were made for each tree; for tests of what is touched.
  private(set) var touched: Set<TreeID> = []

  init(_ engine: SortedArrayEngine, _ state: SortedArrayEngine.State, isWriting: Bool) {
    self.engine = engine
    self.isWriting = isWriting
    base = state.version
    trees = state.trees
  }

  var version: CommitVersion { CommitVersion(base) }

  fileprivate func check() throws(StorageError) {
    _ = try engine.checked()
    if isEnded { throw StorageError(.transactionEnded, "ended") }
  }

  /// A key past the engine's limit must not reach it.
  private func checkLength(_ bytes: Int?) throws(StorageError) {
    guard let limit = engine.properties.maximumKeyBytes, let bytes, bytes > limit else { return }
    throw StorageError(.io, "a key of \(bytes) bytes reached an engine that takes \(limit)")
  }

  func get(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    try check()
    try checkLength(key.count)
    guard let entries = trees[tree] else { return nil }
    let place = Self.place(entries, key)
    guard place < entries.count, entries[place].key.bytes.compare(key) == 0 else { return nil }
    return entries[place].value.bytes
  }

  func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> SortedArrayCursor {
    try check()
    return SortedArrayCursor(self, tree, trees[tree] ?? [], try slice(tree, range), descending)
  }

  func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics {
    KeyValueTreeStatistics(entries: try count(tree, .all))
  }

  func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int {
    try check()
    return try slice(tree, range).count
  }

  func end() {
    guard !isEnded else { return }
    isEnded = true
    trees = [:]
    savepoints = []
    if isWriting { engine.endWrite() }
  }

  func put(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    try store(tree, key, value, replaces: true)
  }

  func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    try store(tree, key, value, replaces: false)
  }

  func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try willWrite(tree)
    try checkLength(key.count)
    let (place, isThere) = find(tree, key)
    guard isThere else { return false }
    trees[tree]?.remove(at: place)
    return true
  }

  func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int {
    try willWrite(tree)
    let slice = try slice(tree, range)
    trees[tree]?.removeSubrange(slice)
    return slice.count
  }

  func savepoint() throws(StorageError) {
    try check()
    savepoints.append((trees, writes))
  }

  func releaseSavepoint() throws(StorageError) {
    try check()
    savepoints.removeLast()
  }

  func rollbackSavepoint() throws(StorageError) {
    try check()
    let kept = savepoints.removeLast()
    trees = kept.trees
    for (tree, count) in writes where count != kept.writes[tree] ?? 0 { writes[tree] = count + 1 }
  }

  func commit() throws(StorageError) -> CommitVersion {
    defer { end() }
    try willWrite(0)
    let trees = trees
    return engine.state.withLock { state in
      state.trees = trees
      state.version += 1
      return CommitVersion(state.version)
    }
  }

  private func store(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, replaces: Bool
  ) throws(StorageError) -> Bool {
    try willWrite(tree)
    try checkLength(key.count)
    if tree != 0, let limit = engine.properties.maximumValueBytes, value.count > limit {
      throw StorageError(.io, "a value of \(value.count) bytes reached an engine that takes \(limit)")
    }
    let (place, isThere) = find(tree, key)
    if isThere, !replaces { return false }
    let entry = SortedArrayEngine.Entry(key: .init(key), value: .init(value))
    if isThere { trees[tree]?[place] = entry } else { trees[tree, default: []].insert(entry, at: place) }
    return !isThere
  }

  /// Where the key is, or belongs. Nothing holds the entries when they are written to next, so that they are not copied.
  private func find(_ tree: TreeID, _ key: UnsafeRawBufferPointer) -> (place: Int, isThere: Bool) {
    let entries = trees[tree] ?? []
    let place = Self.place(entries, key)
    return (place, place < entries.count && entries[place].key.bytes.compare(key) == 0)
  }

  private func willWrite(_ tree: TreeID) throws(StorageError) {
    try check()
    let fails = engine.state.withLock { state in
      guard let left = state.writesUntilFailure else { return false }
      state.writesUntilFailure = left - 1
      return left <= 0
    }
    if fails { throw StorageError(.full, "no space") }
    writes[tree, default: 0] += 1
    touched.insert(tree)
  }

  private func slice(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Range<Int> {
    try checkLength(range.lower?.count)
    try checkLength(range.upper?.count)
    let entries = trees[tree] ?? []
    let lower = range.lower.map { bytes in bytes.withUnsafeBytes { Self.place(entries, $0) } } ?? 0
    let upper = range.upper.map { bytes in bytes.withUnsafeBytes { Self.place(entries, $0) } } ?? entries.count
    return lower..<max(lower, upper)
  }

  /// The place of the first entry that is not before the key.
  private static func place(_ entries: [SortedArrayEngine.Entry], _ key: UnsafeRawBufferPointer) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key.bytes.precedes(key) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

struct SortedArrayCursor: KeyValueCursor {
  private let transaction: SortedArrayTransaction
  private let tree: TreeID
  private let stamp: Int
  private let entries: [SortedArrayEngine.Entry]
  private var rest: Range<Int>
  private let isDescending: Bool
  private var lent: [SortedArrayEngine.Block] = []

  init(
    _ transaction: SortedArrayTransaction, _ tree: TreeID, _ entries: [SortedArrayEngine.Entry], _ range: Range<Int>,
    _ isDescending: Bool
  ) {
    self.transaction = transaction
    self.tree = tree
    stamp = transaction.writes[tree] ?? 0
    self.entries = entries
    rest = range
    self.isDescending = isDescending
  }

  mutating func next() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    lent = []
    return try advance()
  }

  private mutating func advance() throws(StorageError) -> (
    key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
  )? {
    try transaction.check()
    if transaction.writes[tree] ?? 0 != stamp { throw StorageError(.transactionEnded, "the tree was written to") }
    guard let place = isDescending ? rest.popLast() : rest.popFirst() else { return nil }
    let entry = [entries[place].key, entries[place].value].map { SortedArrayEngine.Block($0.bytes) }
    lent += entry
    return (entry[0].bytes, entry[1].bytes)
  }

  mutating func fill(_ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    lent = []
    var count = 0
    while count < values.count, let (_, value) = try advance() {
      values[count] = value
      count += 1
    }
    return count
  }
}
