import QuarryBackend
import QuarryCore

/// The columns of a table of links, whose objects are named by both of their sides: SYNC-20.
///
/// The number of a row is not its own: it follows from the link, so that all stores have the same rows in the same order. Where
/// an object may be in a list several times, the number is a random one and part of the link.
struct LinkColumns: Sendable {
  let owner: Int
  let target: Int
  let allowsDuplicates: Bool

  /// Nil for a model whose rows are no links.
  init?(_ model: ModelSchema, among models: [ModelSchema]) {
    guard StoredLinks(model, among: models) != nil, let owner = model.slot(named: LinkDefinition.owner),
      let target = model.slot(named: LinkDefinition.target)
    else { return nil }
    self.owner = owner
    self.target = target
    allowsDuplicates = !model.indexes.contains { index in
      index.isUnique && Set(index.columns.map(\.slot)) == [owner, target]
    }
  }

  /// The key of a link in all stores.
  func key(_ owner: Value, _ target: Value, _ number: Int64) -> Value {
    .array(allowsDuplicates ? [owner, target, .int(number)] : [owner, target])
  }

  /// The two sides in a key, and the number of its row; nil for the key of another object.
  func parts(_ key: Value) -> (owner: Value, target: Value, number: Int64)? {
    guard case .array(let parts) = key, parts.count == (allowsDuplicates ? 3 : 2) else { return nil }
    guard allowsDuplicates else { return (parts[0], parts[1], Self.number(key)) }
    guard case .int(let number) = parts[2], number > 0 else { return nil }
    return (parts[0], parts[1], number)
  }

  /// A number from 1 to 2^62 that follows from a key.
  static func number(_ key: Value) -> Int64 { number(SyncHash.number(key.syncBytes)) }

  static func number(_ random: UInt64) -> Int64 { Int64(random >> 2) + 1 }
}

/// Rows of links get the numbers that they have in all stores.
struct LinkNumbering {
  let table: RowTable
  let links: LinkColumns
  private var rows: [(old: Int64, object: ObjectID, values: SyncRow)] = []

  /// Nil for a table without links.
  init?(_ table: RowTable) {
    guard let links = table.links else { return nil }
    self.table = table
    self.links = links
  }

  /// The link of a row, which may get another number.
  ///
  /// - Parameters:
  ///   - isKnown: Whether the object has a record, and so its number.
  ///   - number: The number of a new row, where the link does not say it.
  mutating func object(
    _ row: ObjectID, _ values: SyncRow, _ old: Int64, isKnown: (ObjectID) throws(StorageError) -> Bool,
    number: () -> Int64
  ) throws(StorageError) -> ObjectID {
    guard let parts = links.parts(row.key) else { return row }
    var object = row
    if links.allowsDuplicates, try !isKnown(row) {
      object.key = links.key(parts.owner, parts.target, number())
    }
    if links.parts(object.key)?.number != old { rows.append((old, object, values)) }
    return object
  }

  /// Writes the rows under their new numbers.
  func write(_ writer: any BackendWriteTransaction) throws(StorageError) {
    guard !rows.isEmpty else { return }
    var keys: [Key] = []
    var batch = RowBatch()
    for row in rows {
      keys.append(try Key.primary(.int(row.old), table.schema))
      try table.append(row.object, row.values, to: &batch)
    }
    _ = try writer.delete(table.schema.id, keys.sorted())
    _ = try writer.upsert(table.schema.id, batch, .replace)
  }
}

extension LinkNumbering {
  /// Numbers the rows that were written without sync. Two stores with one list from a common dump give it the same numbers.
  static func adopt(
    _ table: RowTable, _ area: SyncArea, _ numbers: ClockNumbers, in writer: any BackendWriteTransaction
  ) throws(StorageError) {
    guard var numbering = LinkNumbering(table) else { return }
    try table.forEachRow(in: writer) { object, values, old throws(StorageError) in
      _ = try numbering.object(object, values, old) { object throws(StorageError) in
        try area.value(numbers.key(object), in: writer) != nil
      } number: {
        LinkColumns.number(object.key)
      }
    }
    try numbering.write(writer)
  }

  /// What a transaction has done to a table of links, by links. A link that was removed and added again has changed.
  static func local(
    _ changes: [ChangeSet.Change], _ table: RowTable, _ area: SyncArea, _ numbers: ClockNumbers,
    random: () -> UInt64, in writer: any BackendWriteTransaction
  ) throws(StorageError) -> [LocalChange]? {
    guard var numbering = LinkNumbering(table) else { return nil }
    var local: [ObjectID: LocalChange] = [:]
    for change in changes {
      guard let row = change.old, change.kind != .insertion else { continue }
      let (object, values, _) = try table.read(row)
      local[object] = LocalChange(object, before: values, after: nil)
    }
    for change in changes {
      guard let row = change.new, change.kind != .deletion else { continue }
      let (found, values, number) = try table.read(row)
      let object = try numbering.object(found, values, number) { object throws(StorageError) in
        if local[object] != nil { return true }
        return try area.value(numbers.key(object), in: writer) != nil
      } number: {
        LinkColumns.number(random())
      }
      local[object, default: LocalChange(object, before: nil, after: nil)].after = values
    }
    try numbering.write(writer)
    return Array(local.values)
  }
}
