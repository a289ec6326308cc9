import QuarryBackend
import QuarryQuery
import QuarryText

// The parts of searches that calls of objects and of records share.

extension ReadTransaction {
  /// Finds objects of a model by words.
  ///
  /// - Parameter names: The properties to search in; all searchable ones when there are none.
  /// - Throws: `invalidQuery` for a property that is not searchable, and for a model without one.
  func words(of model: ModelSchema, in names: [String]) throws(StorageError) -> SearchIndexReader {
    guard let searched = SearchedModel(model, in: backend.schema) else {
      throw StorageError(.invalidQuery, "no property of the model is searchable", model: model.name)
    }
    var slots: [Int] = []
    for name in names {
      guard let slot = model.slot(named: name) else {
        let names = searched.slots.map { model.properties[$0].name }
        throw .noProperty(name, in: model.name, among: names).with(property: name)
      }
      guard searched.slots.contains(slot) else {
        throw StorageError(.invalidQuery, "the property is not searchable", model: model.name, property: name)
      }
      slots.append(slot)
    }
    return try SearchIndexReader(backend, searched, slots: names.isEmpty ? nil : slots)
  }

  /// Visits the rows of a query that a search finds, the best first.
  ///
  /// - Parameters:
  ///   - query: Its condition and its links count; its order, limit and offset do not.
  ///   - body: Makes no calls of the transaction.
  func ranked(
    _ query: QueryTree, _ model: ModelSchema, _ binder: QueryBinder, isTyped: Bool, by search: SearchQuery,
    in names: [String], limit: Int?,
    _ body: (UnsafeRawBufferPointer, Double) throws(StorageError) -> Void
  ) throws(StorageError) {
    if let limit, limit < 0 { throw .negative("limit", limit, model: model.name) }
    let hits = try words(of: model, in: names).ranked(TextSearch(search))
    var rest = limit ?? .max
    var place = 0
    // A page of hits at a time: with a limit most of them are not read.
    var page = Swift.min(rest, 64)
    while place < hits.count, rest > 0 {
      let part = Array(hits[place..<Swift.min(place + page, hits.count)])
      place += part.count
      page = Swift.min(4 * page, 4_096)
      let rows = try rows(of: part.map(\.key), query, model, binder, isTyped: isTyped)
      for (key, score) in part {
        guard rest > 0 else { break }
        guard let row = rows[key] else { continue }
        try row.bytes.withBytes { row throws(StorageError) in try body(row, score) }
        rest -= 1
      }
    }
  }

  /// The rows with some keys that fulfil the condition of a query.
  private func rows(
    of keys: [Key], _ query: QueryTree, _ model: ModelSchema, _ binder: QueryBinder, isTyped: Bool
  ) throws(StorageError) -> [Key: Row] {
    var found: [Key: Row] = [:]
    guard query.links != nil || query.predicate != .constant(true) else {
      try backend.rows(model.id, keys) { place, row throws(StorageError) in
        found[keys[place]] = row.map { Row(copying: $0) }
      }
      return found
    }
    var chosen = QueryTree(model: query.model)
    chosen.links = query.links
    let isHit = PredicateTree.oneOf(
      .property(PropertyPath(model.keyProperty.name)), try keys.values(of: model.keyProperty.type))
    chosen.predicate = .and([isHit, query.predicate])
    let layout = RowLayout(model)
    let bound = try PathResolver(self, model, binder, isTyped: isTyped, pushes: true).bound(chosen)
    try backend.cursor(bound).forEach { row throws(StorageError) in
      found[try Key(of: row, layout)] = Row(copying: row)
      return true
    }
    return found
  }
}

extension [Key] {
  /// The values of primary keys.
  func values(of type: PropertyType) throws(StorageError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(count)
    for key in self {
      values.append(try key.value(of: type))
    }
    return values
  }
}
