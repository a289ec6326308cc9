import QuarryBackend
import Synchronization

/// Keeps uniqueness itself, over a sound backend whose indexes are not unique: for faults of uniqueness. Without a
/// fault it has to pass every case.
final class UniqueTwist: Twist {
  private let fault: UniqueFault?
  /// The ids of the indexes that are said to be unique.
  private let unique = Mutex<Set<UInt32>>([])

  init(_ fault: UniqueFault? = nil) {
    self.fault = fault
  }

  // MARK: Schema

  func schema(_ tx: Reader) -> Schema {
    var schema = tx.schema
    let unique = unique.withLock { $0 }
    for model in schema.models.indices {
      for index in schema.models[model].indexes.indices {
        let id = schema.models[model].indexes[index].id
        schema.models[model].indexes[index].isUnique = unique.contains(id)
      }
    }
    return schema
  }

  func apply(_ tx: Writer, _ change: SchemaChange) throws(StorageError) {
    switch change {
    case .createModel(var model):
      let flags = model.indexes.map(\.isUnique)
      for place in model.indexes.indices { model.indexes[place].isUnique = false }
      let next = tx.schema.nextID
      try tx.apply(.createModel(model))
      remember(tx, flags, since: next)
    case .createIndex(let id, var index):
      let isUnique = index.isUnique
      index.isUnique = false
      let next = tx.schema.nextID
      do throws(StorageError) {
        try checked(tx, id, fault == .createdIndexUnchecked) { () throws(StorageError) in
          try tx.apply(.createIndex(id, index))
          remember(tx, [isUnique], since: next)
        }
      } catch {
        guard error.code == .uniqueViolation, let model = tx.schema.model(id: id) else { throw error }
        throw UniqueClash.describe(index, model, in: tx, error)
      }
    default: try tx.apply(change)
    }
  }

  private func remember(_ tx: Writer, _ flags: [Bool], since next: UInt32) {
    let added = tx.schema.models.flatMap(\.indexes).map(\.id).filter { $0 >= next }.sorted()
    unique.withLock { unique in
      for (id, isUnique) in zip(added, flags) {
        // An id that was rolled back is allotted again.
        if isUnique { unique.insert(id) } else { unique.remove(id) }
      }
    }
  }

  // MARK: Statements

  func insert(_ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    let before = try self.rows(tx, model)
    try tx.savepoint()
    do throws(StorageError) {
      try tx.insert(model, rows)
      if fault != .insertUnchecked, rows.count == 1 || fault != .bulkUnchecked {
        try check(tx, model, since: before)
      }
      try tx.releaseSavepoint()
    } catch {
      try tx.rollbackSavepoint()
      throw error
    }
  }

  func upsert(
    _ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    let before = try self.rows(tx, model)
    try tx.savepoint()
    do throws(StorageError) {
      var added = 0
      if fault == .checkedRowByRow {
        try rows.forEach { _, row throws(StorageError) in
          added += try tx.upsert(model, RowBatch([Row(copying: row)]), policy)
          try check(tx, model, since: before)
        }
      } else {
        added = try tx.upsert(model, rows, policy)
        if fault == .upsertDeletesOther {
          try deleteOthers(tx, model, rows)
        } else if fault != .upsertUnchecked {
          try check(tx, model, since: before)
        }
      }
      try tx.releaseSavepoint()
      return added
    } catch {
      try tx.rollbackSavepoint()
      throw error
    }
  }

  func getOrInsert(
    _ tx: Writer, _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    let coding = try RowCoding(tx.schema, model)
    let key = try coding.key(coding.values(row))
    let isThere = try Row(key.bytes).lend { (key) throws(StorageError) in try tx.row(model, key) } != nil
    guard !isThere else { return try tx.getOrInsert(model, row) }
    _ = try checked(tx, model, fault == .getOrInsertUnchecked) { () throws(StorageError) in
      try tx.getOrInsert(model, row)
    }
    return nil
  }

  func update(_ tx: Writer, _ update: RowUpdate) throws(StorageError) {
    try checked(tx, update.model, fault == .updateUnchecked) { () throws(StorageError) in try update.run(tx) }
  }

  func update(_ tx: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    try checked(tx, query.model, fault == .updateWhereUnchecked) { () throws(StorageError) in
      try tx.update(query, assignments)
    }
  }

  private func checked<R>(
    _ tx: Writer, _ model: ModelID, _ isUnchecked: Bool, _ body: () throws(StorageError) -> R
  ) throws(StorageError) -> R {
    let before = try rows(tx, model)
    try tx.savepoint()
    do throws(StorageError) {
      let result = try body()
      if !isUnchecked { try check(tx, model, since: before) }
      try tx.releaseSavepoint()
      return result
    } catch {
      if fault == .violationLeavesRow, error.code == .uniqueViolation {
        try tx.releaseSavepoint()
      } else {
        try tx.rollbackSavepoint()
      }
      throw error
    }
  }

  // MARK: Checking

  /// Throws when two rows have the same value in an index that is said to be unique.
  ///
  /// - Parameter before: The rows before the statement: of two with one value, the one that is not among them could not
  ///   be stored.
  private func check(_ tx: Writer, _ id: ModelID, since before: [[Value]]) throws(StorageError) {
    guard let model = schema(tx).model(id: id) else { return }
    for index in model.indexes where index.isUnique {
      var seen: [[UInt8]: [Value]] = [:]
      for values in try values(tx, model) {
        guard let entry = try entry(values, model, index) else { continue }
        if let other = seen.updateValue(values, forKey: entry) {
          let refused = before.contains(values) ? other : values
          throw .uniqueViolation(index, model, key: KeyText.text(refused[model.primaryKey]))
        }
      }
    }
  }

  private func rows(_ tx: Writer, _ id: ModelID) throws(StorageError) -> [[Value]] {
    guard let model = tx.schema.model(id: id) else { return [] }
    return try values(tx, model)
  }

  private func values(_ tx: Writer, _ model: ModelSchema) throws(StorageError) -> [[Value]] {
    let coding = try RowCoding(tx.schema, model.id)
    var all: [[Value]] = []
    for row in try tx.copies(model) {
      all.append(try row.lend { (row) throws(StorageError) in try coding.values(row) })
    }
    return all
  }

  /// What two rows may not have in common; nil when the row conflicts with none.
  private func entry(
    _ values: [Value], _ model: ModelSchema, _ index: IndexSchema
  ) throws(StorageError) -> [UInt8]? {
    let columns = index.columns.map { values[$0.slot] }
    let hasNil =
      fault == .compoundNilIsValue ? !columns.contains { !$0.isNull } : columns.contains { $0.isNull }
    if hasNil, fault != .nilIsValue { return nil }
    let writer = KeyWriter()
    var bits: [UInt8] = []
    for (column, value) in zip(index.columns, columns) {
      let property = model.properties[column.slot]
      if fault == .firstColumnOnly, column != index.columns[0] { continue }
      let changed = fault?.value(value) ?? value
      if fault == .zerosDiffer, case .double(let double) = value {
        bits += withUnsafeBytes(of: double.bitPattern) { Array($0) }
      }
      try writer.append(changed, type: property.type, isOptional: true, isDescending: false, isLast: false)
    }
    return Array(writer.bytes) + bits
  }

  /// Deletes the rows that have a unique value of one of these, as SQL's INSERT OR REPLACE does.
  private func deleteOthers(
    _ tx: Writer, _ id: ModelID, _ rows: borrowing RowBatch
  ) throws(StorageError) {
    guard let model = schema(tx).model(id: id) else { return }
    let coding = try RowCoding(tx.schema, id)
    var written: [[Value]] = []
    try rows.forEach { _, row throws(StorageError) in written.append(try coding.values(row)) }
    for index in model.indexes where index.isUnique {
      for new in written {
        guard let entry = try entry(new, model, index) else { continue }
        for other in try values(tx, model) where other[model.primaryKey] != new[model.primaryKey] {
          if try self.entry(other, model, index) == entry { _ = try tx.delete(id, [coding.key(other)]) }
        }
      }
    }
  }
}
