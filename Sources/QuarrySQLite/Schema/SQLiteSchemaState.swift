import QuarryBackend
import QuarrySQL

/// A schema with the tables of its models: made once, and shared by all connections that see it.
final class SQLiteSchemaState: Sendable {
  let schema: Schema
  /// By the numbers of the models, which are small.
  let tables: [SQLiteTable?]

  /// - Parameter former: The state before a change of the schema, whose tables of other models are taken over.
  init(_ schema: Schema, after former: SQLiteSchemaState? = nil) throws(StorageError) {
    self.schema = schema
    let count = Int(schema.models.map(\.id.rawValue).max() ?? 0) + 1
    // Each model and index has taken one number, so that a greater one is damage and not worth the memory.
    guard count <= 10_000_000 else { throw StorageError(.corrupt, "the stored schema has impossible numbers") }
    var tables = [SQLiteTable?](repeating: nil, count: count)
    for model in schema.models {
      let number = Int(model.id.rawValue)
      let known = former.flatMap { $0.tables.indices.contains(number) ? $0.tables[number] : nil }
      tables[number] = if let known, known.model == model { known } else { try SQLiteTable(model) }
    }
    self.tables = tables
  }
}

extension SQLiteSchemaState: SQLTables {
  func table(of model: ModelID) -> (any SQLTable)? {
    let number = Int(model.rawValue)
    return tables.indices.contains(number) ? tables[number] : nil
  }
}
