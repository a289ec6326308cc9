import QuarryBackend
import QuarryConformance

/// What an engine may do wrong of which conditions and orders through relations break: lists of keys in every place of a
/// condition and of every call, reads of one property alone, rows by keys in an order.
enum PathFault: String, FaultGroup, Twist {
  static let group = "path"

  case notInListSkipsNil, listInOrIsLost, listInAndIsAll, listInNotIsLost, firstKeyIsLost, firstReferenceIsLost
  case rowsComeInOrderOfKeys, listUpdatesOne, listDeletesOne, listAggregatesAll, listCountsAll, pageForgetsList
  case limitBeforeList, nilIsAKey

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .notInListSkipsNil: ("A reference that is nil is not outside a list either, as in SQL.", ["REL-18"])
    case .listInOrIsLost: ("Of alternatives one that is a list counts for nothing.", ["REL-18", "REL-21"])
    case .listInAndIsAll: ("Where a list is one of several conditions the others count for nothing.", ["REL-18"])
    case .listInNotIsLost: ("What is outside a list is everything.", ["REL-18", "REL-19"])
    case .firstKeyIsLost: ("A read of keys alone, by a condition, lacks the first.", ["REL-18"])
    case .firstReferenceIsLost: ("A read of a reference alone lacks the first row.", ["REL-19"])
    case .rowsComeInOrderOfKeys: ("Rows that are looked up by keys come in the order of the keys.", ["REL-20"])
    case .listUpdatesOne: ("An update of what is in a list changes one row.", ["REL-21"])
    case .listDeletesOne: ("A delete of what is in a list removes one row.", ["REL-21"])
    case .listAggregatesAll: ("An aggregate of what is in a list is that of all rows.", ["REL-21"])
    case .listCountsAll: ("The number of rows in a list is that of all rows.", ["REL-18", "REL-21"])
    case .pageForgetsList: ("A page after the first is of all rows.", ["REL-21"])
    case .limitBeforeList: ("A limit counts the rows that are outside the list.", ["REL-21"])
    case .nilIsAKey: ("A reference that is nil is in every list.", ["REL-18"])
    }
  }

  func query(_ query: BoundQuery, _ schema: Schema) -> BoundQuery {
    guard let model = schema.model(id: query.model) else { return query }
    var query = query
    switch self {
    case .firstKeyIsLost where query.projection == [model.primaryKey] && query.predicate != .constant(true):
      query.offset += 1
    case .firstReferenceIsLost:
      if let only = query.projection?.first, query.projection?.count == 1, model.properties[only].reference != nil {
        query.offset += 1
      }
    case .pageForgetsList:
      if case .and(let parts) = query.predicate, parts.contains(where: \.isPosition) {
        query.predicate = .and(parts.filter { !$0.isList })
      }
    case .limitBeforeList where query.limit != nil && query.predicate.isList: query.predicate = .constant(true)
    default: query.predicate = query.predicate.rewritten { changed($0, model) }
    }
    return query
  }

  private func changed(_ part: BoundPredicate, _ model: ModelSchema) -> BoundPredicate {
    switch (self, part) {
    case (.notInListSkipsNil, .not(.oneOf(let slot, _))) where model.properties[slot].isOptional:
      .and([part, .not(.isNull(slot: slot))])
    case (.nilIsAKey, .oneOf(let slot, _)) where model.properties[slot].isOptional: .or([part, .isNull(slot: slot)])
    case (.listInNotIsLost, .not(.oneOf)): .constant(true)
    case (.listInOrIsLost, .or(let parts)): .or(parts.filter { !$0.isList })
    case (.listInAndIsAll, .and(let parts)): parts.first(where: \.isList) ?? part
    default: part
    }
  }

  func rows(
    _ tx: Reader, _ model: ModelID, _ keys: [Key],
    _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try tx.rows(model, self == .rowsComeInOrderOfKeys ? keys.sorted() : keys, body)
  }

  func count(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> Int {
    var query = query
    if self == .listCountsAll, query.predicate.isList { query.predicate = .constant(true) }
    return try tx.count(query)
  }

  func aggregate(_ tx: Reader, _ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    var aggregate = aggregate
    if self == .listAggregatesAll, aggregate.rows.predicate.isList { aggregate.rows.predicate = .constant(true) }
    return try tx.aggregate(aggregate)
  }

  func update(_ tx: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    var query = query
    if self == .listUpdatesOne, query.predicate.isList { query.limit = 1 }
    return try tx.update(query, assignments)
  }

  func delete(_ tx: Writer, _ query: BoundQuery) throws(StorageError) -> Int {
    var query = query
    if self == .listDeletesOne, query.predicate.isList { query.limit = 1 }
    return try tx.delete(query)
  }
}

extension BoundPredicate {
  /// Whether it is a list of values, or all but such a list.
  fileprivate var isList: Bool {
    switch self {
    case .oneOf, .not(.oneOf): true
    default: false
    }
  }

  fileprivate var isPosition: Bool {
    if case .after = self { true } else { false }
  }
}
