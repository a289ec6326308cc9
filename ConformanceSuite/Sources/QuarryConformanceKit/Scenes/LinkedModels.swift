package import QuarryBackend
package import QuarryCore
package import QuarryQuery

// Models that refer to each other, for stores that are used without types, and their rows.

extension ModelSchema {
  /// A model with an `id`, a text that may be nil, and references, each with an index of its name.
  package static func linked(_ name: String, key: PropertyType = .int64, _ references: PropertySchema...) -> ModelSchema
  {
    ModelSchema(
      name: name,
      properties: [
        PropertySchema(name: "id", type: key), PropertySchema(name: "note", type: .string, isOptional: true),
      ] + references, primaryKey: 0,
      indexes: references.indices.map { IndexSchema(name: references[$0].name, columns: [.init(slot: $0 + 2)]) })
  }
}

extension PropertySchema {
  /// A reference that may be nil unless it is said.
  package static func reference(
    _ name: String, to model: String, _ rule: Reference.DeleteRule, type: PropertyType = .int64, isOptional: Bool = true
  ) -> PropertySchema {
    PropertySchema(name: name, type: type, isOptional: isOptional, reference: .init(to: model, deleteRule: rule))
  }
}

extension Record {
  /// A row of a linked model with integers as keys.
  package static func linked(_ id: Int, _ references: KeyValuePairs<String, Int?> = [:]) -> Record {
    Record([("id", .int(Int64(id)))] + references.map { ($0.key, $0.value.map { .int(Int64($0)) } ?? .null) })
  }
}

extension QueryTree {
  /// The rows of a model whose property has one of these values.
  package static func rows(_ model: String, _ name: String, _ comparison: Comparison, _ value: Int) -> QueryTree {
    QueryTree(model: model, predicate: .compare(.named(name), comparison, .value(.int(Int64(value)))))
  }
}

extension WriteTransaction {
  @discardableResult
  package func delete(_ model: String, _ keys: Int...) throws -> Int {
    try records.delete(in: model, keys: keys.map { .int(Int64($0)) })
  }
}

extension ReadScope {
  /// The keys of a model's rows, each with what one of its properties has: nil for nil.
  package func links(_ model: String, _ property: String) throws -> [Int: Int?] {
    var links: [Int: Int?] = [:]
    for record in try records.fetch(QueryTree(model: model)) {
      guard let id = record["id"]?.intValue, let value = record[property] else { continue }
      links.updateValue(value.intValue, forKey: id)
    }
    return links
  }

  /// The keys of a model's rows, in order.
  package func ids(_ model: String) throws -> [Int] {
    try records.fetch(QueryTree(model: model)).compactMap { $0["id"]?.intValue }
  }
}

extension StorageError {
  /// Throws unless the error names these.
  package func expect(
    model: String?, property: String?, key: String?, says text: String = "", file: String = #fileID, line: Int = #line
  ) throws {
    try expectEqual(self.model, model, "the model of \(self)", file: file, line: line)
    try expectEqual(self.property, property, "the property of \(self)", file: file, line: line)
    try expectEqual(self.key, key, "the key of \(self)", file: file, line: line)
    let isSaid = text.isEmpty || message.contains(text)
    try QuarryConformanceKit.expect(isSaid, "\(message) does not say \(text)", file: file, line: line)
  }
}
