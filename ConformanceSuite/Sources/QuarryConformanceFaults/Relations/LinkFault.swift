import QuarryBackend
import QuarryConformance

/// What an engine may do wrong of which lists of links break: the order of an index, its ends and its places, what one
/// statement of several rows leaves, unique pairs.
enum LinkFault: String, FaultGroup, Twist {
  static let group = "link"

  case orderIsOfRows, lastIsFirst, placeIsBefore, removalTakesOne, moveIsForgotten, pairsAreNotUnique
  case clearingLeavesLast, otherSideIsOne, countIsOfAllLists, numbersBeginAnew, listEndsAtHundred, ownersAreMixed

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .orderIsOfRows: ("Rows that are asked for in the order of positions come in that of their keys.", ["REL-13"])
    case .lastIsFirst: ("The row with the greatest position is that with the least.", ["REL-15"])
    case .placeIsBefore: ("A place after the first is the one before.", ["REL-15"])
    case .removalTakesOne: ("Of an object that is in a list several times one row is removed.", ["REL-15"])
    case .moveIsForgotten: ("A row that is given another position keeps its own.", ["REL-15"])
    case .pairsAreNotUnique: ("A unique index over two references holds pairs more than once.", ["REL-15"])
    case .clearingLeavesLast: ("A list that is emptied keeps an object.", ["REL-15"])
    case .otherSideIsOne: ("An object is in one list at most, when it is asked.", ["REL-14"])
    case .countIsOfAllLists: ("The number of objects in a list is that of all lists.", ["REL-13"])
    case .numbersBeginAnew: ("The greatest number of a link is not found.", ["REL-15"])
    case .listEndsAtHundred: ("A list ends after a hundred objects.", ["REL-13", "REL-15"])
    case .ownersAreMixed: ("Lists that are read together are all of the first owner.", ["REL-11", "REL-13"])
    }
  }

  /// The slots of a model whose rows are links.
  private struct Slots {
    let id, owner, target, position: Int

    init?(_ model: ModelSchema?) {
      guard let model, let id = model.slot(named: "id"), let owner = model.slot(named: "owner"),
        let target = model.slot(named: "target"), let position = model.slot(named: "position")
      else { return nil }
      (self.id, self.owner, self.target, self.position) = (id, owner, target, position)
    }
  }

  func query(_ query: BoundQuery, _ schema: Schema) -> BoundQuery {
    guard let slots = Slots(schema.model(id: query.model)) else { return query }
    var query = query
    let first = query.order.first
    switch self {
    case .orderIsOfRows where first?.slot == slots.position: query.order.removeFirst()
    case .lastIsFirst where first?.slot == slots.position && first?.isDescending == true:
      for place in query.order.indices { query.order[place].isDescending = false }
    case .placeIsBefore where query.offset > 1: query.offset -= 1
    case .numbersBeginAnew where first?.slot == slots.id && first?.isDescending == true: query.limit = 0
    case .listEndsAtHundred where query.limit == nil && query.order.first?.slot == slots.position: query.limit = 100
    case .otherSideIsOne:
      if case .compare(slots.target, .equal, _) = query.predicate { query.limit = 1 }
    case .ownersAreMixed:
      query.predicate = query.predicate.rewritten { part in
        if case .oneOf(slots.owner, let owners) = part { return .oneOf(slot: slots.owner, Array(owners.prefix(1))) }
        return part
      }
    default: break
    }
    return query
  }

  func count(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> Int {
    var query = query
    if self == .countIsOfAllLists, let slots = Slots(tx.schema.model(id: query.model)),
      case .compare(slots.owner, .equal, _) = query.predicate
    {
      query.predicate = .constant(true)
    }
    return try tx.count(query)
  }

  func delete(_ tx: Writer, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    guard Slots(tx.schema.model(id: model)) != nil, keys.count > 1 else { return try tx.delete(model, keys) }
    switch self {
    case .removalTakesOne: return try tx.delete(model, [keys[0]])
    case .clearingLeavesLast: return try tx.delete(model, keys.dropLast())
    default: return try tx.delete(model, keys)
    }
  }

  func delete(_ tx: Writer, _ query: BoundQuery) throws(StorageError) -> Int {
    var query = query
    if let slots = Slots(tx.schema.model(id: query.model)) {
      switch (self, query.predicate) {
      case (.removalTakesOne, .and): query.limit = 1
      case (.clearingLeavesLast, .compare(slots.owner, .equal, _)):
        let count = try tx.count(query)
        if count > 1 { query.limit = count - 1 }
      default: break
      }
    }
    return try tx.delete(query)
  }

  func update(_ tx: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    if self == .moveIsForgotten, let slots = Slots(tx.schema.model(id: query.model)),
      assignments.contains(where: { $0.slot == slots.position })
    {
      return try tx.count(query)
    }
    return try tx.update(query, assignments)
  }

  func apply(_ tx: Writer, _ change: SchemaChange) throws(StorageError) {
    guard self == .pairsAreNotUnique else { return try tx.apply(change) }
    switch change {
    case .createModel(var model):
      if let slots = Slots(model) {
        for place in model.indexes.indices where model.indexes[place].columns.first?.slot == slots.target {
          model.indexes[place].isUnique = false
        }
      }
      try tx.apply(.createModel(model))
    default: try tx.apply(change)
    }
  }
}
