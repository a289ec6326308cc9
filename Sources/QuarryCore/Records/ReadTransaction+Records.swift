import QuarryBackend
import QuarryQuery

// The parts of the calls of records: see `Records.swift`.

extension ReadTransaction {
  /// The model with that name: ``ReadScope/model(named:)`` for code that throws a ``StorageError`` alone.
  package final func modelSchema(_ name: String) throws(StorageError) -> ModelSchema {
    if let model = backend.schema.model(named: name), !model.isInternal || model.isOfHistory { return model }
    throw .noModel(name, among: backend.schema.programModels.map(\.name))
  }

  /// All models that a dump has: those of the program, and those of the history.
  package final var dumpedModels: [ModelSchema] {
    get throws(StorageError) {
      try check()
      return backend.schema.models.filter { !$0.isInternal || $0.isOfHistory }
    }
  }

  /// See ``Records/fetch(_:columns:)``.
  final func fetchRecords(_ query: QueryTree, _ columns: [String]? = nil) throws(StorageError) -> [Record] {
    var result: [Record] = []
    try visit(query, columns) { result.append($0) }
    return result
  }

  /// See ``Records/count(_:)``.
  final func countRecords(_ query: QueryTree) throws(StorageError) -> Int {
    let model = try modelSchema(query.model)
    return try describing(model) { () throws(StorageError) in
      try count(query, model, QueryBinder(model), isTyped: false)
    }
  }

  final func visit(
    _ query: QueryTree, _ columns: [String]?, _ body: (Record) throws(StorageError) -> Void
  ) throws(StorageError) {
    let model = try modelSchema(query.model)
    if let columns, let related = try RelatedColumns(columns, model, backend.schema) {
      return try visit(query, related, RecordNames(columns.map { ByteString($0) }), body)
    }
    let layout = RowLayout(model)
    var slots = model.liveSlots
    if let columns {
      let binder = QueryBinder(model)
      slots = []
      for column in columns {
        slots.append(try describing(model) { () throws(StorageError) in try binder.slot(column) })
      }
    }
    let names = RecordNames(slots.map { ByteString(model.properties[$0].name) })
    let rows = try describing(model) { () throws(StorageError) in
      try self.rows(query, model, QueryBinder(model), isTyped: false, projection: columns)
    }
    let writer = self as? WriteTransaction
    let number = writer?.beginCursor(model.id) ?? 0
    defer { writer?.endCursor(number) }
    try rows.forEach { row throws(StorageError) in
      try body(Record(names: names, values: try Self.values(row, slots, layout, model)))
      return true
    }
  }

  /// Visits the records a thousand at a time, so that each reference of these is read at once.
  private func visit(
    _ query: QueryTree, _ related: RelatedColumns, _ names: RecordNames,
    _ body: (Record) throws(StorageError) -> Void
  ) throws(StorageError) {
    var rows: [[Value]] = []
    func pass() throws(StorageError) {
      for values in try related.values(of: rows, in: backend) { try body(Record(names: names, values: values)) }
      rows.removeAll(keepingCapacity: true)
    }
    try visit(query, related.ownNames) { record throws(StorageError) in
      rows.append(record.values)
      if rows.count == Self.relatedBatch { try pass() }
    }
    try pass()
  }

  /// The number of records that are read before the objects that their references lead to.
  private static var relatedBatch: Int { 1_000 }

  func describing<R>(_ model: ModelSchema, _ body: () throws(StorageError) -> R) throws(StorageError) -> R {
    do throws(StorageError) {
      return try body()
    } catch {
      throw error.with(model: model.name)
    }
  }

  /// A primary key as it is stored.
  func primaryKey(_ value: Value, _ model: ModelSchema) throws(StorageError) -> Key {
    let property = model.keyProperty
    return try describing(model) { () throws(StorageError) in
      try Key.primary(property.converted(value), model)
    }
  }

  /// The values of a row.
  ///
  /// - Throws: `corrupt`, with the property and the key where they can be read.
  static func values(
    _ row: UnsafeRawBufferPointer, _ slots: [Int], _ layout: RowLayout, _ model: ModelSchema
  ) throws(StorageError) -> [Value] {
    let view: RowView
    do throws(StorageError) { view = try RowView(row, layout) } catch { throw error.with(model: model.name) }
    var values: [Value] = []
    values.reserveCapacity(slots.count)
    for slot in slots {
      do throws(StorageError) {
        let value = try view.value(layout.slots[slot], layout)
        values.append(layout.compoundSlots.isEmpty ? value : CompoundKeyBytes.shown(value, layout.compoundSlots[slot]))
      } catch {
        throw error.with(
          model: model.name, property: model.properties[slot].name, key: KeyText.text(of: view, layout))
      }
    }
    return values
  }
}

extension ReadTransaction {
  /// The object that has the values of a record. It need not be stored.
  ///
  /// - Throws: `invalidQuery` for an unknown name; `invalidValue`, `missingValue`; the errors of the model's `init(reading:)`.
  package final func object<M: Model>(_ type: M.Type, of record: Record) throws(StorageError) -> M {
    let binding = try context.binding(M.self)
    let rows = RecordRows(binding.schema)
    defer { withExtendedLifetime(rows) {} }
    beginCoding()
    defer { endCoding() }
    return try ModelReader(try rows.row(record), binding).object(M.self)
  }
}
