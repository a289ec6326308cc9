import QuarryBackend
import QuarryQuery

/// Binds conditions on other objects, `author.name == "Ada"` and `ANY books.year > 2000`, as conditions on an object's own
/// properties. The reference, or the primary key, must be in the list of the other side's objects that fulfil a condition of
/// their own.
///
/// An engine that decides such a condition itself receives it whole. For other engines the other side is read first, in the same
/// transaction, and a list takes its place. A condition that is true of nil becomes a condition that the reference is not in a
/// list. Nil, and a reference that leads to nothing, then need no special case.
final class PathResolver {
  /// The most references that a path leads through.
  static let maximumDepth = 8

  let transaction: ReadTransaction
  let schema: ModelSchema
  let binder: QueryBinder
  /// Whether models are the program's, with its information about nested values.
  private let isTyped: Bool
  /// Whether the engine may be handed conditions on other models.
  private let pushes: Bool
  /// Whether the conditions that are bound now are for an engine that decides them.
  private var isPushing = false
  /// The completed reads, a line for each query.
  var steps: [String] = []
  private var models: [ModelID: PathModel] = [:]

  /// - Parameters:
  ///   - schema: The model that queries are of.
  ///   - binder: What binds them.
  ///   - pushes: Whether the engine may decide conditions on other models, because none of these is written to before
  ///     the last row is read.
  init(
    _ transaction: ReadTransaction, _ schema: ModelSchema, _ binder: QueryBinder, isTyped: Bool, pushes: Bool
  ) {
    self.transaction = transaction
    self.schema = schema
    self.binder = binder
    self.isTyped = isTyped
    self.pushes = pushes
  }

  /// The models that the conditions and orders lead to which were resolved so far, the queries' own among them.
  var modelsLedTo: Set<ModelID> { Set(models.keys) }

  /// Whether the query's condition leads to other objects.
  func leadsOn(_ query: QueryTree) throws(StorageError) -> Bool {
    try model(schema).reach(of: query.predicate) != .own
  }

  /// The model with that schema.
  func model(_ schema: ModelSchema) -> PathModel {
    if let model = models[schema.id] { return model }
    let binding = transaction.context.binding { $0.model == schema.id }
    let known = schema.id == self.schema.id ? binder : isTyped ? binding?.binder : nil
    let model = PathModel(
      schema, known ?? QueryBinder(schema), binding?.relations ?? [], transaction.backend.schema)
    models[schema.id] = model
    return model
  }

  /// The query's condition, including the condition of its links.
  func condition(of query: QueryTree) throws(StorageError) -> BoundPredicate {
    try TreeLimits.check(query.predicate)
    let model = model(schema)
    let reach = try model.reach(of: query.predicate)
    guard query.links != nil || reach != .own else {
      return try binder.bind(query.predicate)
    }
    guard pushes, let engine = transaction.backend as? any SubqueryTransaction else {
      return try condition(query, model)
    }
    isPushing = true
    let condition = try condition(query, model)
    isPushing = false
    return try engine.decidesSubqueries(condition, of: schema.id) ? condition : try self.condition(query, model)
  }

  private func condition(_ query: QueryTree, _ model: PathModel) throws(StorageError) -> BoundPredicate {
    let condition = try resolved(query.predicate, in: model, depth: 0)
    guard let links = query.links else { return condition }
    let rows = self.model(try transaction.modelSchema(links.model))
    let isOfOwner = PredicateTree.compare(.property(PropertyPath(links.property)), .equal, .value(links.key))
    let isLinked = try isOneOf(
      schema.primaryKey, in: model, try rows.binder.slot(links.linked), of: rows, where: isOfOwner, depth: 0)
    return .allOf([condition, isLinked])
  }

  // MARK: Conditions

  private func resolved(
    _ predicate: PredicateTree, in model: PathModel, depth: Int
  ) throws(StorageError) -> BoundPredicate {
    if case .function(let call) = predicate, let search = call.search,
      let names = try model.searchedProperties(call)
    {
      return try found(by: search, in: names, of: model)
    }
    switch try model.reach(of: predicate) {
    case .own: return try model.binder.bind(predicate)
    case .reference(let reference): return try through(reference, predicate, in: model, depth: depth)
    case .several: break
    }
    switch predicate {
    case .not(let condition): return .negation(of: try resolved(condition, in: model, depth: depth))
    case .and(let conditions), .or(let conditions):
      return try joined(conditions, isAnd: predicate.isAnd, in: model, depth: depth)
    case .any(let path, let condition):
      let spread = try model.spread(path, condition)
      guard spread.path == path else {
        return try resolved(.any(spread.path, spread.condition), in: model, depth: depth)
      }
      return try some(of: path, condition, in: model, depth: depth)
    case .all(let path, let condition):
      let spread = try model.spread(path, condition)
      guard spread.path == path else {
        return try resolved(.all(spread.path, spread.condition), in: model, depth: depth)
      }
      return .negation(of: try some(of: path, .not(condition), in: model, depth: depth))
    case .function(let call):
      if let expansion = call.expansion { return try resolved(expansion, in: model, depth: depth) }
      guard let condition = call.elementCondition, case .property(let path)? = call.operands.first else {
        return try counted(predicate, in: model, depth: depth)
      }
      return try some(of: path, condition, in: model, depth: depth)
    default: return try counted(predicate, in: model, depth: depth)
    }
  }

  /// The parts, those that lead through one same reference as one.
  private func joined(
    _ conditions: [PredicateTree], isAnd: Bool, in model: PathModel, depth: Int
  ) throws(StorageError) -> BoundPredicate {
    var parts: [BoundPredicate] = []
    var together: [(reference: String, conditions: [PredicateTree])] = []
    for condition in conditions {
      guard case .reference(let reference) = try model.reach(of: condition) else {
        parts.append(try resolved(condition, in: model, depth: depth))
        continue
      }
      if let place = together.firstIndex(where: { ByteString($0.reference) == ByteString(reference) }) {
        together[place].conditions.append(condition)
      } else {
        together.append((reference, [condition]))
      }
    }
    for (reference, conditions) in together {
      parts.append(
        try through(reference, isAnd ? .and(conditions) : .or(conditions), in: model, depth: depth))
    }
    return isAnd ? .allOf(parts) : .anyOf(parts)
  }

  /// A condition all of whose paths lead through one reference.
  private func through(
    _ reference: String, _ predicate: PredicateTree, in model: PathModel, depth: Int
  ) throws(StorageError) -> BoundPredicate {
    let (slot, target) = try model.reference(reference)
    let next = try descend(depth, model)
    let inner = try predicate.mapPaths { path throws(StorageError) in path.rest ?? path }
    func leads(to condition: PredicateTree) throws(StorageError) -> BoundPredicate {
      try isOneOf(slot, in: model, target.primaryKey, of: self.model(target), where: condition, depth: next)
    }
    let ofNil = try model.binder.bind(predicate.ofNil)
    switch ofNil {
    case .constant(true): return .negation(of: try leads(to: .not(inner)))
    case .constant(false): return try leads(to: inner)
    // The condition's result for nil is calculated from constants: the engine does it.
    default:
      let found = try leads(to: inner)
      return model.schema.properties[slot].isOptional ? .anyOf([.allOf([.isNull(slot: slot), ofNil]), found]) : found
    }
  }

  private func descend(_ depth: Int, _ model: PathModel) throws(StorageError) -> Int {
    guard depth < Self.maximumDepth else { throw Self.tooDeep(model.schema.name) }
    return depth + 1
  }

  /// The error of a path through too many references.
  static func tooDeep(_ model: String) -> StorageError {
    StorageError(.invalidQuery, "the path leads through more than \(maximumDepth) references", model: model)
  }

  /// The objects that refer to this one, of which one fulfils a condition on an element.
  private func some(
    of path: PropertyPath, _ condition: PredicateTree, in model: PathModel, depth: Int
  ) throws(StorageError) -> BoundPredicate {
    let others = try model.others(path)
    let (schema, slot) = (others.model, others.slot)
    let next = try descend(depth, model)
    let source = self.model(schema)
    let inner = try condition.mapPaths { path throws(StorageError) in
      guard path.property.isEmpty else {
        throw StorageError(
          .invalidQuery, "inside ANY and ALL only the element can be tested, not \(path.property)", model: schema.name)
      }
      guard let linked = others.linked else { return path.rest ?? PropertyPath(schema.keyProperty.name) }
      return PropertyPath(linked, members: path.members)
    }
    return try isOneOf(model.schema.primaryKey, in: model, slot, of: source, where: inner, depth: next)
  }

  /// A comparison with the number of objects that refer to this one.
  private func counted(
    _ predicate: PredicateTree, in model: PathModel, depth: Int
  ) throws(StorageError) -> BoundPredicate {
    let path = try model.countedPath(in: predicate)
    let others = try model.others(path)
    let (source, slot) = (self.model(others.model), others.slot)
    _ = try descend(depth, model)
    let ofNone = try model.binder.bind(predicate.counting(path, 0))
    if isPushing, case .constant(let isOfNone) = ofNone, let count = predicate.countComparison {
      // The objects for which the count gives another answer than for objects without referrers.
      let unlike = isOfNone ? BoundSubquery.Count(count.comparison.negated, count.number) : count
      let rows = BoundSubquery(model: others.model.id, slot: slot, predicate: .constant(true), count: unlike)
      let isUnlike = BoundPredicate.oneOfRows(slot: model.schema.primaryKey, rows)
      return isOfNone ? .negation(of: isUnlike) : isUnlike
    }
    var counts: [Value: Int] = [:]
    try forEach(source, slot, .constant(true)) { value in
      if !value.isNull { counts[value, default: 0] += 1 }
    }
    note(source, .constant(true), "\(counts.count) values of \(source.schema.properties[slot].name)")
    let byCount = Dictionary(grouping: counts.keys) { counts[$0] ?? 0 }
    guard case .constant(let isOfNone) = ofNone else {
      // It compares with properties, or calculates: each count that there is has its condition.
      var parts: [BoundPredicate] = [.allOf([ofNone, .negation(of: try isKey(oneOf: Array(counts.keys), model))])]
      for (count, keys) in byCount {
        parts.append(.allOf([try model.binder.bind(predicate.counting(path, count)), try isKey(oneOf: keys, model)]))
      }
      return .anyOf(parts)
    }
    var unlike: [Value] = []
    for (count, keys) in byCount {
      guard case .constant(let holds) = try model.binder.bind(predicate.counting(path, count)) else { continue }
      if holds != isOfNone { unlike += keys }
    }
    let isUnlike = try isKey(oneOf: unlike, model)
    return isOfNone ? .negation(of: isUnlike) : isUnlike
  }

  func isKey(oneOf values: [Value], _ model: PathModel) throws(StorageError) -> BoundPredicate {
    try model.binder.bind(.oneOf(.property(PropertyPath(model.schema.keyProperty.name)), values))
  }

  // MARK: The other side

  /// Whether a property is one of the values that another model's objects have which fulfil a condition.
  private func isOneOf(
    _ slot: Int, in model: PathModel, _ otherSlot: Int, of other: PathModel, where predicate: PredicateTree, depth: Int
  ) throws(StorageError) -> BoundPredicate {
    let condition = try resolved(predicate, in: other, depth: depth)
    if case .constant(false) = condition { return condition }
    if isPushing {
      return .oneOfRows(slot: slot, BoundSubquery(model: other.schema.id, slot: otherSlot, predicate: condition))
    }
    let isKey = otherSlot == other.schema.primaryKey
    var values: [Value] = []
    var seen: Set<Value> = []
    try forEach(other, otherSlot, condition) { value in
      if !value.isNull, isKey || seen.insert(value).inserted { values.append(value) }
    }
    let found = isKey ? "keys" : "values of \(other.schema.properties[otherSlot].name)"
    note(other, condition, "\(values.count) \(found)")
    return try model.binder.bind(.oneOf(.property(PropertyPath(model.schema.properties[slot].name)), values))
  }

  private func forEach(
    _ model: PathModel, _ slot: Int, _ condition: BoundPredicate, _ body: (Value) -> Void
  ) throws(StorageError) {
    let query = QueryTree(model: model.schema.name)
    let bound = try model.binder.bind(query, where: condition, projection: [model.schema.properties[slot].name])
    let layout = RowLayout(model.schema)
    try transaction.backend.cursor(bound).forEach { row throws(StorageError) in
      body(try RowView(row, layout).value(layout.slots[slot], layout))
      return true
    }
  }

  private func note(_ model: PathModel, _ condition: BoundPredicate, _ found: String) {
    let text = condition.describe(model.schema, in: transaction.backend.schema)
    let shown = text.utf8.count <= 120 ? text : String(text.unicodeScalars.prefix(100)) + "…"
    steps.append("\(model.schema.name) where \(shown): \(found)")
  }
}

extension PredicateTree {
  fileprivate var isAnd: Bool {
    if case .and = self { true } else { false }
  }

  /// A comparison of a number of objects with a whole number.
  fileprivate var countComparison: BoundSubquery.Count? {
    switch self {
    case .compare(.count, let comparison, .value(let value)):
      value.intValue.map { BoundSubquery.Count(comparison, Int64($0)) }
    case .compare(.value(let value), let comparison, .count):
      value.intValue.map { BoundSubquery.Count(comparison.mirrored, Int64($0)) }
    default: nil
    }
  }
}
