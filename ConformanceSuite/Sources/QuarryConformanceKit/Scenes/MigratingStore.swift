package import QuarryBackend
package import QuarryCore
import QuarryQuery

/// A store with rows, and the programs that are to open it.
package struct MigratingStore {
  package let kit: ConformanceContext
  package let place: any BackendProvider

  package init(_ kit: ConformanceContext) throws {
    self.kit = kit
    place = try kit.makePlace()
  }

  /// A store of these models, without a version unless one is given, with these rows; it is closed again.
  package init(
    _ kit: ConformanceContext, _ models: [ModelSchema], _ rows: [String: [Record]], version: Int? = nil
  ) throws {
    try self.init(kit)
    let store = try kit.open(program: models, at: place, migration: version.map { .to($0) } ?? .automatic)
    // In the order of the models, because rows may refer to those of an earlier one.
    try store.write { tx in
      for model in models { try tx.records.insert(into: model.name, rows[model.name] ?? []) }
    }
    try store.close()
  }

  package func open(_ models: [ModelSchema], _ migration: Migration = .automatic) throws -> Store {
    try kit.open(program: models, at: place, migration: migration)
  }

  /// What the store has: its schema as it is told, and all rows.
  package func content() throws -> MigrationContent { try MigrationContent(kit.open([], at: place)) }

  /// Throws unless opening ends with the code, and leaves the store as it was.
  @discardableResult
  package func expectRefusal(
    _ code: StorageError.Code, _ models: [ModelSchema], _ migration: Migration = .automatic, file: String = #fileID,
    line: Int = #line
  ) throws -> StorageError {
    let before = try content()
    let error = try expectError(code, file: file, line: line) { try open(models, migration) }
    try expectEqual(try content(), before, "the store after the refusal", file: file, line: line)
    return error
  }

  /// As below, by the automatic rules.
  package func expectRows(
    _ models: [ModelSchema], _ rows: [String: [Record]], file: String = #fileID, line: Int = #line
  ) throws {
    try expectRows(models, .automatic, rows, file: file, line: line)
  }

  /// Throws unless the store that the programs open has these rows, is sound, and needs nothing more.
  package func expectRows(
    _ models: [ModelSchema], _ migration: Migration, _ rows: [String: [Record]], file: String = #fileID,
    line: Int = #line
  ) throws {
    let store = try open(models, migration)
    try expectEqual(try MigrationContent(store).rows, rows, "the rows", file: file, line: line)
    try expectEqual(try store.check(), [], "the check", file: file, line: line)
    try store.close()
    let again = try open(models, migration)
    try expectEqual(again.openingReport.schemaChanges, [], "what is left to do", file: file, line: line)
    try expectEqual(try MigrationContent(again).rows, rows, "the rows of the next opening", file: file, line: line)
    try again.close()
  }
}

/// All that a store has.
package struct MigrationContent: Equatable {
  var models: [String]
  package var rows: [String: [Record]] = [:]
  package var version: Int

  package init(_ store: Store) throws {
    version = store.schemaVersion
    let schemas = try store.models()
    models = schemas.map { model in
      let properties = model.liveSlots.map {
        let property = model.properties[$0]
        let reference = property.reference.map { " to \($0.model) by \($0.deleteRule)" } ?? ""
        return "\(property.name): \(property.typeName)\(reference) \(String(describing: property.defaultValue))"
      }
      let indexes = model.indexes.map { index in
        "\(index.name) \(index.isUnique) \(index.columns.map { "\(model.properties[$0.slot].name) \($0.isDescending)" })"
      }
      return "\(model.name) \(model.keyProperty.name) \(properties) \(indexes.sorted())"
    }.sorted()
    for model in schemas { rows[model.name] = try store.read { try $0.records.fetch(QueryTree(model: model.name)) } }
  }
}

extension ModelSchema {
  /// A model whose first property is its key.
  package static func migrating(
    _ name: String = "Book", _ properties: PropertySchema..., key: PropertyType = .int64, indexes: [IndexSchema] = []
  ) -> ModelSchema {
    ModelSchema(
      name: name, properties: [PropertySchema(name: "id", type: key)] + properties, primaryKey: 0, indexes: indexes)
  }
}

extension PropertySchema {
  package static func string(_ name: String, isOptional: Bool = false) -> PropertySchema {
    PropertySchema(name: name, type: .string, isOptional: isOptional)
  }

  package static func int(_ name: String, isOptional: Bool = false) -> PropertySchema {
    PropertySchema(name: name, type: .int64, isOptional: isOptional)
  }
}
