public import QuarryBackend
public import QuarryQuery

extension Store {
  /// Opens a store without the program's models: whatever it has can be read and written as records.
  public convenience init(
    opening provider: some BackendProvider, options: OpenOptions = OpenOptions(), encryption: Encryption? = nil
  ) throws(StorageError) {
    try self.init(models: [], in: provider, options: options, encryption: encryption)
  }
}

extension ReadTransaction {
  /// The models that the store has.
  public func models() throws(StorageError) -> [ModelSchema] {
    try check()
    return backend.schema.models.filter { !$0.isInternal }
  }

  /// The model with that name.
  ///
  /// - Throws: `invalidQuery` with the nearest name when there is none.
  public func model(named name: String) throws(StorageError) -> ModelSchema {
    try check()
    if let model = backend.schema.model(named: name) { return model }
    let names = backend.schema.models.map(\.name)
    let hint = NearestName.suggestion(for: name, among: names)
    throw StorageError(.invalidQuery, "there is no model \(name)\(hint)", model: name)
  }

  /// The objects of a model as records, by a query written in strings:
  /// `try tx.records(in: "Book", where: "year > 1970", sortedBy: "-year,title", limit: 10)`.
  ///
  /// - Parameters:
  ///   - predicate: A condition as in NSPredicate; every object when nil.
  ///   - arguments: What `%@` and `%K` stand for.
  ///   - order: Names of properties, `-` before those that go from the greatest to the least.
  ///   - columns: The properties to read; all when nil. A column may lead through references, `author.name`, and is nil
  ///     where one of them is: one more read for each reference, whatever the number of objects.
  public func records(
    in model: String, where predicate: String? = nil, arguments: [(any Storable)?] = [], sortedBy order: String? = nil,
    limit: Int? = nil, offset: Int = 0, columns: [String]? = nil
  ) throws(StorageError) -> [Record] {
    var values: [Value] = []
    for argument in arguments { values.append(try argument?.storedValue() ?? .null) }
    var tree = QueryTree(model: model, limit: limit, offset: offset)
    do throws(StorageError) {
      if let predicate { tree.predicate = try PredicateParser.parse(predicate, arguments: values) }
      if let order { tree.order = try SortParser.parse(order) }
    } catch {
      throw error.with(model: model)
    }
    return try records(tree, columns: columns)
  }

  /// The objects of the query as records, in its order.
  public func records(_ query: QueryTree, columns: [String]? = nil) throws(StorageError) -> [Record] {
    var result: [Record] = []
    try visit(query, columns) { result.append($0) }
    return result
  }

  /// The first object of the query as a record, or nil when it gives none.
  public func firstRecord(_ query: QueryTree, columns: [String]? = nil) throws(StorageError) -> Record? {
    var query = query
    query.limit = Swift.min(query.limit ?? 1, 1)
    return try records(query, columns: columns).first
  }

  /// The names of a model's columns, and of those of the objects that its references lead to: `author.name`.
  ///
  /// ```swift
  /// let columns = try tx.columns(of: "Book", with: ["author", "author.country"])
  /// let records = try tx.records(in: "Book", columns: columns)
  /// ```
  ///
  /// - Parameter relations: Names of references, or paths of them.
  /// - Throws: `invalidQuery` for a name that is not there or no reference.
  public func columns(of model: String, with relations: [String]) throws(StorageError) -> [String] {
    try RelatedColumns.names(of: self.model(named: model), with: relations, backend.schema)
  }

  /// Calls the body with each object of the query as a record, in its order and in bounded memory.
  public func forEachRecord(_ query: QueryTree, columns: [String]? = nil, _ body: (Record) throws -> Void) throws {
    var failure: (any Error)?
    do {
      try visit(query, columns) { record throws(StorageError) in
        do {
          try body(record)
        } catch {
          failure = error
          throw StorageError(.invalidQuery, "ended by the body")
        }
      }
    } catch {
      throw failure ?? error
    }
  }

  private func visit(
    _ query: QueryTree, _ columns: [String]?, _ body: (Record) throws(StorageError) -> Void
  ) throws(StorageError) {
    let model = try model(named: query.model)
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

  /// How many records are read before what their references lead to.
  private static var relatedBatch: Int { 1_000 }

  func describing<R>(_ model: ModelSchema, _ body: () throws(StorageError) -> R) throws(StorageError) -> R {
    do throws(StorageError) {
      return try body()
    } catch {
      throw error.with(model: model.name)
    }
  }

  /// The object with the primary key as a record, or nil when there is none.
  public func record(in model: String, key: Value) throws(StorageError) -> Record? {
    let model = try self.model(named: model)
    let layout = RowLayout(model)
    return try primaryKey(key, model).bytes.withBytes { bytes throws(StorageError) -> Record? in
      guard let row = try backend.row(model.id, bytes) else { return nil }
      let values = try Self.values(row, model.liveSlots, layout, model)
      return Record(names: RecordNames(model.liveSlots.map { ByteString(model.properties[$0].name) }), values: values)
    }
  }

  /// Whether there is an object with the primary key.
  public func existsRecord(in model: String, key: Value) throws(StorageError) -> Bool {
    let model = try self.model(named: model)
    return try primaryKey(key, model).bytes.withBytes { bytes throws(StorageError) in
      try backend.row(model.id, bytes) != nil
    }
  }

  /// A primary key as it is stored.
  func primaryKey(_ value: Value, _ model: ModelSchema) throws(StorageError) -> Key {
    let property = model.keyProperty
    return try describing(model) { () throws(StorageError) in
      try Key.primary(value.converted(to: property.type, element: property.elementType), model)
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
        values.append(try view.value(layout.slots[slot], layout))
      } catch {
        throw error.with(
          model: model.name, property: model.properties[slot].name, key: KeyText.text(of: view, layout))
      }
    }
    return values
  }

  /// The number of objects of the query.
  public func countRecords(_ query: QueryTree) throws(StorageError) -> Int {
    let model = try model(named: query.model)
    return try describing(model) { () throws(StorageError) in
      try backend.count(bind(query, model, QueryBinder(model)))
    }
  }

  /// Aggregates of the query's objects in groups, in the order of the groups' values.
  public func aggregateRecords(
    _ query: QueryTree, groupedBy groups: [String] = [], _ columns: [(function: AggregateFunction, property: String?)]
  ) throws(StorageError) -> [AggregateRow] {
    let model = try model(named: query.model)
    return try describing(model) { () throws(StorageError) in
      let binder = QueryBinder(model)
      return try backend.aggregate(binder.bind(bind(query, model, binder), groups: groups, columns: columns))
    }
  }

  /// How the engine would execute the query.
  public func explain(_ query: QueryTree) throws(StorageError) -> QueryPlan {
    let model = try model(named: query.model)
    return try describing(model) { () throws(StorageError) in
      try explain(query, model, QueryBinder(model), isTyped: false)
    }
  }
}
