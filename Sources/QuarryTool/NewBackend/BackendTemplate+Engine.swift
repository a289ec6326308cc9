// The engine of a package that `quarry new-backend` writes: in memory, complete, and as short as it can be.
extension BackendTemplate {
  static let engine = ##"""
    import Foundation
    public import QuarryBackend
    public import QuarryKeyValue
    import Synchronization

    /// A store of ordered trees of bytes. It begins in memory: put your storage into the place of `State`, one call after the
    /// other, and run the conformance kit after each.
    public final class __Type__Engine: KeyValueEngine {
      /// The newest committed state, and whether the engine is open.
      private let newest = Mutex<State?>(State())
      /// Whether a writer has the store. A writer may end on another thread, so that this is no lock.
      private let isWriting = Mutex(false)

      public init() {}

      public static let properties = KeyValueEngineProperties(
        name: "__name__", version: "1", durability: .none, sharing: .oneProcess, countsRanges: true, keepsLent: true)

      public var properties: KeyValueEngineProperties { Self.properties }

      /// The newest state.
      ///
      /// - Throws: `closed`.
      func state() throws(StorageError) -> State {
        guard let state = newest.withLock({ $0 }) else { throw .storeClosed }
        return state
      }

      /// Makes a state the newest one: here your engine brings it to the disk.
      func publish(_ state: State) throws(StorageError) {
        let isOpen = newest.withLock { newest in
          if newest != nil { newest = state }
          return newest != nil
        }
        if !isOpen { throw .storeClosed }
      }

      func endWrite() { isWriting.withLock { $0 = false } }

      public func beginRead() throws(StorageError) -> __Type__Transaction {
        __Type__Transaction(self, try state(), isWriting: false)
      }

      private func takeTurn() -> Bool {
        isWriting.withLock { isWriting in
          defer { isWriting = true }
          return !isWriting
        }
      }

      public func beginWrite(timeout: Double) throws(StorageError) -> __Type__Transaction {
        // A timeout is any number: `Deadline` knows what infinity, NaN and negative seconds mean.
        let deadline = Deadline(after: timeout)
        while !takeTurn() {
          if deadline.hasPassed { throw .busy(timeout) }
          usleep(500)
        }
        do throws(StorageError) {
          return __Type__Transaction(self, try state(), isWriting: true)
        } catch {
          endWrite()
          throw error
        }
      }

      public func snapshot() throws(StorageError) -> __Type__Snapshot { __Type__Snapshot(self, try state()) }

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
        try close()
      }

      public func close() throws(StorageError) {
        newest.withLock { $0 = nil }
      }
    }

    /// A committed state that stays readable until it is closed.
    public final class __Type__Snapshot: KeyValueSnapshot {
      private let engine: __Type__Engine
      private let state: State
      private let isClosed = Atomic(false)

      init(_ engine: __Type__Engine, _ state: State) {
        self.engine = engine
        self.state = state
      }

      public var version: CommitVersion { CommitVersion(state.version) }

      public func beginRead() throws(StorageError) -> __Type__Transaction {
        _ = try engine.state()
        if isClosed.load(ordering: .relaxed) { throw .snapshotClosed }
        return __Type__Transaction(engine, state, isWriting: false)
      }

      public func close() { isClosed.store(true, ordering: .relaxed) }
    }

    """##

  static let state = ##"""
    import QuarryBackend
    import QuarryKeyValue

    /// An entry of a tree. Its bytes stay where they are for as long as it exists, so that they can be lent.
    final class Entry: Sendable {
      // Safe, though unchecked: the bytes are written before another thread has the entry, and never again.
      nonisolated(unsafe) let key: UnsafeRawBufferPointer
      nonisolated(unsafe) let value: UnsafeRawBufferPointer

      init(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: key.count + value.count, alignment: 8)
        bytes[..<key.count].copyBytes(from: key)
        bytes[key.count...].copyBytes(from: value)
        self.key = UnsafeRawBufferPointer(rebasing: bytes[..<key.count])
        self.value = UnsafeRawBufferPointer(rebasing: bytes[key.count...])
      }

      deinit { key.baseAddress?.deallocate() }
    }

    /// All trees at one version, their entries in the order of the keys' bytes.
    struct State: Sendable {
      var trees: [TreeID: [Entry]] = [:]
      var version: UInt64 = 0

      /// The entry of a key, and its place or the one where it belongs.
      func find(_ tree: TreeID, _ key: some Collection<UInt8>) -> (entry: Entry?, place: Int) {
        let entries = trees[tree] ?? []
        var (low, high) = (0, entries.count)
        while low < high {
          let middle = (low + high) / 2
          if entries[middle].key.lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
        }
        return (low < entries.count && entries[low].key.elementsEqual(key) ? entries[low] : nil, low)
      }

      /// The places of the entries of a range.
      func places(_ tree: TreeID, _ range: KeyRange) -> Range<Int> {
        let lower = range.lower.map { find(tree, $0).place } ?? 0
        return lower..<max(lower, range.upper.map { find(tree, $0).place } ?? trees[tree]?.count ?? 0)
      }
    }

    """##

  static let transaction = ##"""
    public import QuarryBackend
    public import QuarryKeyValue

    /// A transaction on one state. One that writes changes a copy and publishes it when it commits.
    public final class __Type__Transaction: KeyValueWriteTransaction {
      private let engine: __Type__Engine
      private let isWriting: Bool
      private var state: State
      private var savepoints: [(state: State, changes: [TreeID: Int])] = []
      private var isEnded = false
      /// How often each tree was changed: a change ends the cursors over its tree.
      private var changes: [TreeID: Int] = [:]

      init(_ engine: __Type__Engine, _ state: State, isWriting: Bool) {
        self.engine = engine
        self.state = state
        self.isWriting = isWriting
      }

      deinit { end() }

      public var version: CommitVersion { CommitVersion(state.version) }

      private func check() throws(StorageError) {
        if isEnded { throw .ended }
        _ = try engine.state()
      }

      fileprivate func stamp(_ tree: TreeID) throws(StorageError) -> Int {
        try check()
        return changes[tree, default: 0]
      }

      // MARK: Reading

      public func get(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
        try check()
        return state.find(tree, key).entry?.value
      }

      public func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> __Type__Cursor {
        let rest = (state.trees[tree] ?? [])[state.places(tree, range)]
        return __Type__Cursor(transaction: self, tree: tree, stamp: try stamp(tree), isDescending: descending, rest: rest)
      }

      public func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int {
        try check()
        return state.places(tree, range).count
      }

      public func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics {
        KeyValueTreeStatistics(entries: try count(tree, .all))
      }

      public func end() {
        guard !isEnded else { return }
        isEnded = true
        if isWriting { engine.endWrite() }
      }

      // MARK: Writing

      public func put(
        _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
      ) throws(StorageError) -> Bool {
        try check()
        changes[tree, default: 0] += 1
        let (old, place) = state.find(tree, key)
        let range = old == nil ? place..<place : place..<place + 1
        state.trees[tree, default: []].replaceSubrange(range, with: CollectionOfOne(Entry(key, value)))
        return old == nil
      }

      public func insert(
        _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
      ) throws(StorageError) -> Bool {
        try get(tree, key) == nil ? put(tree, key, value) : false
      }

      public func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
        let lower = Array(key)
        return try delete(tree, in: KeyRange(lower: lower, upper: lower + [0])) == 1
      }

      public func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int {
        try check()
        changes[tree, default: 0] += 1
        let places = state.places(tree, range)
        state.trees[tree]?.removeSubrange(places)
        return places.count
      }

      public func savepoint() throws(StorageError) {
        try check()
        savepoints.append((state, changes))
      }

      public func releaseSavepoint() throws(StorageError) { _ = try lastSavepoint() }

      public func rollbackSavepoint() throws(StorageError) {
        let kept = try lastSavepoint()
        state = kept.state
        for (tree, count) in changes where count != kept.changes[tree, default: 0] { changes[tree] = count + 1 }
      }

      private func lastSavepoint() throws(StorageError) -> (state: State, changes: [TreeID: Int]) {
        try check()
        guard let kept = savepoints.popLast() else { throw .noSavepoint }
        return kept
      }

      public func commit() throws(StorageError) -> CommitVersion {
        defer { end() }
        try check()
        state.version += 1
        try engine.publish(state)
        return version
      }
    }

    /// Walks over the entries of a range as they were when it was made.
    public struct __Type__Cursor: KeyValueCursor {
      let transaction: __Type__Transaction
      let tree: TreeID
      let stamp: Int
      let isDescending: Bool
      var rest: ArraySlice<Entry>

      public mutating func next() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        guard try transaction.stamp(tree) == stamp else {
          throw StorageError(.transactionEnded, "the tree was written to while a cursor was open")
        }
        guard let entry = isDescending ? rest.popLast() : rest.popFirst() else { return nil }
        return (entry.key, entry.value)
      }

      public mutating func fill(_ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
        var count = 0
        while count < values.count, let entry = try next() {
          values[count] = entry.value
          count += 1
        }
        return count
      }
    }

    """##
}
