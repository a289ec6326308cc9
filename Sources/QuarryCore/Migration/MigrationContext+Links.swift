import QuarryBackend
import QuarryQuery

// Arrays of keys become links, and links become arrays of keys.

extension MigrationContext {
  /// Turns an array of keys into the links of the program's property of that name: `tags: [Int]` becomes `tags: Links<Tag>`.
  ///
  /// The array is then removed.
  ///
  /// - Throws: As ``convertToLinks(_:in:_:)``; `invalidQuery` where nothing of that name is stored.
  public func convertToLinks(_ property: String, in model: String) throws {
    try checkAsking()
    let source = try stored(model)
    guard source.slot(named: property) != nil else { throw MigrationMisuse.unknown(property, source) }
    try convertToLinks(values: property, in: model) { old in
      guard case .array(let keys) = old[property] else { return [] }
      return keys
    }
  }

  /// Creates the links of a property from each old object.
  ///
  /// - Parameters:
  ///   - property: The property of the program's model whose type is ``Links``. A stored property of that name is removed.
  ///   - keys: Returns the primary keys of the objects that an object is linked with, in the order of its list.
  /// - Throws: `invalidQuery` for a model that is not stored, and a property that has no links in the program. The migration ends
  ///   with `uniqueViolation` where a list has a key twice and may not. It ends with `invalidValue` for a value that is no key of
  ///   the other model. It ends with `missingReference` for a key that leads to nothing. The store is then as it was.
  /// - Complexity: O(n) in the number of objects and keys. One object's keys are in memory at once.
  public func convertToLinks<K: Storable>(
    _ property: String, in model: String, _ keys: @escaping (OldObject) throws -> [K]
  ) throws {
    try checkAsking()
    try convertToLinks(values: property, in: model) { old in try keys(old).map { try $0.storedValue() } }
  }

  private func convertToLinks(
    values property: String, in model: String, _ keys: @escaping (OldObject) throws -> [Value]
  ) throws {
    let source = try stored(model)
    let name = LinkDefinition.name(model, property)
    guard let links = program[ByteString(name)], let target = links.slot(named: LinkDefinition.target) else {
      throw StorageError(
        .invalidQuery, "the program has no Links property with this name", model: model, property: property)
    }
    if source.slot(named: property) != nil { try drop(property, in: model) }
    let isUnique = links.indexes.contains { $0.isUnique && $0.columns.first?.slot == target }
    let key = source.keyProperty.name
    var id: Int64 = 0
    try forEach(model) { [unowned self] old in
      var seen: Set<Value> = []
      for (place, target) in try keys(old).enumerated() {
        guard !isUnique || seen.insert(target).inserted else {
          throw StorageError(
            .uniqueViolation, "the key \(KeyText.text(target) ?? "") is in the list twice", model: model,
            property: property, key: KeyText.text(old[key]))
        }
        id += 1
        try insert(
          into: name,
          Record([
            LinkDefinition.id: .int(id), LinkDefinition.owner: old[key], LinkDefinition.target: target,
            LinkDefinition.position: .int(Int64(place) * LinkDefinition.gap),
          ]))
      }
    }
  }

  /// Turns each object's links into an array of keys, in their order: `tags: Links<Tag>` becomes `tags: [Int]`.
  ///
  /// The links are then removed.
  ///
  /// - Parameter property: The stored links, and the program's property of that name.
  /// - Throws: `invalidQuery` for a model without links of that name, and a property that the program does not have.
  /// - Complexity: O(n) in the number of links, which are in memory at once.
  public func convertFromLinks(_ property: String, in model: String) throws {
    try checkAsking()
    let name = LinkDefinition.name(model, property)
    guard let links = writer.schema.model(named: name), let owner = links.slot(named: LinkDefinition.owner),
      let target = links.slot(named: LinkDefinition.target), let position = links.slot(named: LinkDefinition.position)
    else {
      throw StorageError(
        .invalidQuery, "the store has no Links property with this name", model: model, property: property)
    }
    guard let code = program[ByteString(model)], code.slot(named: property) != nil else {
      throw StorageError(.invalidQuery, "the program does not have this property", model: model, property: property)
    }
    let layout = RowLayout(links)
    let order = [owner, position, links.primaryKey].map { BoundSortKey(slot: $0) }
    var lists: [Value: [Value]] = [:]
    try writer.cursor(BoundQuery(model: links.id, order: order)).forEach { row throws(StorageError) in
      let view = try RowView(row, layout)
      let key = try view.value(layout.slots[owner], layout)
      lists[key, default: []].append(try view.value(layout.slots[target], layout))
      return true
    }
    let key = try stored(model).keyProperty.name
    try drop(name)
    try enumerate(model) { old, new in new[property] = .array(lists[old[key]] ?? []) }
  }
}
