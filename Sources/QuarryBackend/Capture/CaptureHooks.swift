extension BackendWriteTransaction {
  /// Returns a transaction over this one that captures its changes.
  ///
  /// A backend returns it from ``Backend/beginWrite(_:)`` when changes are to be captured and the backend has no capture of its
  /// own.
  ///
  /// ```swift
  /// return try beginMine(options).capturing(options.capture)
  /// ```
  ///
  /// For each object, the transaction keeps the row from before its first write to the object. It reads the rows after once, when
  /// it commits. So work that a savepoint undid, and a change that was reverted, is no change. A row that is written a hundred
  /// times is one change.
  ///
  /// - Parameter capture: The detail to capture.
  /// - Returns: The transaction itself when there is nothing to capture.
  /// - Complexity: Two reads, one before and one after, of each object that is written to. A model for which more than
  ///   ``Capture/limit`` bytes of rows would be kept is only known to have changed.
  public func capturing(_ capture: Capture) -> any BackendWriteTransaction {
    capture.isNone ? self : WriterLayer(self, CaptureHooks(self, capture))
  }
}

/// The hooks of a write transaction that remembers what it changes.
final class CaptureHooks: TransactionHooks {
  private let base: any BackendWriteTransaction
  private let capture: Capture
  private let keys = KeyWriter()
  private var models: [ModelID: Touched] = [:]
  /// Whether the schema was changed, or something was done of which nothing is known.
  private var isUnknown = false
  /// The bytes that were kept, and those of rows that were written, since the last ``changes(_:)``.
  private var writtenBytes = 0
  /// The changes that ``changes(_:)`` has returned, as far as they are kept for the commit.
  private var taken = ChangeSet()

  /// The objects of one model that were written to.
  private struct Touched {
    /// The rows before, by keys; nil for a key that no object had.
    var rows: [Key: Row?] = [:]
    var byteCount = 0
    /// Whether it is only known that the model was written to.
    var isUnknown: Bool

    /// - Returns: Whether the key was not known.
    mutating func add(_ key: Key, _ row: UnsafeRawBufferPointer?, limit: Int) {
      guard !isUnknown else { return }
      rows[key] = .some(row.map { Row(copying: $0) })
      byteCount += key.bytes.count + (row?.count ?? 0) + Self.bytesOfEach
      if byteCount > limit { forget() }
    }

    mutating func forget() {
      isUnknown = true
      rows = [:]
    }

    /// The additional bytes of an entry in the table.
    static let bytesOfEach = 64
  }

  /// - Parameters:
  ///   - base: The transaction whose changes are captured.
  ///   - capture: The detail to capture.
  init(_ base: any BackendWriteTransaction, _ capture: Capture) {
    self.base = base
    self.capture = capture
  }

  // MARK: What is remembered

  /// The primary key of a row.
  private func key(_ row: UnsafeRawBufferPointer, _ layout: RowLayout) throws(StorageError) -> Key {
    keys.removeAll()
    try keys.append(RowView(row, layout), layout.keySlot, layout, isDescending: false, isLast: true)
    return keys.key
  }

  /// The layout of a model whose objects are to be remembered one by one; nil, after noting that it is written to, for
  /// any other.
  private func layout(of model: ModelID) -> RowLayout? {
    let detail = capture.detail(of: model)
    guard detail != .none, !isUnknown else { return nil }
    let schema = base.schema.model(id: model)
    // Sequences are no objects of the program: no observer sees them.
    if schema?.isSequences == true { return nil }
    guard detail > .touched, models[model]?.isUnknown != true, let schema else {
      touch(model)
      return nil
    }
    return RowLayout(schema)
  }

  private func touch(_ model: ModelID) {
    models[model, default: Touched(isUnknown: true)].forget()
  }

  /// Remembers the rows that objects with these keys have now, where they are not remembered.
  private func remember(_ model: ModelID, _ keys: [Key]) {
    let fresh = keys.filter { models[model]?.rows[$0] == nil }
    guard !fresh.isEmpty else { return }
    do throws(StorageError) {
      try base.rows(model, fresh) { place, row throws(StorageError) in add(model, fresh[place], row) }
    } catch {
      // An unreadable row can still be replaced or removed. After a conflict the transaction takes no call.
      touch(model)
    }
  }

  private func add(_ model: ModelID, _ key: Key, _ row: UnsafeRawBufferPointer?) {
    writtenBytes += key.bytes.count + (row?.count ?? 0) + Touched.bytesOfEach
    models[model, default: Touched(isUnknown: false)].add(key, row, limit: capture.limit)
  }

  /// Remembers the rows of a query.
  private func remember(_ query: BoundQuery) {
    guard let layout = layout(of: query.model) else { return }
    do throws(StorageError) {
      var whole = query
      whole.projection = nil
      let cursor = try base.cursor(whole)
      defer { cursor.close() }
      try withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 64) { buffer in
        Result { () throws(StorageError) in
          while true {
            let count = try cursor.fill(buffer)
            guard count > 0 else { return }
            for row in buffer[..<count] {
              let key = try key(row, layout)
              if models[query.model]?.rows[key] == nil { add(query.model, key, row) }
            }
            if models[query.model]?.isUnknown == true { return }
          }
        }
      }.get()
    } catch {
      touch(query.model)
    }
  }

  private func keys(of rows: borrowing RowBatch, _ layout: RowLayout) throws(StorageError) -> [Key] {
    var keys: [Key] = []
    keys.reserveCapacity(rows.count)
    try rows.forEach { _, row throws(StorageError) in keys.append(try key(row, layout)) }
    return keys
  }

  /// The differences between the current rows and the rows from before.
  private func changes() -> ChangeSet {
    var set = ChangeSet(isUnknown: isUnknown)
    guard !isUnknown else { return set }
    for (model, touched) in models {
      guard !touched.isUnknown, let schema = base.schema.model(id: model) else {
        set.models[model] = .unknown
        continue
      }
      do throws(StorageError) {
        let changes = try changes(model, touched, RowLayout(schema))
        guard let changes else {
          set.models[model] = .unknown
          continue
        }
        if !changes.isEmpty { set.models[model] = .objects(changes) }
      } catch {
        set.models[model] = .unknown
      }
    }
    return set
  }

  /// - Returns: nil when they are too large to be kept.
  private func changes(
    _ model: ModelID, _ touched: Touched, _ layout: RowLayout
  ) throws(StorageError) -> [ChangeSet.Change]? {
    let touchedKeys = touched.rows.keys.sorted()
    let keepsRows = capture.detail(of: model) == .rows
    var changes: [ChangeSet.Change] = []
    var byteCount = touched.byteCount
    try base.rows(model, touchedKeys) { place, row throws(StorageError) in
      guard byteCount <= capture.limit else { return }
      let key = touchedKeys[place]
      let old = touched.rows[key].flatMap { $0 }
      let kind: ChangeSet.Change.Kind
      switch (old, row) {
      case (nil, nil): return
      case (nil, _?): kind = .insertion
      case (_?, nil): kind = .deletion
      case (let old?, let new?):
        let isSame = try old.bytes.withBytes { old throws(StorageError) in
          if old.compare(new) == 0 { return true }
          return try RowView(old, layout).differences(from: RowView(new, layout), layout).isEmpty
        }
        if isSame { return }
        kind = .update
      }
      guard keepsRows else { return changes.append(ChangeSet.Change(key: key, kind: kind)) }
      byteCount += row?.count ?? 0
      changes.append(ChangeSet.Change(key: key, kind: kind, old: old, new: row.map { Row(copying: $0) }))
    }
    return byteCount <= capture.limit ? changes : nil
  }

  // MARK: Writing

  func insert(_ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    guard let layout = layout(of: model) else { return try base.insert(model, rows) }
    try base.insert(model, rows)
    writtenBytes += rows.byteCount
    // None of them was there.
    for key in try keys(of: rows, layout) where models[model]?.rows[key] == nil { add(model, key, nil) }
  }

  func load(
    _ base: Writer, _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard let layout = layout(of: model) else { return try base.load(model, next) }
    try base.load(model) { batch throws(StorageError) in
      try next(&batch)
      // None of them is there: the transaction is rolled back when a key is.
      for key in try keys(of: batch, layout) where models[model]?.rows[key] == nil { add(model, key, nil) }
    }
  }

  func upsert(
    _ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    if let layout = layout(of: model) {
      remember(model, try keys(of: rows, layout))
      writtenBytes += rows.byteCount
    }
    return try base.upsert(model, rows, policy)
  }

  func getOrInsert(
    _ base: Writer, _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    guard let layout = layout(of: model) else { return try base.getOrInsert(model, row) }
    let key = try key(row, layout)
    let found = try base.getOrInsert(model, row)
    if found == nil, models[model]?.rows[key] == nil { add(model, key, nil) }
    return found
  }

  func update(_ base: Writer, _ update: RowUpdate) throws(StorageError) {
    if let layout = layout(of: update.model) { remember(update.model, [try key(update.row, layout)]) }
    try update.run(base)
  }

  func delete(_ base: Writer, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    if layout(of: model) != nil { remember(model, keys) }
    return try base.delete(model, keys)
  }

  func delete(_ base: Writer, _ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    if layout(of: model) != nil { remember(model, [Key(copying: key)]) }
    return try base.delete(model, key: key)
  }

  func update(
    _ base: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]
  ) throws(StorageError) -> Int {
    remember(query)
    return try base.update(query, assignments)
  }

  func delete(_ base: Writer, _ query: BoundQuery) throws(StorageError) -> Int {
    remember(query)
    return try base.delete(query)
  }

  func apply(_ base: Writer, _ change: SchemaChange) throws(StorageError) {
    isUnknown = true
    models = [:]
    try base.apply(change)
  }

  func removeUnreadableRows(
    _ base: Writer, _ model: ModelID, _ keep: (UnreadableRow) throws(StorageError) -> Void
  ) throws(StorageError) -> Int {
    isUnknown = true
    return try repairing(base).removeUnreadableRows(model, keep)
  }

  func correctDerivedValues(_ base: Writer, _ model: ModelID) throws(StorageError) -> Int {
    isUnknown = true
    return try repairing(base).correctDerivedValues(model)
  }

  func changes(_ base: Writer) throws(StorageError) -> ChangeSet {
    let changes = changes()
    if let failure = base.failure { throw failure }
    taken.merge(changes)
    // A transaction that is taken in many parts is not kept as a whole.
    if taken.byteCount > capture.limit { for model in taken.models.keys { taken.models[model] = .unknown } }
    models = [:]
    writtenBytes = 0
    return changes
  }

  func capturedBytes(_ base: Writer) -> Int { writtenBytes }

  func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    var changes = taken
    changes.merge(self.changes())
    var result = try base.commit()
    result.changes = changes
    return result
  }
}
