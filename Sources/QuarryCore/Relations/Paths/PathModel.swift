import QuarryBackend
import QuarryQuery

/// A model as paths see it: where its names lead to.
struct PathModel {
  /// The target of a condition.
  enum Reach: Equatable {
    /// To the object's own properties, or nowhere.
    case own
    /// All of it through one reference, and on from there.
    case reference(String)
    /// To the other side of a reference, or to several things.
    case several
  }

  let schema: ModelSchema
  let binder: QueryBinder
  private let relations: [StoredRelation]
  private let stored: Schema

  init(_ schema: ModelSchema, _ binder: QueryBinder, _ relations: [StoredRelation], _ stored: Schema) {
    self.schema = schema
    self.binder = binder
    self.relations = relations
    self.stored = stored
  }

  // MARK: Names

  /// The reference of that name, and the model that it leads to.
  func reference(_ name: String) throws(StorageError) -> (slot: Int, target: ModelSchema) {
    let slot = try binder.slot(name)
    guard let reference = schema.properties[slot].reference, let target = stored.model(named: reference.model) else {
      throw StorageError(.invalidQuery, "\(name) refers to no model", model: schema.name, property: name)
    }
    return (slot, target)
  }

  /// Objects of which each has a reference to one object.
  struct Others {
    let model: ModelSchema
    /// Their reference to it.
    let slot: Int
    /// For links, which are such objects, the reference to the linked object: a condition applies to that object.
    var linked: String?
  }

  /// The result of a one-step path for each object.
  func others(_ path: PropertyPath) throws(StorageError) -> Others {
    guard let found = others(named: path.property), path.members.isEmpty else {
      throw StorageError(
        .invalidQuery, "\(path) leads to several objects: put ANY or ALL before it, or @count after it",
        model: schema.name, property: path.property)
    }
    return found
  }

  /// The other side of a reference, by its name or as `Book.author`; links, and their other side.
  private func others(named name: String) -> Others? {
    let bytes = ByteString(name)
    if let relation = relations.first(where: { ByteString($0.name) == bytes }) {
      let source: String
      let inverse: String?
      var linked: String?
      switch relation.side {
      case .many(let model, let property): (source, inverse) = (model().name, property())
      case .links(let links):
        (source, inverse, linked) = (links.definition.name, LinkDefinition.owner, LinkDefinition.target)
      case .linked(let model, let property):
        source = LinkDefinition.name(model().name, property() ?? "")
        (inverse, linked) = (LinkDefinition.target, LinkDefinition.owner)
      }
      guard let model = stored.model(named: source), let inverse, let slot = model.slot(named: inverse) else {
        return nil
      }
      return Others(model: model, slot: slot, linked: linked)
    }
    guard name.utf8.contains(UInt8(ascii: ".")) else { return nil }
    for source in stored.models {
      for slot in source.liveSlots {
        guard let reference = source.properties[slot].reference,
          ByteString(reference.model) == ByteString(schema.name),
          ByteString("\(source.name).\(source.properties[slot].name)") == bytes
        else { continue }
        return Others(model: source, slot: slot)
      }
    }
    return nil
  }

  // MARK: Reach

  /// The targets of a condition's paths.
  func reach(of predicate: PredicateTree) throws(StorageError) -> Reach {
    if try searches(predicate) { return .several }
    var reach: Reach?
    try predicate.forEachPath { path, isCount, hasElements throws(StorageError) in
      let next = self.reach(of: path, hasElements: hasElements)
      reach = reach == nil || reach == next ? next : .several
    }
    return reach ?? .own
  }

  private func reach(of path: PropertyPath, hasElements: Bool) -> Reach {
    if let slot = schema.slot(named: path.property) {
      guard schema.properties[slot].reference != nil else { return .own }
      // An object has no elements: what follows it has.
      return path.members.isEmpty ? (hasElements ? .several : .own) : .reference(path.property)
    }
    return others(named: path.property) == nil ? .own : .several
  }

  /// A condition on elements of what a reference leads to, `ANY author.books.year > 2000`, as one of what has them: the
  /// first name that the paths of the condition share belongs to the path.
  func spread(
    _ path: PropertyPath, _ condition: PredicateTree
  ) throws(StorageError) -> (path: PropertyPath, condition: PredicateTree) {
    guard path.members.isEmpty, let slot = schema.slot(named: path.property),
      schema.properties[slot].reference != nil
    else { return (path, condition) }
    var first: String?
    var isShared = true
    try condition.forEachPath { path, _, _ in
      guard path.property.isEmpty, let member = path.members.first else {
        isShared = false
        return
      }
      if let first, !first.utf8.elementsEqual(member.utf8) { isShared = false }
      first = member
    }
    guard isShared, let first else {
      throw StorageError(
        .invalidQuery, "\(path) leads to one object, which has no elements", model: schema.name,
        property: path.property)
    }
    return (
      PropertyPath(path.property, members: [first]),
      try condition.mapPaths { path throws(StorageError) in
        PropertyPath(path.property, members: Array(path.members.dropFirst()))
      }
    )
  }

  /// The other side that a comparison counts.
  ///
  /// - Throws: `invalidQuery` for a comparison that uses the properties of more than one other object.
  func countedPath(in predicate: PredicateTree) throws(StorageError) -> PropertyPath {
    var counted: PropertyPath?
    try predicate.forEachPath { path, isCount, _ throws(StorageError) in
      if case .own = self.reach(of: path, hasElements: false) { return }
      guard path.members.isEmpty else {
        throw StorageError(
          .invalidQuery, "\(path) can be compared only with constants and with properties of the same reference",
          model: schema.name, property: path.property)
      }
      guard isCount else {
        _ = try others(PropertyPath(path.property, members: ["…"]))
        return
      }
      guard counted == nil || counted == path else {
        throw StorageError(
          .invalidQuery, "two numbers of objects cannot be compared with each other", model: schema.name,
          property: path.property)
      }
      counted = path
    }
    guard let counted else {
      throw StorageError(.invalidQuery, "the condition leads to several objects", model: schema.name)
    }
    return counted
  }
}
