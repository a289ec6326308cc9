public import QuarryBackend
import QuarryData
import QuarryCore
import QuarryData
import QuarryQuery

extension StoreInspector {
  /// The number of linked objects that are read for each property of links.
  static var linksShown: Int { 50 }
  /// The bytes of a title that are read at most.
  static var titleBytes: Int { 200 }

  /// The object with a primary key, and the objects around it; nil when there is none.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - key: The primary key; an array of the members for a compound key.
  ///   - deadline: The instant by which the object is there: a request that would take longer is refused.
  /// - Throws: `invalidQuery` for an unknown model; `invalidValue` for a key of another type; `limitExceeded` past the deadline;
  ///   `corrupt`, `io`.
  /// - Complexity: One count for each property that refers to the model.
  public func object(in model: String, key: Value, until deadline: Deadline = .never) throws -> InspectedObject? {
    try store.read { tx in
      let schema = try tx.model(named: model)
      guard let record = try tx.records.get(in: model, key: key) else { return nil }
      let models = try tx.models()
      // The key as it is stored, which may have been given as another type of number.
      let key = record[schema.keyProperty.name] ?? key
      let relations = models.compactMap { LinkRelation($0, among: models) }
      return InspectedObject(
        model: schema, key: key, record: record, digest: RecordDigest.of(record),
        references: try references(of: record, schema, tx),
        referrers: try referrers(of: key, schema, models, relations, tx, deadline),
        links: try links(of: key, schema, relations, tx, deadline))
    }
  }

  private func references(
    of record: Record, _ model: ModelSchema, _ tx: ReadTransaction
  ) throws -> [InspectedObject.Reference] {
    try model.liveProperties.compactMap { property in
      guard let reference = property.reference else { return nil }
      let key = record[property.name] ?? .null
      let other = key.isNull ? nil : try tx.records.get(in: reference.model, key: key)
      return InspectedObject.Reference(
        property: property.name, model: reference.model, key: key.isNull ? nil : key,
        title: try other.flatMap { try Self.title(of: $0, tx.model(named: reference.model)) }, exists: other != nil)
    }
  }

  private func referrers(
    of key: Value, _ model: ModelSchema, _ models: [ModelSchema], _ relations: [LinkRelation], _ tx: ReadTransaction,
    _ deadline: Deadline
  ) throws -> [InspectedObject.Referrers] {
    var result: [InspectedObject.Referrers] = []
    for source in models where !relations.contains(where: { $0.model == source.name }) {
      for property in source.liveProperties {
        guard let reference = property.reference, reference.model.utf8.elementsEqual(model.name.utf8) else { continue }
        try deadline.requireTime()
        let query = QueryTree.objects(of: source.name, where: property.name, is: [key])
        result.append(
          InspectedObject.Referrers(
            model: source.name, property: property.name, rule: reference.deleteRule,
            count: try tx.records.count(query), condition: query.predicate.description))
      }
    }
    return result
  }

  private func links(
    of key: Value, _ model: ModelSchema, _ relations: [LinkRelation], _ tx: ReadTransaction, _ deadline: Deadline
  ) throws -> [InspectedObject.Links] {
    var result: [InspectedObject.Links] = []
    for relation in relations {
      for isInverse in [false, true] {
        guard (isInverse ? relation.target : relation.owner).utf8.elementsEqual(model.name.utf8) else { continue }
        try deadline.requireTime()
        let own = isInverse ? LinkDefinition.target : LinkDefinition.owner
        let other = isInverse ? LinkDefinition.owner : LinkDefinition.target
        var query = QueryTree.objects(of: relation.model, where: own, is: [key])
        let count = try tx.records.count(query)
        query.order = [QueryTree.SortKey(isInverse ? other : LinkDefinition.position)]
        query.limit = Self.linksShown
        let schema = try tx.model(named: isInverse ? relation.owner : relation.target)
        let elements = try tx.records.fetch(query, columns: [other]).map { link in
          let key = link[other] ?? .null
          return InspectedObject.Links.Element(
            key: key, title: try tx.records.get(in: schema.name, key: key).flatMap { Self.title(of: $0, schema) })
        }
        result.append(
          InspectedObject.Links(relation: relation, isInverse: isInverse, count: count, elements: elements))
      }
    }
    return result
  }

  static func title(of record: Record, _ model: ModelSchema) -> String? {
    guard let property = model.titleProperty, case .string(let text)? = record[property.name] else { return nil }
    return text.utf8.count <= titleBytes ? text : String(text.unicodeScalars.prefix(titleBytes / 4)) + "…"
  }
}

extension QueryTree {
  /// The objects whose property has one of the values.
  static func objects(of model: String, where property: String, is values: [Value]) -> QueryTree {
    let path = Operand.property(PropertyPath(property))
    return QueryTree(
      model: model,
      predicate: values.count == 1 ? .compare(path, .equal, .value(values[0])) : .oneOf(path, values))
  }
}

/// A checksum over the values of an object.
enum RecordDigest {
  static func of(_ record: Record) -> String {
    var bytes: [UInt8] = []
    for field in record.fields {
      ExactText.append(.string(field.name), to: &bytes)
      ExactText.append(field.value, to: &bytes)
    }
    return String(bytes.withUnsafeBytes { XXH64.checksum($0) }, radix: 16)
  }
}
