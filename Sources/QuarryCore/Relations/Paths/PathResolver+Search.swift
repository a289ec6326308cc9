import QuarryBackend
import QuarryQuery
import QuarryText

// Searches in properties with an index of words: the found keys take their place.

extension PathModel {
  /// Whether the index of words decides a part of the condition.
  func searches(_ predicate: PredicateTree) throws(StorageError) -> Bool {
    switch predicate {
    case .function(let call): return try searchedProperties(call) != nil
    case .not(let condition): return try searches(condition)
    case .and(let conditions), .or(let conditions):
      for condition in conditions where try searches(condition) { return true }
      return false
    default: return false
    }
  }

  /// The searchable properties that a search is in; nil where it is in others, and for another function.
  ///
  /// - Throws: `invalidQuery` for a search in a whole object that has no searchable property.
  func searchedProperties(_ call: FunctionCall) throws(StorageError) -> [String]? {
    guard call.search != nil else { return nil }
    var names: [String] = []
    for operand in call.operands {
      guard case .property(let path) = operand, path.members.isEmpty else { return nil }
      if path == .element {
        let slots = schema.searchedSlots
        guard !slots.isEmpty else {
          throw StorageError(.invalidQuery, "no property of the model is searchable", model: schema.name)
        }
        names += slots.map { schema.properties[$0].name }
      } else {
        guard let slot = schema.slot(named: path.property), schema.properties[slot].search != nil else { return nil }
        names.append(path.property)
      }
    }
    return names
  }
}

extension QueryTree {
  /// Whether the condition is a search and nothing else.
  var isSearch: Bool {
    if links == nil, case .function(let call) = predicate { call.search != nil } else { false }
  }
}

extension PathResolver {
  /// The keys of the objects that a query finds by words alone, with its offset and limit.
  ///
  /// - Returns: Nil for a query with another condition or another order than that of primary keys, and for a search that finds
  ///   all objects but some.
  func keysFoundByWords(_ query: QueryTree) throws(StorageError) -> ArraySlice<Key>? {
    guard query.isSearch, case .function(let call) = query.predicate, let search = call.search,
      let names = try model(schema).searchedProperties(call)
    else { return nil }
    try TreeLimits.check(query.predicate)
    let bound = try binder.bind(query, where: .constant(true), projection: [])
    guard bound.predicate == .constant(true), bound.order == [BoundSortKey(slot: schema.primaryKey)] else { return nil }
    let found = try transaction.words(of: schema, in: names).selection(TextSearch(search))
    if found.isExcluded { return nil }
    return found.keys.sorted().dropFirst(bound.offset).prefix(bound.limit ?? .max)
  }

  /// The condition that an object is one of those that a search finds.
  func found(
    by search: SearchQuery, in names: [String], of model: PathModel
  ) throws(StorageError) -> BoundPredicate {
    let (keys, isExcluded) = try transaction.words(of: model.schema, in: names).selection(TextSearch(search))
    steps.append(
      "\(model.schema.name) by words of \(names.joined(separator: ", ")): \(isExcluded ? "all but " : "")\(keys.count) keys"
    )
    // The keys are distinct and of the key's type: they need no binding.
    let slot = model.schema.primaryKey
    let values = try keys.values(of: model.schema.keyProperty.type)
    let condition: BoundPredicate =
      switch values.count {
      case 0: .constant(false)
      case 1: .compare(slot: slot, .equal, values[0])
      default: .oneOf(slot: slot, values)
      }
    return isExcluded ? .negation(of: condition) : condition
  }
}
