import QuarryBackend
import QuarryQuery

/// Makes conditions on other objects, `author.name == "Ada"` and `ANY books.year > 2000`, into conditions on an object's
/// own properties, by reading the other side first in the same transaction: its keys become a list that the reference, or
/// the primary key, is one of.
///
/// A condition that is true of nil becomes a list that the reference is not one of, so that nil, and a reference that
/// leads to nothing, need nothing of their own.
final class PathResolver {
  /// The most references that a path leads through.
  static let maximumDepth = 8

  let transaction: ReadTransaction
  /// Whether models are those of the program, with what it knows of nested values.
  private let isTyped: Bool
  /// What was read, a line for each query.
  var steps: [String] = []
  private var models: [ModelID: PathModel] = [:]

  init(_ transaction: ReadTransaction, isTyped: Bool) {
    self.transaction = transaction
    self.isTyped = isTyped
  }

  /// The model with that schema.
  func model(_ schema: ModelSchema) -> PathModel {
    if let model = models[schema.id] { return model }
    let binding = transaction.store.bindings.lazy.compactMap { $0 }.first { $0.model == schema.id }
    let model = PathModel(
      schema, isTyped ? binding?.binder ?? QueryBinder(schema) : QueryBinder(schema), binding?.relations ?? [],
      transaction.backend.schema)
    models[schema.id] = model
    return model
  }

  /// The query with a condition on its model's own properties alone. Its order stays.
  func resolved(_ query: QueryTree, _ schema: ModelSchema) throws(StorageError) -> QueryTree {
    try TreeLimits.check(query.predicate)
    var resolved = query
    resolved.predicate = try self.resolved(query.predicate, in: model(schema), depth: 0)
    if let position = query.position, position.fingerprint == query.fingerprint {
      // The binder compares it with the query that it sees.
      let fingerprint = resolved.fingerprint
      resolved.position?.fingerprint = fingerprint
    }
    return resolved
  }

  // MARK: Conditions

  private func resolved(
    _ predicate: PredicateTree, in model: PathModel, depth: Int
  ) throws(StorageError) -> PredicateTree {
    switch try model.reach(of: predicate) {
    case .own: return predicate
    case .reference(let reference): return try through(reference, predicate, in: model, depth: depth)
    case .several: break
    }
    switch predicate {
    case .not(let condition): return .not(try resolved(condition, in: model, depth: depth))
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
      return .not(try some(of: path, .not(condition), in: model, depth: depth))
    case .containsElement(let path, let value):
      return try some(of: path, .compare(.property(.element), .equal, .value(value)), in: model, depth: depth)
    default: return try counted(predicate, in: model, depth: depth)
    }
  }

  /// The parts, those that lead through one same reference as one.
  private func joined(
    _ conditions: [PredicateTree], isAnd: Bool, in model: PathModel, depth: Int
  ) throws(StorageError) -> PredicateTree {
    var parts: [PredicateTree] = []
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
    return isAnd ? .and(parts) : .or(parts)
  }

  /// A condition all of whose paths lead through one reference.
  private func through(
    _ reference: String, _ predicate: PredicateTree, in model: PathModel, depth: Int
  ) throws(StorageError) -> PredicateTree {
    let (slot, target) = try model.reference(reference)
    let next = try descend(depth, model)
    let inner = try predicate.mapPaths { path throws(StorageError) in path.rest ?? path }
    let operand = Operand.property(PropertyPath(reference))
    func isOneOf(_ condition: PredicateTree) throws(StorageError) -> PredicateTree {
      .oneOf(operand, try keys(of: condition, in: self.model(target), depth: next))
    }
    switch try model.binder.bind(predicate.ofNil) {
    case .constant(true): return .not(try isOneOf(.not(inner)))
    case .constant(false): return try isOneOf(inner)
    // What is true of nil is calculated from constants: the engine does it.
    default:
      let isNil = PredicateTree.compare(operand, .equal, .value(.null))
      let found = try isOneOf(inner)
      return model.schema.properties[slot].isOptional ? .or([.and([isNil, predicate.ofNil]), found]) : found
    }
  }

  private func descend(_ depth: Int, _ model: PathModel) throws(StorageError) -> Int {
    guard depth < Self.maximumDepth else {
      throw StorageError(
        .invalidQuery, "the path leads through more than \(Self.maximumDepth) references", model: model.schema.name)
    }
    return depth + 1
  }

  /// The objects that refer to this one, of which one fulfils a condition on an element.
  private func some(
    of path: PropertyPath, _ condition: PredicateTree, in model: PathModel, depth: Int
  ) throws(StorageError) -> PredicateTree {
    let others = try model.others(path)
    let (schema, slot) = (others.model, others.slot)
    let next = try descend(depth, model)
    let source = self.model(schema)
    let inner = try condition.mapPaths { path throws(StorageError) in
      guard path.property.isEmpty else {
        throw StorageError(
          .invalidQuery, "inside ANY and ALL only the element is looked at, not \(path.property)", model: schema.name)
      }
      guard let linked = others.linked else { return path.rest ?? PropertyPath(schema.keyProperty.name) }
      return PropertyPath(linked, members: path.members)
    }
    let owners = try owners(inner, in: source, slot, depth: next)
    return .oneOf(.property(PropertyPath(model.schema.keyProperty.name)), Array(owners.keys))
  }

  /// A comparison with the number of objects that refer to this one.
  private func counted(
    _ predicate: PredicateTree, in model: PathModel, depth: Int
  ) throws(StorageError) -> PredicateTree {
    let path = try model.countedPath(in: predicate)
    let others = try model.others(path)
    let (schema, slot) = (others.model, others.slot)
    let owners = try owners(.constant(true), in: self.model(schema), slot, depth: try descend(depth, model))
    let key = Operand.property(PropertyPath(model.schema.keyProperty.name))
    let byCount = Dictionary(grouping: owners.keys) { owners[$0] ?? 0 }
    let ofNone = predicate.counting(path, 0)
    guard case .constant(let isOfNone) = try model.binder.bind(ofNone) else {
      // It compares with properties, or calculates: each count that there is has its condition.
      var parts: [PredicateTree] = [.and([ofNone, .not(.oneOf(key, Array(owners.keys)))])]
      for (count, keys) in byCount { parts.append(.and([predicate.counting(path, count), .oneOf(key, keys)])) }
      return .or(parts)
    }
    // Those that are decided otherwise than the ones that nothing refers to.
    var unlike: [Value] = []
    for (count, keys) in byCount {
      guard case .constant(let holds) = try model.binder.bind(predicate.counting(path, count)) else { continue }
      if holds != isOfNone { unlike += keys }
    }
    return isOfNone ? .not(.oneOf(key, unlike)) : .oneOf(key, unlike)
  }

  // MARK: Reading

  /// The primary keys of the objects that fulfil a condition, in their order.
  private func keys(
    of predicate: PredicateTree, in model: PathModel, depth: Int
  ) throws(StorageError) -> [Value] {
    let predicate = try resolved(predicate, in: model, depth: depth)
    var keys: [Value] = []
    try forEach(model, model.schema.primaryKey, predicate) { keys.append($0) }
    note(model, predicate, "\(keys.count) keys")
    return keys
  }

  /// What the reference has of the objects that fulfil a condition, and how many have it.
  private func owners(
    _ predicate: PredicateTree, in model: PathModel, _ slot: Int, depth: Int
  ) throws(StorageError) -> [Value: Int] {
    let predicate = try resolved(predicate, in: model, depth: depth)
    var owners: [Value: Int] = [:]
    try forEach(model, slot, predicate) { value in
      if !value.isNull { owners[value, default: 0] += 1 }
    }
    note(model, predicate, "\(owners.count) values of \(model.schema.properties[slot].name)")
    return owners
  }

  private func forEach(
    _ model: PathModel, _ slot: Int, _ predicate: PredicateTree, _ body: (Value) -> Void
  ) throws(StorageError) {
    let query = QueryTree(model: model.schema.name, predicate: predicate)
    let bound = try model.binder.bind(query, projection: [model.schema.properties[slot].name])
    let layout = RowLayout(model.schema)
    try transaction.backend.cursor(bound).forEach { row throws(StorageError) in
      body(try RowView(row, layout).value(layout.slots[slot], layout))
      return true
    }
  }

  private func note(_ model: PathModel, _ predicate: PredicateTree, _ found: String) {
    let text = predicate.description
    let shown = text.utf8.count <= 120 ? text : String(text.unicodeScalars.prefix(100)) + "…"
    steps.append("\(model.schema.name) where \(shown): \(found)")
  }
}

extension PredicateTree {
  fileprivate var isAnd: Bool {
    if case .and = self { true } else { false }
  }
}
