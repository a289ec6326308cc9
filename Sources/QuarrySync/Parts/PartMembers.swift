import QuarryBackend

/// Which objects of a hub are in a part, by the tables of one moment.
final class PartMembers {
  let part: BoundPart
  let work: StoredWork
  private var compiled: [SyncName: CompiledPredicate] = [:]
  /// The rules of references that need their target.
  private var schema: SyncSchema { work.schema.sync }

  init(_ part: BoundPart, _ work: StoredWork) {
    self.part = part
    self.work = work
  }

  /// Whether an object is in the table, and the part has it for itself.
  func isWanted(_ object: ObjectID) throws(StorageError) -> Bool {
    guard let table = work.schema.tables[object.model] else { return false }
    if let links = table.links {
      guard let parts = links.parts(object.key), try table.find(object, in: work.transaction) != nil else {
        return false
      }
      return try hasBothSides(table, links, parts.owner, parts.target)
    }
    guard let predicate = try predicate(of: table) else { return false }
    return try table.key(object).bytes.withBytes { key throws(StorageError) in
      guard let row = try work.transaction.row(table.schema.id, key) else { return false }
      return try predicate.matches(row)
    }
  }

  /// A link is in the part where both of its sides are chosen.
  private func hasBothSides(
    _ table: RowTable, _ links: LinkColumns, _ owner: Value, _ target: Value
  ) throws(StorageError) -> Bool {
    guard let owner = side(table, links.owner, owner), let target = side(table, links.target, target) else {
      return false
    }
    guard try isWanted(owner) else { return false }
    return try isWanted(target)
  }

  private func side(_ table: RowTable, _ slot: Int, _ key: Value) -> ObjectID? {
    let column = SyncName(table.schema.properties[slot].travelName)
    return schema.models[table.name]?.column(column)?.reference.map { ObjectID($0.model, key) }
  }

  private func predicate(of table: RowTable) throws(StorageError) -> CompiledPredicate? {
    if let known = compiled[table.name] { return known }
    guard let condition = part.conditions[table.name] else { return nil }
    let new = try CompiledPredicate(condition, table.layout)
    compiled[table.name] = new
    return new
  }

  /// The objects that an object in the table refers to by `cascade` and `deny`, directly or not. Those that others need come first.
  func needs(of object: ObjectID, _ row: SyncRow) throws(StorageError) -> [ObjectID] {
    var seen: Set<ObjectID> = [object]
    var found: [ObjectID] = []
    var todo = targets(object, row)
    while let next = todo.popLast() {
      guard seen.insert(next).inserted, let table = work.schema.tables[next.model],
        let row = try table.find(next, in: work.transaction)
      else { continue }
      found.append(next)
      todo += targets(next, row)
    }
    return found.reversed()
  }

  private func targets(_ object: ObjectID, _ row: SyncRow) -> [ObjectID] {
    guard let model = schema.models[object.model] else { return [] }
    return model.references.compactMap { column, reference in
      guard reference.rule != .nullify, let key = row[column], !key.isNull else { return nil }
      return ObjectID(reference.model, key)
    }
  }

  /// Whether an object in the table is needed by one that the part has for itself.
  ///
  /// - Complexity: O(k) for k objects that refer to it by `cascade` and `deny`, directly or not.
  func isNeeded(_ object: ObjectID) throws(StorageError) -> Bool {
    var seen: Set<ObjectID> = [object]
    var todo = [object]
    while let next = todo.popLast() {
      for (model, column) in schema.referrers[next.model] ?? [] {
        guard schema.models[model]?.column(column)?.reference?.rule != .nullify,
          let table = work.schema.tables[model], table.links == nil
        else { continue }
        if try hasWanted(table, column, next.key) { return true }
        // What refers to it is needed itself by another model.
        let isReferred = (schema.referrers[model] ?? []).contains { other in
          schema.models[other.model]?.column(other.column)?.reference?.rule != .nullify
        }
        guard isReferred else { continue }
        for other in try table.objects([(column, next.key)], in: work.transaction) where seen.insert(other).inserted {
          todo.append(other)
        }
      }
    }
    return false
  }

  /// Whether a chosen object refers to a key.
  private func hasWanted(_ table: RowTable, _ column: SyncName, _ key: Value) throws(StorageError) -> Bool {
    guard let condition = part.conditions[table.name],
      let slot = table.columns.first(where: { $0.name == column })?.slot
    else { return false }
    var query = BoundQuery(everyRowOf: table.schema)
    query.predicate = .and([.compare(slot: slot, .equal, key), condition])
    query.limit = 1
    query.projection = [table.schema.primaryKey]
    var isThere = false
    try work.transaction.cursor(query).forEach { _ throws(StorageError) in
      isThere = true
      return false
    }
    return isThere
  }

  /// The links of an object, of which it is the owner or the target.
  func links(of object: ObjectID) throws(StorageError) -> [ObjectID] {
    var result: [ObjectID] = []
    for (model, column) in schema.referrers[object.model] ?? [] {
      guard let table = work.schema.tables[model], table.links != nil else { continue }
      result += try table.objects([(column, object.key)], in: work.transaction)
    }
    return result
  }

  /// Calls the body with the chosen objects, in the order in which a part is given as a whole, until it returns false.
  ///
  /// - Parameters:
  ///   - last: The object to begin behind; nil for the first. The key of a link is the number of its row.
  ///   - body: Gets the object, its row, and its place.
  func forEachWanted(
    after last: ObjectID?, _ body: (ObjectID, SyncRow, _ place: ObjectID) throws(StorageError) -> Bool
  ) throws(StorageError) {
    let names = work.schema.ordered
    let start = last.map { last in names.firstIndex(of: last.model) ?? 0 } ?? 0
    for name in names[start...] {
      guard let table = work.schema.tables[name] else { continue }
      let after = last?.model == name ? last?.key : nil
      guard try forEachWanted(table, after: after, body) else { return }
    }
  }

  private func forEachWanted(
    _ table: RowTable, after last: Value?, _ body: (ObjectID, SyncRow, ObjectID) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    // Links are in the part by their sides.
    guard let condition = table.links == nil ? part.conditions[table.name] : .constant(true) else { return true }
    var query = BoundQuery(everyRowOf: table.schema)
    query.predicate = condition
    if let last { query.predicate = .and([condition, .after(query.order, [last])]) }
    var goesOn = true
    try work.transaction.cursor(query).forEach { row throws(StorageError) in
      let (object, values, number) = try table.read(row)
      if let links = table.links {
        guard let parts = links.parts(object.key), try hasBothSides(table, links, parts.owner, parts.target) else {
          return true
        }
      }
      goesOn = try body(object, values, ObjectID(table.name, table.links == nil ? object.key : .int(number)))
      return goesOn
    }
    return goesOn
  }
}
