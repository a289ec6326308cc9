import QuarryBackend
import QuarryCore

/// The rows of a synced model, as keys and values by the names by which they travel.
struct RowTable: Sendable {
  let schema: ModelSchema
  let name: SyncName
  /// The columns of links; nil for objects of a program.
  let links: LinkColumns?
  let layout: RowLayout
  /// The slots of the columns that travel, and their names. The primary key is among them only where it is a reference.
  let columns: [(slot: Int, name: SyncName)]
  /// The places of the columns in the order of their names.
  let columnsByName: [Int]
  /// For each slot, the place of its column; nil for one that does not travel.
  private let places: [Int?]

  init(_ schema: ModelSchema, links: LinkColumns? = nil) {
    self.schema = schema
    self.links = links
    name = SyncName(schema.travelName)
    layout = RowLayout(schema)
    let columns = Self.columnSlots(schema).map { (slot: $0, name: SyncName(schema.properties[$0].travelName)) }
    self.columns = columns
    columnsByName = columns.indices.sorted { columns[$0].name < columns[$1].name }
    places = schema.properties.indices.map { slot in columns.firstIndex { $0.slot == slot } }
  }

  /// The slots of the columns that travel.
  static func columnSlots(_ schema: ModelSchema) -> [Int] {
    schema.liveSlots.filter { $0 != schema.primaryKey || schema.properties[$0].reference != nil }
  }

  /// The name that the program has for a column; the column's own where it has none.
  func property(_ column: SyncName) -> String {
    columns.first { $0.name == column }.map { schema.properties[$0.slot].name } ?? column.text
  }

  func object(_ row: UnsafeRawBufferPointer) throws(StorageError) -> (ObjectID, SyncRow) {
    let view = try RowView(row, layout)
    var values: SyncRow = [:]
    values.reserveCapacity(columns.count)
    for (slot, name) in columns { values[name] = try view.value(layout.slots[slot], layout) }
    return (ObjectID(name, try key(view)), values)
  }

  /// The places of the columns in which two rows differ.
  func changedColumns(_ old: Row, _ new: Row) throws(StorageError) -> [Int] {
    try old.bytes.withBytes { old throws(StorageError) in
      try new.bytes.withBytes { new throws(StorageError) in
        try RowView(new, layout).differences(from: RowView(old, layout), layout).compactMap { places[$0] }
      }
    }
  }

  private func key(_ view: RowView) throws(StorageError) -> Value {
    let key = try view.value(layout.slots[schema.primaryKey], layout)
    guard let links else { return key }
    guard case .int(let number) = key else { throw SyncReader.damaged }
    return links.key(
      try view.value(layout.slots[links.owner], layout), try view.value(layout.slots[links.target], layout), number)
  }

  /// A row with the number that it has in a table of links.
  func read(_ row: Row) throws(StorageError) -> (ObjectID, SyncRow, number: Int64) {
    try row.bytes.withBytes { (bytes) throws(StorageError) in try read(bytes) }
  }

  func read(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> (ObjectID, SyncRow, number: Int64) {
    let (object, values) = try object(bytes)
    let key = try RowView(bytes, layout).value(layout.slots[schema.primaryKey], layout)
    guard case .int(let number) = key else { return (object, values, 0) }
    return (object, values, number)
  }

  /// The primary key of an object's row.
  private func rowKey(_ object: ObjectID) throws(StorageError) -> Value {
    try linkParts(object).map { .int($0.number) } ?? object.key
  }

  /// The sides of a link and the number of its row; nil for an object of a program. The number is a hash of the key.
  private func linkParts(
    _ object: ObjectID
  ) throws(StorageError) -> (owner: Value, target: Value, number: Int64)? {
    guard let links else { return nil }
    guard let parts = links.parts(object.key) else {
      throw StorageError(.invalidValue, "the key of a link has other parts", model: schema.name)
    }
    return parts
  }

  /// The row of an object.
  ///
  /// - Throws: `invalidValue` for a value that does not fit, as another program may have written it.
  func append(_ object: ObjectID, _ values: SyncRow, to batch: inout RowBatch) throws(StorageError) {
    try withRow(object, values) { batch.append($0) }
  }

  /// The row of an object, which is no link: ``append(_:_:to:)``.
  func row(_ object: ObjectID, _ values: SyncRow) throws(StorageError) -> Row {
    try withRow(object, values) { Row(copying: $0) }
  }

  private func withRow<R>(
    _ object: ObjectID, _ values: SyncRow, _ body: (UnsafeRawBufferPointer) -> R
  ) throws(StorageError) -> R {
    let writer = RowWriter(layout)
    writer.begin()
    let parts = try linkParts(object)
    if let links, let parts {
      func value(_ slot: Int) -> Value? { values[SyncName(schema.properties[slot].travelName)] }
      guard value(links.owner) == parts.owner, value(links.target) == parts.target else {
        throw StorageError(.invalidValue, "the sides of a link differ from its key", model: schema.name)
      }
    }
    do throws(StorageError) {
      try writer.set(layout.slots[schema.primaryKey], value: parts.map { .int($0.number) } ?? object.key)
      for (slot, name) in columns where slot != schema.primaryKey {
        try writer.set(layout.slots[slot], value: values[name] ?? .null)
      }
      return body(try writer.finish())
    } catch {
      throw error.with(model: schema.name)
    }
  }

  func key(_ object: ObjectID) throws(StorageError) -> Key { try Key.primary(try rowKey(object), schema) }

  func find(_ object: ObjectID, in transaction: any BackendReadTransaction) throws(StorageError) -> SyncRow? {
    try key(object).bytes.withBytes { (bytes) throws(StorageError) -> SyncRow? in
      guard let row = try transaction.row(schema.id, bytes) else { return nil }
      let (found, values) = try self.object(row)
      return found == object ? values : nil
    }
  }

  /// The rows of some objects, asked for at once.
  func find(_ objects: [ObjectID], in transaction: any BackendReadTransaction) throws(StorageError) -> [SyncRow?] {
    guard objects.count != 1 else { return [try find(objects[0], in: transaction)] }
    var rows = [SyncRow?](repeating: nil, count: objects.count)
    var keys: [Key] = []
    for object in objects { keys.append(try key(object)) }
    try transaction.rows(schema.id, keys) { place, row throws(StorageError) in
      guard let row else { return }
      let (found, values) = try self.object(row)
      if found == objects[place] { rows[place] = values }
    }
    return rows
  }

  /// Calls the body with each row, in the order of keys.
  func forEach(
    in transaction: any BackendReadTransaction, _ body: (ObjectID, SyncRow) throws(StorageError) -> Void
  ) throws(StorageError) {
    try transaction.cursor(BoundQuery(everyRowOf: schema)).forEach { row throws(StorageError) in
      let (object, values) = try object(row)
      try body(object, values)
      return true
    }
  }

  /// Calls the body with each row and its number.
  func forEachRow(
    in transaction: any BackendReadTransaction, _ body: (ObjectID, SyncRow, Int64) throws(StorageError) -> Void
  ) throws(StorageError) {
    try transaction.cursor(BoundQuery(everyRowOf: schema)).forEach { row throws(StorageError) in
      let (object, values, number) = try read(row)
      try body(object, values, number)
      return true
    }
  }

  /// The objects whose columns have these values.
  func objects(
    _ values: [(SyncName, Value)], in transaction: any BackendReadTransaction
  ) throws(StorageError) -> [ObjectID] {
    var query = BoundQuery(everyRowOf: schema)
    var conditions: [BoundPredicate] = []
    for (column, value) in values {
      guard let slot = columns.first(where: { $0.name == column })?.slot else { return [] }
      conditions.append(.compare(slot: slot, .equal, value))
    }
    query.predicate = conditions.count == 1 ? conditions[0] : .and(conditions)
    query.projection = [schema.primaryKey] + (links.map { [$0.owner, $0.target] } ?? [])
    var result: [ObjectID] = []
    try transaction.cursor(query).forEach { row throws(StorageError) in
      result.append(ObjectID(name, try key(RowView(row, layout))))
      return true
    }
    return result
  }
}
