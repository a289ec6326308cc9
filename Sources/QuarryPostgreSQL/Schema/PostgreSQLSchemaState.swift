#if PostgreSQL
  import QuarryBackend
  import QuarrySQL
  import Synchronization

  /// A schema with the tables of its models: made once, and shared by all connections that see it.
  final class PostgreSQLSchemaState: Sendable {
    let schema: Schema
    /// By the numbers of the models.
    private let tables: [UInt32: PostgreSQLTable]

    init(_ schema: Schema, in place: PostgreSQLPlace) throws(StorageError) {
      self.schema = schema
      var tables: [UInt32: PostgreSQLTable] = [:]
      for model in schema.models { tables[model.id.rawValue] = try PostgreSQLTable(model, in: place) }
      self.tables = tables
    }

    /// - Throws: `schemaMismatch` when the schema has no such model.
    func table(_ id: ModelID) throws(StorageError) -> PostgreSQLTable {
      guard let table = tables[id.rawValue] else {
        throw StorageError(.schemaMismatch, "the store has no model with the number \(id)")
      }
      return table
    }
  }

  extension PostgreSQLSchemaState: SQLTables {
    func table(of model: ModelID) -> (any SQLTable)? { tables[model.rawValue] }
  }

  /// The schema that was committed last, with its tables, for all connections of a store.
  final class PostgreSQLSharedSchema: Sendable {
    private let newest = Mutex<PostgreSQLSchemaState?>(nil)

    /// The state with that version; nil where it has to be loaded.
    func state(_ version: UInt64) -> PostgreSQLSchemaState? {
      newest.withLock { $0?.schema.version == version ? $0 : nil }
    }

    /// Keeps a state that was committed, so that other connections need not read it.
    func adopt(_ state: PostgreSQLSchemaState) {
      newest.withLock { current in
        // A reader of an old snapshot must not put back what it sees.
        if current.map({ $0.schema.version < state.schema.version }) ?? true { current = state }
      }
    }
  }
#endif
