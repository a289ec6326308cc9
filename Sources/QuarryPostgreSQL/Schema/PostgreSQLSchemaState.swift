#if PostgreSQL
  import QuarryBackend
  import QuarrySQL
  import Synchronization

  /// A schema with the tables of its models: made once, and shared by all connections that see it.
  final class PostgreSQLSchemaState: Sendable {
    let schema: Schema
    /// Whether the store is synced: of many writers, one writes at a time then.
    let isSynced: Bool
    /// By the numbers of the models.
    private let models: [UInt32: Entry]

    /// A table, and the memory that the last read of one of its rows has left for the next one.
    private final class Entry: Sendable {
      let table: PostgreSQLTable
      let spare = Spare<PostgreSQLModel>()

      init(_ table: PostgreSQLTable) { self.table = table }
    }

    init(_ schema: Schema, in place: PostgreSQLPlace) throws(StorageError) {
      self.schema = schema
      isSynced = schema.isSynced
      var models: [UInt32: Entry] = [:]
      for model in schema.models { models[model.id.rawValue] = Entry(try PostgreSQLTable(model, in: place)) }
      self.models = models
    }

    private func entry(_ id: ModelID) throws(StorageError) -> Entry {
      guard let entry = models[id.rawValue] else {
        throw StorageError(.schemaMismatch, "the store has no model with the number \(id)")
      }
      return entry
    }

    /// - Throws: `schemaMismatch` when the schema has no such model.
    func table(_ id: ModelID) throws(StorageError) -> PostgreSQLTable { try entry(id).table }

    /// Calls the body with a model that nothing else uses meanwhile.
    ///
    /// - Throws: `schemaMismatch` when the schema has no such model.
    func withModel<R>(
      _ id: ModelID, _ body: (PostgreSQLModel) throws(StorageError) -> R
    ) throws(StorageError) -> R {
      let entry = try entry(id)
      let model = if let spare = entry.spare.take() { spare } else { try PostgreSQLModel(entry.table) }
      defer { if model.isSmall { entry.spare.keep(model) } }
      return try body(model)
    }
  }

  extension PostgreSQLSchemaState: SQLTables {
    func table(of model: ModelID) -> (any SQLTable)? { models[model.rawValue]?.table }
  }

  /// The schema that was committed last, with its tables, for all connections of a store.
  final class PostgreSQLSharedSchema: Sendable {
    private let newest = Mutex<PostgreSQLSchemaState?>(nil)

    /// The state with that version; nil where it has to be loaded.
    func state(_ version: UInt64) -> PostgreSQLSchemaState? {
      newest.withLock { $0?.schema.version == version ? $0 : nil }
    }

    /// Whether the store was synced in the newest state that is known.
    var isSynced: Bool { newest.withLock { $0?.isSynced ?? false } }

    /// Keeps a state that was committed, so that other connections need not read it.
    func adopt(_ state: PostgreSQLSchemaState) {
      newest.withLock { current in
        // A reader of an old snapshot must not put back what it sees.
        if current.map({ $0.schema.version < state.schema.version }) ?? true { current = state }
      }
    }
  }
#endif
