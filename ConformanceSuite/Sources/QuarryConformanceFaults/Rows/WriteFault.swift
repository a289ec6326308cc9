import QuarryBackend

/// Statements that write something else than they say.
enum WriteFault: String, FaultGroup, Twist {
  static let group = "write"

  case insertReplaces, insertIgnoresTaken, bulkLeavesPart, bulkStopsAtThousand, upsertMerges, upsertCountsAll
  case upsertFirstStays, upsertReplacesWhole, upsertSaysAdded, getOrInsertReplaces, getOrInsertIsNil
  case updateLost, updateOfMissingInserts, updateOfMissingIgnored, updateWritesAll, updateWritesFirstOnly
  case expectationIgnored, expectationByValue, conflictIsNotFound, expectedSlotsIgnored
  case deleteCountsKeys, deleteForgetsLast, deleteLost, deleteWhereCountsNothing, deleteWhereIgnoresLimit
  case deleteWhereIgnoresOrder, updateWhereIgnoresLimit, updateWhereFirstOnly, updateWhereRowByRow
  case updateWhereCountsModel, overflowLeavesPart, assignmentNilIsZero, subtractAdds
  case duplicateIsNotFound, duplicateIsUnique, uniqueIsDuplicate, errorWithoutModel, errorWithoutProperty
  case limitWithoutNumbers, schemaDropLeavesRows, defaultNotApplied, renameLost, indexDropLeavesUnique
  case storeForgetsIndex, updateWhereLost, nilTimesIsZero, infinitySaturates, schemaChangeForgotten
  case errorTellsValues, duplicatesAccepted, clashNamesOne

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .insertReplaces: ("An insert of a key that exists replaces the object.", ["CRUD-2"])
    case .insertIgnoresTaken: ("An insert of a key that exists does nothing, and says nothing.", ["CRUD-2"])
    case .bulkLeavesPart:
      ("A bulk insert that fails leaves the objects before the one that fails.", ["STMT-1", "CRUD-2"])
    case .bulkStopsAtThousand: ("A bulk insert stores at most a thousand objects.", ["CRUD-1"])
    case .upsertMerges: ("An upsert leaves what is nil in the new object as it was.", ["UPS-1"])
    case .upsertCountsAll: ("An upsert counts replaced objects as added.", ["UPS-1"])
    case .upsertFirstStays: ("Of several objects with one key in an upsert the first is stored.", ["UPS-4"])
    case .upsertReplacesWhole: ("An upsert of some properties replaces all.", ["UPS-3"])
    case .upsertSaysAdded: ("An upsert of one object says that none was added.", ["UPS-1"])
    case .getOrInsertReplaces: ("getOrInsert stores the given object in any case.", ["CRUD-10"])
    case .getOrInsertIsNil: ("getOrInsert gives the given object back although another is stored.", ["CRUD-10"])
    case .updateLost: ("Every update of a row by its key is lost.", ["CRUD-7", "CRUD-1"])
    case .updateOfMissingInserts: ("An update of a missing object stores it.", ["CRUD-6"])
    case .updateOfMissingIgnored:
      ("An update of a missing object does nothing, and says nothing.", ["CRUD-6", "CRUD-13"])
    case .updateWritesAll: ("An update makes the optional properties nil that it was not to write.", ["CRUD-7"])
    case .updateWritesFirstOnly: ("An update writes the first changed property only.", ["CRUD-7"])
    case .expectationIgnored: ("An expected object is not compared.", ["CRUD-9"])
    case .expectationByValue: ("An expected object is not compared in its floating-point properties.", ["CRUD-9"])
    case .conflictIsNotFound: ("A conflict is reported as notFound.", ["CRUD-9", "ERR-1"])
    case .expectedSlotsIgnored: ("The whole object is compared where one property is expected.", ["CRUD-9"])
    case .deleteCountsKeys: ("A delete says as many as it was given keys.", ["CRUD-5"])
    case .deleteForgetsLast: ("Of several keys to be deleted the last stays.", ["CRUD-5"])
    case .deleteLost: ("A delete of a key says that it was there, and leaves it.", ["CRUD-5"])
    case .deleteWhereCountsNothing: ("A delete of a query always says 0.", ["CRUD-5", "STMT-5"])
    case .deleteWhereIgnoresLimit: ("A delete of a query does not look at its limit.", ["STMT-5"])
    case .deleteWhereIgnoresOrder: ("A delete of a query with a limit does not look at its order.", ["STMT-5"])
    case .updateWhereIgnoresLimit: ("An update of a query does not look at its limit.", ["STMT-5"])
    case .updateWhereFirstOnly: ("Of several assignments the first is made.", ["STMT-5", "STMT-6"])
    case .updateWhereRowByRow: ("Uniqueness is checked after each row of an update of a query.", ["STMT-2"])
    case .updateWhereCountsModel: ("An update of a query says one too many.", ["STMT-5"])
    case .overflowLeavesPart:
      ("An assignment that does not fit leaves the rows before it changed.", ["STMT-1", "STMT-6"])
    case .assignmentNilIsZero: ("Nil plus a number is the number.", ["STMT-6"])
    case .subtractAdds: ("An assignment that subtracts adds.", ["STMT-6"])
    case .duplicateIsNotFound: ("A taken key is reported as notFound.", ["CRUD-2", "ERR-1"])
    case .duplicateIsUnique: ("A taken key is reported as uniqueViolation.", ["CRUD-2", "STMT-3"])
    case .uniqueIsDuplicate: ("A taken unique value is reported as duplicateKey.", ["IDX-1", "UPS-2"])
    case .errorTellsValues: ("An insert that is refused says what was to be stored.", ["ERR-2"])
    case .errorWithoutModel: ("Errors do not name the model.", ["ERR-2", "STMT-4", "CRUD-2"])
    case .errorWithoutProperty: ("Errors do not name the property.", ["ERR-2", "STMT-4"])
    case .limitWithoutNumbers: ("limitExceeded says no numbers.", ["LIM-1"])
    case .schemaDropLeavesRows: ("A model that is dropped and made again has its old objects.", ["SCH-3", "CRUD-1"])
    case .defaultNotApplied: ("Objects stored before a property have nil or nothing instead of its default.", ["SCH-1"])
    case .renameLost: ("A model is not renamed, and nothing is said.", ["SCH-3", "CAP-1"])
    case .indexDropLeavesUnique: ("A unique index that was dropped goes on to refuse.", ["IDX-4"])
    case .updateWhereLost: ("An update of a query changes nothing, and says how many.", ["STMT-5", "STMT-6"])
    case .nilTimesIsZero: ("Nil minus or times a number is 0.", ["STMT-6"])
    case .infinitySaturates: ("What is calculated is the greatest number in the place of infinity.", ["STMT-6"])
    case .schemaChangeForgotten:
      ("A property that is dropped stays, and an index that is renamed keeps its name.", ["TXN-2"])
    case .duplicatesAccepted:
      ("A unique index that two objects violate is made as one that is not unique, and nothing is said.", ["SCH-5"])
    case .clashNamesOne: ("Who violates a unique index that is to be made is not said.", ["SCH-5", "ERR-2"])
    case .storeForgetsIndex: ("An index that is made later is not made.", ["IDX-1", "SCH-1"])
    }
  }

  // MARK: Rows

  func insert(_ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    switch self {
    case .insertReplaces: _ = try tx.upsert(model, rows, .replace)
    case .bulkLeavesPart:
      try rows.forEach { _, row throws(StorageError) in try tx.insert(model, RowBatch([Row(copying: row)])) }
    case .bulkStopsAtThousand where rows.count > 1000:
      try tx.insert(model, RowBatch(Array(Self.rows(rows).prefix(1000))))
    default:
      do throws(StorageError) {
        try tx.insert(model, rows)
      } catch {
        if self == .insertIgnoresTaken, error.code == .duplicateKey { return }
        if self == .errorTellsValues { throw try Self.telling(error, rows, RowCoding(tx.schema, model)) }
        throw changed(error)
      }
    }
  }

  func upsert(
    _ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    do throws(StorageError) {
      switch self {
      case .upsertMerges where policy == .replace:
        let coding = try RowCoding(tx.schema, model)
        var added = 0
        for row in try Self.rows(rows) {
          let values = try row.lend { (row) throws(StorageError) in try coding.values(row) }
          let slots = values.indices.filter { !values[$0].isNull && $0 != coding.model.primaryKey }
          added += try tx.upsert(model, RowBatch([row]), .merge(slots: slots))
        }
        return added
      case .upsertCountsAll:
        _ = try tx.upsert(model, rows, policy)
        return rows.count
      case .upsertFirstStays: return try tx.upsert(model, RowBatch(try Self.rows(rows).reversed()), policy)
      case .upsertReplacesWhole: return try tx.upsert(model, rows, .replace)
      case .upsertSaysAdded:
        let added = try tx.upsert(model, rows, policy)
        return rows.count == 1 ? 0 : added
      default: return try tx.upsert(model, rows, policy)
      }
    } catch {
      throw changed(error)
    }
  }

  func getOrInsert(
    _ tx: Writer, _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    switch self {
    case .getOrInsertReplaces:
      _ = try tx.upsert(model, RowBatch([Row(copying: row)]), .replace)
      return nil
    case .getOrInsertIsNil:
      _ = try tx.getOrInsert(model, row)
      return nil
    default: return try tx.getOrInsert(model, row)
    }
  }

  func update(_ tx: Writer, _ update: RowUpdate) throws(StorageError) {
    var update = update
    let coding = try RowCoding(tx.schema, update.model)
    switch self {
    case .updateLost:
      let key = try coding.key(coding.values(update.row))
      guard try Row(key.bytes).lend({ (key) throws(StorageError) in try tx.row(update.model, key) }) == nil else {
        return
      }
    case .updateWritesAll:
      guard let slots = update.slots else { break }
      var values = try coding.values(update.row)
      for (slot, property) in coding.model.properties.enumerated() where property.isOptional && !slots.contains(slot) {
        values[slot] = .null
      }
      update.slots = nil
      return try coding.row(values).lend { (row) throws(StorageError) in
        update.row = row
        try update.run(tx)
      }
    case .updateWritesFirstOnly: update.slots = update.slots.map { Array($0.prefix(1)) }
    case .expectationIgnored: update.expected = nil
    case .expectationByValue:
      let slots = update.expectedSlots ?? coding.model.liveSlots
      update.expectedSlots = slots.filter { ![.double, .float].contains(coding.model.properties[$0].type) }
    case .expectedSlotsIgnored: update.expectedSlots = nil
    default: break
    }
    do throws(StorageError) {
      try update.run(tx)
    } catch {
      if error.code == .notFound, update.expected == nil {
        if self == .updateOfMissingIgnored { return }
        if self == .updateOfMissingInserts { return try tx.insert(update.model, RowBatch([Row(copying: update.row)])) }
      }
      throw changed(error)
    }
  }

  func delete(_ tx: Writer, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    switch self {
    case .deleteCountsKeys:
      _ = try tx.delete(model, keys)
      return keys.count
    case .deleteForgetsLast where keys.count > 1: return try tx.delete(model, Array(keys.dropLast()))
    case .deleteLost where keys.count == 1:
      return try Row(keys[0].bytes).lend { (key) throws(StorageError) in try tx.row(model, key) } == nil ? 0 : 1
    default: return try tx.delete(model, keys)
    }
  }

  // MARK: Queries

  func update(_ tx: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    var (query, assignments) = (query, assignments)
    do throws(StorageError) {
      switch self {
      case .updateWhereIgnoresLimit: query.limit = nil
      case .updateWhereFirstOnly: assignments = Array(assignments.prefix(1))
      case .subtractAdds:
        for place in assignments.indices where assignments[place].operation == .subtract {
          assignments[place].operation = .add
        }
      case .updateWhereLost: return try tx.count(query)
      case .infinitySaturates:
        let count = try tx.update(query, assignments)
        for assignment in assignments where assignment.operation != .set {
          try saturate(tx, query.model, assignment.slot)
        }
        return count
      case .assignmentNilIsZero, .nilTimesIsZero:
        for assignment in assignments
        where self == .nilTimesIsZero ? assignment.operation != .set : assignment.operation == .add {
          var ofNil = query
          ofNil.predicate = .and([query.predicate, .isNull(slot: assignment.slot)])
          _ = try tx.update(ofNil, [BoundAssignment(slot: assignment.slot, operation: .set, value: .int(0))])
        }
      case .updateWhereRowByRow, .overflowLeavesPart: return try rowByRow(tx, query, assignments)
      case .updateWhereCountsModel: return try tx.update(query, assignments) + 1
      default: break
      }
      return try tx.update(query, assignments)
    } catch {
      throw changed(error)
    }
  }

  private func saturate(_ tx: Writer, _ model: ModelID, _ slot: Int) throws(StorageError) {
    let type = tx.schema.model(id: model)?.properties[slot].type
    let pairs: [(Value, Value)] =
      switch type {
      case .float: [(.float(.infinity), .float(.greatestFiniteMagnitude))]
      case .double: [(.double(.infinity), .double(.greatestFiniteMagnitude))]
      default: []
      }
    for (infinity, greatest) in pairs {
      let infinite = BoundQuery(
        model: model, predicate: .compare(slot: slot, .equal, infinity),
        order: [BoundSortKey(slot: tx.schema.model(id: model)?.primaryKey ?? 0)])
      _ = try tx.update(infinite, [BoundAssignment(slot: slot, operation: .set, value: greatest)])
    }
  }

  /// Updates one row after the other, each as a statement.
  private func rowByRow(
    _ tx: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]
  ) throws(StorageError) -> Int {
    let coding = try RowCoding(tx.schema, query.model)
    let rows = try tx.copies(query)
    if self == .updateWhereRowByRow { try tx.savepoint() }
    do throws(StorageError) {
      for row in rows {
        let values = try row.lend { (row) throws(StorageError) in try coding.values(row) }
        let slot = coding.model.primaryKey
        let one = BoundQuery(
          model: query.model, predicate: .compare(slot: slot, .equal, values[slot]), order: [BoundSortKey(slot: slot)])
        _ = try tx.update(one, assignments)
      }
      if self == .updateWhereRowByRow { try tx.releaseSavepoint() }
    } catch {
      if self == .updateWhereRowByRow { try tx.rollbackSavepoint() }
      throw error
    }
    return rows.count
  }

  func delete(_ tx: Writer, _ query: BoundQuery) throws(StorageError) -> Int {
    var query = query
    switch self {
    case .deleteWhereCountsNothing:
      _ = try tx.delete(query)
      return 0
    case .deleteWhereIgnoresLimit: query.limit = nil
    case .deleteWhereIgnoresOrder: query.order = Array(query.order.suffix(1))
    default: break
    }
    return try tx.delete(query)
  }

  // MARK: Schema

  func apply(_ tx: Writer, _ change: SchemaChange) throws(StorageError) {
    do throws(StorageError) {
      switch (self, change) {
      case (.schemaDropLeavesRows, .dropModel(let id)):
        // Kept under a name that nobody asks for, until a model of the old name is made.
        guard let model = tx.schema.model(id: id) else { return try tx.apply(change) }
        try tx.apply(.renameModel(id, to: "left_\(model.name)"))
      case (.schemaDropLeavesRows, .createModel(let model)):
        guard let left = tx.schema.model(named: "left_\(model.name)") else { return try tx.apply(change) }
        try tx.apply(.renameModel(left.id, to: model.name))
      case (.defaultNotApplied, .addProperty(let id, var property)):
        if property.isOptional {
          property.defaultValue = nil
        } else if case .int = property.defaultValue {
          property.defaultValue = .int(0)
        }
        try tx.apply(.addProperty(id, property))
      case (.renameLost, .renameModel), (.indexDropLeavesUnique, .dropIndex), (.storeForgetsIndex, .createIndex),
        (.schemaChangeForgotten, .dropProperty), (.schemaChangeForgotten, .renameIndex):
        return
      default: try tx.apply(change)
      }
    } catch {
      if case .createIndex(let id, var index) = change, error.code == .uniqueViolation {
        if self == .clashNamesOne {
          throw StorageError(
            .uniqueViolation, "objects have the same value", model: error.model, property: error.property)
        }
        if self == .duplicatesAccepted {
          index.isUnique = false
          return try tx.apply(.createIndex(id, index))
        }
      }
      throw changed(error)
    }
  }

  func schema(_ tx: Reader) -> Schema {
    guard self == .schemaDropLeavesRows else { return tx.schema }
    var schema = tx.schema
    schema.models.removeAll { $0.name.hasPrefix("left_") }
    return schema
  }
}
