import QuarryBackend
import Synchronization

/// The faults of relations, with what they have to remember.
final class RelationTwist: Twist {
  /// What is done again when the savepoint is undone that it was done in.
  private enum Done {
    case delete(ModelID, [Key])
    case update(BoundQuery, [BoundAssignment])
  }

  private let fault: RelationFault
  /// What was done in each open savepoint.
  private let savepoints = Mutex<[[Done]]>([])

  init(_ fault: RelationFault) {
    self.fault = fault
  }

  // MARK: Reading

  func query(_ query: BoundQuery, _ schema: Schema) -> BoundQuery {
    var query = query
    switch fault {
    case .limitOfOneFindsNothing where query.limit == 1: query.limit = 0
    case .limitOfThousandIsLess where query.limit == 1_000: query.limit = 900
    default: query.predicate = query.predicate.rewritten(changed)
    }
    return query
  }

  private func changed(_ predicate: BoundPredicate) -> BoundPredicate {
    switch (fault, predicate) {
    case (.listStopsAtHundred, .oneOf(let slot, let values)): .oneOf(slot: slot, Array(values.prefix(100)))
    case (.listHasFirstOnly, .oneOf(let slot, let values)): .oneOf(slot: slot, Array(values.prefix(1)))
    case (.listForgetsLast, .oneOf(let slot, let values)) where values.count > 1:
      .oneOf(slot: slot, Array(values.dropLast()))
    case (.notNilFindsNothing, .not(.isNull)): .constant(false)
    default: predicate
    }
  }

  func row(_ tx: Reader, _ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError)
    -> UnsafeRawBufferPointer?
  {
    if let row = try tx.row(model, key) { return row }
    guard fault == .missingRowIsFound, let other = try Self.first(tx, model) else { return nil }
    return try other.bytes.withBytes { (bytes) throws(StorageError) in try tx.row(model, bytes) }
  }

  func rows(
    _ tx: Reader, _ model: ModelID, _ keys: [Key],
    _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    var wanted = keys
    switch fault {
    case .rowsAreSwapped where keys.count > 1: wanted.swapAt(0, 1)
    case .missingRowsAreFound:
      if let other = try Self.first(tx, model) {
        for place in keys.indices {
          let isThere = try keys[place].bytes.withBytes { (bytes) throws(StorageError) in
            try tx.row(model, bytes) != nil
          }
          if !isThere { wanted[place] = other }
        }
      }
    default: break
    }
    try tx.rows(model, wanted) { place, row throws(StorageError) in
      switch fault {
      case .lastRowIsMissing where keys.count > 1 && place == keys.count - 1: try body(place, nil)
      case .rowsStopAtThousand where place >= 1_000: try body(place, nil)
      default: try body(place, row)
      }
    }
  }

  /// The primary key of the first row of a model.
  private static func first(_ tx: Reader, _ model: ModelID) throws(StorageError) -> Key? {
    guard let schema = tx.schema.model(id: model) else { return nil }
    let layout = RowLayout(schema)
    let order = [BoundSortKey(slot: schema.primaryKey)]
    let cursor = try tx.cursor(BoundQuery(model: model, order: order, limit: 1))
    defer { cursor.close() }
    let rows = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 1)
    defer { rows.deallocate() }
    guard try cursor.fill(rows) == 1 else { return nil }
    let writer = KeyWriter()
    try writer.append(RowView(rows[0], layout), layout.keySlot, layout, isDescending: false, isLast: true)
    return writer.key
  }

  func cursor(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    guard fault == .listIsBackwards, case .oneOf = query.predicate else { return try tx.cursor(query) }
    var query = query
    query.order = query.order.map { BoundSortKey(slot: $0.slot, isDescending: !$0.isDescending) }
    return try tx.cursor(query)
  }

  // MARK: Writing

  func delete(_ tx: Writer, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    var wanted = keys
    switch fault {
    case .deleteStopsAtMissing:
      wanted = []
      for key in keys {
        let isThere = try key.bytes.withBytes { (bytes) throws(StorageError) in try tx.row(model, bytes) != nil }
        guard isThere else { break }
        wanted.append(key)
      }
    case .deleteOfManyLeavesOne where keys.count >= 100: wanted.removeLast()
    default: break
    }
    let count = try tx.delete(model, wanted)
    note(.delete(model, wanted), .deletesSurviveSavepoint)
    return fault == .deleteSaysNothing ? 0 : count
  }

  func delete(_ tx: Writer, _ query: BoundQuery) throws(StorageError) -> Int {
    var query = query
    if fault == .deleteWhereLeavesOne, try tx.count(query) > 1 { query.limit = try tx.count(query) - 1 }
    return try tx.delete(query)
  }

  func update(_ tx: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    var query = query
    switch fault {
    case .updateWhereLeavesOne:
      let count = try tx.count(query)
      if count > 1 { query.limit = count - 1 }
    case .updateWhereStopsAtThousand: query.limit = Swift.min(1_000, query.limit ?? 1_000)
    case .nilIsNotSet where assignments.allSatisfy({ $0.operation == .set && $0.value.isNull }):
      return try tx.count(query)
    default: break
    }
    let count = try tx.update(query, assignments)
    note(.update(query, assignments), .updatesSurviveSavepoint)
    return count
  }

  // MARK: Savepoints

  private func note(_ done: Done, _ fault: RelationFault) {
    guard fault == self.fault else { return }
    savepoints.withLock { savepoints in
      if let last = savepoints.indices.last { savepoints[last].append(done) }
    }
  }

  func beginWrite(_ backend: any Backend, _ options: WriteOptions) throws(StorageError) -> Writer {
    let writer = try backend.beginWrite(options)
    savepoints.withLock { $0 = [] }
    return writer
  }

  func savepoint(_ tx: Writer) throws(StorageError) {
    try tx.savepoint()
    savepoints.withLock { $0.append([]) }
  }

  func releaseSavepoint(_ tx: Writer) throws(StorageError) {
    try tx.releaseSavepoint()
    savepoints.withLock { savepoints in
      let done = savepoints.popLast() ?? []
      if let last = savepoints.indices.last { savepoints[last] += done }
    }
  }

  func rollbackSavepoint(_ tx: Writer) throws(StorageError) {
    try tx.rollbackSavepoint()
    for done in savepoints.withLock({ $0.popLast() ?? [] }) {
      switch done {
      case .delete(let model, let keys): _ = try tx.delete(model, keys)
      case .update(let query, let assignments): _ = try tx.update(query, assignments)
      }
    }
  }

  // MARK: The schema

  func apply(_ tx: Writer, _ change: SchemaChange) throws(StorageError) {
    switch (fault, change) {
    case (.referencesAreLost, .createModel(var model)):
      for slot in model.properties.indices { model.properties[slot].reference = nil }
      try tx.apply(.createModel(model))
    case (.cascadeIsLost, .createModel(var model)):
      for slot in model.properties.indices where model.properties[slot].reference?.deleteRule == .cascade {
        model.properties[slot].reference?.deleteRule = .deny
      }
      try tx.apply(.createModel(model))
    case (.ruleIsNotChanged, .changeReference): return
    case (.dropsWithReference, .dropModel(let id)):
      let name = tx.schema.model(id: id)?.name
      for model in tx.schema.models {
        for slot in model.liveSlots where model.properties[slot].reference?.model == name {
          try tx.apply(.changeReference(model.id, slot: slot, nil))
        }
      }
      try tx.apply(change)
    default: try tx.apply(change)
    }
  }
}
