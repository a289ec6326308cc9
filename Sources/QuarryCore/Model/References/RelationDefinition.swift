public import QuarryBackend

/// A relation in a model's definition for which the model has no column.
///
/// It is the other side of a reference or of links, a property of the type ``Many``. Or it is links, a property of the type
/// ``Links``.
public struct RelationDefinition<M: Model>: Sendable {
  let stored: StoredRelation
  /// For links the property.
  let links: PropertyKeyPath<M>?

  /// Creates the definition of the other side of a reference.
  ///
  /// - Parameters:
  ///   - name: The property's name.
  ///   - inverse: The property of the other model that refers to this one.
  ///   - deleteRule: The effect on the objects when the object that they refer to is removed. When nil, the rule of the reference
  ///     applies.
  public init<Object: Model>(
    _ name: String, inverse: KeyPath<Object, Ref<M>>, deleteRule: PropertySchema.Reference.DeleteRule? = nil
  ) {
    self.init(name, PropertyKeyPath(inverse), deleteRule)
  }

  /// The other side of a reference that may be nil.
  ///
  /// - Parameters:
  ///   - name: The property's name.
  ///   - inverse: The optional property of the other model that refers to this one.
  ///   - deleteRule: The effect on the objects when the object that they refer to is removed. When nil, the rule of the reference
  ///     applies.
  public init<Object: Model>(
    _ name: String, inverse: KeyPath<Object, Ref<M>?>, deleteRule: PropertySchema.Reference.DeleteRule? = nil
  ) {
    self.init(name, PropertyKeyPath(inverse), deleteRule)
  }

  private init<Object: Model>(
    _ name: String, _ inverse: PropertyKeyPath<Object>, _ deleteRule: PropertySchema.Reference.DeleteRule?
  ) {
    stored = StoredRelation(
      name: name, deleteRule: deleteRule,
      side: .many(source: { Object.anyDefinition }, inverse: { Object.modelDefinition.name(of: inverse) }))
    links = nil
  }

  /// The other side of links: the objects that have this one in theirs.
  ///
  /// - Parameters:
  ///   - name: The property's name.
  ///   - inverse: The property of the other model that has the links.
  public init<Object: Model>(_ name: String, inverse: KeyPath<Object, Links<M>>) {
    let inverse = PropertyKeyPath(inverse)
    stored = StoredRelation(
      name: name, deleteRule: nil,
      side: .linked(source: { Object.anyDefinition }, inverse: { Object.modelDefinition.linksName(of: inverse) }))
    links = nil
  }

  /// Links to objects of another model, or of the same.
  ///
  /// - Parameters:
  ///   - name: The property's name: the model of the rows has it behind the model's, `Book_tags`.
  ///   - links: The property, of the type ``Links``.
  ///   - allowsDuplicates: Whether an object may be in a list more than once.
  ///   - deleteRule: `deny` where an object that has links cannot be removed; else the links go with it.
  public init<Target: Model>(
    _ name: String, links: KeyPath<M, Links<Target>>, allowsDuplicates: Bool = false,
    deleteRule: PropertySchema.Reference.DeleteRule? = nil
  ) {
    let links = PropertyKeyPath(links)
    self.links = links
    stored = StoredRelation(
      name: name, deleteRule: deleteRule,
      side: .links(
        LinkDefinition(
          name, of: M.self, to: Target.self, allowsDuplicates: allowsDuplicates, deniesRemoval: deleteRule == .deny)))
  }
}

/// A relation without its Swift types.
struct StoredRelation: Sendable {
  enum Side: Sendable {
    /// For a reference. The definition of the referring model is requested late, because models refer to each other; its property
    /// is nil when it is not stored.
    case many(source: @Sendable () -> AnyModelDefinition, inverse: @Sendable () -> String?)
    /// The other side of links: whose, and the name of the property that has them.
    case linked(source: @Sendable () -> AnyModelDefinition, inverse: @Sendable () -> String?)
    case links(LinkDefinition)
  }

  let name: String
  let deleteRule: PropertySchema.Reference.DeleteRule?
  let side: Side

  /// The model that is opened with the one that has the relation.
  var related: AnyModelDefinition {
    switch side {
    case .many(let source, _), .linked(let source, _): source()
    case .links(let links): links.definition
    }
  }
}

extension [AnyModelDefinition] {
  /// These models, and those that they are related to, by way of others too. Of two of one name the first is taken.
  var withRelated: [AnyModelDefinition] {
    var all = self
    var names = Set(map { ByteString($0.name) })
    var next = 0
    while next < all.count {
      let definition = all[next]
      next += 1
      let related =
        definition.properties.compactMap { $0.reference?.target() } + definition.relations.map(\.related)
      for other in related where names.insert(ByteString(other.name)).inserted { all.append(other) }
    }
    return all
  }
}

extension [ProgramModel] {
  /// The rules that the other sides of references declare.
  ///
  /// - Throws: `schemaMismatch` for sides that contradict each other.
  mutating func applyRelations(of definitions: [AnyModelDefinition]) throws(StorageError) {
    var ruled: [ByteString: PropertySchema.Reference.DeleteRule] = [:]
    for definition in definitions {
      for relation in definition.relations {
        func contradiction(_ text: String) -> StorageError {
          StorageError(.schemaMismatch, text, model: definition.name, property: relation.name)
        }
        let source: AnyModelDefinition
        let inverse: String?
        switch relation.side {
        case .many(let model, let property): (source, inverse) = (model(), property())
        case .linked(let model, let property):
          guard property() != nil else { throw contradiction("the inverse is not a Links property of \(model().name)") }
          continue
        case .links(let links):
          if relation.deleteRule == .cascade {
            throw contradiction("links cannot have the delete rule cascade: other objects may link to the same ones")
          }
          guard definitions.contains(where: { $0 === links.definition }) else {
            throw contradiction("the links need the name \(links.definition.name), which another model has")
          }
          continue
        }
        guard let name = inverse else {
          throw contradiction("the inverse is not a stored property of \(source.name)")
        }
        guard let place = firstIndex(where: { ByteString($0.name) == ByteString(source.name) }),
          let slot = self[place].schema.slot(named: name),
          let reference = self[place].schema.properties[slot].reference,
          ByteString(reference.model) == ByteString(definition.name)
        else { throw contradiction("the inverse \(source.name).\(name) does not refer to \(definition.name)") }
        guard let rule = relation.deleteRule else { continue }
        let said =
          ruled[ByteString("\(source.name).\(name)")]
          ?? source.properties.first { ByteString($0.name) == ByteString(name) }?.reference?.deleteRule
        if let said, said != rule {
          throw contradiction(
            "the delete rule is \(rule.rawValue) here, but \(said.rawValue) at \(source.name).\(name)")
        }
        if rule == .nullify, !self[place].schema.properties[slot].isOptional {
          throw contradiction("\(source.name).\(name) is not optional, but the delete rule would make it nil")
        }
        ruled[ByteString("\(source.name).\(name)")] = rule
        self[place].schema.properties[slot].reference?.deleteRule = rule
      }
    }
  }
}
