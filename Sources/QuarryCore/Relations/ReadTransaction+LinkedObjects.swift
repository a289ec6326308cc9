import QuarryBackend
import QuarryQuery

extension ReadTransaction {
  /// The objects of a list, in its order.
  @usableFromInline
  final func objects<M: Model>(_ links: Links<M>, limit: Int?) throws(StorageError) -> [M] {
    let keys = try primaryKeys(linkedKeys(links, limit: limit), context.binding(M.self).schema)
    return try objects(M.self, keys).compactMap { $0 }
  }

  final func primaryKeys(_ values: [Value], _ schema: ModelSchema) throws(StorageError) -> [Key] {
    var keys: [Key] = []
    for value in values { keys.append(try Key.primary(value, schema)) }
    return keys
  }

  /// The primary keys of the objects of a list, as values, in its order.
  final func linkedKeys<M: Model>(_ links: Links<M>, limit: Int?) throws(StorageError) -> [Value] {
    var query = try rows(of: links)
    query.limit = limit
    return try fetchRecords(query, [LinkDefinition.target]).map { $0.values[0] }
  }

  /// The rows of a list in its order.
  func rows<M: Model>(of links: Links<M>) throws(StorageError) -> QueryTree { try links.rows() }
}

extension Links {
  /// The rows of the list in its order.
  func rows() throws(StorageError) -> QueryTree {
    let owner = try owner.get()
    return QueryTree(
      model: model, predicate: .compare(.property(PropertyPath(LinkDefinition.owner)), .equal, .value(owner)),
      order: [.init(LinkDefinition.position)])
  }
}
