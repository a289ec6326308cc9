public import QuarryBackend
import QuarryQuery

extension Links: Relation {
  public typealias Loaded = [Target]

  /// The objects of each list, in its order: one read of the links, and one of the objects.
  ///
  /// - Throws: As ``Relation/load(_:in:)``.
  public static func load(_ relations: [Links], in transaction: ReadTransaction) throws(StorageError) -> [[Target]] {
    let (keys, lists) = try transaction.linked(relations)
    let objects = try transaction.objects(Target.self, keys)
    return lists.map { $0.compactMap { objects[$0] } }
  }
}

extension Links: FrozenRelation {
  /// The objects of each list, in its order, frozen.
  ///
  /// - Throws: As ``FrozenRelation/loadFrozen(_:in:)``.
  public static func loadFrozen(
    _ relations: [Links], in transaction: ReadTransaction
  ) throws(StorageError) -> [[Frozen<Target>]] {
    let (keys, lists) = try transaction.linked(relations)
    let objects = try transaction.frozenObjects(Target.self, keys)
    return lists.map { $0.compactMap { objects[$0] } }
  }
}

extension ReadTransaction {
  /// The different keys of objects that have owners in their links, and of each owner the places of those that have it;
  /// nil for the other side of a reference.
  @usableFromInline
  final func linking<M: Model>(_ owners: [Many<M>]) throws(StorageError) -> (keys: [Key], lists: [[Int]])? {
    guard let first = owners.first, let model = first.linkModel else { return nil }
    var keys: [Value] = []
    for owner in owners { keys.append(try owner.owner.get()) }
    return try linked(
      LinkSource(model: model, property: first.property, linked: LinkDefinition.owner, key: .null), keys,
      context.binding(M.self).schema, inOrder: false)
  }

  /// The different keys of what lists have, and of each list the places of its objects among them, in its order.
  fileprivate func linked<M: Model>(
    _ lists: [Links<M>]
  ) throws(StorageError) -> (keys: [Key], lists: [[Int]]) {
    guard let first = lists.first else { return ([], []) }
    var owners: [Value] = []
    for list in lists { owners.append(try list.owner.get()) }
    return try linked(
      LinkSource(
        model: first.model, property: LinkDefinition.owner, linked: LinkDefinition.target, key: .null), owners,
      context.binding(M.self).schema, inOrder: true)
  }

  /// The different keys of the objects linked with the owners, and for each owner the places of its linked objects.
  ///
  /// - Parameters:
  ///   - source: The side of the owners; its key does not count.
  ///   - inOrder: Whether in the order of the lists; else in the order of primary keys.
  func linked(
    _ source: LinkSource, _ owners: [Value], _ schema: ModelSchema, inOrder: Bool
  ) throws(StorageError) -> (keys: [Key], lists: [[Int]]) {
    let links = try modelSchema(source.model)
    guard let slot = links.slot(named: source.property) else { return ([], owners.map { _ in [] }) }
    let property = links.properties[slot]
    let writer = KeyWriter()
    var distinctOwners = DistinctKeys()
    func place(of owner: Value) throws(StorageError) -> Int {
      writer.removeAll()
      let owner = property.keyMembers == nil ? owner : try property.converted(owner)
      try writer.append(owner, type: property.type, isOptional: false, isDescending: false, isLast: true)
      return distinctOwners.place(of: writer.bytes)
    }
    var places: [Int] = []
    for owner in owners { places.append(try place(of: owner)) }
    var found: [[Int]] = Array(repeating: [], count: distinctOwners.keys.count)
    var distinct = DistinctKeys()
    let order = inOrder ? LinkDefinition.position : source.linked
    let query = QueryTree(
      model: source.model, predicate: .oneOf(.property(PropertyPath(source.property)), owners),
      order: [.init(source.property), .init(order)])
    for record in try fetchRecords(query, [source.property, source.linked]) {
      let owner = try place(of: record.values[0])
      guard owner < found.count else { continue }
      let key = try Key.primary(record.values[1], schema)
      let target = key.bytes.withBytes { distinct.place(of: $0) }
      // An object that has an owner twice comes once.
      if !inOrder, found[owner].last == target { continue }
      found[owner].append(target)
    }
    return (distinct.keys, places.map { found[$0] })
  }
}
