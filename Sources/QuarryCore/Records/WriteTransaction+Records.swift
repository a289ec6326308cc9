public import QuarryBackend
import QuarryQuery

extension WriteTransaction {
  /// See ``Records/insert(into:_:)``.
  func insertRecords(_ name: String, _ records: some Sequence<Record>) throws(StorageError) {
    try insertRecords(name, records) { _, _ in }
  }

  /// Adds an object.
  ///
  /// - Returns: The primary key that it has, which the store may have given.
  /// - Throws: As ``Records/insert(into:_:)``.
  package func insertRecord(_ name: String, _ record: Record) throws(StorageError) -> Value {
    var key = Value.null
    try insertRecords(name, [record]) { (rows, model) throws(StorageError) in
      try rows.forEach { _, row throws(StorageError) in
        key = try Key(of: row, RowLayout(model)).value(of: model.keyProperty.type)
      }
    }
    return key
  }

  private func insertRecords(
    _ name: String, _ records: some Sequence<Record>,
    _ inserted: (borrowing RowBatch, ModelSchema) throws(StorageError) -> Void
  ) throws(StorageError) {
    let model = try writableModel(name)
    try checkWrite(model.id)
    try statement { () throws(StorageError) in
      var batch = try encode(records, model)
      try checkUse(model.id)
      try insertRows(model.id, &batch)
      try inserted(batch, model)
    }
  }

  /// See ``Records/assign(_:_:)``.
  @discardableResult
  func assignRecords(
    _ query: QueryTree, _ assignments: [AssignmentTree]
  ) throws(StorageError) -> Int {
    let model = try writableModel(query.model)
    try checkWrite(model.id)
    return try describing(model) { () throws(StorageError) in
      let binder = QueryBinder(model)
      return try updateRows(bind(query, model, binder), binder.bind(assignments: assignments))
    }
  }

  /// See ``Records/delete(in:keys:)``.
  @discardableResult
  func deleteRecords(_ name: String, _ keys: some Sequence<Value>) throws(StorageError) -> Int {
    let model = try writableModel(name)
    try checkWrite(model.id)
    return try statement { () throws(StorageError) in
      willRead(keys)
      var encoded: [Key] = []
      for key in keys { encoded.append(try primaryKey(key, model)) }
      try checkUse(model.id)
      return try deleteRows(model.id, encoded)
    }
  }

  /// See ``Records/delete(_:)-swift.method``.
  @discardableResult
  func deleteRecords(_ query: QueryTree) throws(StorageError) -> Int {
    let model = try writableModel(query.model)
    try checkWrite(model.id)
    return try describing(model) { () throws(StorageError) in
      try deleteRows(bind(query, model, QueryBinder(model)))
    }
  }

  /// Changes the stored schema. Models that the store was opened for must stay as they are.
  ///
  /// - Parameter change: The change: a model, property or index to add, drop or rename.
  /// - Throws: `iterationActive` while a cursor is open in the transaction; `reentrant` inside another call that writes.
  ///   `schemaMismatch` for a change that the schema does not allow, such as a name that is taken. `missingValue` or
  ///   `uniqueViolation` when objects are in the way; `unsupported` where the engine cannot make the change; `transactionEnded`,
  ///   `wrongThread`.
  /// - Complexity: A new index reads every object of its model.
  public func apply(_ change: SchemaChange) throws(StorageError) {
    try check()
    try checkSchemaChange()
    try change.requireOfProgram()
    try context.manifest.require(change.capability)
    try storeSequences()
    try SequenceTable.apply(change, writer)
    hasNewSchema = true
    if !checksReferencesLate { references = ReferenceMap(backend.schema) }
    if keys == nil { keys = KeyAssigner(writer, nil, context.numberBlocks) }
    keys?.refresh()
  }

  /// Makes a model that Quarry stores for itself, and that a dump has.
  package func createStoredModel(_ model: ModelSchema) throws(StorageError) {
    guard model.isOfHistory else { return try apply(.createModel(model)) }
    try check()
    try checkSchemaChange()
    try writer.apply(.createModel(model))
    hasNewSchema = true
  }

  /// The model with that name, if it is one of the program's.
  func writableModel(_ name: String) throws(StorageError) -> ModelSchema {
    let model = try modelSchema(name)
    guard !model.isInternal else {
      throw StorageError(.invalidQuery, "the model \(name) is reserved for Quarry", model: name)
    }
    return model
  }

  func encode(_ records: some Sequence<Record>, _ model: ModelSchema) throws(StorageError) -> RowBatch {
    willRead(records)
    let rows = RecordRows(model)
    var batch = RowBatch()
    for record in records {
      let row = try rows.row(record)
      try context.limits.check(row, rows.layout, model)
      batch.append(row)
    }
    return batch
  }
}

/// The meaning of a record's names in a model.
struct RecordShape {
  let names: RecordNames
  /// The slot of each field.
  let slots: [Int]
  /// The slots that the record leaves out.
  let missing: [Int]
  /// The places of the members of a compound key that the record leaves out, in the order of the key; nil where it does not.
  let keyMembers: [Int?]?

  init(_ record: Record, _ model: ModelSchema) throws(StorageError) {
    let binder = QueryBinder(model)
    names = record.names
    var slots: [Int] = []
    for name in names.list {
      do throws(StorageError) {
        slots.append(try binder.slot(name.string))
      } catch {
        throw error.with(model: model.name)
      }
    }
    self.slots = slots
    let givesKey = model.keyMembers == nil || slots.contains(model.primaryKey)
    missing = model.liveSlots.filter { !slots.contains($0) && (givesKey || $0 != model.primaryKey) }
    keyMembers = givesKey ? nil : model.keyMembers?.map { slots.firstIndex(of: $0) }
  }
}

extension RecordShape {
  /// The primary key that a record has; nil where it lacks it, or a member of it.
  func key(of record: Record, _ model: ModelSchema) -> Value? {
    if let keyMembers {
      let places = keyMembers.compactMap(\.self)
      return places.count == keyMembers.count ? .array(places.map { record.values[$0] }) : nil
    }
    return slots.firstIndex(of: model.primaryKey).map { record.values[$0] }
  }
}

extension WriteLimits {
  func check(_ row: UnsafeRawBufferPointer, _ layout: RowLayout, _ model: ModelSchema) throws(StorageError) {
    if row.count > rowBytes {
      throw .limitExceeded("bytes of a row", limit: rowBytes, actual: row.count, model: model.name)
    }
    guard keyBytes != .max else { return }
    let count = try Key.primary(RowView(row, layout).value(layout.keySlot, layout), model).bytes.count
    if count > keyBytes {
      throw .limitExceeded(
        "bytes of a primary key", limit: keyBytes, actual: count, model: model.name, property: model.keyProperty.name)
    }
  }
}
