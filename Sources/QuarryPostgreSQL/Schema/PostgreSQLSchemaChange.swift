#if PostgreSQL
  import QuarryBackend

  /// Makes a change of the schema in the database. Called inside a savepoint, which undoes all of it when it throws.
  struct PostgreSQLSchemaChange {
    let connection: PostgreSQLConnection
    let place: PostgreSQLPlace
    let old: Schema
    let new: Schema
    /// The most properties of a model.
    let columnLimit: Int

    /// The tables by whose locks a change keeps others out, in the order in which transactions lock them.
    ///
    /// Some changes need the table alone, which snapshots between their reads leave free. Names that a change takes away are
    /// those of snapshots too.
    static func locks(of change: SchemaChange, _ place: PostgreSQLPlace) -> [String] {
      switch change {
      case .createModel, .createIndex, .setProgramVersion, .changeReference, .changeKeyGeneration, .changeSearch,
        .changeSyncName, .renameIndex:
        []
      case .addProperty, .changeOptionality, .dropIndex: [place.line]
      case .dropModel, .renameModel, .renameProperty, .dropProperty: [place.line, place.store]
      }
    }

    func make(_ change: SchemaChange) throws(StorageError) {
      switch change {
      case .createModel: try createModel()
      case .dropModel(let id): try connection.run("DROP TABLE \(try table(id, old).name)")
      case .renameModel(let id, let name):
        let (before, after) = (try table(id, old).name, try table(id, new).name)
        // The server refuses the name that a table or a column already has.
        guard before != after else { return }
        try connection.run("ALTER TABLE \(before) RENAME TO \(PostgreSQLName.quoted(name))")
      case .addProperty(let id, _): try addProperty(try table(id, new), try table(id, old))
      case .renameProperty(let id, let slot, _):
        let (before, after) = (try table(id, old), try table(id, new))
        let (from, to) = (try before.column(slot).name, try after.column(slot).name)
        guard from != to else { return }
        try connection.run("ALTER TABLE \(before.name) RENAME COLUMN \(from) TO \(to)")
      case .dropProperty(let id, let slot):
        let before = try table(id, old)
        try connection.run("ALTER TABLE \(before.name) DROP COLUMN \(try before.column(slot).name)")
      case .changeOptionality(let id, let slot, _): try changeOptionality(try table(id, old), try table(id, new), slot)
      case .createIndex(let id, _):
        let table = try table(id, new)
        guard let index = table.model.indexes.last else { return }
        try createIndex(table, index)
      case .dropIndex(let id, let index):
        let table = try table(id, old)
        try dropIndex(try self.index(index, table), of: table)
      // An index is named after its number; references, generated keys, text search and sync names are the layer's above.
      case .renameIndex, .changeReference, .changeKeyGeneration, .changeSearch, .changeSyncName, .setProgramVersion:
        break
      }
    }

    private func table(_ id: ModelID, _ schema: Schema) throws(StorageError) -> PostgreSQLTable {
      guard let model = schema.model(id: id) else {
        throw StorageError(.schemaMismatch, "the store has no model with the number \(id)")
      }
      return try PostgreSQLTable(model, in: place)
    }

    private func index(_ id: UInt32, _ table: PostgreSQLTable) throws(StorageError) -> IndexSchema {
      guard let index = table.model.indexes.first(where: { $0.id == id }) else {
        throw StorageError(.schemaMismatch, "the model has no index with the number \(id)", model: table.model.name)
      }
      return index
    }

    private func checkColumns(_ table: PostgreSQLTable) throws(StorageError) {
      guard table.live.count <= columnLimit else {
        throw .limitExceeded(
          "properties of a model", limit: columnLimit, actual: table.live.count, model: table.model.name)
      }
    }

    private func createModel() throws(StorageError) {
      guard let model = new.models.last else { return }
      let table = try PostgreSQLTable(model, in: place)
      try checkColumns(table)
      try connection.run(PostgreSQLDefinition.createTable(table))
      for index in model.indexes { try createIndex(table, index) }
    }

    // MARK: Properties

    /// Adds the column of the last property, and gives the rows its default.
    private func addProperty(_ table: PostgreSQLTable, _ before: PostgreSQLTable) throws(StorageError) {
      try checkColumns(table)
      guard let column = table.live.last, let property = table.model.properties.last else { return }
      if table.hasTrees, !before.hasTrees {
        try connection.run("ALTER TABLE \(table.name) ADD COLUMN \(PostgreSQLName.quoted(PostgreSQLName.exact)) bytea")
      }
      try connection.run("ALTER TABLE \(table.name) ADD COLUMN \(column.name) \(column.kind.declaredType)")
      if let value = property.defaultValue, !value.isNull {
        // The writer owns the bytes of the row, which has the default alone.
        let writer = RowWriter(table.layout)
        defer { withExtendedLifetime(writer) {} }
        writer.begin()
        try writer.set(column.slot, value: value)
        let row = try RowView(try writer.finish(), table.layout)
        let isTree = column.kind == .tree
        var parameters = PostgreSQLParameters()
        try PostgreSQLRowWriter(table).add(row, [column], withExact: isTree, to: &parameters)
        let exact = PostgreSQLName.quoted(PostgreSQLName.exact)
        let more =
          isTree ? ", \(exact) = nullif(coalesce(\(exact), ''::bytea) || coalesce($2, ''::bytea), ''::bytea)" : ""
        _ = try connection.query(
          PostgreSQLStatement("UPDATE \(table.name) SET \(column.name) = $1\(more)", parameters))
      }
      if !column.slot.isOptional {
        try connection.run("ALTER TABLE \(table.name) ALTER COLUMN \(column.name) SET NOT NULL")
      }
    }

    /// Lets a column be NULL, or no longer. Indexes say where NULL stands, and are made once more.
    private func changeOptionality(
      _ before: PostgreSQLTable, _ after: PostgreSQLTable, _ slot: Int
    ) throws(StorageError) {
      let column = try after.column(slot)
      guard try before.column(slot).slot.isOptional != column.slot.isOptional else { return }
      let verb = column.slot.isOptional ? "DROP" : "SET"
      try connection.run("ALTER TABLE \(after.name) ALTER COLUMN \(column.name) \(verb) NOT NULL")
      for index in after.model.indexes where index.columns.contains(where: { $0.slot == slot }) {
        try dropIndex(index, of: after)
        try createIndex(after, index)
      }
    }

    // MARK: Indexes

    func createIndex(_ table: PostgreSQLTable, _ index: IndexSchema) throws(StorageError) {
      do throws(StorageError) {
        try connection.run(try PostgreSQLDefinition.createIndex(table, index))
      } catch  where error.code == .uniqueViolation {
        throw .uniqueViolation(index, table.model, key: nil)
      }
    }

    func dropIndex(_ index: IndexSchema, of table: PostgreSQLTable) throws(StorageError) {
      let name = PostgreSQLName.index(index.id)
      // Another program may have made a constraint of it.
      try connection.run(
        "ALTER TABLE \(table.name) DROP CONSTRAINT IF EXISTS \(PostgreSQLName.quoted(name)); "
          + "DROP INDEX IF EXISTS \(place.qualified(name))")
    }
  }
#endif
