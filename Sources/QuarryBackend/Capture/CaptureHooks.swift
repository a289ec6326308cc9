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

/// A transaction that stores rows as they are given, and reads a row without a round trip to a server.
///
/// Of such a transaction the rows after are known from what was written.
package protocol DirectWriteTransaction: BackendWriteTransaction {
  /// The layout of a model's rows, and whether the model has the sequences of keys; nil where the schema has no such model.
  func capturedModel(_ model: ModelID) -> (layout: RowLayout, isSequences: Bool)?
}

extension DirectWriteTransaction {
  /// Returns a transaction over this one that captures its changes, and reads each object once: ``capturing(_:)``.
  package func capturingDirectly(_ capture: Capture) -> any BackendWriteTransaction {
    capture.isNone ? self : WriterLayer(self, CaptureHooks(self, capture, direct: self))
  }
}

/// The hooks of a write transaction that remembers what it changes.
final class CaptureHooks: TransactionHooks {
  private let base: any BackendWriteTransaction
  /// The same transaction, where the rows that it stores are known from what was written.
  private let direct: (any DirectWriteTransaction)?
  private let capture: Capture
  private let keys = KeyWriter()
  // One thread writes, and each call ends before the next.
  @exclusivity(unchecked) private var models: [CapturedObjects] = []
  /// The model that was written to last.
  @exclusivity(unchecked) private var last: CapturedObjects?
  /// Whether the schema was changed, or something was done of which nothing is known.
  @exclusivity(unchecked) private var isUnknown = false
  /// The bytes that were kept, and those of rows that were written, since the last ``changes(_:)``.
  @exclusivity(unchecked) private var writtenBytes = 0
  /// The changes that ``take(_:)`` has returned, as far as they are kept for the commit.
  @exclusivity(unchecked) private var taken: [CapturedChanges] = []
  @exclusivity(unchecked) private var takenBytes = 0

  /// - Parameters:
  ///   - base: The transaction whose changes are captured.
  ///   - capture: The detail to capture.
  ///   - direct: The same transaction; nil where rows are read after they were written.
  init(_ base: any BackendWriteTransaction, _ capture: Capture, direct: (any DirectWriteTransaction)? = nil) {
    self.base = base
    self.capture = capture
    self.direct = direct
  }

  // MARK: What is remembered

  /// The primary key of a row, valid until the next call.
  private func key(_ row: UnsafeRawBufferPointer, _ layout: RowLayout) throws(StorageError) -> UnsafeRawBufferPointer {
    keys.removeAll()
    try keys.append(RowView(row, layout), layout.keySlot, layout, isDescending: false, isLast: true)
    return keys.bytes
  }

  /// The objects of a model, where they are remembered one by one; nil, after noting that it is written to, for any other.
  private func objects(of model: ModelID) -> CapturedObjects? {
    if isUnknown { return nil }
    if let last, last.model == model { return last.knowledge == .objects ? last : nil }
    let found = models.first { $0.model == model } ?? begin(model)
    last = found
    return found.knowledge == .objects ? found : nil
  }

  private func begin(_ model: ModelID) -> CapturedObjects {
    let detail = capture.detail(of: model)
    let known = detail == .none ? nil : layout(of: model)
    let knowledge: CapturedObjects.Knowledge
    // Sequences are no objects of the program: no observer sees them.
    if detail == .none || known?.isSequences == true {
      knowledge = .ignored
    } else {
      knowledge = detail == .touched || known == nil ? .touched : .objects
    }
    let objects = CapturedObjects(
      model, known?.layout, knowledge, keepsRows: detail == .rows, limit: capture.limit)
    models.append(objects)
    return objects
  }

  /// Whether nothing is captured of a model.
  func ignores(_ model: ModelID) -> Bool { capture.detail(of: model) == .none }

  private func layout(of model: ModelID) -> (layout: RowLayout, isSequences: Bool)? {
    if let direct { return direct.capturedModel(model) }
    return base.schema.model(id: model).map { (RowLayout($0), $0.isSequences) }
  }

  /// Remembers the rows that the objects with the keys of rows have now, where they are not remembered.
  private func remember(_ objects: CapturedObjects, _ rows: borrowing RowBatch) throws(StorageError) {
    guard let layout = objects.layout else { return }
    guard direct == nil else {
      return try rows.forEach { _, row throws(StorageError) in _ = remember(objects, try key(row, layout)) }
    }
    var keys: [Key] = []
    keys.reserveCapacity(rows.count)
    try rows.forEach { _, row throws(StorageError) in keys.append(Key(copying: try key(row, layout))) }
    remember(objects, keys)
  }

  /// Remembers the row that an object has now, where it is not remembered.
  ///
  /// - Returns: The place of the object, and whether it was not remembered before; nil where objects are not remembered any more.
  private func remember(_ objects: CapturedObjects, _ key: UnsafeRawBufferPointer) -> (place: Int, isFirst: Bool)? {
    guard objects.knowledge == .objects else { return nil }
    if let place = objects.place(of: key) { return (place, false) }
    do throws(StorageError) {
      return add(objects, key, try base.row(objects.model, key)).map { ($0, true) }
    } catch {
      // An unreadable row can still be replaced or removed. After a conflict the transaction takes no call.
      objects.forget()
      return nil
    }
  }

  private func remember(_ objects: CapturedObjects, _ keys: [Key]) {
    if direct != nil { return keys.forEach { key in key.bytes.withBytes { _ = remember(objects, $0) } } }
    var fresh = keys.filter { key in key.bytes.withBytes { objects.place(of: $0) == nil } }
    // A key twice is read once.
    if fresh.count > 1 { fresh = Array(Set(fresh)) }
    guard !fresh.isEmpty else { return }
    do throws(StorageError) {
      try base.rows(objects.model, fresh) { place, row throws(StorageError) in
        guard objects.knowledge == .objects else { return }
        fresh[place].bytes.withBytes { _ = add(objects, $0, row) }
      }
    } catch {
      objects.forget()
    }
  }

  @discardableResult
  private func add(_ objects: CapturedObjects, _ key: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer?) -> Int? {
    writtenBytes += key.count + (row?.count ?? 0) + CapturedObjects.bytesOfEach
    return objects.add(key, old: row)
  }

  /// Remembers the rows of a query, which is about to change them.
  private func remember(_ query: BoundQuery) {
    guard let objects = objects(of: query.model), let layout = objects.layout else { return }
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
            for row in buffer[..<count] where objects.knowledge == .objects {
              let key = try key(row, layout)
              if let place = objects.place(of: key) { objects.setUnknown(place) } else { add(objects, key, row) }
            }
            if objects.knowledge != .objects { return }
          }
        }
      }.get()
    } catch {
      objects.forget()
    }
  }

  /// Notes that an object has a row.
  ///
  /// - Parameters:
  ///   - row: The row that was stored; nil where the object was removed.
  ///   - isNew: Whether there was no object before the call.
  private func note(
    _ objects: CapturedObjects, _ key: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer?, isNew: Bool
  ) {
    guard objects.knowledge == .objects else { return }
    guard let place = objects.place(of: key) ?? (isNew ? add(objects, key, nil) : nil) else { return }
    if direct == nil { objects.setUnknown(place) } else { objects.set(place, new: row) }
  }

  /// Notes that objects have the rows of a batch.
  private func note(_ objects: CapturedObjects, _ rows: borrowing RowBatch, isNew: Bool) throws(StorageError) {
    guard let layout = objects.layout else { return }
    try rows.forEach { _, row throws(StorageError) in note(objects, try key(row, layout), row, isNew: isNew) }
  }

  /// The changes since the last call.
  private func settle() -> CapturedChanges {
    if isUnknown { return .unknown }
    for objects in models where objects.knowledge == .objects {
      do throws(StorageError) {
        try objects.settle { places, reading throws(StorageError) in try read(objects, places, reading) }
      } catch {
        objects.forget()
      }
    }
    return CapturedChanges(models, isUnknown: false)
  }

  private func read(
    _ objects: CapturedObjects, _ places: [Int], _ reading: CapturedObjects.Reading
  ) throws(StorageError) {
    if direct != nil {
      for place in places { try reading(place, base.row(objects.model, objects.key(place))) }
      return
    }
    let keys = places.map { Key(copying: objects.key($0)) }
    let order = keys.indices.sorted { keys[$0] < keys[$1] }
    try base.rows(objects.model, order.map { keys[$0] }) { index, row throws(StorageError) in
      try reading(places[order[index]], row)
    }
  }

  /// The changes since the last call, which are kept for the commit.
  func take(_ base: Writer) throws(StorageError) -> CapturedChanges {
    let changes = settle()
    if let failure = base.failure { throw failure }
    keep(changes)
    models = []
    last = nil
    writtenBytes = 0
    return changes
  }

  private func keep(_ changes: CapturedChanges) {
    taken.append(changes)
    takenBytes += changes.byteCount
    guard takenBytes > capture.limit else { return }
    var set = CommitResult.merged(taken)
    // A transaction that is taken in many parts is not kept as a whole.
    if set.byteCount > capture.limit { for model in set.models.keys { set.models[model] = .unknown } }
    taken = [CapturedChanges(set)]
    takenBytes = set.byteCount
  }

  // MARK: Writing

  func insert(_ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    guard let objects = objects(of: model) else { return try base.insert(model, rows) }
    try base.insert(model, rows)
    writtenBytes += rows.byteCount
    // None of them was there.
    try note(objects, rows, isNew: true)
  }

  func load(
    _ base: Writer, _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard let objects = objects(of: model) else { return try base.load(model, next) }
    try base.load(model) { batch throws(StorageError) in
      try next(&batch)
      // None of them is there: the transaction is rolled back when a key is.
      try note(objects, batch, isNew: true)
    }
  }

  func upsert(
    _ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    guard let objects = objects(of: model), let layout = objects.layout else {
      return try base.upsert(model, rows, policy)
    }
    writtenBytes += rows.byteCount
    if direct != nil, rows.count == 1, policy == .replace {
      var place: Int?
      try rows.forEach { _, row throws(StorageError) in place = remember(objects, try key(row, layout))?.place }
      let added = try base.upsert(model, rows, policy)
      if let place { try rows.forEach { _, row throws(StorageError) in objects.set(place, new: row) } }
      return added
    }
    try remember(objects, rows)
    let added = try base.upsert(model, rows, policy)
    if policy == .replace {
      try note(objects, rows, isNew: false)
    } else {
      try rows.forEach { _, row throws(StorageError) in
        if let place = objects.place(of: try key(row, layout)) { objects.setUnknown(place) }
      }
    }
    return added
  }

  func getOrInsert(
    _ base: Writer, _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    guard let objects = objects(of: model), let layout = objects.layout else {
      return try base.getOrInsert(model, row)
    }
    let found = try base.getOrInsert(model, row)
    if found == nil { note(objects, try key(row, layout), row, isNew: true) }
    return found
  }

  func update(_ base: Writer, _ update: RowUpdate) throws(StorageError) {
    guard let objects = objects(of: update.model), let layout = objects.layout else { return try update.run(base) }
    let key = try key(update.row, layout)
    guard direct != nil else {
      remember(objects, [Key(copying: key)])
      try update.run(base)
      if objects.knowledge == .objects, let place = objects.place(of: key) { objects.setUnknown(place) }
      return
    }
    let remembered = remember(objects, key)
    try update.run(base)
    guard let (place, isFirst) = remembered else { return }
    if let slots = update.slots {
      try objects.merge(place, update.row, slots, isFirst: isFirst)
    } else {
      objects.set(place, new: update.row)
    }
  }

  func delete(_ base: Writer, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    guard let objects = objects(of: model) else { return try base.delete(model, keys) }
    remember(objects, keys)
    let count = try base.delete(model, keys)
    for key in keys { key.bytes.withBytes { note(objects, $0, nil, isNew: false) } }
    return count
  }

  func delete(_ base: Writer, _ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    guard let objects = objects(of: model) else { return try base.delete(model, key: key) }
    if direct == nil { remember(objects, [Key(copying: key)]) } else { _ = remember(objects, key) }
    let isGone = try base.delete(model, key: key)
    note(objects, key, nil, isNew: false)
    return isGone
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

  func rollbackSavepoint(_ base: Writer) throws(StorageError) {
    for objects in models { objects.forgetNew() }
    try base.rollbackSavepoint()
  }

  func apply(_ base: Writer, _ change: SchemaChange) throws(StorageError) {
    isUnknown = true
    models = []
    last = nil
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

  func changes(_ base: Writer) throws(StorageError) -> ChangeSet { try take(base).changeSet }

  func capturedBytes(_ base: Writer) -> Int { writtenBytes }

  func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    if isUnknown || models.contains(where: { $0.knowledge != .ignored }) { taken.append(settle()) }
    var result = try base.commit()
    result.captured = taken
    return result
  }
}
