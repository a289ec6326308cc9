public import QuarryBackend

/// The other side of a reference in a model's definition: a property of the type ``Many``, for which nothing is stored.
public struct RelationDefinition<M: Model>: Sendable {
  let stored: StoredRelation

  /// - Parameters:
  ///   - name: The property's name.
  ///   - inverse: The property of the other model that refers to this one.
  ///   - deleteRule: What becomes of the objects when the one that they refer to is removed; nil for what the reference
  ///     says.
  public init<Object: Model>(
    _ name: String, inverse: KeyPath<Object, Ref<M>>, deleteRule: PropertySchema.Reference.DeleteRule? = nil
  ) {
    self.init(name, PropertyKeyPath(inverse), deleteRule)
  }

  /// The other side of a reference that may be nil.
  public init<Object: Model>(
    _ name: String, inverse: KeyPath<Object, Ref<M>?>, deleteRule: PropertySchema.Reference.DeleteRule? = nil
  ) {
    self.init(name, PropertyKeyPath(inverse), deleteRule)
  }

  private init<Object: Model>(
    _ name: String, _ inverse: PropertyKeyPath<Object>, _ deleteRule: PropertySchema.Reference.DeleteRule?
  ) {
    stored = StoredRelation(
      name: name, source: { Object.anyDefinition }, inverse: { Object.modelDefinition.name(of: inverse) },
      deleteRule: deleteRule)
  }
}

/// The other side of a reference without its Swift types.
struct StoredRelation: Sendable {
  let name: String
  /// The definition of the model that refers. Asked late, because models refer to each other.
  let source: @Sendable () -> AnyModelDefinition
  /// The name of the property that refers; nil when it is no stored property.
  let inverse: @Sendable () -> String?
  let deleteRule: PropertySchema.Reference.DeleteRule?
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
        definition.properties.compactMap { $0.reference?.target() } + definition.relations.map { $0.source() }
      for other in related where names.insert(ByteString(other.name)).inserted { all.append(other) }
    }
    return all
  }
}

extension [ProgramModel] {
  /// What the other sides of references say of them.
  ///
  /// - Throws: `schemaMismatch` for sides that contradict each other.
  mutating func applyRelations(of definitions: [AnyModelDefinition]) throws(StorageError) {
    var ruled: [ByteString: PropertySchema.Reference.DeleteRule] = [:]
    for definition in definitions {
      for relation in definition.relations {
        func contradiction(_ text: String) -> StorageError {
          StorageError(.schemaMismatch, text, model: definition.name, property: relation.name)
        }
        let source = relation.source()
        guard let name = relation.inverse() else {
          throw contradiction("the inverse is no stored property of \(source.name)")
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
            "the delete rule is \(rule.rawValue) here, and \(said.rawValue) is said of \(source.name).\(name)")
        }
        if rule == .nullify, !self[place].schema.properties[slot].isOptional {
          throw contradiction("\(source.name).\(name) is not optional, and the delete rule would make it nil")
        }
        ruled[ByteString("\(source.name).\(name)")] = rule
        self[place].schema.properties[slot].reference?.deleteRule = rule
      }
    }
  }
}
